import { describe, expect, it } from 'vitest'
import type { ExchangeEvent } from '../../../src/exchange/exchange.ts'
import type { Order } from '../../../src/exchange/order.ts'
import { createEventFeed } from '../../../src/exchanges/paper/event-feed.ts'
import {
  endOrder,
  HISTORY_LENGTH,
  initialState,
  keepOpen,
  noteTrade,
  type PaperState,
  seal,
} from '../../../src/exchanges/paper/state.ts'
import { NO_ARCHIVE } from '../../../src/exchanges/paper/state-file.ts'

const fresh = initialState({ seed: 's', balance: '10000' })
const order: Order = {
  id: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '1',
  filled: '0',
  remaining: '1',
  price: '64000',
  reduceOnly: false,
  postOnly: false,
  status: 'open',
  timestamp: 0,
}

function trade(state: PaperState): PaperState {
  return noteTrade(state, {
    orderId: 'p1',
    symbol: 'BTCUSDT',
    side: 'buy',
    amount: '0.1',
    price: '64000',
    fee: '0',
    takerOrMaker: 'maker',
    realizedPnl: '0',
    timestamp: 0,
  })
}

function startFeed(read: () => PaperState = () => fresh) {
  const told: unknown[] = []
  let now = 0
  const feed = createEventFeed({ read }, NO_ARCHIVE, () => now, told.push.bind(told))
  feed.subscribe((event: ExchangeEvent) => {
    if (event.type === 'trade') told.push(event.trade.id)
    if (event.type === 'order') told.push([event.order.status, ...(event.reason === undefined ? [] : [event.reason])])
    if (event.type === 'stream') told.push(event.state)
  })
  return {
    feed,
    told,
    passTime(ms: number) {
      now += ms
    },
  }
}

describe('the event feed', () => {
  it('tells a change once, also when the states of two writes arrive the wrong way round', () => {
    const { feed, told } = startFeed()
    const first = seal(keepOpen(fresh, { order }))
    const second = seal(endOrder(first, order, 'canceled', 'asked'))
    for (const state of [first, second, first, second]) feed.publish(state)
    expect(told).toEqual([['open'], ['canceled', 'asked']])
  })

  it('tells every trade, and of an order that changed several times how it now stands, after its trades', () => {
    const { feed, told } = startFeed()
    const traded = trade(keepOpen(trade(keepOpen(fresh, { order })), { order }))
    feed.publish(endOrder(traded, order, 'closed'))
    expect(told).toEqual(['t1', 't2', ['closed']])
  })

  it('tells what happened in a gap once the gap is over, each once, between stale and resynced', () => {
    let state: PaperState = { ...fresh, faults: { gapUntil: 5000 } }
    const { feed, told, passTime } = startFeed(() => state)
    state = seal(trade(state))
    feed.publish(state)
    expect(told).toEqual([])
    feed.tick()
    expect([told, feed.isStale()]).toEqual([['stale'], true])
    feed.emit({ type: 'ticker', ticker: { symbol: 'BTCUSDT', last: '1', bid: '1', ask: '1', timestamp: 0 } })
    state = seal(endOrder(trade(state), order, 'closed'))
    feed.publish(state)
    passTime(5000)
    feed.tick()
    feed.publish(state)
    expect([told, feed.isStale()]).toEqual([['stale', 't1', 't2', ['closed'], 'resynced'], false])
  })

  it('says so when more happened than the history keeps, and tells what is left of it', () => {
    const { feed, told } = startFeed()
    let state = fresh
    for (let count = 0; count < HISTORY_LENGTH + 2; count += 1) state = trade(state)
    feed.publish(seal(state))
    expect(told).toHaveLength(HISTORY_LENGTH + 2)
    expect([told[0], told[1], told.at(-1)]).toEqual(['stale', 't3', 'resynced'])
  })

  it('tells this process all that it made itself, however much', () => {
    const { feed, told } = startFeed()
    let state = fresh
    for (let count = 0; count < HISTORY_LENGTH + 2; count += 1) state = trade(state)
    feed.publish(state)
    expect([told.length, told[0]]).toEqual([HISTORY_LENGTH + 2, 't1'])
  })

  it('watches the store only while somebody listens', () => {
    let watching = 0
    const source = {
      read: () => fresh,
      watch() {
        watching += 1
        return () => {
          watching -= 1
        }
      },
    }
    const feed = createEventFeed(
      source,
      NO_ARCHIVE,
      () => 0,
      () => {},
    )
    expect(watching).toBe(0)
    const stops = [feed.subscribe(() => {}), feed.subscribe(() => {})]
    expect(watching).toBe(1)
    stops[0]?.()
    expect(watching).toBe(1)
    stops[1]?.()
    expect(watching).toBe(0)
    feed.subscribe(() => {})
    feed.close()
    expect(watching).toBe(0)
    expect(feed.hasSubscribers()).toBe(false)
  })
})
