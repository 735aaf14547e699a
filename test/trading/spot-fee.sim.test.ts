// On spot a fee is taken from the coins that are bought: Bybit, OKX and Binance say so. A stop for more than is left is refused as it fires.
import { describe, expect, it } from 'vitest'
import { spotOver } from '../../harness/venues/spot-market.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const PROTECTED = { ...BUY, amount: '0.1', protection: STOP }

/** Acknowledges with what has filled, tells no fills, and lists them later: 1 % is taken in coins, 2 % is the most that the market takes. */
function stageSpot(listedAfterMs: number, feeCurrency = 'BTC') {
  const stage = stageDesk()
  const venue = stage.market.openExchange()
  const spot = spotOver(venue, '0.099')
  const listedAt = stage.market.now() + listedAfterMs
  const fee = feeCurrency === 'BTC' ? '0.001' : '65'
  const desk = stage.openDesk({
    ...spot,
    loadMarkets: async () => (await spot.loadMarkets()).map((market) => ({ ...market, takerFee: '0.02' })),
    subscribe: (handler) => venue.subscribe((event) => (event.type === 'trade' ? undefined : handler(event))),
    fetchMyTrades: async (query) => {
      if (stage.market.now() < listedAt) return []
      return (await venue.fetchMyTrades(query)).map((trade) => ({ ...trade, fee, feeCurrency }))
    },
  })
  const wait = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) await stage.advance(50)
  }
  const amounts = async () => (await stage.stops()).map(({ amount }) => amount)
  return { ...stage, ...desk, wait, amounts, requests: spot.sent }
}

describe('a stop on spot', () => {
  it('is for the coins that a fee has left, also once its entry is over and forgotten', async () => {
    const stage = stageSpot(0)
    stage.start(PROTECTED)
    await stage.wait(2_000)
    expect(await stage.amounts()).toEqual(['0.099'])
  })

  it('waits for the fills of its entry, and is placed once', async () => {
    const stage = stageSpot(300)
    stage.start(PROTECTED)
    await stage.wait(200)
    expect(await stage.amounts()).toEqual([])
    await stage.wait(400)
    expect(await stage.amounts()).toEqual(['0.099'])
    await stage.wait(5_000)
    expect([await stage.amounts(), stage.requests.length]).toEqual([['0.099'], 2])
  })

  it.each([
    ['in coins', 'BTC', '0.099'],
    ['in money', 'USDT', '0.1'],
  ])(
    'waits no longer than a second for them, leaves room for a fee, and is changed once one %s is known',
    async (_what, currency, known) => {
      const stage = stageSpot(4_000, currency)
      stage.start(PROTECTED)
      await stage.wait(1_500)
      expect(await stage.amounts()).toEqual(['0.098'])
      await stage.wait(20_000)
      expect(await stage.amounts()).toEqual([known])
    },
  )
})
