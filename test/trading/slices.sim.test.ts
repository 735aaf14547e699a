import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PriceGrid } from '../../src/exchange/market.ts'
import { isOnGrid, priceOnGrid } from '../../src/exchange/price-grid.ts'
import { averageOf, irregularWeights, pricesBetween, skewedWeights, splitOnLot } from '../../src/trading/slices.ts'

const sum = (amounts: readonly Decimal[]) => Decimal.sum(0, ...amounts)

const skew = fc.integer({ min: -100, max: 100 }).map((percent) => new Decimal(percent).div(100).toFixed())
const count = fc.integer({ min: 2, max: 100 })
const lotSize = fc.constantFrom('0.001', '1', '0.00001', '0.5', '10', '0.25')
const grid: fc.Arbitrary<PriceGrid> = fc.oneof(
  fc.constantFrom('0.1', '0.5', '1', '0.00001', '25').map((tick) => ({ kind: 'tick', tick }) as const),
  fc
    .record({ digits: fc.integer({ min: 3, max: 8 }), decimals: fc.integer({ min: 0, max: 6 }) })
    .map((figures) => ({ kind: 'significant', ...figures }) as const),
)
const price = fc.integer({ min: 1, max: 99_999_999 }).map((cents) => new Decimal(cents).div(100))
const random = fc.infiniteStream(fc.integer({ min: 0, max: 999_999 })).map((stream) => () => {
  const { value } = stream.next()
  return (value as number) / 1_000_000
})

describe('prices between two ends', () => {
  it('are on the grid, go one way, and begin and end where they were told to', () => {
    fc.assert(
      fc.property(
        price,
        price,
        count,
        skew,
        grid,
        fc.constantFrom('nearest', 'down', 'up'),
        (a, b, n, bend, priceGrid, rounding) => {
          const [from, to] = [priceOnGrid(a, { priceGrid }, rounding), priceOnGrid(b, { priceGrid }, rounding)]
          const prices = pricesBetween({ from, to }, { count: n, skew: bend }, { priceGrid }, rounding)
          expect(prices).toHaveLength(n)
          expect([prices[0], prices.at(-1)]).toEqual([from, to])
          const isUp = new Decimal(to).gte(from)
          for (const [index, each] of prices.entries()) {
            expect(isOnGrid(each, { priceGrid })).toBe(true)
            const before = prices[index - 1] ?? each
            expect(isUp ? new Decimal(each).gte(before) : new Decimal(each).lte(before)).toBe(true)
          }
        },
      ),
    )
  })

  it.each([
    ['0', ['100', '110', '120', '130', '140']],
    ['1', ['100', '117.5', '130', '137.5', '140']],
    ['-1', ['100', '102.5', '110', '122.5', '140']],
    ['0.5', ['100', '113.8', '125', '133.8', '140']],
  ])('are denser near the second for a skew above zero, near the first below: %s', (bend, prices) => {
    const market = { priceGrid: { kind: 'tick', tick: '0.1' } } as const
    expect(pricesBetween({ from: '100', to: '140' }, { count: 5, skew: bend }, market, 'nearest')).toEqual(prices)
  })

  it('lose no step to division', () => {
    const market = { priceGrid: { kind: 'tick', tick: '1' } } as const
    expect(pricesBetween({ from: '100', to: '130' }, { count: 4, skew: '0' }, market, 'down')).toEqual([
      '100',
      '110',
      '120',
      '130',
    ])
  })
})

describe('amounts', () => {
  it('add up to the whole, each on the lot and within a lot of its weight', () => {
    fc.assert(
      fc.property(count, skew, lotSize, fc.integer({ min: 0, max: 1_000_000 }), (n, bend, lot, lots) => {
        const amount = new Decimal(lot).times(lots)
        const weights = skewedWeights(n, bend)
        const amounts = splitOnLot(amount, weights, { lotSize: lot })
        expect(sum(amounts).toFixed()).toBe(amount.toFixed())
        for (const [index, each] of amounts.entries()) {
          expect(each.mod(lot).isZero() && each.gte(0)).toBe(true)
          const share = amount.times(weights[index] ?? 0).div(sum(weights))
          expect(each.minus(share).abs().div(lot).lte('1.000000001')).toBe(true)
        }
      }),
    )
  })

  it.each([
    ['0', ['4', '4', '4', '4']],
    ['1', ['1', '3', '5', '7']],
    ['-1', ['7', '5', '3', '1']],
    ['0.5', ['2', '4', '4', '6']],
  ])('grow towards the end for a skew above zero, and shrink below: %s', (bend, amounts) => {
    expect(splitOnLot('16', skewedWeights(4, bend), { lotSize: '1' }).map(String)).toEqual(amounts)
  })

  it('leave what rounding cut off to the orders behind, the last of it to the last', () => {
    expect(splitOnLot('11', skewedWeights(3, '0'), { lotSize: '1' }).map(String)).toEqual(['3', '4', '4'])
  })

  it('are irregular at random, exact in sum, and never below the least', () => {
    fc.assert(
      fc.property(count, random, lotSize, fc.nat(50), fc.nat(100_000), (n, next, lot, least, spare) => {
        const amount = new Decimal(lot).times(least * n + spare)
        const amounts = splitOnLot(amount, irregularWeights(n, next), { lotSize: lot }, new Decimal(lot).times(least))
        expect(sum(amounts).toFixed()).toBe(amount.toFixed())
        for (const each of amounts) {
          expect(each.mod(lot).isZero()).toBe(true)
          expect(each.gte(new Decimal(lot).times(least))).toBe(true)
        }
      }),
    )
  })

  it('are the same for the same random numbers, and differ with them', () => {
    const sequence = (values: readonly number[]) => {
      let next = 0
      return () => values[next++ % values.length] ?? 0
    }
    const split = (values: readonly number[]) =>
      splitOnLot('100', irregularWeights(4, sequence(values)), { lotSize: '1' }).map(String)
    expect(split([0, 0.999, 0.2, 0.7])).toEqual(['12', '39', '18', '31'])
    expect(split([0, 0.999, 0.2, 0.7])).toEqual(split([0, 0.999, 0.2, 0.7]))
    expect(split([0.5])).toEqual(['25', '25', '25', '25'])
  })
})

describe('the average of several orders', () => {
  it('is what they cost for a unit of the coin, in coins and in contracts of dollars', () => {
    const parts = ['1', '3'].map((part) => new Decimal(part))
    expect(averageOf(parts, ['100', '200'], { amountUnit: 'base' }).toFixed()).toBe('175')
    // 1 dollar buys 0.01, 3 buy 0.015: 4 dollars for 0.025.
    expect(averageOf(parts, ['100', '200'], { amountUnit: 'quote' }).toFixed()).toBe('160')
  })
})
