import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/base/defined.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { sampledCandles } from '../../../src/exchanges/paper/market-source.ts'
import type { Quotes } from '../../../src/exchanges/paper/quotes.ts'

const MINUTE = 60_000

/** A price that is the time in seconds, of a market that began at a time. */
function marketFrom(begin: number) {
  let pauses = 0
  const at = (ms: number): { readonly quotes: Quotes } => ({
    quotes(symbol) {
      if (ms < begin) throw new ExchangeError('unavailable', 'nothing yet')
      const last = (ms / 1_000).toFixed(3)
      return { symbol, last, bid: last, ask: last, timestamp: ms }
    },
  })
  const ask = (limit: number, now: number) =>
    sampledCandles(at, { symbol: 'X', interval: '1m', limit, now }, async () => {
      pauses += 1
    })
  return { at, ask, pauses: () => pauses }
}

describe('candles of a market that is made here', () => {
  it('are as long as asked for, oldest first, and the last one forms', async () => {
    const { ask } = marketFrom(0)
    const candles = await ask(3, 10 * MINUTE + 30_000)
    expect(candles).toEqual([
      { at: 8 * MINUTE, open: '480.000', high: '539.999', low: '480.000', close: '539.999' },
      { at: 9 * MINUTE, open: '540.000', high: '599.999', low: '540.000', close: '599.999' },
      { at: 10 * MINUTE, open: '600.000', high: '630.000', low: '600.000', close: '630.000' },
    ])
  })

  it('begin where there is a price', async () => {
    const { ask } = marketFrom(9 * MINUTE)
    expect((await ask(5, 10 * MINUTE)).map(({ at }) => at / MINUTE)).toEqual([9, 10])
    expect(await ask(5, 1_000)).toEqual([])
  })

  it('are weeks from Monday, days from 00:00 UTC', async () => {
    const { at } = marketFrom(0)
    const now = Date.UTC(2026, 10, 29, 9)
    const begins = async (interval: '1w' | '1d', since?: number) => {
      const candles = await sampledCandles(
        at,
        { symbol: 'X', interval, limit: 2, now, ...defined({ since }) },
        async () => {},
      )
      return candles.map((candle) => new Date(candle.at).toISOString().slice(0, 10))
    }
    expect(await begins('1w')).toEqual(['2026-11-16', '2026-11-23'])
    expect(await begins('1w', Date.UTC(2026, 10, 3))).toEqual(['2026-11-09', '2026-11-16'])
    expect(await begins('1d')).toEqual(['2026-11-28', '2026-11-29'])
  })

  it('let others have their turn', async () => {
    const { ask, pauses } = marketFrom(0)
    expect(await ask(500, 1_000 * MINUTE)).toHaveLength(500)
    expect(pauses()).toBeGreaterThanOrEqual(10)
  })
})
