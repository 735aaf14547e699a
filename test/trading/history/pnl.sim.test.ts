import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { defined } from '../../../src/base/defined.ts'
import type { Trade } from '../../../src/exchange/order.ts'
import type { Execution } from '../../../src/trading/history/executions.ts'
import { GROUPINGS, groupPnl, type Sums } from '../../../src/trading/history/pnl-groups.ts'
import { Exact, realize } from '../../../src/trading/history/realize.ts'
import { roundTrips } from '../../../src/trading/history/round-trips.ts'
import type { OrderedBy } from '../../../src/trading/order-plan.ts'
import { market, trade } from './executions-stage.ts'

const MARKETS = [
  market('linear'),
  market('linear', 'ETHUSDT', { base: 'ETH' }),
  market('inverse', 'BTCUSD', { quote: 'USD' }),
  market('spot', 'SOLUSDC', { base: 'SOL', quote: 'USDC' }),
]
const BY: readonly (OrderedBy | undefined)[] = [
  undefined,
  { source: 'repl', runId: 'a', step: 0 },
  { source: 'hook', runId: 'b', step: 0, origin: 'dip', hookId: 'h1' },
  { source: 'hook', runId: 'c', step: 0, origin: 'rip', hookId: 'h2' },
  { source: 'web', runId: 'd', step: 0, origin: 'Console' },
]
const DAY = 86_400_000

