// Streams that leave out, misstate, repeat or swallow what happens: what is told is what the venue holds, once each.

import { describe, expect, it } from 'vitest'
import { describeCause } from '../../../../src/exchange/order.ts'
import type { OwnStreams } from '../../../../src/exchanges/ccxt/streams/own-streams.ts'
import { startAccount } from './scripted-account.ts'

const HINTS: OwnStreams = { orders: [{ isHint: true }], fills: [], triggers: 'streamed' }
const UNPROVEN: OwnStreams = { orders: [{}], fills: [{}], triggers: 'streamed' }

const ordersAsked = (asked: readonly string[]) => asked.filter((question) => question.startsWith('order '))

describe('a row that only says that its order has changed', () => {
  it('has the order asked for, and told after its fills', async () => {
    const { listen, hold, order, trade, orderStream, clock, told, asked } = startAccount({ own: HINTS })
    await listen()
    hold(order({ filled: '1', status: 'closed' }), trade())
    orderStream.say(order({ filled: '0', amount: '0.3' }))
    await clock.advance(50)
    expect(told()).toEqual(['trade t1 1', 'order o1 closed 1'])
    expect(asked).toEqual(['order o1', 'trades BTCUSDT'])
  })

  it('is nothing new when it is repeated', async () => {
    const { listen, hold, order, orderStream, clock, asked } = startAccount({ own: HINTS })
    await listen()
    hold(order())
    const row = order()
    for (let time = 0; time < 5; time += 1) {
      orderStream.say(row)
      await clock.advance(100)
    }
    expect(ordersAsked(asked)).toEqual(['order o1'])
  })

  it('is asked for once with others of the same moment', async () => {
    const { listen, hold, order, trade, orderStream, clock, asked, told } = startAccount({ own: HINTS })
    await listen()
    hold(order({ filled: '1', status: 'closed' }), trade({ amount: '0.5' }), trade({ id: 't2', amount: '0.5' }))
    for (const filled of ['0.2', '0.5', '1']) orderStream.say(order({ filled }))
    await clock.advance(50)
    expect(ordersAsked(asked)).toEqual(['order o1'])
    expect(told()).toEqual(['trade t1 0.5', 'trade t2 0.5', 'order o1 closed 1'])
  })

  it('is no news where it says that an order rests that was acknowledged just now', async () => {
    const { account, listen, hold, order, orderStream, clock, asked, told } = startAccount({ own: HINTS })
    await listen()
    hold(order())
    account.note(order())
    orderStream.say(order())
    await clock.advance(900)
    expect([ordersAsked(asked), told()]).toEqual([[], ['order o1 open 0']])
    orderStream.say(order({ filled: '0.1' }))
    await clock.advance(200)
    orderStream.say(order({ price: '90' }))
    await clock.advance(50)
    expect(ordersAsked(asked)).toEqual(['order o1', 'order o1'])
  })

  it('is of an order that the venue may not know yet', async () => {
    const { listen, hold, order, orderStream, clock, asked, told, problems } = startAccount({ own: HINTS })
    await listen()
    orderStream.say(order())
    await clock.advance(400)
    expect(ordersAsked(asked).length).toBeGreaterThan(1)
    hold(order())
    await clock.advance(600)
    expect([told(), problems]).toEqual([['order o1 open 0'], []])
  })

  it('is read with the gap where the venue does not answer', async () => {
    const { listen, hold, order, trade, rest, orderStream, clock, told } = startAccount({ own: HINTS })
    await listen()
    rest.failure = new Error('no network')
    orderStream.say(order())
    await clock.advance(1_000)
    rest.failure = undefined
    hold(order({ filled: '1', status: 'closed' }), trade())
    orderStream.say(order())
    await clock.advance(30_000)
    expect(told().filter((line) => line !== 'stale' && line !== 'resynced')).toEqual([
      'trade t1 1',
      'order o1 closed 1',
    ])
  })

  it('is one of many where a stream begins with all that is open: they are read as one list', async () => {
    const { listen, hold, order, orderStream, clock, told, asked } = startAccount({ own: HINTS })
    await listen()
    const open = Array.from({ length: 40 }, (_, index) => order({ id: `o${index}` }))
    hold(...open)
    for (const each of open) orderStream.say(each)
    await clock.advance(100)
    expect(told()).toHaveLength(40)
    expect([ordersAsked(asked), asked.filter((question) => question === 'openOrders')]).toEqual([[], ['openOrders']])
  })

  it('of old fills says nothing: those are read with the gap', async () => {
    const own = { ...HINTS, fills: [{ isHint: true }] }
    const { listen, hold, order, trade, tradeStream, clock, asked } = startAccount({ own })
    await listen()
    hold(order())
    tradeStream.say(trade({ timestamp: clock.now() - 3_600_000 }))
    await clock.advance(50)
    expect(ordersAsked(asked)).toEqual([])
    tradeStream.say(trade({ id: 't2', timestamp: clock.now() }))
    await clock.advance(50)
    expect(ordersAsked(asked)).toEqual(['order o1'])
  })
})

