// Random orders, changes, answers, fills and restarts.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import type { OrderRequest } from '../../src/exchange/order.ts'

export const LIMITS = { order: '1500', day: '6000', position: '2500', rate: '8', band: '5' } as const

export type Asked = Pick<OrderRequest, 'symbol' | 'side' | 'type' | 'amount'> & {
  readonly percent: number
  readonly reduceOnly: boolean
  readonly process: number
}
export type Step =
  | { readonly do: 'send'; readonly batch: readonly Asked[] }
  | { readonly do: 'change'; readonly nth: number; readonly lots: number; readonly percent: number }
  | { readonly do: 'answer'; readonly nth: number; readonly how: 'placed' | 'refused' | 'unknown' }
  | { readonly do: 'fill'; readonly nth: number; readonly share: number }
  | { readonly do: 'end'; readonly nth: number }
  | { readonly do: 'price'; readonly symbol: string; readonly percent: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'restart'; readonly process: number }

const symbol = fc.constantFrom('BTCUSDT', 'ETHUSDT')
export const START: Readonly<Record<string, number>> = { BTCUSDT: 50_000, ETHUSDT: 2_000 }

function asked(sides: 'any' | 'one'): fc.Arbitrary<Asked> {
  return fc
    .record({
      symbol,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      type: fc.constantFrom('market' as const, 'limit' as const),
      dollars: fc.integer({ min: 50, max: 2_000 }),
      percent: fc.integer({ min: -8, max: 8 }),
      reduceOnly: fc.boolean(),
      process: fc.nat({ max: 1 }),
    })
    .map(({ dollars, side, reduceOnly, ...rest }) => {
      const adds = rest.symbol === 'BTCUSDT' ? 'buy' : 'sell'
      const exits = adds === 'buy' ? 'sell' : 'buy'
      const amount = new Decimal(dollars)
        .div(START[rest.symbol] ?? 1)
        .toDecimalPlaces(5)
        .toFixed()
      return { ...rest, reduceOnly, amount, side: sides === 'any' ? side : reduceOnly ? exits : adds }
    })
}

export function steps(sides: 'any' | 'one'): fc.Arbitrary<readonly Step[]> {
  const nth = fc.nat({ max: 40 })
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('send' as const),
        batch: fc.array(asked(sides), { minLength: 1, maxLength: sides === 'any' ? 1 : 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('change' as const),
        nth,
        lots: fc.integer({ min: 1, max: 40 }),
        percent: fc.integer({ min: -8, max: 8 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        nth,
        how: fc.constantFrom('placed' as const, 'placed' as const, 'refused' as const, 'unknown' as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('fill' as const), nth, share: fc.constantFrom(0.25, 0.5, 1) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), nth }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('price' as const), symbol, percent: fc.integer({ min: -9, max: 9 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 20_000, 61_000, 7_200_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), process: fc.nat({ max: 1 }) }) },
  )
  return fc.array(step, { minLength: 20, maxLength: 60 })
}
