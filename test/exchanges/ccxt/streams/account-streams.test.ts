import { describe, expect, it } from 'vitest'
import { networkError, startAccount } from './scripted-account.ts'

describe('the streams of an account', () => {
  it('are live from the start, and tell nothing of what was there before', async () => {
    const { account, clock, events, hold, order, trade, told } = startAccount()
    hold(order({ id: 'old', filled: '0.4' }), trade({ id: 'old', orderId: 'old', amount: '0.4' }))
    account.subscribe((event) => events.push(event))
    expect(account.state).toBe('live')
    await clock.advance(120_000)
    expect([told(), account.state]).toEqual([[], 'live'])
  })

  it('tell what fills of an order that was there before, and not what had filled', async () => {
    const { hold, order, trade, listen, orderStream, tradeStream, clock, told } = startAccount()
    hold(order({ filled: '0.4' }), trade({ id: 't1', amount: '0.4' }))
    await listen()
    tradeStream.say(trade({ id: 't2', amount: '0.6' }))
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(10)
    expect(told()).toEqual(['trade t2 0.6', 'order o1 closed 1'])
  })

  it('tell a fill before the order that it filled, whichever comes first', async () => {
    const { order, trade, listen, orderStream, tradeStream, clock, told, asked } = startAccount()
    await listen()
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(100)
    expect(told()).toEqual([])
    tradeStream.say(trade())
    await clock.advance(10)
    expect(told()).toEqual(['trade t1 1', 'order o1 closed 1'])
    expect(asked).toEqual([])
  })

  it('count each fill once, by its id', async () => {
    const { order, trade, listen, orderStream, tradeStream, clock, told, account } = startAccount()
    await listen()
    account.note(order())
    for (const id of ['t1', 't1', 't2', 't1', 't2']) {
      tradeStream.say(trade({ id, amount: '0.5' }))
      await clock.advance(1)
    }
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(10)
    expect(told()).toEqual(['order o1 open 0', 'trade t1 0.5', 'trade t2 0.5', 'order o1 closed 1'])
  })

  it('ask for fills that a stream has swallowed', async () => {
    const { order, trade, listen, orderStream, hold, clock, told } = startAccount()
    await listen()
    hold(order({ filled: '1', status: 'closed' }), trade())
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(600)
    expect(told()).toEqual(['trade t1 1', 'order o1 closed 1'])
  })

  it('ask for the order where only the fill was told', async () => {
    const { order, trade, listen, tradeStream, hold, clock, told } = startAccount()
    await listen()
    hold(order({ filled: '1', status: 'closed' }), trade())
    tradeStream.say(trade())
    await clock.advance(600)
    expect(told()).toEqual(['trade t1 1', 'order o1 closed 1'])
  })

  it('ask for the other fills where one fill was told and the order says more', async () => {
    const { account, order, trade, listen, tradeStream, hold, clock, told } = startAccount()
    await listen()
    account.note(order({ amount: '4' }))
    hold(order({ amount: '4', filled: '2' }), trade({ id: 't1' }), trade({ id: 't2' }))
    tradeStream.say(trade({ id: 't2' }))
    await clock.advance(600)
    expect(told()).toEqual(['order o1 open 0', 'trade t2 1', 'trade t1 1', 'order o1 open 2'])
  })

  it('tell a fill that the venue lists two minutes after the order says it', async () => {
    const { order, trade, listen, orderStream, hold, clock, told } = startAccount()
    await listen()
    const fill = trade()
    hold(order({ filled: '1', status: 'closed' }))
    orderStream.say(order({ filled: '1', status: 'closed' }))
    await clock.advance(120_000)
    expect(told()).toEqual(['order o1 closed 1'])
    hold(fill)
    await clock.advance(31_000)
    expect(told()).toEqual(['order o1 closed 1', 'trade t1 1'])
  })

  it('tell an order once that the answer and the stream both tell, in either order', async () => {
    for (const isAnswerFirst of [true, false]) {
      const { account, order, listen, orderStream, clock, told } = startAccount()
      await listen()
      if (isAnswerFirst) account.note(order())
      orderStream.say(order())
      await clock.advance(10)
      if (!isAnswerFirst) account.note(order())
      expect(told()).toEqual(['order o1 open 0'])
    }
  })

  it('keep an order ended that late news say is open, and what has filled', async () => {
    const { account, order, trade, listen, orderStream, tradeStream, clock, told } = startAccount()
    await listen()
    tradeStream.say(trade({ amount: '0.5' }))
    orderStream.say(order({ filled: '0.5', status: 'canceled' }))
    await clock.advance(10)
    orderStream.say(order())
    await clock.advance(10)
    account.note(order({ filled: '0.2' }))
    orderStream.say(order({ status: 'canceled' }))
    await clock.advance(10)
    expect(told()).toEqual(['trade t1 0.5', 'order o1 canceled 0.5'])
  })

  it('tell an order that was changed in place', async () => {
    const { account, order, listen, told } = startAccount()
    await listen()
    account.note(order())
    account.note(order({ price: '90' }))
    account.note(order({ price: '90.0' }))
    expect(told()).toEqual(['order o1 open 0', 'order o1 open 0'])
  })

  it('go on when a handler throws, and say so', async () => {
    const { account, order, problems, told, events } = startAccount()
    account.subscribe(() => {
      throw new Error('handler')
    })
    account.subscribe((event) => events.push(event))
    account.note(order())
    expect([told(), problems]).toEqual([['order o1 open 0'], [new Error('handler')]])
  })
})

