import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followPrice } from '../../src/app/interactive.ts'
import type { ExchangeEvent } from '../../src/exchange/exchange.ts'
import type { Market } from '../../src/exchange/market.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const MARKET = { symbol: 'BTCUSDT', priceGrid: { kind: 'tick', tick: '0.1' } } as Market

function startVenue() {
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const watched: string[] = []
  const venue = {
    stream: 'live' as 'live' | 'stale',
    loadMarkets: async () => [MARKET],
    subscribe(handler: (event: ExchangeEvent) => void) {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
    watchTicker(symbol: string) {
      if (symbol === 'NOPE') throw new Error('bad-symbol')
      watched.push(symbol)
      return () => void watched.splice(watched.indexOf(symbol), 1)
    },
  }
  return {
    venue,
    handlers,
    watched,
    say(symbol: string, last: string) {
      const ticker = { symbol, last, bid: last, ask: last, timestamp: 1 }
      for (const handler of handlers) handler({ type: 'ticker', ticker })
    },
  }
}

function start() {
  const venues = { main: startVenue(), other: startVenue() }
  const place = { account: 'main', symbol: 'BTCUSDT' }
  const failure: { error: Error | undefined } = { error: undefined }
  const price = followPrice({
    ports: { focus: { account: () => place.account, symbol: () => place.symbol } },
    async connect(name) {
      if (failure.error !== undefined) throw failure.error
      return { venue: venues[name as keyof typeof venues].venue }
    },
  })
  const settle = () => vi.advanceTimersByTimeAsync(1_000)
  return { ...venues, place, failure, price, settle }
}

describe('the price at the prompt', () => {
  it('is the last that the venue told of the symbol in focus', async () => {
    const { main, price, settle } = start()
    await settle()
    expect(price.last()).toBeUndefined()
    main.say('BTCUSDT', '100')
    main.say('ETHUSDT', '7')
    expect([price.last(), price.market()]).toEqual(['100', MARKET])
  })

  it('is gone at once when another symbol or account comes into focus, and nothing of the old one is heard', async () => {
    const { main, other, place, price, settle } = start()
    await settle()
    main.say('BTCUSDT', '100')
    place.symbol = 'ETHUSDT'
    expect(price.last()).toBeUndefined()
    await settle()
    main.say('ETHUSDT', '7')
    expect(price.last()).toBe('7')
    place.account = 'other'
    await settle()
    expect([main.handlers.size, main.watched, other.watched]).toEqual([0, [], ['ETHUSDT']])
    expect(price.last()).toBeUndefined()
  })

  it('is stale while the venue of the account in focus is', async () => {
    const { main, place, price, settle } = start()
    await settle()
    main.say('BTCUSDT', '100')
    expect(price.isStale()).toBe(false)
    main.venue.stream = 'stale'
    expect(price.isStale()).toBe(true)
    place.account = 'other'
    expect(price.isStale()).toBe(false)
    await settle()
    expect(price.isStale()).toBe(false)
  })

  it('is missing while there is no account or market, and comes when there is', async () => {
    const { main, place, failure, price, settle } = start()
    failure.error = new Error('no such account')
    await settle()
    failure.error = undefined
    place.symbol = 'NOPE'
    await settle()
    expect([main.handlers.size, price.last(), price.isStale()]).toEqual([0, undefined, false])
    place.symbol = 'BTCUSDT'
    await settle()
    main.say('BTCUSDT', '100')
    expect(price.last()).toBe('100')
  })

  it('leaves nothing behind when it stops', async () => {
    const { main, price, settle } = start()
    await settle()
    price.stop()
    expect([main.handlers.size, main.watched, vi.getTimerCount()]).toEqual([0, [], 0])
  })
})
