import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { bookAt, createSyntheticDepth, walkBook } from '../../../src/exchanges/paper/depth.ts'
import { OFFLINE_LISTING, PAPER_MARKETS, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { quote, quotesAt } from '../../../src/exchanges/paper/quotes.ts'
import { createJointWalk } from '../../../src/exchanges/paper/random-walk.ts'

const HOUR_MS = 3_600_000
const start = Date.UTC(2026, 0, 1)
const seed = fc.string({ maxLength: 20 })
const market = fc.constantFrom(...PAPER_MARKETS)
const time = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2120, 0, 1) })

/** Returns of so many hours. */
function hourly(seed: string, symbol: string, hours = 3000): number[] {
  const walk = createJointWalk(seed)
  const prices = Array.from({ length: hours + 1 }, (_, hour) => Number(walk.lastPrice(symbol, start + hour * HOUR_MS)))
  return prices.slice(1).map((price, hour) => Math.log(price / (prices[hour] ?? price)))
}

const product = (left: readonly number[], right: readonly number[]) =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
const deviation = (returns: readonly number[]) => Math.sqrt(product(returns, returns) / returns.length)
const correlation = (left: readonly number[], right: readonly number[]) =>
  product(left, right) / Math.sqrt(product(left, left) * product(right, right))

describe('the walk of coins that move together', () => {
  it('gives every process the same quote for the same seed, symbol and time', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol }, at) => {
        expect(quote(createJointWalk(seed), symbol, at)).toEqual(quote(createJointWalk(seed), symbol, at))
      }),
    )
  })

  it('keeps the prices it has always given', () => {
    const walk = createJointWalk('fixed')
    const days = [0, 1, 24, 400].map((day) => walk.lastPrice('BTCUSDT', start + day * 24 * HOUR_MS))
    expect(days).toMatchInlineSnapshot(`
      [
        "70108.1",
        "67294.2",
        "64448.7",
        "55403",
      ]
    `)
  })

  it('has other prices for another seed', () => {
    const prices = ['a', 'b', 'c'].map((seed) => createJointWalk(seed).lastPrice('BTCUSDT', start))
    expect(new Set(prices).size).toBe(3)
  })

  it('stays a multiple of the tick, within 40 % of the start price, with the bid below and the ask above it', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol, priceGrid }, at) => {
        const { last, bid, ask } = quote(createJointWalk(seed), symbol, at)
        const from = new Decimal(START_PRICES[symbol] ?? '0')
        for (const price of [last, bid, ask]) expect(new Decimal(price).mod(priceGrid.tick).toFixed()).toBe('0')
        expect(from.times('0.6').lte(last) && from.times('1.4').gte(last)).toBe(true)
        expect(Number(bid) < Number(last) && Number(last) < Number(ask)).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('moves at most 0.12 % and a tick in a second', () => {
    fc.assert(
      fc.property(seed, market, time, (seed, { symbol, priceGrid }, at) => {
        const walk = createJointWalk(seed)
        const move = new Decimal(walk.lastPrice(symbol, at)).minus(walk.lastPrice(symbol, at + 1000)).abs()
        expect(move.lte(new Decimal(START_PRICES[symbol] ?? '0').times('0.0012').plus(priceGrid.tick))).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('moves coins together, the large ones most', () => {
    const [btc, eth, arb] = ['BTCUSDT', 'ETHUSDT', 'ARBUSDT'].map((symbol) => hourly('together', symbol))
    const [large, small] = [correlation(btc ?? [], eth ?? []), correlation(btc ?? [], arb ?? [])]
    expect(large).toBeGreaterThan(0.75)
    expect(large).toBeLessThan(0.92)
    expect(small).toBeGreaterThan(0.6)
    expect(small).toBeLessThan(large)
  })

  it.each([
    ['BTCUSDT', 0.004, 0.006],
    ['ETHUSDT', 0.0055, 0.0075],
    ['DOGEUSDT', 0.0065, 0.011],
  ])('has an hourly volatility of %s between %d and %d', (symbol, least, most) => {
    expect(deviation(hourly('volatility', symbol))).toBeGreaterThan(least)
    expect(deviation(hourly('volatility', symbol))).toBeLessThan(most)
  })

  it('refuses a symbol that the offline market has not', () => {
    expect(() => createJointWalk('x').lastPrice('FOOUSDT', start)).toThrow(
      expect.objectContaining({ code: 'bad-symbol' }),
    )
  })
})

describe('what an order costs', () => {
  const wallet = new Decimal(0)
  const cost = (symbol: string, dollars: number) => {
    const pricing = { quotes: quotesAt(createJointWalk('cost'), start), listing: OFFLINE_LISTING }
    const last = Number(pricing.quotes(symbol).last)
    const amount = new Decimal(dollars).div(last).div(0.1).ceil().times(0.1)
    const fills = walkBook(bookAt(createSyntheticDepth('cost'), pricing, start), {
      symbol,
      side: 'buy' as const,
      amount,
      taken: wallet,
    })
    const paid = fills.reduce((sum, fill) => sum.plus(fill.price.times(fill.amount)), new Decimal(0))
    const got = fills.reduce((sum, fill) => sum.plus(fill.amount), new Decimal(0))
    return paid.div(got).div(last).minus(1).times(10_000).toNumber()
  }

  it('is more per coin the more is bought, and more of a small coin', () => {
    const sizes = [100, 20_000, 60_000]
    for (const symbol of ['SOLUSDT', 'ARBUSDT']) {
      const costs = sizes.map((dollars) => cost(symbol, dollars))
      expect(costs).toEqual(costs.toSorted((left, right) => left - right))
      expect(costs[2]).toBeGreaterThan(2 * (costs[0] ?? 0))
    }
    for (const dollars of sizes) expect(cost('ARBUSDT', dollars)).toBeGreaterThan(cost('SOLUSDT', dollars))
  })
})
