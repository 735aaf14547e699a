// What becomes of an order that is followed: fills count once, by whichever way and in whichever order they are heard of (behaviour 38).
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { ExchangeEvent, VenueView } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order, Trade } from '../../src/exchange/order.ts'
import { Follower, fillsOf, OwnOrders, readFills } from '../../src/trading/following.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'

const ID = 'a'.repeat(32)

function order(more: Partial<Order> = {}): Order {
  const amounts = { amount: '1', filled: '0', remaining: '1' }
  const flags = { reduceOnly: false, postOnly: false, status: 'open', timestamp: 5 } as const
  return { id: 'v1', clientOrderId: ID, symbol: 'BTCUSDT', side: 'buy', type: 'limit', ...amounts, ...flags, ...more }
}

const fill = (id: string, amount: string, more: Partial<Trade> = {}): Trade => ({
  id,
  orderId: 'v1',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount,
  price: '100',
  timestamp: 10,
  ...more,
})

function stage({
  trades = [],
  isTakenBack = false,
}: {
  trades?: readonly Trade[] | Error
  isTakenBack?: boolean
} = {}) {
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const asked: object[] = []
  const [events, fills, ends]: [OrderEvent[], string[], string[]] = [[], [], []]
  const state = { trades }
  const venue = {
    subscribe(handler: (event: ExchangeEvent) => void) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    async fetchMyTrades(query: object) {
      asked.push(query)
      if (state.trades instanceof Error) throw state.trades
      return state.trades
    },
  } as unknown as VenueView
  const follower = new Follower({
    venue,
    isEndReported: () => false,
    isTakenBack: () => isTakenBack,
    isReplaced: () => false,
    isFillReported: () => false,
    onFill: (_, { id }) => void fills.push(id),
    onEnd: ({ id }, { status }) => void ends.push(`${id.slice(0, 1)} ${status}`),
  })
  const tell = (event: ExchangeEvent) => {
    for (const handler of [...handlers]) handler(event)
  }
  return {
    venue,
    follower,
    fills,
    ends,
    asked,
    state,
    handlers,
    notify: (event: OrderEvent) => void events.push(event),
    told: () => events.map((event) => ('trade' in event ? `${event.type} ${event.trade?.id}` : event.type)),
    events,
    trade: (trade: Trade) => tell({ type: 'trade', trade }),
    order: (of: Order, reason?: string) =>
      tell({ type: 'order', order: of, ...(reason === undefined ? {} : { reason }) }),
  }
}

function following(options: Parameters<typeof stage>[0] & { readonly isToRest?: boolean } = {}) {
  const staged = stage(options)
  staged.follower.begin(ID, staged.notify, { isToRest: options.isToRest === true })
  staged.follower.acknowledge(ID, order())
  staged.follower.release(ID)
  return staged
}

describe('fills of an order that is followed', () => {
  it('count once, whether they are told or asked for', () => {
    const { follower, trade, fills, told } = following()
    trade(fill('t1', '0.4'))
    trade(fill('t1', '0.4'))
    follower.addTrades(ID, [fill('t1', '0.4'), fill('t2', '0.1')])
    expect(follower.find(ID)?.filled.toFixed()).toBe('0.5')
    expect([fills, told()]).toEqual([
      ['t1', 't2'],
      ['filled-later t1', 'filled-later t2'],
    ])
  })

  it('count by our id as well, and not those of another order or symbol', () => {
    const { follower, trade } = following()
    trade(fill('t1', '0.4', { orderId: 'other', clientOrderId: ID }))
    trade(fill('t2', '0.4', { orderId: 'other' }))
    trade(fill('t3', '0.4', { symbol: 'ETHUSDT' }))
    expect(follower.find(ID)?.counted.toFixed()).toBe('0.4')
  })

  it('that come before the venue has named the order count with its acknowledgement, and are not told as later ones', () => {
    const { follower, notify, trade, fills, told } = stage()
    follower.begin(ID, notify)
    for (const each of [fill('t1', '0.4'), fill('t2', '0.1', { orderId: 'v2' })]) trade(each)
    trade(fill('t3', '0.1', { symbol: 'ETHUSDT' }))
    expect(fills).toEqual([])
    expect(follower.acknowledge(ID, order()).counted.toFixed()).toBe('0.4')
    follower.begin('b', notify)
    expect(follower.acknowledge('b', order({ id: 'v2', clientOrderId: 'b' })).counted.toFixed()).toBe('0')
    expect([fills, told()]).toEqual([['t1'], []])
  })

  it('are kept for each of several orders that are under way', () => {
    const { follower, notify, trade } = stage()
    follower.begin(ID, notify)
    follower.begin('b', notify)
    trade(fill('t2', '0.1', { orderId: 'v2' }))
    follower.acknowledge(ID, order())
    expect(follower.acknowledge('b', order({ id: 'v2', clientOrderId: 'b' })).counted.toFixed()).toBe('0.1')
  })

  it('are kept of the newest 200 alone while an order is under way', () => {
    const { follower, notify, trade } = stage()
    follower.begin(ID, notify)
    trade(fill('first', '1'))
    for (let index = 0; index < 200; index += 1) trade(fill(`t${index}`, '0.001'))
    expect(follower.acknowledge(ID, order()).counted.toFixed()).toBe('0.2')
  })

  it('that were reported with the order are told as such', () => {
    const { follower, trade, events } = following()
    follower.noteReported(ID, new Decimal('0.4'))
    trade(fill('t1', '0.4'))
    trade(fill('t2', '0.1'))
    expect(events).toMatchObject([{ isReported: true }, { type: 'filled-later' }])
    expect(events[1]).not.toHaveProperty('isReported')
  })

  it('are never taken back by an older picture of the order', () => {
    const { follower, order: hear } = following()
    hear(order({ filled: '0.4' }))
    hear(order({ filled: '0.1' }))
    expect(follower.find(ID)).toMatchObject({ filled: new Decimal('0.4'), counted: new Decimal(0) })
    hear(order({ filled: '0.6', status: 'canceled' }))
    hear(order({ filled: '0.6' }))
    expect(follower.find(ID)?.order?.status).toBe('canceled')
  })
})

