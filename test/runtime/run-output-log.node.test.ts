import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import { openRunOutputLog, outputOfRun } from '../../src/runtime/run-output-log.ts'
import { linesBackwards, withBackup } from '../../src/stores/journal-file.ts'

const run: RunRequest = { runId: 'a', source: 'hook', command: 'echo' }
const END = { acceptedAt: 1_000, endedAt: 2_000 }

function open(options: Partial<Parameters<typeof openRunOutputLog>[0]> = {}) {
  const path = join(tempDirectory(), 'run-output.jsonl')
  let now = 1_001
  const log = openRunOutputLog({
    path,
    hideSecrets: (text) => text.replaceAll('token', '<hidden>'),
    now: () => now++,
    ...options,
  })
  const read = (runId = 'a', startedAt = 1_000) => outputOfRun(linesBackwards(withBackup(path)), { runId, startedAt })
  return { path, log, read }
}

describe('the output of runs', () => {
  it('is kept with its time and kind, without what is secret', async () => {
    const { log, read } = open()
    log.sink.started?.(run, END.acceptedAt)
    log.sink.output?.(run, 'print', 'one')
    log.sink.output?.(run, 'error', 'a token\nof two lines')
    log.sink.done?.(run, { success: true }, END)
    log.close()
    expect(await read()).toEqual({
      lines: [
        [1, 'print', 'one'],
        [2, 'error', 'a <hidden>\nof two lines'],
      ],
      steps: [],
      leftOut: 0,
    })
  })

  it('is read without what a hand has put between', async () => {
    const { path, log, read } = open()
    log.sink.started?.(run, END.acceptedAt)
    log.sink.output?.(run, 'print', 'one')
    log.sink.done?.(run, { success: true }, END)
    log.close()
    const odd = [
      {
        runId: 'a',
        at: 1_000,
        lines: [null, 7, [1], [1, 'print', 5], [1, 'shout', 'x'], ['1', 'print', 'x']],
        steps: [null],
      },
      { runId: 'a', at: 'x', lines: [] },
      { runId: 'a', at: 1_000, lines: [], steps: { a: 1 }, leftOut: 'many' },
    ]
    appendFileSync(path, odd.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await read()).toEqual({ lines: [[1, 'print', 'one']], steps: [], leftOut: 0 })
  })

  it('is capped by lines and by characters, and what is left out is counted', async () => {
    const { log, read } = open({ limits: { lines: 3, characters: 100 } })
    for (const runId of ['a', 'b']) log.sink.started?.({ ...run, runId }, END.acceptedAt)
    for (let index = 0; index < 10; index++) log.sink.output?.(run, 'print', `${index}`)
    for (const text of ['short', 'x'.repeat(99), 'y']) log.sink.output?.({ ...run, runId: 'b' }, 'print', text)
    log.close()
    expect(await read()).toMatchObject({ leftOut: 7, lines: { length: 3 } })
    expect((await read('b')).lines.map(([, , text]) => text)).toEqual(['short', 'y'])
  })

  it('has the first hundred steps with their times', async () => {
    const { log, read } = open()
    log.sink.started?.(run, END.acceptedAt)
    for (let index = 0; index < 120; index++) {
      const times = { startedAt: 1_000 + index, endedAt: 1_005 + index }
      log.sink.step?.(run, { text: `echo token ${index}`, ...times, succeeded: index !== 1 })
    }
    log.sink.done?.(run, { success: true }, END)
    log.close()
    const { steps } = await read()
    expect(steps.slice(0, 2)).toEqual([
      [0, 5, true, 'echo <hidden> 0'],
      [1, 5, false, 'echo <hidden> 1'],
    ])
    expect(steps).toHaveLength(100)
  })

  it('is on the disk while a long run lasts', async () => {
    const { log, read } = open()
    log.sink.started?.(run, END.acceptedAt)
    for (let index = 0; index < 50; index++) log.sink.output?.(run, 'print', `${index}`)
    await expect.poll(async () => (await read()).lines.length).toBe(50)
    log.close()
  })

  it('has what becomes of its orders when the run is over', async () => {
    const { log, read } = open()
    log.sink.started?.(run, END.acceptedAt)
    log.sink.output?.(run, 'print', 'rests')
    log.sink.done?.(run, { success: true }, END)
    log.flush()
    log.sink.output?.(run, 'success', 'bought')
    log.flush()
    expect((await read()).lines.map(([afterMs, , text]) => [afterMs > 0, text])).toEqual([
      [true, 'rests'],
      [true, 'bought'],
    ])
    log.close()
  })

  it('costs nothing of a run that prints nothing', () => {
    const { path, log } = open()
    log.sink.started?.(run, END.acceptedAt)
    log.sink.done?.(run, { success: true }, END)
    log.close()
    expect(() => readFileSync(path)).toThrow(/ENOENT/)
  })

  it('is found among the output of many others, and in the backup', async () => {
    const { log, read } = open({ maxBytes: 4_000 })
    for (let index = 0; index < 40; index++) {
      const each = { ...run, runId: `r${index}` }
      log.sink.started?.(each, END.acceptedAt)
      log.sink.output?.(each, 'print', `text ${index}`)
      log.sink.done?.(each, { success: true }, END)
      // One turn each: a file is only set aside between two.
      await new Promise((resolve) => setImmediate(resolve))
    }
    log.close()
    expect((await read('r12')).lines.map(([, , text]) => text)).toEqual(['text 12'])
    expect(await read('none')).toEqual({ lines: [], steps: [], leftOut: 0 })
  })
})
