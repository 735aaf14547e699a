// A price need not be asked for that a stream has told within the last second; one that may be older is never known.
import { describe, expect, it } from 'vitest'
import { startAccount } from './scripted-account.ts'

/** An account that listens to BTCUSDT because somebody has asked about it. */
async function startListening() {
  const staged = startAccount()
  await staged.listen()
  expect(staged.account.knownTicker('BTCUSDT')).toBeUndefined()
  // The first price is asked for.
  await staged.clock.advance(1_500)
  return { ...staged, known: () => staged.account.knownTicker('BTCUSDT')?.last }
}

describe('a price that a stream has told', () => {
  it('is known for a second', async () => {
    const { known, tickerStream, ticker, clock } = await startListening()
    tickerStream.say(ticker({ last: '105' }))
    await clock.advance(1)
    expect(known()).toBe('105')
    await clock.advance(990)
    expect(known()).toBe('105')
    await clock.advance(20)
    expect(known()).toBeUndefined()
  })

  it('is not known where it lay in a buffer, however late it comes', async () => {
    const { known, tickerStream, ticker, clock } = await startListening()
    tickerStream.say(ticker({ last: '105' }))
    await clock.advance(1)
    tickerStream.say(ticker({ last: '106', timestamp: clock.now() - 1_200 }))
    await clock.advance(1)
    expect(known()).toBeUndefined()
    tickerStream.say(ticker({ last: '107', timestamp: clock.now() }))
    await clock.advance(1)
    expect(known()).toBe('107')
  })

  it('is not known where a part of it is older', async () => {
    const { known, tickerStream, ticker, clock } = await startListening()
    const { bid: _, ask: __, ...part } = ticker({ last: '105' })
    tickerStream.say(part)
    await clock.advance(1)
    expect(known()).toBeUndefined()
  })

  it('is not known after a gap, before the next one has come', async () => {
    const { known, account, tickerStream, ticker, dropAll, clock } = await startListening()
    tickerStream.say(ticker({ last: '105' }))
    await clock.advance(1)
    expect(known()).toBe('105')
    dropAll()
    await clock.advance(1)
    expect([account.state, known()]).toEqual(['stale', undefined])
    tickerStream.say(ticker({ last: '106' }))
    await clock.advance(1)
    expect([account.state, known()]).toEqual(['stale', undefined])
    await clock.advance(10_000)
    expect(account.state).toBe('live')
    tickerStream.say(ticker({ last: '107' }))
    await clock.advance(1)
    expect(known()).toBe('107')
  })

  it('is of no interest before anybody listens to the account', async () => {
    const { account, clock, asked, tickerStream } = startAccount()
    expect(account.knownTicker('BTCUSDT')).toBeUndefined()
    await clock.advance(5_000)
    expect([asked, tickerStream.watches]).toEqual([[], 0])
  })

  it('is listened to until nobody has asked about it for ten minutes', async () => {
    const { events, clock, known, tickerStream, ticker, asked } = await startListening()
    await clock.advance(9 * 60_000)
    known()
    await clock.advance(9 * 60_000)
    tickerStream.say(ticker({ last: '105' }))
    await clock.advance(1)
    expect(known()).toBe('105')
    await clock.advance(11 * 60_000)
    asked.length = 0
    events.length = 0
    tickerStream.say(ticker({ last: '106' }))
    await clock.advance(30_000)
    expect([asked.filter((name) => name.startsWith('ticker')), events]).toEqual([[], []])
  })

  it('is known at the first question where others watch the symbol', async () => {
    const { account, clock, tickerStream, ticker, listen } = startAccount()
    await listen()
    account.watchTicker('BTCUSDT')
    await clock.advance(1_500)
    tickerStream.say(ticker({ last: '105' }))
    await clock.advance(1)
    expect(account.knownTicker('BTCUSDT')?.last).toBe('105')
  })

  it('is listened to for ten symbols at most', async () => {
    const { account, clock, asked } = startAccount()
    account.subscribe(() => {})
    await clock.advance(3_000)
    for (let index = 0; index < 12; index += 1) account.knownTicker(`COIN${index}USDT`)
    await clock.advance(10)
    asked.length = 0
    // What a silent stream does not tell is asked for.
    await clock.advance(20_000)
    expect(new Set(asked.filter((name) => name.startsWith('ticker'))).size).toBe(10)
  })

  it('is nowhere that prices are asked for, and nothing more is asked for it', async () => {
    const { account, clock, asked } = startAccount({ streams: ['watchOrders', 'watchMyTrades'] })
    account.subscribe(() => {})
    await clock.advance(3_000)
    expect(account.knownTicker('BTCUSDT')).toBeUndefined()
    await clock.advance(20_000)
    expect(account.knownTicker('BTCUSDT')).toBeUndefined()
    expect(asked.filter((name) => name.startsWith('ticker'))).toEqual([])
  })
})

describe('the streams of an account tell each fill', () => {
  it('once all of them are up and have told something, and not while one is down', async () => {
    const { account, listen, orderStream, tradeStream, order, trade, clock, dropAll } = startAccount()
    expect(account.isReported).toBe(false)
    await listen()
    expect(account.isReported).toBe(false)
    orderStream.say(order({ filled: '1', status: 'closed' }))
    tradeStream.say(trade())
    await clock.advance(10)
    expect(account.isReported).toBe(true)
    dropAll()
    await clock.advance(1)
    expect(account.isReported).toBe(false)
  })

  it('nowhere that they are asked for', async () => {
    const { account, listen, clock } = startAccount({ streams: [] })
    await listen()
    await clock.advance(60_000)
    expect([account.state, account.isReported]).toEqual(['live', false])
  })
})
