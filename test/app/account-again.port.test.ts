// A paper account that is removed leaves its file: what becomes of it when the name comes back.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'

async function start() {
  const { app, output, directory } = await startApp({ listen: 'none' })
  let runs = 0
  return {
    directory,
    /** Its output. */
    async type(command: string): Promise<readonly string[]> {
      output.length = 0
      await app.runner.run({ runId: `run-${runs++}`, source: 'repl', command })
      return [...output]
    },
  }
}

it('goes on with its balance, and says so; a reset starts it again', async () => {
  const { type, directory } = await start()
  expect(await type('account add second paper')).toEqual([
    expect.stringMatching(/^success added account second on paper/),
  ])
  for (const line of ['account use second', 'buy 0.02', 'close', 'account use paper']) await type(line)
  expect(await type('account remove second')).toEqual([
    'success removed account second; its balance, positions and history stay in paper-second.json',
  ])
  expect(existsSync(join(directory, 'paper-second.json'))).toBe(true)
  expect(await type('account add second paper')).toEqual([
    expect.stringMatching(/^success added account second on paper/),
    expect.stringMatching(
      /^info it goes on where an account of this name was left: \$9,99\d\.\d\d; `account reset second --yes` starts it again$/,
    ),
  ])
  expect(await type('account reset second --yes')).toEqual(['success second starts again with $10,000.00'])
  await type('account use second')
  expect(await type('balance')).toEqual([
    expect.stringMatching(/USDT\s+\$10,000\.00\s+\$10,000\.00\s+\$0\.00\s+\$10,000\.00/),
  ])
})
