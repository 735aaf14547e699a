// A venue's market data that a test tells: nothing comes by itself, and nobody waits for a network.
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { BookLevel, Market } from '../../src/exchange/market.ts'
import type { Funding, MarketData, MarketDataEvent } from '../../src/exchange/market-data.ts'

export interface ScriptedFeed {
  readonly data: MarketData
  /** Symbols that somebody watches now. */
  watched(): readonly string[]
  /** A ticker and a book of both sides, best first. */
  quote(
    symbol: string,
    last: string,
    book: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] },
  ): void
  ticker(symbol: string, last: string): void
  stream(symbol: string, state: 'live' | 'stale' | 'resynced'): void
  /** Every question fails until it is set to false. */
  isDown: boolean
  funding: Funding | undefined
  /** Somebody begins to watch a symbol. */
  onWatch: (symbol: string) => void
}

export function createScriptedFeed(markets: readonly Market[], now: () => number): ScriptedFeed {
  const handlers = new Map<string, Set<(event: MarketDataEvent) => void>>()
  const tell = (symbol: string, event: MarketDataEvent): void => {
    for (const handler of handlers.get(symbol) ?? []) handler(event)
  }
  const answer = <T>(value: T): T => {
    if (feed.isDown) throw new ExchangeError('network', 'the venue did not answer')
    return value
  }
  const ticker = (symbol: string, last: string): void =>
    tell(symbol, { type: 'ticker', ticker: { symbol, last, bid: last, ask: last, timestamp: now() } })
  const feed: ScriptedFeed = {
    isDown: false,
    funding: undefined,
    onWatch() {},
    watched: () => [...handlers].filter(([, each]) => each.size > 0).map(([symbol]) => symbol),
    quote(symbol, last, book) {
      ticker(symbol, last)
      tell(symbol, { type: 'book', book: { symbol, ...book, timestamp: now() } })
    },
    ticker,
    stream: (symbol, state) => tell(symbol, { type: 'stream', state }),
    data: {
      id: 'scripted',
      kind: 'linear',
      loadMarkets: async () => answer(markets),
      fetchTicker: async () => answer(Promise.reject(new ExchangeError('unavailable', 'nobody asks for it'))),
      fetchOrderBook: async () => answer(Promise.reject(new ExchangeError('unavailable', 'nobody asks for it'))),
      fetchFunding: async () => answer(feed.funding),
      watch(symbol, handler) {
        const each = handlers.get(symbol) ?? new Set()
        handlers.set(symbol, each)
        each.add(handler)
        void Promise.resolve().then(() => feed.onWatch(symbol))
        return () => each.delete(handler)
      },
      close: async () => handlers.clear(),
    },
  }
  return feed
}
