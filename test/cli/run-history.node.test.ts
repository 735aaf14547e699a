// What ran is found by the next process, by another one, and after a kill.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'

async function json(directory: string, line: string): Promise<Record<string, unknown>> {
  const { stdout } = await run(directory, ['exec', '--json', line])
  return JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, unknown>
}

describe('the history of runs', () => {
  it('is there in the next process: command, output, orders', async () => {
    const directory = tempDirectory()
    await run(directory, ['exec', 'buy 0.01 stop -2%; echo done'])
    const { runs } = (await json(directory, 'runs')) as { runs: { runId: string; state: string; command: string }[] }
    expect(runs).toMatchObject([{ state: 'done', command: 'buy 0.01 stop -2%; echo done' }])
    expect(await json(directory, `runs show ${runs[0]?.runId}`)).toMatchObject({
      steps: [
        { text: 'buy 0.01 stop -2%', success: true, afterMs: expect.any(Number), tookMs: expect.any(Number) },
        { text: 'echo done', success: true },
      ],
      output: [
        { text: expect.stringMatching(/^bought 0\.01/) },
        { text: expect.stringMatching(/stop/) },
        { text: 'done' },
      ],
      orders: [
        { type: 'market', state: 'closed', filled: '0.01' },
        { type: 'stop', state: 'placed', filled: '0' },
      ],
    })
  })

  it('holds no token of a hook', async () => {
    const directory = tempDirectory()
    await run(directory, ['exec', 'hook create dip "echo ok"'])
    const token = /"secret": ?"([0-9a-f]{32})"/.exec(readFileSync(join(directory, 'hooks.json'), 'utf8'))?.[1] ?? '-'
    await run(directory, ['exec', `echo ${token.toUpperCase()} ${token}`])
    const kept = readFileSync(join(directory, 'run-output.jsonl'), 'utf8')
    expect(kept).toContain('<hidden>')
    expect(kept.toLowerCase()).not.toContain(token)
  })
})
