import { describe, expect, it } from 'vitest'
import type { CcxtClient } from '../../../src/exchanges/ccxt/ccxt-client.ts'
import { fetchCandles, intervalsOf } from '../../../src/exchanges/ccxt/market-rows.ts'
import type { VenueMarket } from '../../../src/exchanges/ccxt/markets.ts'

const asked: unknown[][] = []

function clientOf(answer: unknown, more: object = {}): CcxtClient {
  const client = {
    id: 'venue',
    has: { fetchOHLCV: true },
    timeframes: { '1m': '60' },
    async fetchOHLCV(...args: unknown[]) {
      asked.push(args)
      return answer
    },
    ...more,
  }
  return client as unknown as CcxtClient
}

function marketOf(contractSize = '1', amountUnit = 'base'): VenueMarket {
  const market = { symbol: 'BTCUSDT', amountUnit }
  return { market, symbol: 'BTC/USDT:USDT', id: 'btcusdt', contractSize } as unknown as VenueMarket
}

describe('candles of a venue', () => {
  it('are asked for by its own name of the market, and come oldest first as decimals in text', async () => {
    const client = clientOf([
      [120_000, 2, 3, 1, 2.5, 10],
      [60_000, 0.0000001, 1, 1e-7, 1, 5],
    ])
    expect(await fetchCandles(client, marketOf(), '1m', 500)).toEqual([
      { at: 60_000, open: '0.0000001', high: '1', low: '0.0000001', close: '1', volume: '5' },
      { at: 120_000, open: '2', high: '3', low: '1', close: '2.5', volume: '10' },
    ])
    expect(asked.at(-1)).toEqual(['BTC/USDT:USDT', '1m', undefined, 500])
  })

  it('have no volume where the venue counts contracts of its own size', async () => {
    const client = clientOf([[60_000, 1, 1, 1, 1, 5]])
    for (const market of [marketOf('0.01'), marketOf('1', 'quote')])
      expect((await fetchCandles(client, market, '1m', 1))[0]).not.toHaveProperty('volume')
  })

  it('leave out what is no candle, and more than was asked for', async () => {
    const rows = [null, 'x', [], [0, 1, 1, 1, 1], [60_000, -1, 1, 1, 1], [60_000, 1, 1, null, 1, 1]]
    expect(await fetchCandles(clientOf(rows), marketOf(), '1m', 5)).toEqual([])
    const many = Array.from({ length: 9 }, (_, n) => [(n + 1) * 60_000, 1, 1, 1, 1, null])
    expect(await fetchCandles(clientOf(many), marketOf(), '1m', 2)).toHaveLength(2)
    await expect(fetchCandles(clientOf('busy'), marketOf(), '1m', 5)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('have the lengths that the venue has a word for, shortest first', () => {
    const timeframes = { '1w': 'W', '1M': 'M', '2h': '120', '1m': '1' }
    expect(intervalsOf(clientOf([], { timeframes }))).toEqual(['1m', '2h', '1w'])
    expect(intervalsOf(clientOf([], { has: { fetchOHLCV: false } }))).toBeUndefined()
  })

  it('of a length that the venue has not are refused', async () => {
    const refused = { code: 'not-supported' }
    await expect(fetchCandles(clientOf([]), marketOf(), '4h', 5)).rejects.toMatchObject(refused)
    const without = clientOf([], { has: { fetchOHLCV: false } })
    await expect(fetchCandles(without, marketOf(), '1m', 5)).rejects.toMatchObject(refused)
  })
})
