import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/exchange/exchange.ts'
import { createEventFeed } from '../../../src/exchanges/paper/event-feed.ts'
import { initialState, noteChange } from '../../../src/exchanges/paper/state.ts'

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

describe('the event feed', () => {
  it('tells a change once, also when the states of two writes arrive the wrong way round', () => {
    const first = noteChange(fresh, { order })
    const second = noteChange(first, { order: { ...order, status: 'canceled' }, reason: 'asked' })
    const told: unknown[] = []
    const feed = createEventFeed({ read: () => fresh }, (problem) => told.push(problem))
    feed.subscribe((event) => told.push(event))
    for (const state of [second, first, second]) feed.publish(state)
    expect(told).toEqual([
      { type: 'order', order },
      { type: 'order', order: { ...order, status: 'canceled' }, reason: 'asked' },
    ])
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
    const feed = createEventFeed(source, () => {})
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