const EXECUTIONS = fc
  .array(
    fc.record({
      symbol: fc.constantFrom(...MARKETS.map(({ symbol }) => symbol)),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      lots: fc.integer({ min: 1, max: 400 }),
      price: fc.integer({ min: 1, max: 90_000 }),
      fee: fc.option(fc.integer({ min: -50, max: 500 }), { nil: undefined }),
      feeCurrency: fc.constantFrom('USDT', 'BNB', 'SOL', 'BTC'),
      by: fc.constantFrom(...BY),
      day: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 50 },
  )
  .map((rows) => rows.toSorted((a, b) => a.day - b.day).map(toExecution))

function toExecution(
  row: {
    readonly symbol: string
    readonly side: 'buy' | 'sell'
    readonly lots: number
    readonly price: number
    readonly fee: number | undefined
    readonly feeCurrency: string
    readonly by: OrderedBy | undefined
    readonly day: number
  },
  index: number,
): Execution {
  const amount = row.symbol === 'BTCUSD' ? String(row.lots) : new Exact(row.lots).div(1000).toFixed()
  const fee =
    row.fee === undefined ? {} : { fee: new Exact(row.fee).div(100_000).toFixed(), feeCurrency: row.feeCurrency }
  const more: Partial<Trade> = { symbol: row.symbol, timestamp: (100 + row.day) * DAY + index, ...fee }
  return { trade: trade(row.side, amount, String(row.price), more), ...defined({ by: row.by }) }
}

function addUp(all: readonly (readonly Sums[])[]): Record<string, string[]> {
  const sums: Record<string, Exact[]> = {}
  for (const { currency, realized, funding, fees, net } of all.flat()) {
    const known = sums[currency] ?? [new Exact(0), new Exact(0), new Exact(0), new Exact(0)]
    sums[currency] = [realized, funding, fees, net].map((figure, index) => (known[index] ?? new Exact(0)).plus(figure))
  }
  return Object.fromEntries(Object.entries(sums).map(([name, each]) => [name, each.map((sum) => sum.toFixed())]))
}

describe('pnl', () => {
  it('adds up to the same by day, symbol, hook and account', () => {
    fc.assert(
      fc.property(EXECUTIONS, EXECUTIONS, (first, second) => {
        const funding = [{ id: 'f1', symbol: 'BTCUSDT', amount: '-0.01', currency: 'USDT', timestamp: 101 * DAY }]
        const histories = [
          { account: 'one', executions: realize(first, MARKETS).executions, funding },
          { account: 'two', executions: realize(second, MARKETS).executions, funding: [] },
        ]
        const totals = GROUPINGS.map((by) => {
          const { groups, total } = groupPnl(histories, by)
          expect(addUp(groups.map(({ sums }) => sums))).toEqual(addUp([total.sums]))
          expect(groups.reduce((sum, { fills }) => sum + fills, 0)).toBe(total.fills)
          return total
        })
        for (const total of totals) expect(total).toEqual(totals[0])
        expect(totals[0]?.fills).toBe(first.length + second.length)
      }),
      { numRuns: runsOf(200) },
    )
  })

  it('is what the fills themselves realized and cost', () => {
    fc.assert(
      fc.property(EXECUTIONS, (executions) => {
        const realized = realize(executions, MARKETS).executions
        const { total } = groupPnl([{ account: 'one', executions: realized, funding: [] }], 'symbol')
        const usdt = total.sums.find(({ currency }) => currency === 'USDT')
        const expected = realized.reduce(
          (sum, { pnl = '0', currency, trade: { fee = '0', feeCurrency } }) =>
            sum.plus(currency === 'USDT' ? pnl : 0).minus(feeCurrency === 'USDT' ? fee : 0),
          new Exact(0),
        )
        expect(usdt?.net ?? '0').toBe(expected.toFixed())
      }),
      { numRuns: runsOf(200) },
    )
  })

  it('never adds two currencies', () => {
    const executions = [
      { trade: trade('buy', '1', '100', { fee: '0.1', feeCurrency: 'USDT' }) },
      { trade: trade('sell', '1', '110', { fee: '0.001', feeCurrency: 'BNB' }) },
    ]
    const { executions: realized } = realize(executions, MARKETS)
    expect(groupPnl([{ account: 'one', executions: realized, funding: [] }], 'symbol').total.sums).toEqual([
      { currency: 'BNB', realized: '0', funding: '0', fees: '0.001', net: '-0.001' },
      { currency: 'USDT', realized: '10', funding: '0', fees: '0.1', net: '9.9' },
    ])
  })

  it("counts the venue's own figure where it tells one", () => {
    const [opened, closed] = [trade('buy', '1', '100'), trade('sell', '1', '110', { realizedPnl: '7.5' })]
    const { executions } = realize([{ trade: opened }, { trade: closed }], MARKETS)
    expect(executions.map(({ pnl }) => pnl)).toEqual(['0', '7.5'])
  })

  it('says what it does not know: coins sold that were not bought, and markets that are gone', () => {
    const sold = trade('sell', '2', '100', { symbol: 'SOLUSDC' })
    const gone = trade('buy', '1', '1', { symbol: 'LUNAUSDT' })
    const { executions, gaps } = realize([{ trade: sold }, { trade: gone }], MARKETS)
    expect(executions.map(({ pnl }) => pnl)).toEqual([undefined, undefined])
    expect(gaps).toEqual([
      { kind: 'cost-unknown', symbol: 'SOLUSDC', amount: '2' },
      { kind: 'market-unknown', symbol: 'LUNAUSDT' },
    ])
  })

  it('holds on spot what a fee in the coins has left', () => {
    const bought = trade('buy', '1', '100', { symbol: 'SOLUSDC', fee: '0.1', feeCurrency: 'SOL' })
    const sold = trade('sell', '0.9', '120', { symbol: 'SOLUSDC' })
    const { executions, holdings } = realize([{ trade: bought }, { trade: sold }], MARKETS)
    expect(executions[1]?.pnl).toBe('18')
    expect(holdings.get('SOLUSDC')?.amount.toFixed()).toBe('0')
  })
})

describe('round trips', () => {
  it('add up to the pnl, and enter as much as they leave once they are over', () => {
    fc.assert(
      fc.property(EXECUTIONS, (all) => {
        // Fees in coins leave dust, and coins of unknown cost belong to no trip.
        const executions = all.filter(({ trade: { symbol } }) => symbol !== 'SOLUSDC')
        const { executions: realized } = realize(executions, MARKETS)
        const trips = roundTrips(realized, MARKETS)
        const { total } = groupPnl([{ account: 'one', executions: realized, funding: [] }], 'day')
        expect(addUp(trips.map(({ sums }) => sums))).toEqual(addUp([total.sums]))
        for (const { closedAt, entered, exited } of trips) {
          if (closedAt === undefined) expect(new Exact(entered).gt(exited)).toBe(true)
          else expect(entered).toBe(exited)
        }
      }),
      { numRuns: runsOf(200) },
    )
  })

  it('begin and end at flat, and a turn round ends one and begins another', () => {
    const executions = [
      trade('buy', '1', '100'),
      trade('buy', '1', '110'),
      trade('sell', '3', '120'),
      trade('buy', '1', '115'),
    ]
    const trips = roundTrips(
      realize(
        executions.map((each) => ({ trade: each })),
        MARKETS,
      ).executions,
      MARKETS,
    )
    expect(trips).toMatchObject([
      {
        side: 'long',
        entered: '2',
        entryPrice: '105',
        exited: '2',
        exitPrice: '120',
        fills: 3,
        sums: [{ realized: '30' }],
      },
      {
        side: 'short',
        entered: '1',
        entryPrice: '120',
        exited: '1',
        exitPrice: '115',
        fills: 2,
        sums: [{ realized: '5' }],
      },
    ])
  })

  it('end with dust that a fee in coins left behind', () => {
    const bought = trade('buy', '1', '100', { symbol: 'SOLUSDC', fee: '0.0007', feeCurrency: 'SOL' })
    const sold = trade('sell', '0.999', '120', { symbol: 'SOLUSDC' })
    const { executions } = realize([{ trade: bought }, { trade: sold }], MARKETS)
    expect(roundTrips(executions, MARKETS)).toMatchObject([{ closedAt: sold.timestamp, exited: '0.999' }])
  })
})