describe('the end of an order that is followed', () => {
  it('is told once, with the reason of the venue', () => {
    const { order: hear, ends, events } = following()
    hear(order(), 'little margin')
    hear(order({ status: 'canceled' }))
    hear(order({ status: 'canceled' }))
    expect([ends, events]).toMatchObject([['a canceled'], [{ type: 'ended', reason: 'little margin' }]])
    expect(events).toHaveLength(1)
  })

  it('by its fills is told by no event of its own', () => {
    const { order: hear, ends, told } = following()
    hear(order({ status: 'closed', filled: '1' }))
    expect([ends, told()]).toEqual([['a closed'], []])
  })

  it('that was heard of before its release is told with that', () => {
    const { follower, notify, order: hear, ends } = stage()
    follower.begin(ID, notify)
    follower.acknowledge(ID, order())
    hear(order({ status: 'canceled' }))
    expect(ends).toEqual([])
    follower.release(ID)
    expect(ends).toEqual(['a canceled'])
  })

  it.each([
    [{ isToRest: true }, true],
    [{ isToRest: true, isTakenBack: true }, undefined],
    [{ isToRest: false }, undefined],
  ])('is known to come from elsewhere: %j', (options, isElsewhere) => {
    const { order: hear, events } = following(options)
    hear(order({ status: 'canceled' }))
    expect((events[0] as { isElsewhere?: boolean }).isElsewhere).toBe(isElsewhere)
    const expired = following(options)
    expired.order(order({ status: 'rejected' }))
    expect(expired.events[0]).not.toHaveProperty('isElsewhere')
  })

  it('leaves nothing to listen for once it is forgotten, and anything else does not', () => {
    const { follower, notify, trade, order: hear, handlers, fills, ends } = following()
    follower.begin('b', notify)
    follower.forget(ID)
    follower.forget(ID)
    trade(fill('t1', '1'))
    hear(order({ status: 'canceled' }))
    expect([handlers.size, fills, ends]).toEqual([1, [], []])
    expect(follower.find(ID)).toBe(undefined)
    follower.forget('b')
    expect(handlers.size).toBe(0)
    follower.begin('c', notify)
    expect(follower.acknowledge('c', order({ clientOrderId: 'c' })).counted.toFixed()).toBe('0')
  })

  it('is told to who follows it anew', () => {
    const { follower, order: hear, events } = following()
    const others: OrderEvent[] = []
    expect([follower.renotify('b', () => {}), follower.renotify(ID, (event) => void others.push(event))]).toEqual([
      false,
      true,
    ])
    hear(order({ status: 'canceled' }))
    expect([events.length, others.length]).toEqual([0, 1])
  })

  it('is what the venue answers, as if it had told it', () => {
    const { follower, ends } = following()
    expect(follower.received('b', order())).toBe(undefined)
    expect(follower.received(ID, order({ status: 'canceled', clientOrderId: 'another' }))?.order?.status).toBe(
      'canceled',
    )
    expect(ends).toEqual(['a canceled'])
  })
})