describe('a venue without streams', () => {
  it('is asked every few seconds, and what is found is told as if it had been heard', async () => {
    const { account, order, trade, listen, hold, clock, told } = startAccount({ streams: [] })
    await listen()
    account.note(order())
    hold(order({ filled: '0.5' }), trade({ amount: '0.5' }))
    await clock.advance(4_000)
    hold(order({ filled: '1', status: 'closed' }), trade({ id: 't2', amount: '0.5' }))
    await clock.advance(4_000)
    expect(told()).toEqual([
      'order o1 open 0',
      'trade t1 0.5',
      'order o1 open 0.5',
      'trade t2 0.5',
      'order o1 closed 1',
    ])
  })

  it('that only claims to have them is asked as well', async () => {
    const { order, listen, hold, orderStream, clock, told } = startAccount({ streams: ['watchOrders'] })
    const notSupported = new Error('requires protobuf')
    notSupported.name = 'NotSupported'
    orderStream.refusal = notSupported
    await listen()
    hold(order())
    await clock.advance(4_000)
    expect([told(), orderStream.watches]).toEqual([['order o1 open 0'], 1])
  })

  it('is stale while it does not answer', async () => {
    const { account, listen, rest, clock, told } = startAccount({ streams: [] })
    await listen()
    rest.failure = new Error('no network')
    await clock.advance(10_000)
    expect(account.state).toBe('stale')
    rest.failure = undefined
    await clock.advance(31_000)
    expect(told()).toEqual(['stale', 'resynced'])
  })
})

describe('an order that the venue does not know any more', () => {
  it('is said to be a problem, and is not asked for for ever', async () => {
    const { account, order, listen, clock, told, asked, problems } = startAccount()
    await listen()
    account.note(order())
    await clock.advance(300_000)
    expect(told()).toEqual(['order o1 open 0'])
    expect(asked.filter((question) => question === 'order o1')).toHaveLength(3)
    expect(problems).toHaveLength(3)
  })
})

describe('tickers', () => {
  it('come at once, then from the stream, to the end', async () => {
    const { account, listen, tickerStream, ticker, clock, told } = startAccount()
    await listen()
    const stop = account.watchTicker('BTCUSDT')
    const stopAgain = account.watchTicker('BTCUSDT')
    await clock.advance(100)
    tickerStream.say(ticker({ last: '101' }))
    await clock.advance(10)
    stop()
    stop()
    tickerStream.say(ticker({ last: '102' }))
    await clock.advance(10)
    stopAgain()
    tickerStream.say(ticker({ last: '103' }))
    await clock.advance(60_000)
    expect(told()).toEqual(['ticker BTCUSDT 100', 'ticker BTCUSDT 101', 'ticker BTCUSDT 102'])
  })

  it('are asked for where they are not streamed, and while the stream is down', async () => {
    for (const streams of [[], ['watchTicker']] as const) {
      const { account, listen, tickerStream, clock, told } = startAccount({ streams })
      await listen()
      tickerStream.refusal = networkError()
      account.watchTicker('BTCUSDT')
      await clock.advance(10_500)
      expect(told()).toHaveLength(6)
    }
  })

  it('of a stream without bid and ask come with those that were asked for, which is done anew', async () => {
    const { account, listen, tickerStream, clock, events, asked } = startAccount()
    await listen()
    account.watchTicker('BTCUSDT')
    await clock.advance(100)
    for (let second = 0; second < 20; second += 1) {
      tickerStream.say({ symbol: 'BTCUSDT', last: `${101 + second}`, timestamp: clock.now() })
      await clock.advance(1_000)
    }
    const tickers = events.flatMap((event) => (event.type === 'ticker' ? [event.ticker] : []))
    expect(tickers).toHaveLength(22)
    expect(tickers.at(-1)).toMatchObject({ last: '120', bid: '99', ask: '101' })
    expect(asked.filter((question) => question.startsWith('ticker'))).toHaveLength(2)
  })

  it('that nobody gets any more make the account stale', async () => {
    const { account, listen, rest, clock, told } = startAccount({ streams: ['watchOrders', 'watchMyTrades'] })
    await listen()
    account.watchTicker('BTCUSDT')
    await clock.advance(100)
    rest.failure = new Error('no network')
    await clock.advance(7_000)
    expect([account.state, told().at(-1)]).toEqual(['stale', 'stale'])
  })
})

describe('the end', () => {
  it('leaves no timer, asks and tells nothing more', async () => {
    const { account, listen, order, trade, orderStream, tradeStream, clock, told, asked } = startAccount()
    await listen()
    account.watchTicker('BTCUSDT')
    account.note(order())
    await account.close()
    const [before, questions] = [told(), asked.length]
    orderStream.say(order({ filled: '1', status: 'closed' }))
    tradeStream.say(trade())
    account.note(order({ id: 'o2' }))
    account.subscribe(() => expect.unreachable())
    await clock.advance(300_000)
    expect([clock.timers, told(), asked.length]).toEqual([0, before, questions])
  })
})
