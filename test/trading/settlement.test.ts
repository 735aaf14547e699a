// One question about an order whose answer was lost: what rests, what filled and what is held decide (behaviour 37).
import { describe, expect, it } from 'vitest'
import type { VenueView } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order, OrderRef, Position, Trade } from '../../src/exchange/order.ts'
import type { OrderPlan } from '../../src/trading/order-plan.ts'
import { askOnce, Inquiry, PAUSES_MS } from '../../src/trading/settlement.ts'

const SENT_AT = 1_000_000
const OURS = 'a'.repeat(32)
const THEIRS = 'f'.repeat(32)
const SENT: OrderPlan = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '1', price: '100' }

type Question = ConstructorParameters<typeof Inquiry>[0]

interface Situation extends Partial<Omit<Question, 'venue' | 'clock' | 'sentAt'>> {
  /** Since it was sent. */
  readonly age?: number
  readonly findableMs?: number
  readonly kind?: VenueView['kind']
  readonly open?: readonly Order[]
  readonly trades?: readonly Trade[]
  readonly positions?: readonly Position[]
  /** Those that the venue finds by its own id. */
  readonly orders?: readonly Order[]
}

function order(id: string, more: Partial<Order> = {}): Order {
  const amounts = { amount: '1', filled: '0', remaining: '1' }
  const flags = { reduceOnly: false, postOnly: false, status: 'open', timestamp: SENT_AT } as const
  return { id, symbol: 'BTCUSDT', side: 'buy', type: 'limit', ...amounts, ...flags, ...more }
}

let trades = 0
function fill(orderId: string, more: Partial<Trade> = {}): Trade {
  trades += 1
  const names = { id: `t${trades}`, orderId, symbol: 'BTCUSDT' }
  return { ...names, side: 'buy', amount: '1', price: '100', timestamp: SENT_AT + 10, ...more }
}

function held(side: 'long' | 'short', amount: string, symbol = 'BTCUSDT'): Position {
  return { symbol, side, amount, entryPrice: '100', notional: '100', settle: 'USDT' }
}

function staged({
  age = 60_000,
  findableMs,
  kind = 'linear',
  open = [],
  positions = [],
  orders = [],
  ...more
}: Situation) {
  const asked: string[] = []
  const pauses: number[] = []
  const venue = {
    kind,
    ...(findableMs === undefined ? {} : { findableMs }),
    async fetchOrder({ id }: OrderRef) {
      asked.push(`order ${id ?? 'ours'}`)
      const found = orders.find((each) => each.id === id)
      if (found === undefined) throw new ExchangeError('order-not-found', 'no such order')
      return found
    },
    fetchOpenOrders: async () => open,
    async fetchMyTrades({ since, limit }: { readonly since: number; readonly limit: number }) {
      asked.push(`trades ${since - SENT_AT} ${limit}`)
      return more.trades ?? []
    },
    async fetchPositions() {
      asked.push('positions')
      return positions
    },
  } as unknown as VenueView
  const question: Question = {
    venue,
    ref: { symbol: 'BTCUSDT', clientOrderId: OURS },
    sentAt: SENT_AT,
    sent: SENT,
    clock: { now: () => SENT_AT + age, delay: async (ms) => void pauses.push(ms) },
    signal: new AbortController().signal,
    ...more,
  }
  return { question, asked, pauses }
}

const ask = (situation: Situation) => askOnce(staged(situation).question)
const unsettled = (why?: object) => (why === undefined ? { kind: 'unsettled' } : { kind: 'unsettled', why })
const NEVER = { kind: 'never-arrived' }

describe('an order that the venue does not find', () => {
  it.each<[string, Situation, object]>([
    ['before a minute has passed', { age: 59_999 }, unsettled()],
    ['after a minute, where nothing else is known of it', { sent: undefined as never }, NEVER],
    ['after a minute, where nothing rests, filled or moved', {}, NEVER],
    ['as long as the venue remembers', { findableMs: 60_000 }, NEVER],
    ['later than the venue remembers', { findableMs: 59_999 }, unsettled({ kind: 'forgotten' })],
    ['later than that, of a stop that only reduces', { findableMs: 59_999, isProtective: true }, NEVER],
    ['with an order that rests under its id', { open: [order('v1', { clientOrderId: OURS })] }, { kind: 'found' }],
    ['with an order of others that rests', { open: [order('v1', { clientOrderId: THEIRS })] }, NEVER],
  ])('%s', async (_, situation, answer) => {
    expect(await ask(situation)).toMatchObject(answer)
  })

  it('has been missed once the venue did not find it in time, however late it is asked about again', async () => {
    let age = 60_000
    const { question } = staged({ findableMs: 60_000 })
    const inquiry = new Inquiry({ ...question, clock: { ...question.clock, now: () => SENT_AT + age } })
    expect(await inquiry.ask()).toEqual(NEVER)
    age = 600_000
    expect(await inquiry.ask()).toEqual(NEVER)
  })

  it('is looked for among the fills of a second before it was sent, and on spot in no position', async () => {
    const derivative = staged({})
    await askOnce(derivative.question)
    expect(derivative.asked).toEqual(['order ours', 'trades -1000 500', 'positions'])
    const spot = staged({ kind: 'spot' })
    await askOnce(spot.question)
    expect(spot.asked).toEqual(['order ours', 'trades -1000 500'])
  })

  it('is asked for over a minute, and no longer once the process ends', async () => {
    const { question, pauses } = staged({ age: 1_000 })
    expect(await new Inquiry(question).settle()).toEqual(unsettled())
    expect(pauses).toEqual(PAUSES_MS)
    const ended = staged({ orders: [order('v1')], signal: AbortSignal.abort() })
    expect(await new Inquiry(ended.question).settle()).toEqual(unsettled())
    expect(ended.asked).toEqual([])
  })

  it('is unsettled where the venue cannot be asked; a bug is thrown', async () => {
    const failing = (error: Error): Question => {
      const { question } = staged({})
      return { ...question, venue: { ...question.venue, fetchOrder: () => Promise.reject(error) } }
    }
    expect(await askOnce(failing(new ExchangeError('network', 'no answer')))).toEqual(unsettled())
    await expect(askOnce(failing(new TypeError('a bug')))).rejects.toThrow('a bug')
  })
})

