// Lines of `runs.jsonl` that no hookline writes, and that the fuzzer found to be taken for runs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { interruptedNotice } from '../../src/app/notices.ts'
import { defined } from '../../src/base/defined.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import { openRunJournal } from '../../src/runtime/run-journal.ts'
import { ownIdentity } from '../../src/stores/kernel-files.ts'

const whole = { t: 'start', runId: 'a', at: 1, source: 'hook', command: 'buy $1', account: 'paper', pid: 2 ** 22 + 1 }

describe('a line of the journal', () => {
  it('is of its own run, whatever was fired before', () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    const journal = openRunJournal({ path, now: () => 5 })
    const hook: Omit<RunRequest, 'runId'> = { source: 'hook', command: 'buy "1"', origin: 'dip', hookId: 'h' }
    const requests: Omit<RunRequest, 'runId'>[] = [
      hook,
      hook,
      { ...hook, command: 'sell 1' },
      { ...hook, origin: 'rip' },
      { ...hook, hookId: 'i' },
      { source: 'repl' as const, command: 'h' },
      { source: 'exec' as const, command: 'h' },
      hook,
    ]
    const runs = requests.flatMap((run, index) =>
      ['paper', 'live'].map((account) => ({ ...run, runId: `${account}${index}`, account })),
    )
    for (const { account, ...run } of runs) journal.start(run, account, () => {})
    journal.close()
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      runs.map(({ hookId, ...run }) => ({ t: 'start', at: 5, ...run, ...ownIdentity(), ...defined({ hook: hookId }) })),
    )
  })

  it.each<[what: string, changes: object]>([
    ['without a time', { at: undefined }],
    ['at a time that no clock shows', { at: 1e17 }],
    ['without a command', { command: undefined }],
    ['whose origin is no text', { origin: 5 }],
  ])('%s is no run, and the start goes on', (_what, changes) => {
    const path = join(tempDirectory(), 'runs.jsonl')
    writeFileSync(path, `${JSON.stringify({ ...whole, ...changes })}\n`)
    const journal = openRunJournal({ path })
    const interrupted = journal.takeInterrupted()
    expect(interrupted).toEqual([])
    expect(interruptedNotice(interrupted)).toBeUndefined()
    journal.close()
  })

  it('with two ids is no run', () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    writeFileSync(path, `${JSON.stringify(whole).replace('"at"', '"runId":"b","at"')}\n`)
    const journal = openRunJournal({ path })
    expect(journal.takeInterrupted()).toEqual([])
    journal.close()
  })

  it('that is whole is one', () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    writeFileSync(path, `${JSON.stringify(whole)}\n`)
    const journal = openRunJournal({ path })
    expect(interruptedNotice(journal.takeInterrupted())?.text).toContain('buy $1')
    journal.close()
  })
})
