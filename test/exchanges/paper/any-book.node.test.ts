// Whatever book a venue shows, in whatever order it is heard: an outsider who counts what was paid and received comes to the same money, and no
// fill is at a price or of an amount that nobody offered.

import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { CALM, openLive, settle } from '../../../harness/venues/followed-stage.ts'
import { balanceOf, newOrderId, type Wanted } from '../../../harness/venues/place.ts'
import type { BookLevel } from '../../../src/exchange/market.ts'

type Step =
  | {
      readonly do: 'book'
      readonly last: number
      readonly bids: readonly BookLevel[]
      readonly asks: readonly BookLevel[]
    }
  | { readonly do: 'ticker'; readonly last: number }
  | { readonly do: 'stream'; readonly state: 'live' | 'stale' | 'resynced' }
  | { readonly do: 'order'; readonly order: Wanted }
  | { readonly do: 'funding'; readonly rate: string }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'restart' }

const DEPOSIT = 10_000
const price = fc.integer({ min: 600_000, max: 700_000 }).map((tenths) => tenths / 10)
const amount = fc.integer({ min: 1, max: 2000 }).map((lots) => (lots / 1000).toFixed(3))

/** So many levels from the touch outwards, of odd amounts that are no whole lots. */
const levels = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 3, noNaN: true })), {
  maxLength: 5,
})
function sideFrom(touch: number, steps: readonly (readonly [number, number])[], sign: 1 | -1): BookLevel[] {
  let tenths = Math.round(touch * 10)
  return steps.map(([away, offered]) => {
    tenths += sign * away
    return [(tenths / 10).toFixed(1), offered.toFixed(5)] as const
  })
}

const book = fc.record({ last: price, spread: fc.integer({ min: -200, max: 200 }), bids: levels, asks: levels }).map(
  ({ last, spread, bids, asks }): Step => ({
    do: 'book',
    last,
    // Now and then its bid is above its ask.
    bids: sideFrom(last - spread / 10, bids, -1),
    asks: sideFrom(last + spread / 10, asks, 1),
  }),
)

const order = fc
  .record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('market' as const, 'limit' as const, 'stop' as const, 'take-profit' as const),
    amount,
    price,
    reduceOnly: fc.boolean(),
    ioc: fc.boolean(),
  })
  .map(({ side, type, amount, price, reduceOnly, ioc }): Step => {
    const at = price.toFixed(1)
    const terms =
      type === 'market'
        ? {}
        : type === 'limit'
          ? { price: at, ...(ioc && { timeInForce: 'ioc' as const }) }
          : { triggerPrice: at }
    return { do: 'order', order: { symbol: 'BTCUSDT', side, type, amount, reduceOnly, ...terms } }
  })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: book },
  { weight: 5, arbitrary: order },
  { weight: 2, arbitrary: price.map((last): Step => ({ do: 'ticker', last })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('live', 'stale', 'resynced').map((state): Step => ({ do: 'stream', state }) as Step),
  },
  { weight: 1, arbitrary: fc.constantFrom('0.0001', '-0.003', '0.02').map((rate): Step => ({ do: 'funding', rate })) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 90 }).map((seconds): Step => ({ do: 'wait', seconds })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
)

async function runAudited(steps: readonly Step[]): Promise<void> {
  const stage = await openLive()
  let { exchange, feed } = stage
  let shown: { readonly asks: readonly BookLevel[]; readonly bids: readonly BookLevel[] } = CALM
  let cash = new Decimal(DEPOSIT)
  let held = new Decimal(0)
  let fills = 0
  const hear = (): void => {
    exchange.subscribe((event) => {
      if (event.type !== 'trade') return
      const { side, amount, price, fee, takerOrMaker, timestamp } = event.trade
      fills += 1
      expect(timestamp).toBe(stage.now())
      const change = new Decimal(side === 'buy' ? amount : `-${amount}`)
      held = held.plus(change)
      cash = cash.minus(change.times(price)).minus(fee ?? 0)
      const offered = side === 'buy' ? shown.asks : shown.bids
      // A resting order trades at its own price, which somebody met or passed; a taker at the prices that are shown.
      const isMet = offered.some(([at]) => (side === 'buy' ? Number(at) <= Number(price) : Number(at) >= Number(price)))
      if (takerOrMaker === 'maker') expect(isMet).toBe(true)
      const total = offered.reduce((sum, [, size]) => sum + Number(size), 0)
      expect(Number(amount) <= total + 1e-9 || stage.store.read().positions.length === 0).toBe(true)
    })
  }
  hear()

  async function place(wanted: Wanted): Promise<void> {
    const outcome = await patiently(exchange.createOrder({ clientOrderId: newOrderId(), ...wanted }))
    expect(outcome.kind).not.toBe('unknown')
  }

  /** After a restart prices are waited for, by the clock of the script. */
  async function patiently<T>(answer: Promise<T>): Promise<T> {
    let isThere = false
    const noted = answer.finally(() => {
      isThere = true
    })
    noted.catch(() => {})
    await settle()
    while (!isThere) await stage.advance()
    return noted
  }

  async function take(next: Step): Promise<void> {
    if (next.do === 'order') await place(next.order)
    if (next.do === 'ticker') feed.ticker('BTCUSDT', next.last.toFixed(1))
    if (next.do === 'stream') feed.stream('BTCUSDT', next.state)
    if (next.do === 'funding') feed.funding = { symbol: 'BTCUSDT', rate: next.rate, at: stage.now() + 61_000 }
    if (next.do === 'wait') await stage.advance(next.seconds * 1000)
    if (next.do === 'book') {
      const [bid, ask] = [next.bids[0]?.[0], next.asks[0]?.[0]]
      if (bid === undefined || ask === undefined || Number(bid) < Number(ask)) shown = next
      feed.quote('BTCUSDT', next.last.toFixed(1), next)
    }
    if (next.do !== 'restart') return
    await exchange.close()
    exchange = stage.openExchange()
    feed = stage.feeds.at(-1) ?? feed
    hear()
  }

  for (const next of steps) {
    await take(next)
    await settle()
    await audit()
  }
  expect(stage.problems).toEqual([])

  async function audit(): Promise<void> {
    const state = stage.store.read()
    const funding = (state.payments ?? []).reduce((sum, { received }) => sum.plus(received), new Decimal(0))
    const [position] = state.positions
    expect(held.toFixed()).toBe(position?.amount ?? '0')
    const wallet = new Decimal(state.deposited).plus(state.realizedPnl).minus(state.fees).plus(state.covered)
    // What was paid for what is held is not lost: it is the position's cost.
    expect(wallet.toFixed()).toBe(
      cash
        .plus(position?.cost ?? 0)
        .plus(funding)
        .plus(state.covered)
        .toFixed(),
    )
    if (position === undefined && state.openOrders.length === 0)
      expect((await patiently(balanceOf(exchange))).total).toBe(wallet.toFixed())
    expect(fills).toBeGreaterThanOrEqual(state.trades.length)
  }
}

describe('whatever book is heard, and whatever is ordered', () => {
  it('money is conserved, and nothing trades that nobody offered', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), runAudited), {
      numRuns: runsOf(300),
    })
  })
})