describe('an order that only its fills name', () => {
  const named = { clientOrderId: OURS }

  it('is the venue’s own, under our id, where it is found by its own', async () => {
    const found = order('v1', { filled: '0.4', remaining: '0.6' })
    expect(await ask({ trades: [fill('v1', named)], orders: [found] })).toEqual({
      kind: 'found',
      order: { ...found, clientOrderId: OURS },
    })
  })

  it.each<[string, readonly Trade[], Partial<OrderPlan>, Partial<Order>]>([
    [
      'a part of it',
      [fill('v1', { ...named, amount: '0.1', price: '90' }), fill('v1', { ...named, amount: '0.3', price: '98' })],
      { reduceOnly: true },
      { filled: '0.4', remaining: '0.6', status: 'canceled', average: '96', reduceOnly: true, postOnly: false },
    ],
    [
      'the whole of it',
      [fill('v1', { ...named, amount: '1' })],
      { postOnly: true },
      { filled: '1', remaining: '0', status: 'closed', average: '100', reduceOnly: false, postOnly: true },
    ],
    [
      'more than it',
      [fill('v1', { ...named, amount: '1.5' })],
      {},
      { filled: '1.5', remaining: '0', status: 'closed', reduceOnly: false, postOnly: false },
    ],
  ])('is put together from the fills of %s', async (_, trades, plan, expected) => {
    const answer = await ask({ trades: [...trades, fill('v2', { clientOrderId: THEIRS })], sent: { ...SENT, ...plan } })
    const whole = { id: 'v1', clientOrderId: OURS, side: 'buy', type: 'limit', amount: '1', price: '100' }
    expect(answer).toMatchObject({ kind: 'found', isDeduced: true, order: { ...whole, ...expected } })
  })
})

describe('fills that name no order of ours', () => {
  const suspect = (...orderIds: string[]) => unsettled({ kind: 'fills', orderIds })

  it.each<[string, Situation, object]>([
    ['of an order that the venue no longer lists may be its own', { trades: [fill('v1')] }, suspect('v1')],
    ['of the other side are not', { trades: [fill('v1', { side: 'sell' })] }, NEVER],
    ['under an id of others are not', { trades: [fill('v1', { clientOrderId: THEIRS })] }, NEVER],
    ['of an order known to be another are not', { trades: [fill('v1')], isOther: (id) => id === 'v1' }, NEVER],
    [
      'of more than it was for are not',
      { trades: [fill('v1', { amount: '0.6' }), fill('v1', { amount: '0.6' })] },
      NEVER,
    ],
    [
      'of two orders, each of which it may be, are both suspect',
      { trades: [fill('v1', { amount: '0.6' }), fill('v2', { amount: '0.6' })] },
      suspect('v1', 'v2'),
    ],
    [
      'are its own where the venue says so',
      { trades: [fill('v1'), fill('v2')], orders: [order('v2', { clientOrderId: OURS })] },
      { kind: 'found', order: { id: 'v2' } },
    ],
    [
      'are not where the venue names another id',
      { trades: [fill('v1')], orders: [order('v1', { clientOrderId: THEIRS })] },
      NEVER,
    ],
    [
      'are not where the order was for another amount',
      { trades: [fill('v1', { amount: '0.5' })], orders: [order('v1', { amount: '0.5' })] },
      NEVER,
    ],
    [
      'may be where a nameless order was for the same amount',
      { trades: [fill('v1')], orders: [order('v1', { amount: '1.0' })] },
      suspect('v1'),
    ],
  ])('%s', async (_, situation, answer) => {
    expect(await ask(situation)).toMatchObject(answer)
  })

  it('are asked about for 20 orders; those of further orders are suspect', async () => {
    const ids = Array.from({ length: 22 }, (_, index) => `v${index}`)
    const { question, asked } = staged({
      trades: ids.map((id) => fill(id, { amount: '0.5' })),
      orders: ids.map((id) => order(id, { amount: '0.5' })),
    })
    const inquiry = new Inquiry(question)
    expect(await inquiry.ask()).toEqual(suspect('v20', 'v21'))
    expect(asked.filter((each) => each.startsWith('order v'))).toHaveLength(20)
    // What is known to be another order is not asked for again.
    expect(await inquiry.ask()).toEqual(NEVER)
    expect(asked.filter((each) => each.startsWith('order v'))).toHaveLength(22)
  })

  it('settle nothing where there are more than are read', async () => {
    const strangers = (count: number) => Array.from({ length: count }, () => fill('v1', { side: 'sell' }))
    expect(await ask({ trades: strangers(500) })).toEqual(unsettled({ kind: 'too-many-fills' }))
    expect(await ask({ trades: strangers(499) })).toEqual(NEVER)
  })
})

