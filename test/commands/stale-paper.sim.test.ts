// A paper account whose prices are stale: the prompt shows it, and no market order that adds is filled at a price that was not heard.
import { describe, expect, it } from 'vitest'
import { positionsOf } from '../../harness/commands/account-state.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'

const DOORS = ['repl', 'exec', 'web', 'hook'] as const
const STALE = /stale-prices: the prices of \S+ are stale, and a market order has no other \| wait until/

async function inGap(...before: readonly string[]): Promise<CommandSession> {
  const session = await createSession()
  for (const line of [...before, 'paper faults gap 60']) await session.run(line)
  return session
}

describe('while the prices of a paper account are stale', () => {
  it.each([
    'buy 0.01',
    'sell $700 stop +2%',
    'buy $500 ETHUSDT',
    'position long $700',
    'swarm buy $900 into 3',
    'buy 0.01 --dry',
  ])('`%s` is refused from every door', async (line) => {
    for (const source of DOORS) {
      const session = await inGap()
      const run = session.start(line, { source })
      expect(await run.done).toBe(false)
      expect(run.lines.join('\n')).toMatch(STALE)
      expect(await positionsOf(session)).toEqual([])
      expect(session.journal.filter((each) => each.includes('"intent"'))).toEqual([])
    }
  })

  it('leaves what reduces, and what has a price of its own', async () => {
    const session = await inGap('buy 0.02')
    for (const line of ['buy 0.01 at -1%', 'stop at -2%', 'cancel', 'close 50%', 'close']) {
      expect((await session.run(line)).join('\n')).not.toContain('error')
    }
    expect(await positionsOf(session)).toEqual([])
  })

  it('ends with the gap', async () => {
    const session = await inGap()
    expect((await session.run('buy 0.01')).join('\n')).toMatch(STALE)
    await session.advance(62_000)
    expect((await session.run('buy 0.01')).join('\n')).toContain('bought 0.01 BTCUSDT')
  })
})
