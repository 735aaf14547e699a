// A paper account that is removed leaves its file: what becomes of it when the name comes back.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, run } from '../../harness/process/hookline.ts'
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
      /^info it continues where an earlier account of this name ended: \$9,99\d\.\d\d; `account reset second --yes` starts it again$/,
    ),
  ])
  expect(await type('account reset second --yes')).toEqual(['success second starts again with $10,000.00'])
  await type('account use second')
  expect(await type('balance')).toEqual([
    expect.stringMatching(/USDT\s+\$10,000\.00\s+\$10,000\.00\s+\$0\.00\s+\$10,000\.00/),
  ])
})

it('is another account for what ran on the first, in another process, though it comes back at once', async () => {
  const directory = tempDirectory()
  const orders = () =>
    existsSync(join(directory, 'orders.jsonl'))
      ? readFileSync(join(directory, 'orders.jsonl'), 'utf8').split('"t":"intent"').length - 1
      : 0
  await exec(directory, 'account add second paper')
  // What is refused is no end of it.
  const line = 'repeat 1000 (buy 0.001 BTCUSDT || echo refused; sleep 250ms)'
  const running = run(directory, ['exec', '--account', 'second', line])
  await expect.poll(orders).toBeGreaterThan(2)
  await exec(directory, 'account remove second --yes; account add second paper')
  const { code, stdout, stderr } = await running
  expect(code).toBe(1)
  expect(`${stdout}${stderr}`).toContain('stopped: its account was removed')
})
