import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { INTERVAL_MS, type Interval } from '../../../src/base/candle-intervals.ts'
import { defined } from '../../../src/base/defined.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { madeCandles } from '../../../src/exchanges/paper/market-source.ts'
import type { PriceSource } from '../../../src/exchanges/paper/quotes.ts'
import { createJointWalk, createRandomWalk } from '../../../src/exchanges/paper/random-walk.ts'
import { createReplayPrices } from '../../../src/exchanges/paper/replay.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 29, 9)

/** A price that is the time in seconds, of a market that began at a time. */
function marketFrom(begin: number) {
  let pauses = 0
  const prices: PriceSource = {
    lastPrice(_, ms) {
      if (ms < begin) throw new ExchangeError('unavailable', 'nothing yet')
      return (ms / 1_000).toFixed(3)
    },
  }
  const ask = (limit: number, now: number) =>
    madeCandles(prices, { symbol: 'X', interval: '1m', limit, now }, async () => {
      pauses += 1
    })
  return { prices, ask, pauses: () => pauses }
}

describe('candles of a market that is made here', () => {
  it('are as long as asked for, oldest first, and the last one forms', async () => {
    const { ask } = marketFrom(0)
    const candles = await ask(3, 10 * MINUTE + 30_000)
    expect(candles).toEqual([
      { at: 8 * MINUTE, open: '480.000', high: '539.999', low: '480', close: '539.999' },
      { at: 9 * MINUTE, open: '540.000', high: '599.999', low: '540', close: '599.999' },
      { at: 10 * MINUTE, open: '600.000', high: '630', low: '600', close: '630.000' },
    ])
  })

  it('begin where there is a price', async () => {
    const { ask } = marketFrom(9 * MINUTE)
    expect((await ask(5, 10 * MINUTE)).map(({ at }) => at / MINUTE)).toEqual([9, 10])
    expect(await ask(5, 1_000)).toEqual([])
  })

  it('are weeks from Monday, days from 00:00 UTC', async () => {
    const { prices } = marketFrom(0)
    const now = Date.UTC(2026, 10, 29, 9)
    const begins = async (interval: '1w' | '1d', since?: number) => {
      const candles = await madeCandles(
        prices,
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

/** Forty days of candles of twenty minutes. */
function createReplayed(): PriceSource {
  const walk = createJointWalk('replayed')
  const count = 3_000
  const [times, ticks] = [new Float64Array(count), new Float64Array(4 * count)]
  for (let index = 0; index < count; index += 1) {
    const looks = [0, 1, 2, 3].map((look) => 10 * Number(walk.lastPrice('BTCUSDT', (4 * index + look) * 300_000)))
    const [open = 1, , , close = 1] = looks
    times[index] = index * 1_200_000
    ticks.set([open, Math.max(...looks), Math.min(...looks), close].map(Math.round), 4 * index)
  }
  const replay = { file: 'x.csv', symbol: 'BTCUSDT', startedAt: START, speed: 1, candles: count, intervalMs: 1_200_000 }
  return createReplayPrices(replay, { times, ticks })
}

describe('candles of a practice market', () => {
  const replay = createReplayed()
  const walks = [createJointWalk, (seed: string) => createRandomWalk({ seed, startPrices: { BTCUSDT: '60000' } })]
  const moments = fc.integer({ min: 0, max: 40 * 86_400_000 }).map((ms) => START + ms)
  const candlesOf = (prices: PriceSource, interval: Interval, now: number, limit = 3) =>
    madeCandles(prices, { symbol: 'BTCUSDT', interval, limit, now }, async () => {})

  it('have the least and the most of all seconds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.constantFrom(...walks),
        fc.constantFrom('1m', '5m', '1h'),
        moments,
        async (seed, make, interval, now) => {
          const prices = make(seed)
          for (const { at, open, high, low, close } of await candlesOf(prices, interval, now)) {
            const end = Math.min(now, at + INTERVAL_MS[interval] - 1)
            const seconds = Array.from({ length: Math.floor((end - at) / 1000) + 1 }, (_, second) =>
              Number(prices.lastPrice('BTCUSDT', at + second * 1000)),
            )
            expect([open, high, low, close].map(Number)).toEqual([
              seconds[0],
              Math.max(...seconds),
              Math.min(...seconds),
              seconds.at(-1),
            ])
          }
        },
      ),
      { numRuns: runsOf(200, 40) },
    )
  })

  it('only widen while they form, and never change once they have closed', async () => {
    const laters = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 6 })
    const intervals = fc.constantFrom<Interval>('1m', '5m', '1h', '1d', '1w')
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.constantFrom(...walks, () => replay),
        intervals,
        moments,
        laters,
        async (seed, make, interval, first, laters) => {
          const prices = make(seed)
          let [before, now] = [await candlesOf(prices, interval, first), first]
          for (const later of laters) {
            const earlier = now
            now += later
            const after = await candlesOf(prices, interval, now, 20)
            for (const candle of before) {
              const found = after.find(({ at }) => at === candle.at)
              if (candle.at + INTERVAL_MS[interval] <= earlier) expect(found).toEqual(candle)
              expect(found?.open).toBe(candle.open)
              expect(Number(found?.high)).toBeGreaterThanOrEqual(Number(candle.high))
              expect(Number(found?.low)).toBeLessThanOrEqual(Number(candle.low))
            }
            before = after.slice(-3)
          }
        },
      ),
      { numRuns: runsOf(300, 60) },
    )
  })
})
