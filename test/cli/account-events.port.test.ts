// What happens on an account is seen in the terminal, whichever process caused it, and after hookline was off.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { exec, RunningHookline, withoutTimes } from '../../harness/process/hookline.ts'

/** Listening, and what the account holds has been noted. */
async function listen(directory: string): Promise<RunningHookline> {
  const hookline = await RunningHookline.listening(directory)
  await expect.poll(() => existsSync(join(directory, 'last-seen.json')), { timeout: PATIENCE_MS }).toBe(true)
  return hookline
}

async function stop(hookline: RunningHookline): Promise<void> {
  hookline.signal('SIGTERM')
  expect(await hookline.ended()).toMatchObject({ code: 0, stderr: '' })
}

describe('a terminal', () => {
  it('sees the orders of another process: fills, stops, cancels', async () => {
    const directory = tempDirectory()
    const hookline = await listen(directory)
    await exec(directory, 'buy 0.01; stop at -3%; cancel all; sell 0.01')
    await hookline.prints('[paper] order p3: sold 0.01 BTCUSDT')
    expect(hookline.stdout).toMatch(/\[paper\] order p1: bought 0\.01 BTCUSDT/)
    expect(hookline.stdout).toMatch(/\[paper\] stop p2 \(sell 0\.01 BTCUSDT [^)]+\) canceled/)
    await stop(hookline)
  })

  it('sees a liquidation', async () => {
    const directory = tempDirectory()
    const hookline = await listen(directory)
    await exec(directory, 'buy 1.0 --far')
    await hookline.prints('[paper] order p1: bought 1 BTCUSDT')
    const path = join(directory, 'paper-paper.json')
    const ruined = readFileSync(path, 'utf8').replace(/"realizedPnl": ?"0"/, '"realizedPnl": "-9800"')
    writeFileSync(`${path}.new`, ruined)
    renameSync(`${path}.new`, path)
    await hookline.prints('liquidated')
    expect(hookline.stdout).toMatch(/warning: \[paper\] order p2: sold 1 BTCUSDT at .*, pnl .*: liquidated/)
    await stop(hookline)
  })

  it('is told at the start what happened while hookline was off', async () => {
    const directory = tempDirectory()
    const first = await listen(directory)
    await exec(directory, 'buy 0.01; buy 0.01 at -3%')
    await first.prints('bought 0.01')
    await stop(first)
    await exec(directory, 'close; cancel')
    const second = await RunningHookline.listening(directory)
    await second.prints('BTCUSDT: long 0.01 is closed')
    expect(withoutTimes(second.stdout)).toMatch(/\[paper\] since the last record of the account, [\d-]+ [\d:]+ UTC:\n/)
    expect(withoutTimes(second.stdout)).toMatch(/\n {2}order p3: sold 0\.01 BTCUSDT/)
    expect(withoutTimes(second.stdout)).toMatch(/\n {2}order p2 \(buy 0\.01 BTCUSDT [^)]+\) canceled/)
    await stop(second)
  })

  it('is told nothing at the start when nothing happened', async () => {
    const directory = tempDirectory()
    const first = await listen(directory)
    await exec(directory, 'buy 0.01')
    await first.prints('bought 0.01')
    await stop(first)
    const seen = readFileSync(join(directory, 'last-seen.json'), 'utf8')
    const second = await RunningHookline.listening(directory)
    // It has looked once it has written down what it saw.
    await expect.poll(() => readFileSync(join(directory, 'last-seen.json'), 'utf8') === seen).toBe(false)
    await stop(second)
    expect(second.stdout).not.toContain('since the last record of the account')
  })
})