describe('a position that has changed', () => {
  const moved = (amount: string) => unsettled({ kind: 'position', amount })
  const stranger = (more: Partial<Trade>) => fill('v1', { clientOrderId: THEIRS, ...more })
  const sell = { ...SENT, side: 'sell' } as const
  const before = { timestamp: SENT_AT - 500 }

  it.each<[string, Situation, object]>([
    ['the order’s way, and no fill explains it', { heldBefore: '1', positions: [held('long', '3')] }, moved('2')],
    ['to flat, of a sale', { heldBefore: '1', sent: sell }, moved('1')],
    ['to a short, of a sale', { heldBefore: '1', sent: sell, positions: [held('short', '2')] }, moved('3')],
    ['not at all', { heldBefore: '1', positions: [held('long', '1')] }, NEVER],
    ['the other way', { heldBefore: '1', positions: [held('short', '1')] }, NEVER],
    ['in another symbol', { heldBefore: '0', positions: [held('long', '3', 'ETHUSDT')] }, NEVER],
    ['by what nothing was known of before', { positions: [held('long', '3')] }, NEVER],
    ['on spot, where positions are not', { heldBefore: '0', kind: 'spot', positions: [held('long', '3')] }, NEVER],
    ['by a fill of others', { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({})] }, NEVER],
    [
      'by more than fills of others explain',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({ amount: '0.4' })] },
      moved('0.6'),
    ],
    [
      'while others sold',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({ side: 'sell', amount: '0.4' })] },
      moved('1.4'),
    ],
    [
      'by a fill in the second before, which may not be in what was held',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger(before)] },
      NEVER,
    ],
    [
      'beside a sale in the second before, which may be in what was held',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({ ...before, side: 'sell' })] },
      moved('1'),
    ],
    [
      'by a fill a second before',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({ timestamp: SENT_AT - 1_000 })] },
      NEVER,
    ],
    [
      'by a fill of long before, which was in what was held',
      { heldBefore: '1', positions: [held('long', '2')], trades: [stranger({ timestamp: SENT_AT - 1_001 })] },
      moved('1'),
    ],
  ])('%s', async (_, situation, answer) => {
    expect(await ask(situation)).toEqual(answer)
  })
})

describe('an order that was placed, and that the venue no longer lists', () => {
  const placedAs = 'v1'
  const deduced = (more: Partial<Order>) => ({ kind: 'found', isDeduced: true, order: { id: 'v1', ...more } })
  const canceled = deduced({ status: 'canceled', filled: '0' })
  const flood = Array.from({ length: 499 }, () => fill('v2', { side: 'sell' }))

  it.each<[string, Situation, object]>([
    ['rests under the venue’s id', { open: [order('v1')] }, { kind: 'found', order: { id: 'v1', status: 'open' } }],
    ['rests under ours', { open: [order('v7', { clientOrderId: OURS })] }, { kind: 'found', order: { id: 'v7' } }],
    ['has filled, by the venue’s id', { trades: [fill('v1')] }, deduced({ status: 'closed', filled: '1' })],
    ['has filled, by ours', { trades: [fill('v7', { clientOrderId: OURS })] }, deduced({ status: 'closed' })],
    ['has filled, among all fills that are read', { trades: [fill('v1'), ...flood] }, deduced({ status: 'closed' })],
    [
      'has filled in part',
      { trades: [fill('v1', { amount: '0.4' }), fill('v2', { amount: '0.3' })] },
      deduced({ status: 'canceled', filled: '0.4', remaining: '0.6' }),
    ],
    ['has filled nothing', {}, canceled],
    ['is not one of others without a name', { ref: { symbol: 'BTCUSDT' }, trades: [fill('v2')] }, canceled],
    [
      'is unsettled where fills were left out',
      { trades: [fill('v2'), ...flood] },
      unsettled({ kind: 'too-many-fills' }),
    ],
    [
      'is unsettled where the position has changed',
      { heldBefore: '0', positions: [held('long', '1')] },
      unsettled({ kind: 'position', amount: '1' }),
    ],
  ])('%s', async (_, situation, answer) => {
    const found = await ask({ placedAs, ...situation })
    expect(found).toMatchObject(answer)
    expect('isDeduced' in found).toBe('isDeduced' in answer)
  })
})
