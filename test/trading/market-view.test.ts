// What an order looks at before it is worked out: what streams have just told, and what has to be asked for.
import { describe, expect, it } from 'vitest'
import type { VenueView } from '../../src/exchange/exchange.ts'
import type { Position } from '../../src/exchange/order.ts'
import { viewSymbol } from '../../src/trading/market-view.ts'
import { market, position } from '../guards/guard-stage.ts'

interface Told {
  readonly last?: string
  readonly positions?: readonly Position[] | Promise<readonly Position[]>
}

function venueOf(told: Told) {
  const asked: string[] = []
  const ticker = (last: string) => ({ symbol: 'BTCUSDT', last, bid: last, ask: last, timestamp: 0 })
  const venue = {
    id: 'binance',
    loadMarkets: async () => [market('BTCUSDT')],
    async fetchTicker() {
      asked.push('ticker')
      return ticker('50000')
    },
    async fetchPositions() {
      asked.push('positions')
      return [position('BTCUSDT', 'long', '1')]
    },
    knownTicker: () => (told.last === undefined ? undefined : ticker(told.last)),
    knownPositions: () => told.positions,
  } as unknown as VenueView
  return { venue, asked }
}

const short = [position('BTCUSDT', 'short', '2')]

describe('what is looked at before an order', () => {
  it.each([{ positions: short }, { positions: Promise.resolve(short) }])('is what streams have told', async (told) => {
    const { venue, asked } = venueOf({ last: '60000', ...told })
    const view = await viewSymbol(venue, 'btcusdt', 'known')
    expect([view.ticker.last, view.position?.amount]).toEqual(['60000', '2'])
    expect(asked).toEqual([])
  })

  it('is asked for where they have told nothing', async () => {
    const { venue, asked } = venueOf({})
    const view = await viewSymbol(venue, 'BTCUSDT', 'known')
    expect([view.ticker.last, view.position?.amount]).toEqual(['50000', '1'])
    expect(asked).toEqual(['ticker', 'positions'])
  })

  it('is the position as the venue says, where a figure hangs on it', async () => {
    const { venue, asked } = venueOf({ last: '60000', positions: short })
    const view = await viewSymbol(venue, 'BTCUSDT')
    expect([view.ticker.last, view.position?.amount]).toEqual(['60000', '1'])
    expect(asked).toEqual(['positions'])
  })
})
