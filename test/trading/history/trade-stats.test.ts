// What closed trades add up to, and how deep equity fell.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EquityRecord } from '../../../src/stores/equity-log.ts'
import type { RoundTrip } from '../../../src/trading/history/round-trips.ts'
import { groupTrades, maxDrawdownOf, statsOf } from '../../../src/trading/history/trade-stats.ts'

interface Given {
  readonly net: string
  readonly fees?: string
  readonly currency?: string
  readonly symbol?: string
  readonly r?: string
  readonly at?: number
}

function trip({ net, fees = '0', currency = 'USDT', symbol = 'BTCUSDT', r, at = 100 }: Given): RoundTrip {
  const realized = String(Number(net) + Number(fees))
  return {
    symbol,
    side: 'long',
    openedAt: at - 50,
    closedAt: at,
    entered: '1',
    entryPrice: '1',
    exited: '1',
    exitPrice: '1',
    fills: 2,
    orderIds: [],
    entryTags: new Map(),
    sums: [{ currency, realized, funding: '0', fees, net }],
    currency,
    ...(r === undefined ? {} : { r }),
  }
}

const RANGE = { since: 0, until: 1000 }
const stats = (given: readonly Given[]) => statsOf({ trips: given.map(trip), funding: [], range: RANGE })

describe('closed trades', () => {
  it('are won or lost by what they brought after fees', () => {
    // The second gained before fees.
    const sum = stats([{ net: '10', fees: '1' }, { net: '-1', fees: '2' }, { net: '0', fees: '1' }, { net: '5' }])
    expect(sum).toMatchObject({ trades: 4, won: 2, lost: 1, even: 1, unknown: 0, winRate: '50.0' })
    expect(sum.sums).toEqual([
      { currency: 'USDT', realized: '18', fees: '4', funding: '0', net: '14', profitFactor: '15.00' },
    ])
  })

  it('have an average, a best and a worst R, of those whose risk is known', () => {
    expect(stats([{ net: '1', r: '2' }, { net: '-1', r: '-1.05' }, { net: '3' }]).r).toEqual({
      trades: 2,
      average: '0.48',
      best: '2.00',
      worst: '-1.05',
    })
    expect(stats([{ net: '1' }])).not.toHaveProperty('r')
  })

  it('have no profit factor without a loss, no win rate without a result, and never one of two currencies', () => {
    expect(stats([{ net: '1' }]).sums[0]).not.toHaveProperty('profitFactor')
    expect(stats([])).toEqual({ trades: 0, won: 0, lost: 0, even: 0, unknown: 0, sums: [] })
    const mixed = stats([{ net: '4' }, { net: '-2' }, { net: '1', currency: 'BTC' }, { net: '-4', currency: 'BTC' }])
    expect(mixed.sums.map(({ currency, profitFactor }) => [currency, profitFactor])).toEqual([
      ['BTC', '0.25'],
      ['USDT', '2.00'],
    ])
  })

  it('of which no result is known are counted as that', () => {
    const { sums: _, ...bare } = trip({ net: '1' })
    const sum = statsOf({ trips: [{ ...bare, sums: [] }], funding: [], range: RANGE })
    expect(sum).toEqual({ trades: 1, won: 0, lost: 0, even: 0, unknown: 1, sums: [] })
  })

  it('count when they were closed within the span, and not while they are open', () => {
    const { closedAt: _, ...open } = trip({ net: '1' })
    const trips = [trip({ net: '1', at: 999 }), trip({ net: '1', at: 1000 }), open]
    expect(statsOf({ trips, funding: [], range: RANGE }).trades).toBe(1)
  })

  it('have no funding where it is not known', () => {
    const sum = statsOf({ trips: [trip({ net: '1' })], funding: undefined, range: RANGE })
    expect(sum.sums).toEqual([{ currency: 'USDT', realized: '1', fees: '0', net: '1' }])
  })

  it('take the funding that was paid while they were open', () => {
    const trips = [trip({ net: '1', at: 100 }), trip({ net: '2', at: 300 }), trip({ net: '3', symbol: 'ETHUSDT' })]
    const payment = (symbol: string, timestamp: number) => {
      return { id: String(timestamp), symbol, amount: '-1', currency: 'USDT', timestamp }
    }
    const funding = [payment('BTCUSDT', 80), payment('BTCUSDT', 290), payment('BTCUSDT', 200)]
    const keys = new Map(trips.map((each, index) => [each, `trade ${index}`]))
    const groups = groupTrades({ trips, funding, range: RANGE }, (each) => [keys.get(each as RoundTrip) ?? 'other'])
    expect(groups.map(({ key, sums }) => [key, sums[0]?.funding, sums[0]?.net])).toEqual([
      ['other', '-1', '-1'],
      ['trade 0', '-1', '0'],
      ['trade 1', '-1', '1'],
      ['trade 2', '0', '3'],
    ])
  })

  it('add up to the total, however they are grouped', () => {
    const given = fc.record({
      net: fc.integer({ min: -9, max: 9 }).map(String),
      symbol: fc.constantFrom('A', 'B', 'C'),
    })
    fc.assert(
      fc.property(fc.array(given), (each) => {
        const traded = { trips: each.map(trip), funding: [], range: RANGE }
        const groups = groupTrades(traded, ({ symbol }) => [symbol])
        const sum = (count: (group: (typeof groups)[number]) => number) =>
          groups.reduce((total, group) => total + count(group), 0)
        const total = statsOf(traded)
        expect(sum(({ won }) => won)).toBe(total.won)
        expect(sum(({ lost }) => lost)).toBe(total.lost)
        expect(sum(({ sums }) => Number(sums[0]?.net ?? 0))).toBe(Number(total.sums[0]?.net ?? 0))
      }),
    )
  })
})

describe('the deepest fall of equity', () => {
  const records = (totals: readonly number[], currency = 'USDT'): EquityRecord[] =>
    totals.map((total, at) => ({ account: 'paper', at, currency, total: String(total), wallet: '0' }))

  it('is from a highest worth to a later lowest', () => {
    expect(maxDrawdownOf(records([100, 120, 110, 130, 91, 105]))).toEqual({
      currency: 'USDT',
      amount: '39',
      percent: '30.00',
      from: 3,
      to: 4,
    })
  })

  it('is zero where it never fell, and not known of fewer than two records', () => {
    expect(maxDrawdownOf(records([100, 100, 101]))?.amount).toBe('0')
    expect(maxDrawdownOf(records([100]))).toBeUndefined()
    expect(maxDrawdownOf([])).toBeUndefined()
  })

  it('never mixes two currencies', () => {
    const [old] = records([1_000_000], 'BTC')
    expect(maxDrawdownOf([old as EquityRecord, ...records([100, 99])])?.amount).toBe('1')
  })

  it('is no less than that of any two records', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2 }), (totals) => {
        const falls = totals.flatMap((before, index) => totals.slice(index).map((after) => before - after))
        expect(Number(maxDrawdownOf(records(totals))?.amount)).toBe(Math.max(...falls))
      }),
    )
  })
})
