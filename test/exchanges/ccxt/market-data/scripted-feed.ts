// A venue's public streams as a script: what they say, when they break, and a clock that is moved by hand.
import type { OrderBook, Ticker } from '../../../../src/exchange/market.ts'
import type { MarketDataEvent } from '../../../../src/exchange/market-data.ts'
import { MarketFeed } from '../../../../src/exchanges/ccxt/market-data.ts'
import type { MarketBook } from '../../../../src/exchanges/ccxt/markets.ts'
import { createClock, networkError, Stream } from '../streams/scripted-account.ts'

const SYMBOLS: Readonly<Record<string, string>> = { BTCUSDT: 'BTC/USDT:USDT', ETHUSDT: 'ETH/USDT:USDT' }

export interface FeedScript {
  readonly streams?: readonly ('watchTicker' | 'watchOrderBook')[]
}

/** One row each, not a list as ccxt gives of orders. */
async function newest(stream: Stream): Promise<unknown> {
  return ((await stream.watch()) as readonly unknown[]).at(-1)
}

function createRest(clock: { now(): number }) {
  const asked: string[] = []
  let held: Promise<void> | undefined
  const rest: { failure?: Error | undefined; bookFailure?: Error | undefined; hold(): () => void } = {
    /** Tickers are not answered before what it returns is called. */
    hold() {
      let answer = (): void => {}
      held = new Promise((resolve) => {
        answer = resolve
      })
      return answer
    },
  }
  const ticker = (last: string, symbol = 'BTCUSDT'): Ticker => ({
    symbol,
    last,
    bid: '99',
    ask: '101',
    timestamp: clock.now(),
  })
  const book = (bid: string, ask: string, symbol = 'BTCUSDT'): OrderBook => ({
    symbol,
    bids: [[bid, '1']],
    asks: [[ask, '1']],
    timestamp: clock.now(),
  })
  return {
    asked,
    rest,
    ticker,
    book,
    async askTicker(symbol: string): Promise<Ticker> {
      asked.push(`ticker ${symbol}`)
      if (rest.failure !== undefined) throw rest.failure
      const row = ticker('100', symbol)
      if (held !== undefined) await held
      return row
    },
    async askBook(symbol: string): Promise<OrderBook> {
      asked.push(`book ${symbol}`)
      const failure = rest.bookFailure ?? rest.failure
      if (failure !== undefined) throw failure
      return book('99', '101', symbol)
    },
  }
}

export function startFeed({ streams = ['watchTicker', 'watchOrderBook'] }: FeedScript = {}) {
  const clock = createClock()
  const [tickers, books] = [new Stream(), new Stream()]
  const { asked, rest, ticker, book, askTicker, askBook } = createRest(clock)
  const problems: unknown[] = []
  const events: MarketDataEvent[] = []
  const unwatched: string[] = []
  const heardAt = { ticker: 0, book: 0 }
  let state: string | undefined
  const has = Object.fromEntries([...streams, 'unWatchTicker', 'unWatchOrderBook'].map((name) => [name, true]))
  const feed = new MarketFeed({
    client: {
      id: 'scripted',
      has,
      watchTicker: () => newest(tickers),
      watchOrderBook: () => newest(books),
      unWatchTicker: async (symbol) => unwatched.push(`Ticker ${symbol}`),
      unWatchOrderBook: async (symbol) => unwatched.push(`OrderBook ${symbol}`),
    },
    questions: {
      markets: async () => ({ byName: (name: string) => ({ symbol: SYMBOLS[name] }) }) as unknown as MarketBook,
      ticker: askTicker,
      book: askBook,
      readTicker: (raw) => raw as Ticker,
      readBook: (raw) => raw as OrderBook,
    },
    now: clock.now,
    every: clock.every,
    onProblem: (problem: unknown) => problems.push(problem),
  })
  function note(event: MarketDataEvent): void {
    if (event.type === 'stream') state = event.state === 'stale' ? 'stale' : 'live'
    else heardAt[event.type] = clock.now()
    events.push(event)
  }

  return {
    feed,
    clock,
    tickers,
    books,
    ticker,
    book,
    rest,
    asked,
    problems,
    unwatched,
    describe: describeEvent,
    watch: (symbol = 'BTCUSDT', handler = note) => feed.watch(symbol, handler),
    told: () => events.map(describeEvent),
    state: () => state,
    /** When the older of price and book was last told. */
    confirmedAt: () => Math.min(heardAt.ticker, heardAt.book),
    cut(): void {
      rest.failure = networkError()
      for (const stream of [tickers, books]) {
        stream.refusal = networkError()
        stream.drop()
      }
    },
    mend(): void {
      rest.failure = undefined
      for (const stream of [tickers, books]) stream.refusal = undefined
    },
  }
}

function describeEvent(event: MarketDataEvent): string {
  switch (event.type) {
    case 'ticker':
      return `ticker ${event.ticker.last}`
    case 'book':
      return `book ${event.book.bids[0]?.[0]}/${event.book.asks[0]?.[0]}`
    case 'stream':
      return event.state
  }
}