describe('a row that cannot be read', () => {
  it('has what it said read by asking, and is a problem once', async () => {
    const { listen, hold, order, trade, orderStream, tradeStream, clock, told, problems } = startAccount()
    await listen()
    hold(order({ filled: '1', status: 'closed' }), order({ id: 'o2' }), trade())
    for (let time = 0; time < 3; time += 1) {
      orderStream.say({})
      tradeStream.say({})
      await clock.advance(1_000)
    }
    expect(told()).toContain('order o2 open 0')
    expect(problems.map(String)).toEqual([
      'Error: a stream sent an order that cannot be read',
      'Error: a stream sent a fill that cannot be read',
    ])
  })

  it('has its order asked for where it names one that is known', async () => {
    const { account, listen, hold, order, trade, orderStream, clock, told, problems } = startAccount()
    await listen()
    account.note(order())
    hold(order({ filled: '1', status: 'closed' }), trade())
    orderStream.say({ id: 'o1' })
    await clock.advance(50)
    expect(told()).toEqual(['order o1 open 0', 'trade t1 1', 'order o1 closed 1'])
    expect(problems).toEqual([])
  })

  it('is of no interest where it is of another kind of market', async () => {
    const { listen, order, trade, orderStream, tradeStream, clock, told, asked, problems } = startAccount()
    await listen()
    orderStream.say(order({ symbol: 'XXX' }))
    tradeStream.say(trade({ symbol: 'XXX' }))
    await clock.advance(2_000)
    expect([told(), asked, problems]).toEqual([[], [], []])
  })
})

describe('a stream that says that a trigger order has filled whole', () => {
  it('is not believed where neither the order nor a fill says so', async () => {
    const { account, listen, hold, order, trade, orderStream, clock, told } = startAccount()
    await listen()
    const stop = { type: 'stop-limit', triggerPrice: '90' } as const
    account.note(order(stop))
    hold(order(stop))
    orderStream.say(order({ ...stop, filled: '1', status: 'closed' }))
    await clock.advance(3_000)
    expect(told()).not.toContain('order o1 closed 1')
    hold(order({ ...stop, filled: '1', status: 'closed' }), trade())
    orderStream.say(order({ ...stop, filled: '1', status: 'closed' }))
    await clock.advance(1_000)
    expect(told().slice(-2)).toEqual(['trade t1 1', 'order o1 closed 1'])
  })
})

describe('a stream that is up and silent', () => {
  it('is looked behind as often as without streams until it has told something, unless it is proven', async () => {
    const { listen, hold, order, clock, told } = startAccount({ own: UNPROVEN })
    await listen()
    await clock.advance(60_000)
    hold(order())
    await clock.advance(3_100)
    expect(told()).toEqual(['order o1 open 0'])
  })

  it('is looked behind so too once a look has found what it should have told', async () => {
    const { listen, hold, order, orderStream, clock, told } = startAccount()
    await listen()
    orderStream.say(order())
    await clock.advance(60_000)
    hold(order(), order({ id: 'o2' }))
    await clock.advance(31_000)
    expect(told()).toContain('order o2 open 0')
    hold(order({ id: 'o3' }))
    await clock.advance(3_100)
    expect(told()).toContain('order o3 open 0')
  })

  it('is not missed when it is lost before it has told anything', async () => {
    const { account, listen, hold, order, orderStream, dropAll, clock, told } = startAccount({ own: UNPROVEN })
    await listen()
    dropAll()
    hold(order())
    await clock.advance(3_100)
    expect([account.state, told()]).toEqual(['live', ['order o1 open 0']])
    orderStream.say(order({ price: '90' }))
    await clock.advance(3_100)
    dropAll()
    await clock.advance(1)
    expect(account.state).toBe('stale')
  })

  it('without trigger orders on it leaves those to be asked for', async () => {
    const own = { ...UNPROVEN, triggers: 'asked', isProven: true } as const
    const { listen, hold, order, orderStream, clock, told } = startAccount({ own })
    await listen()
    orderStream.say(order({ status: 'canceled' }))
    await clock.advance(60_000)
    hold(order({ id: 'stop', type: 'stop', triggerPrice: '90' }))
    await clock.advance(3_100)
    expect(told()).toContain('order stop open 0')
  })

  it('of trigger orders alone does not hide that the others tell', async () => {
    const own: OwnStreams = { ...UNPROVEN, orders: [{}, { isOfTriggers: true, params: { trigger: true } }] }
    const { account, listen, order, trade, orderStream, tradeStream, clock } = startAccount({ own })
    await listen()
    orderStream.say(order({ filled: '1', status: 'closed' }))
    tradeStream.say(trade())
    await clock.advance(3_000)
    orderStream.say(order({ id: 'o2' }))
    await clock.advance(3_000)
    expect(account.isReported).toBe(true)
  })
})

describe('orders of two symbols under one id', () => {
  it('are two orders, with fills of their own', async () => {
    const { listen, order, trade, orderStream, tradeStream, clock, told } = startAccount()
    await listen()
    tradeStream.say(trade())
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(10)
    orderStream.say(order({ symbol: 'ETHUSDT' }))
    await clock.advance(10)
    tradeStream.say(trade({ symbol: 'ETHUSDT' }))
    orderStream.say(order({ symbol: 'ETHUSDT', filled: '1', status: 'closed' }))
    await clock.advance(10)
    expect(told()).toEqual(['trade t1 1', 'order o1 closed 1', 'order o1 open 0', 'trade t1 1', 'order o1 closed 1'])
  })
})

describe('an order that the venue has ended by itself', () => {
  it('is told with the reason', async () => {
    const { listen, order, orderStream, clock, events } = startAccount()
    await listen()
    orderStream.say(order({ status: 'canceled', cause: 'liquidation' }))
    await clock.advance(10)
    expect(events).toMatchObject([{ type: 'order', reason: describeCause('liquidation') }])
  })
})
