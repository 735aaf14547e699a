import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Market } from '../../src/exchange/market.ts'
import type { Position } from '../../src/exchange/order.ts'
import { isOnGrid } from '../../src/exchange/price-grid.ts'
import { parseScale, parseSwarm } from '../../src/language/placing.ts'
import type { MarketView } from '../../src/trading/market-view.ts'
import { planScale, planSwarm } from '../../src/trading/slices.ts'
import { TradingError } from '../../src/trading/trading-error.ts'
import { argumentsOf } from '../language/words.ts'

const linear: Market = {
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  kind: 'linear',
  amountUnit: 'base',
  active: true,
  priceGrid: { kind: 'tick', tick: '0.5' },
  lotSize: '0.001',
  minAmount: '0.002',
  minNotional: '100',
  maxAmount: '2',
  marketMaxAmount: '1',
}
const inverse: Market = {
  symbol: 'BTCUSD',
  base: 'BTC',
  quote: 'USD',
  settle: 'BTC',
  kind: 'inverse',
  amountUnit: 'quote',
  active: true,
  priceGrid: { kind: 'tick', tick: '0.5' },
  lotSize: '100',
  minAmount: '100',
}
const long: Position = {
  symbol: 'BTCUSDT',
  settle: 'USDT',
  side: 'long',
  amount: '0.005',
  entryPrice: '60000',
  notional: '325',
}
const funds = { free: async () => '10000', equity: async () => '10000' }

function viewOf(market: Market, position?: Position): MarketView {
  const ticker = { symbol: market.symbol, last: '65000', bid: '64999.5', ask: '65000.5', timestamp: 0 }
  return { market, ticker, position }
}

const scale = (line: string, { market = linear, position }: { market?: Market; position?: Position } = {}) =>
  planScale(parseScale(argumentsOf(line)), { view: viewOf(market, position), funds, band: undefined })
const swarm = (line: string, { market = linear, position }: { market?: Market; position?: Position } = {}) =>
  planSwarm(parseSwarm(argumentsOf(line)), { view: viewOf(market, position), funds }, () => 0.25)

const amountsOf = (plans: readonly { readonly amount: string }[]) => plans.map(({ amount }) => amount)

