import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { PAPER_MARKETS, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { createRandomWalk } from '../../../src/exchanges/paper/random-walk.ts'

const HOUR_MS = 3_600_000
const start = Date.UTC(2026, 0, 1)
const walkOf = (seed: string) => createRandomWalk({ seed, startPrices: START_PRICES })

const seed = fc.string({ maxLength: 20 })
const market = fc.constantFrom(...PAPER_MARKETS)
const time = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2120, 0, 1) })

describe('the random walk', () => {
  it('gives every process the same price for the same seed, symbol and time', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol }, at) => {
        expect(walkOf(seed).lastPrice(symbol, at)).toBe(walkOf(seed).lastPrice(symbol, at))
      }),
    )
  })

  it('keeps the prices it has always given', () => {
    const walk = walkOf('fixed')
    const days = [0, 1, 24, 400].map((day) => walk.lastPrice('BTCUSDT', start + day * 24 * HOUR_MS))
    expect(days).toMatchInlineSnapshot(`
      [
        "76263.4",
        "76036.2",
        "73359.5",
        "56524.5",
      ]
    `)
  })

  it('stays a multiple of the tick, within 40 % of the start price', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol, priceGrid }, at) => {
        const price = new Decimal(walkOf(seed).lastPrice(symbol, at))
        const from = new Decimal(START_PRICES[symbol] ?? '0')
        expect(price.mod(priceGrid.tick).toFixed()).toBe('0')
        expect(price.gte(from.times('0.6')) && price.lte(from.times('1.4'))).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('moves at most 0.06 % and a tick in a second', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol, priceGrid }, at) => {
        const walk = walkOf(seed)
        const price = new Decimal(walk.lastPrice(symbol, at))
        const move = price.minus(walk.lastPrice(symbol, at + 1000)).abs()
        expect(move.lte(new Decimal(START_PRICES[symbol] ?? '0').times('0.0006').plus(priceGrid.tick))).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('moves continuously across a knot', () => {
    const walk = walkOf('knot')
    const knot = 2 ** 21 * 1000 * 850
    for (let second = -5; second < 5; second += 1) {
      const move =
        Number(walk.lastPrice('BTCUSDT', knot + second * 1000)) -
        Number(walk.lastPrice('BTCUSDT', knot + (second + 1) * 1000))
      expect(Math.abs(move)).toBeLessThan(65000 * 0.0006)
    }
  })

  it('holds the price within a second', () => {
    const walk = walkOf('grain')
    expect(walk.lastPrice('BTCUSDT', start + 999)).toBe(walk.lastPrice('BTCUSDT', start))
  })

  it('has an hourly volatility between 0.5 % and 0.8 %', () => {
    const walk = walkOf('volatility')
    const returns = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'].flatMap((symbol) =>
      Array.from({ length: 3000 }, (_, hour) => {
        const before = Number(walk.lastPrice(symbol, start + hour * HOUR_MS))
        return Math.log(Number(walk.lastPrice(symbol, start + (hour + 1) * HOUR_MS)) / before)
      }),
    )
    const deviation = Math.sqrt(returns.reduce((sum, value) => sum + value * value, 0) / returns.length)
    expect(deviation).toBeGreaterThan(0.005)
    expect(deviation).toBeLessThan(0.008)
  })

  it('moves symbols and seeds independently', () => {
    const distinct = new Set(['a', 'b', 'c'].map((seed) => walkOf(seed).lastPrice('BTCUSDT', start)))
    expect(distinct.size).toBe(3)
    const walk = walkOf('a')
    const relative = ['BTCUSDT', 'ETHUSDT'].map(
      (symbol) => Number(walk.lastPrice(symbol, start)) / Number(START_PRICES[symbol]),
    )
    expect(relative[0]).not.toBeCloseTo(relative[1] ?? 0, 4)
  })

  it('refuses a symbol without a start price', () => {
    const walk = createRandomWalk({ seed: 'x', startPrices: { BTCUSDT: '65000' } })
    expect(() => walk.lastPrice('ETHUSDT', start)).toThrow(expect.objectContaining({ code: 'bad-symbol' }))
  })
})
