// Which orders look at what streams have told, and which ask what is held: those with a figure that hangs on it.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Ticker } from '../../src/exchange/market.ts'
import type { Position } from '../../src/exchange/order.ts'

/** Long 0.1 BTC, of which the streams know. */
async function stage() {
  const asked: string[] = []
  const known: { positions?: readonly Position[]; ticker?: Ticker } = {}
  const session = await createSession({
    exchange: (paper) => ({
      ...paper,
      fetchPositions() {
        asked.push('positions')
        return paper.fetchPositions()
      },
      fetchTicker(symbol) {
        asked.push('ticker')
        return paper.fetchTicker(symbol)
      },
      knownPositions: () => known.positions,
      knownTicker: () => known.ticker,
    }),
  })
  await session.run('buy 0.1')
  const { venue } = await session.connect('paper')
  known.positions = await venue.fetchPositions()
  known.ticker = await venue.fetchTicker('BTCUSDT')
  asked.length = 0
  return { session, asked }
}

describe('an order', () => {
  it.each(['buy 0.01', 'buy $500', 'sell 0.01', 'buy 0.01 at -1%', 'buy 0.01 at $last -10', 'buy 0.01 best po'])(
    'asks for nothing that streams have told: %s',
    async (line) => {
      const { session, asked } = await stage()
      expect((await session.run(line)).filter((said) => said.startsWith('error'))).toEqual([])
      expect(asked).toEqual([])
    },
  )

  it.each([
    'sell 50% reduce',
    'sell 0.01 reduce',
    'buy 10%',
    'buy 0.01 at $entry -5%',
    'buy 0.01 stop -2%',
    'buy 0.01 tp +2%',
    'close 50%',
    'stop at -2%',
  ])('asks what is held where it hangs on that: %s', async (line) => {
    const { session, asked } = await stage()
    expect((await session.run(line)).filter((said) => said.startsWith('error'))).toEqual([])
    expect(asked).toContain('positions')
  })
})