describe('fills that were not told', () => {
  const over = order({ status: 'closed', filled: '1' })

  it('are asked for from when the order was placed, and only its own are taken', async () => {
    const own = [fill('t1', '0.6'), fill('t2', '0.4', { orderId: 'v9', clientOrderId: ID })]
    const { venue, follower, asked } = following({ trades: [...own, fill('t3', '5', { orderId: 'v2' })] })
    expect((await fillsOf(venue, follower, ID, over)).map(({ id }) => id)).toEqual(['t1', 't2'])
    expect(asked).toEqual([{ symbol: 'BTCUSDT', since: 5, limit: 1_000 }])
    await fillsOf(venue, follower, ID, over)
    expect(asked).toHaveLength(1)
    follower.forget(ID)
    expect((await fillsOf(venue, follower, ID, over)).map(({ id }) => id)).toEqual(['t1', 't2'])
  })

  it('are those that are known where the venue does not answer; a bug is thrown', async () => {
    const { venue, follower, trade, state } = following({ trades: new ExchangeError('network', 'no answer') })
    trade(fill('t1', '0.6'))
    expect((await fillsOf(venue, follower, ID, over)).map(({ id }) => id)).toEqual(['t1'])
    state.trades = new TypeError('a bug')
    await expect(fillsOf(venue, follower, ID, over)).rejects.toThrow('a bug')
  })

  it('are asked for until they add up, for less than a minute', async () => {
    const { venue, follower, asked, state } = following({ trades: [fill('t1', '0.6')] })
    const pauses: number[] = []
    const delay = async (ms: number) => {
      pauses.push(ms)
      if (ms === 3_000) state.trades = [fill('t1', '0.6'), fill('t2', '0.4')]
    }
    const reading = { venue, follower, clock: { now: () => 0, delay }, signal: new AbortController().signal }
    expect((await readFills(reading, ID, over))?.counted.toFixed()).toBe('1')
    expect([pauses, asked.length]).toEqual([[250, 1_000, 3_000, 10_000], 4])
    const short = following({ trades: [] })
    pauses.length = 0
    const ending = { ...reading, venue: short.venue, follower: short.follower }
    expect((await readFills(ending, ID, over))?.counted.toFixed()).toBe('0')
    expect(pauses).toEqual([250, 1_000, 3_000, 10_000, 30_000])
    const asking = short.asked.length
    await readFills({ ...ending, signal: AbortSignal.abort() }, ID, over)
    short.follower.forget(ID)
    expect([await readFills(ending, ID, over), short.asked.length]).toEqual([undefined, asking])
  })
})

describe('orders of this process', () => {
  it('are known by our id or by the venue’s within a symbol', () => {
    const own = new OwnOrders()
    own.addSent(ID)
    own.addPlaced({ symbol: 'BTCUSDT', id: 'v1' })
    const has = (names: object) => own.has({ id: 'v9', symbol: 'BTCUSDT', ...names })
    expect([has({ clientOrderId: ID }), has({ id: 'v1' }), has({})]).toEqual([true, true, false])
    expect([has({ id: 'v1', symbol: 'ETHUSDT' }), has({ clientOrderId: 'b' })]).toEqual([false, false])
  })

  it('are those that it cancels, of one symbol or of all, until the cancel is over', () => {
    const own = new OwnOrders()
    const has = (symbol: string, status: Order['status'] = 'canceled') => own.has({ id: 'v9', symbol, status })
    const end = own.beginCancel('BTCUSDT')
    expect([has('BTCUSDT'), has('ETHUSDT'), has('BTCUSDT', 'closed')]).toEqual([true, false, false])
    expect([
      own.isTakenBack({ id: 'v9', symbol: 'BTCUSDT' }),
      own.isEndClaimed({ id: 'v9', symbol: 'BTCUSDT' }),
    ]).toEqual([true, true])
    const endAll = own.beginCancel(undefined)
    expect(has('ETHUSDT')).toBe(true)
    endAll()
    end()
    expect([has('BTCUSDT'), has('ETHUSDT')]).toEqual([false, false])
  })

  it('are taken back, and their ends claimed, one by one', () => {
    const own = new OwnOrders()
    own.addTakenBack('BTCUSDT', 'v1')
    const unclaim = own.claimEnds([order(), order({ id: 'v2' })])
    const of = (id: string) => ({ id, symbol: 'BTCUSDT' })
    expect([own.isTakenBack(of('v1')), own.isTakenBack(of('v2'))]).toEqual([true, false])
    expect([own.isEndClaimed(of('v1')), own.isEndClaimed(of('v2')), own.isEndClaimed(of('v3'))]).toEqual([
      true,
      true,
      false,
    ])
    unclaim()
    expect([own.isEndClaimed(of('v1')), own.isEndClaimed(of('v2'))]).toEqual([false, false])
  })
})