describe('a scale, worked out', () => {
  it('spends what was asked for, at the prices of its orders', async () => {
    const { plans, amount, average, cutFrom } = await scale('buy $1000 into 3 from 64000 to 60000')
    expect(plans).toEqual([
      { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.005', price: '64000' },
      { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.005', price: '62000' },
      { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.006', price: '60000' },
    ])
    expect([amount, average.toFixed(), cutFrom]).toEqual(['0.016', '61875', undefined])
  })

  it('counts dollars where the market does', async () => {
    const { plans, amount, average } = await scale('buy 0.02 into 2 from 64000 to 60000', { market: inverse })
    // Half of the dollars at each: 0.02 BTC at the harmonic mean, 61,935.48.
    expect([amount, amountsOf(plans)]).toEqual(['1200', ['600', '600']])
    expect(average.toDecimalPlaces(2).toFixed()).toBe('61935.48')
  })

  it('is of the position with `reduce`, in single lots if need be', async () => {
    const { plans } = await scale('sell 100% into 5 from 66000 to 70000 po reduce', { position: long })
    expect(amountsOf(plans)).toEqual(['0.001', '0.001', '0.001', '0.001', '0.001'])
    expect(plans[0]).toMatchObject({ reduceOnly: true, postOnly: true, price: '66000' })
  })

  it.each([
    ['buy $1000 into 3 from 64000 to 64000.1', 'bad-price', 'BTCUSDT trades in steps of 0.5'],
    ['buy $1000 into 3 from 64000 to 70000', 'bad-price', 'at most 68,250.5'],
    ['sell $1000 into 3 from 60000 to 70000', 'bad-price', 'at least 61,750'],
    ['buy $1000 into 3 from 64000 to 66000 po', 'bad-price', 'leave `po` out'],
    ['buy $1000 into 3 from -1% to 65000.5 po', 'bad-price', 'leave `po` out'],
    ['sell $1000 into 3 from $bid to 66000 po', 'bad-price', 'leave `po` out'],
    ['buy $50 into 3 from 64000 to 60000', 'below-minimum', 'type at least'],
    ['buy $1000 into 9 from 64000 to 60000', 'below-minimum', 'type into 8, or a larger size'],
    ['buy $1000 into 100 from 64000 to 60000', 'below-minimum', 'type into 8, or a larger size'],
    ['buy 0.003 into 2 from 64000 to 60000', 'below-minimum', 'type a larger size, or one order'],
    ['buy $1000 into 8 from 64000 to 60000 sizeskew 1', 'below-minimum', 'type into 2, or a larger size'],
    ['buy 10.5 into 2 from 64000 to 60000', 'above-maximum', 'type more orders'],
    ['sell 100% into 5 from 66000 to 70000 reduce', 'no-position', '`positions` lists them'],
    ['buy $1000 into 3 from $entry to 60000', 'no-position', '`positions` lists them'],
  ])('refuses %s', async (line, code, hint) => {
    await expect(scale(line)).rejects.toMatchObject({ code, hint: expect.stringContaining(hint) })
  })

  it('lets what is through the market within the band take from the book, where it is not post-only', async () => {
    const { plans } = await scale('buy $1000 into 3 from 64000 to 66000')
    expect(plans.map(({ price }) => price)).toEqual(['64000', '65000', '66000'])
  })
})

const lines = fc
  .record({
    side: fc.constantFrom('buy', 'sell'),
    size: fc.oneof(
      fc.integer({ min: 50, max: 200_000 }).map((dollars) => `$${dollars}`),
      fc.integer({ min: 1, max: 5_000 }).map((lots) => new Decimal(lots).times('0.0007').toFixed()),
      fc.integer({ min: 1, max: 100 }).map((percent) => `${percent}%`),
    ),
    count: fc.integer({ min: 2, max: 100 }),
    near: fc.integer({ min: 1, max: 400 }),
    far: fc.integer({ min: 401, max: 5_000 }),
    swapped: fc.boolean(),
    skew: fc.integer({ min: -10, max: 10 }),
    sizeskew: fc.integer({ min: -10, max: 10 }),
    po: fc.boolean(),
  })
  .map(({ side, size, count, near, far, swapped, skew, sizeskew, po }) => {
    const away = (percent: number) => `${side === 'buy' ? '-' : '+'}${percent / 100}%`
    const [from, to] = swapped ? [far, near] : [near, far]
    const tail = `skew ${skew / 10} sizeskew ${sizeskew / 10}${po ? ' po' : ''}`
    return (into = count) => `${side} ${size} into ${into} from ${away(from)} to ${away(to)} ${tail}`
  })

describe('any scale', () => {
  it('adds up exactly, on grid and lot, no order below the minimum; else as many as it says would fit', async () => {
    const seen = { placed: 0, corrected: 0 }
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom(linear, inverse), async (line, market) => {
        try {
          const { plans, amount } = await scale(line(), { market })
          expect(Decimal.sum(...amountsOf(plans)).toFixed()).toBe(amount)
          seen.placed += 1
          const down = new Decimal(plans.at(-1)?.price ?? 0).lt(plans[0]?.price ?? 0)
          for (const [index, { amount: each, price = '0' }] of plans.entries()) {
            expect(isOnGrid(price, market) && new Decimal(each).mod(market.lotSize).isZero()).toBe(true)
            expect(new Decimal(each).gte(market.minAmount)).toBe(true)
            if (market === linear) expect(new Decimal(each).times(price).gte(100)).toBe(true)
            const before = plans[index - 1]?.price ?? price
            expect(down ? new Decimal(price).lte(before) : new Decimal(price).gte(before)).toBe(true)
          }
        } catch (error) {
          if (!(error instanceof TradingError)) throw error
          const fits = /^type into (\d+),/.exec(error.hint ?? '')?.[1]
          if (fits === undefined) return
          seen.corrected += 1
          await expect(scale(line(Number(fits)), { market })).resolves.toMatchObject({ plans: expect.any(Array) })
          await expect(scale(line(Number(fits) + 1), { market })).rejects.toMatchObject({ code: 'below-minimum' })
        }
      }),
    )
    expect(seen.placed).toBeGreaterThan(10)
    expect(seen.corrected).toBeGreaterThan(3)
  })
})

describe('a swarm, worked out', () => {
  it('is at the market, in lots of one size', async () => {
    const { plans, average } = await swarm('buy $1000 into 3')
    expect(plans).toEqual(
      Array.from({ length: 3 }, () => ({ symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.005' })),
    )
    expect(average.toFixed()).toBe('65000.5')
  })

  it('is in different lots when irregular', async () => {
    let next = 0
    const random = () => [0.1, 0.9, 0.4][next++] ?? 0
    const intent = parseSwarm(argumentsOf('buy 0.06 into 3 irregular'))
    const { plans, amount } = await planSwarm(intent, { view: viewOf(linear), funds }, random)
    expect([amount, amountsOf(plans)]).toEqual(['0.06', ['0.013', '0.028', '0.019']])
  })

  it.each([
    ['buy $1000 into 9', 'below-minimum', 'type into 7, or a larger size'],
    ['buy $1000 into 8 irregular', 'below-minimum', 'type into 7, or a larger size'],
    ['buy 2.5 into 2', 'above-maximum', 'type more orders'],
    ['sell 100% into 2 reduce', 'no-position', '`positions` lists them'],
  ])('refuses %s', async (line, code, hint) => {
    await expect(swarm(line)).rejects.toMatchObject({ code, hint: expect.stringContaining(hint) })
  })

  it('ends the position whole, by lots', async () => {
    const { plans } = await swarm('sell 100% into 4 irregular reduce', { position: long })
    expect(Decimal.sum(...amountsOf(plans)).toFixed()).toBe('0.005')
    expect(plans.every(({ reduceOnly }) => reduceOnly === true)).toBe(true)
  })
})
