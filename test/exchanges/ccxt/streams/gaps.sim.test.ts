import { describe, expect, it } from 'vitest'
import { networkError, startAccount } from './scripted-account.ts'

describe('a gap', () => {
  it('makes it stale at once; what was missed is told once when it ends, and only then it is live', async () => {
    const { account, order, trade, listen, hold, dropAll, clock, told, orderStream, tradeStream } = startAccount()
    await listen()
    account.note(order({ id: 'o1' }))
    account.note(order({ id: 'o2' }))
    for (const stream of [orderStream, tradeStream]) stream.refusal = networkError()
    dropAll()
    await clock.advance(1)
    expect(account.state).toBe('stale')
    hold(order({ id: 'o1', filled: '1', status: 'closed' }), trade({ id: 't1', orderId: 'o1' }))
    hold(order({ id: 'o2', status: 'canceled' }), order({ id: 'o3' }))
    await clock.advance(4_000)
    expect(told()).toEqual(['order o1 open 0', 'order o2 open 0', 'stale'])
    for (const stream of [orderStream, tradeStream]) stream.refusal = undefined
    await clock.advance(8_000)
    expect(told().slice(3)).toEqual([
      'trade t1 1',
      'order o3 open 0',
      'order o1 closed 1',
      'order o2 canceled 0',
      'resynced',
    ])
    expect(account.state).toBe('live')
  })

  it('of one stream is a gap of all', async () => {
    const { account, listen, tradeStream, clock, told } = startAccount()
    await listen()
    tradeStream.drop()
    await clock.advance(1)
    expect(account.state).toBe('stale')
    await clock.advance(10_000)
    expect(told()).toEqual(['stale', 'resynced'])
  })

  it('shows a whole order that was placed and filled in it', async () => {
    const { listen, hold, order, trade, dropAll, clock, told, tradeStream } = startAccount()
    await listen()
    tradeStream.say(trade({ id: 't0', orderId: 'o0' }))
    hold(order({ id: 'o0', filled: '1', status: 'closed' }))
    await clock.advance(1_000)
    dropAll()
    hold(order({ id: 'o9', filled: '1', status: 'closed' }), trade({ id: 't9', orderId: 'o9' }))
    await clock.advance(10_000)
    expect(told()).toEqual(['trade t0 1', 'order o0 closed 1', 'stale', 'trade t9 1', 'order o9 closed 1', 'resynced'])
  })

  it('does not end while it cannot be read', async () => {
    const { account, listen, dropAll, rest, clock, told, problems } = startAccount()
    await listen()
    rest.failure = new Error('no network')
    dropAll()
    await clock.advance(60_000)
    expect([account.state, told()]).toEqual(['stale', ['stale']])
    expect(problems).toHaveLength(1)
    rest.failure = undefined
    await clock.advance(40_000)
    expect(told()).toEqual(['stale', 'resynced'])
  })

  it('that nobody notices is found by looking', async () => {
    const { account, order, trade, listen, hold, clock, told } = startAccount()
    await listen()
    account.note(order())
    hold(order({ filled: '1', status: 'closed' }), trade())
    await clock.advance(31_000)
    expect(told()).toEqual(['order o1 open 0', 'trade t1 1', 'order o1 closed 1'])
  })

  it('is also a venue that says and answers nothing for too long', async () => {
    const { account, listen, rest, clock, told } = startAccount()
    await listen()
    rest.failure = new Error('no network')
    await clock.advance(90_000)
    expect([account.state, told()]).toEqual(['stale', ['stale']])
    rest.failure = undefined
    await clock.advance(40_000)
    expect([account.state, told()]).toEqual(['live', ['stale', 'resynced']])
  })

  it('is tried at once, and then after pauses that double to a minute', async () => {
    const { listen, orderStream, clock } = startAccount({ streams: ['watchOrders'] })
    await listen()
    const before = orderStream.watches
    orderStream.refusal = networkError()
    orderStream.drop()
    const attempts: number[] = []
    let seen = before
    for (let second = 0; second <= 200; second += 1) {
      for (; seen < orderStream.watches; seen += 1) attempts.push(second)
      await clock.advance(1_000)
    }
    // At once, then after 1, 2, 4, 8, 16, 32, 60 and 60 s.
    expect(attempts).toEqual([1, 1, 3, 7, 15, 31, 63, 123, 183])
  })

  it('that lasts is bridged by asking', async () => {
    const { account, order, trade, listen, hold, orderStream, tradeStream, dropAll, clock, told } = startAccount()
    await listen()
    for (const stream of [orderStream, tradeStream]) stream.refusal = networkError()
    dropAll()
    await clock.advance(40_000)
    expect([account.state, told()]).toEqual(['live', ['stale', 'resynced']])
    account.note(order())
    hold(order({ filled: '1', status: 'closed' }), trade())
    await clock.advance(4_000)
    expect(told().slice(2)).toEqual(['order o1 open 0', 'trade t1 1', 'order o1 closed 1'])
  })
})

describe('a day of reconnects', () => {
  it('leaves neither timers, questions under way nor memory behind', async () => {
    const { account, order, trade, listen, hold, dropAll, orders, trades, clock, events } = startAccount()
    await listen()
    const heaps: number[] = []
    let fills = 0
    for (let round = 0; round < 1_440; round += 1) {
      const id = `o${round}`
      account.note(order({ id }))
      hold(order({ id, filled: '1', status: 'closed' }), trade({ id: `t${round}`, orderId: id }))
      dropAll()
      await clock.advance(60_000)
      fills += events.filter(({ type }) => type === 'trade').length
      for (const kept of [events, trades]) kept.length = 0
      orders.clear()
      if (round % 360 === 359) heaps.push(clock.timers)
    }
    expect(fills).toBe(1_440)
    expect(heaps).toEqual(heaps.map(() => heaps[0]))
    expect(account.state).toBe('live')
  })
})

describe("somebody else's order that fills at once", () => {
  async function busyAccount() {
    const staged = startAccount()
    const { listen, hold, order, trade, tradeStream, orderStream, clock, events } = staged
    await listen()
    tradeStream.say(trade({ id: 't0', orderId: 'o0' }))
    hold(order({ id: 'o0', filled: '1', status: 'closed' }), trade({ id: 't0', orderId: 'o0' }))
    await clock.advance(60_000)
    events.length = 0
    const fill = (name = '9', symbol = 'BTCUSDT') => {
      const [id, orderId] = [`t${name}`, `o${name}`]
      hold(order({ id: orderId, symbol, filled: '1', status: 'closed' }), trade({ id, orderId, symbol }))
    }
    const refuse = (refusal: Error | undefined) => {
      for (const stream of [tradeStream, orderStream]) stream.refusal = refusal
    }
    return { ...staged, fill, refuse }
  }
  const whole = ['trade t9 1', 'order o9 closed 1']

  it('is told although the venue lists it only after the gap was read', async () => {
    const { dropAll, fill, clock, told } = await busyAccount()
    dropAll()
    await clock.advance(3_000)
    expect(told()).toEqual(['stale', 'resynced'])
    fill()
    await clock.advance(10_000)
    expect(told().slice(2)).toEqual(whole)
  })

  it('is told while the streams are missing and all is asked for', async () => {
    const { dropAll, refuse, fill, clock, told } = await busyAccount()
    refuse(networkError())
    dropAll()
    await clock.advance(60_000)
    expect(told()).toEqual(['stale', 'resynced'])
    fill()
    await clock.advance(30_000)
    expect(told().slice(2)).toEqual(whole)
  })

  it('is told although it fills while missing streams are made again', async () => {
    const { dropAll, refuse, fill, clock, told, asked } = await busyAccount()
    refuse(networkError())
    dropAll()
    await clock.advance(60_000)
    refuse(undefined)
    asked.length = 0
    await clock.advance(60_000)
    fill()
    await clock.advance(31_000)
    expect(told().slice(2)).toEqual(whole)
  })

  it('is told where a stream was taken for subscribed before its socket was open', async () => {
    const { dropAll, fill, open, clock, told } = await busyAccount()
    dropAll()
    await clock.advance(25_000)
    expect(told()).toEqual(['stale', 'resynced'])
    fill()
    open()
    await clock.advance(1)
    expect(told().slice(2)).toEqual(whole)
  })

  it('is told where a stream is dead and nobody has noticed', async () => {
    const { fill, clock, told } = await busyAccount()
    fill()
    await clock.advance(31_000)
    expect(told()).toEqual(whole)
  })

  it('is told where a stream was dead for minutes before it was noticed', async () => {
    const { fill, dropAll, rest, clock, told } = await busyAccount()
    rest.failing = 'trades BTCUSDT'
    fill()
    await clock.advance(120_000)
    rest.failing = undefined
    dropAll()
    await clock.advance(40_000)
    expect(told()).toEqual(['stale', ...whole, 'resynced'])
  })

  it('is told once although the fills of another symbol cannot be read meanwhile', async () => {
    const { account, dropAll, order, rest, fill, clock, told } = await busyAccount()
    account.note(order({ id: 'e1', symbol: 'ETHUSDT' }))
    rest.failing = 'trades ETHUSDT'
    dropAll()
    fill()
    await clock.advance(180_000)
    expect(told()).toEqual(['order e1 open 0', 'stale'])
    rest.failing = undefined
    await clock.advance(40_000)
    expect(told().slice(2, 4)).toEqual(whole)
  })
})
