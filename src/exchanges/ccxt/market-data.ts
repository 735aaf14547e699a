// What a venue tells everybody, without keys: markets, prices, books and funding. A paper account on real prices follows it.

import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind, OrderBook, Ticker } from '../../exchange/market.ts'
import type { Funding, MarketData, MarketDataEvent } from '../../exchange/market-data.ts'
import {
  completed,
  fetchCandles,
  fetchSummary,
  intervalsOf,
  isWhole,
  readFunding,
  readOrderBook,
  readTicker,
  readTop,
} from './market-rows.ts'
import type { MarketBook } from './markets.ts'
import { type ConnectedVenue, connectVenue, every, withoutSecrets } from './open-ccxt.ts'
import { requireMarket } from './order-lookup.ts'
import { SymbolStreams } from './streams/symbol-streams.ts'
import { TapeStreams } from './streams/tape-streams.ts'
import { createStreamTimers, type StreamClient, type StreamTimers } from './streams/watch-loop.ts'
import type { Transport } from './transport.ts'

export interface MarketDataOptions {
  /** ccxt's id without the kind. */
  readonly venue: string
  readonly kind: MarketKind
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
  readonly transport?: Transport
  /** How prices and books are followed. Default: by WebSocket where the venue has them, by asking elsewhere. */
  readonly createFeed?: (options: MarketFeedOptions) => MarketFeed
}

/** Venues take few other numbers of levels. */
const BOOK_LEVELS = 20

/** Nothing goes over the wire before the first question. @throws {ExchangeError} `not-supported` */
export async function openCcxtMarketData(options: MarketDataOptions): Promise<MarketData> {
  const { venue, kind, now } = options
  const onProblem = withoutSecrets(options.onProblem, {})
  const connected = await connectVenue({ ...options, environment: 'live', keys: {} })
  const questions = createPublicQuestions(connected, kind, now)
  const { createFeed = (given) => new MarketFeed(given) } = options
  const timers = createStreamTimers(every)
  const markets = () => connected.connection.markets()
  const tape = TapeStreams.of({ client: connected.client, markets, timers, now, onProblem })
  const feed = createFeed({ client: connected.client, questions, now, every, onProblem })
  return {
    id: venue,
    kind,
    loadMarkets: async ({ reload = false } = {}) => (await connected.connection.markets(reload)).markets,
    fetchTicker: questions.ticker,
    fetchOrderBook: questions.book,
    fetchFunding: questions.funding,
    fetchSummary: (symbol) =>
      connected.connection.askPublic((markets) =>
        fetchSummary(connected.client, requireMarket(markets, symbol), now, (ask) => connected.connection.nested(ask)),
      ),
    ...defined({ intervals: intervalsOf(connected.client) }),
    fetchCandles: (symbol, interval, limit, since) =>
      connected.connection.askPublic(
        (markets) => fetchCandles(connected.client, requireMarket(markets, symbol), interval, limit, since),
        true,
      ),
    ...(tape && { knownTape: (symbol: string) => tape.find(symbol) }),
    watch: (symbol, handler) => feed.watch(symbol, handler),
    async close() {
      feed.close()
      tape?.close()
      await connected.client.close()
    },
  }
}

interface Questions extends PublicQuestions {
  funding(symbol: string): Promise<Funding | undefined>
}

function createPublicQuestions({ client, connection }: ConnectedVenue, kind: MarketKind, now: () => number): Questions {
  const ask = <T>(symbol: string, work: (unified: string, markets: MarketBook) => Promise<T>): Promise<T> =>
    connection.askPublic((markets) => work(requireMarket(markets, symbol).symbol, markets))

  async function book(symbol: string): Promise<OrderBook> {
    return ask(symbol, async (unified, markets) => {
      const found = readOrderBook(await client.fetchOrderBook(unified, BOOK_LEVELS), markets, now)
      if (found === undefined) throw new ExchangeError('unavailable', `there is no order book of ${symbol} now`)
      return found
    })
  }

  return {
    markets: () => connection.markets(),
    book,
    readTicker: (raw, markets, known) => completed(readTicker(raw, markets, now), known),
    readBook: (raw, markets) => readOrderBook(raw, markets, now),
    ticker: (symbol) =>
      ask(symbol, async (unified, markets): Promise<Ticker> => {
        const ticker = readTicker(await client.fetchTicker(unified), markets, now)
        if (isWhole(ticker)) return ticker
        const whole = ticker && { ...ticker, ...readTop(await client.fetchOrderBook(unified, BOOK_LEVELS)) }
        if (!isWhole(whole)) throw new ExchangeError('unavailable', `there is no price of ${symbol} now`)
        return whole
      }),
    async funding(symbol) {
      if (kind === 'spot' || client.has.fetchFundingRate !== true || client.fetchFundingRate === undefined)
        return undefined
      return ask(symbol, async (unified) => {
        const next = readFunding(await client.fetchFundingRate?.(unified), now)
        return next && { symbol, ...next }
      })
    },
  }
}

// Ticker and book of each symbol that is watched, and whether they are current: a price that is old is not a price to fill at.

/** A ticker or book that no one has confirmed for so long is stale. */
const STALE_MS = 15_000
const QUIET_MS = 5_000
const CHECK_MS = 1_000

export interface PublicQuestions {
  markets(): Promise<MarketBook>
  ticker(symbol: string): Promise<Ticker>
  book(symbol: string): Promise<OrderBook>
  /** undefined for what is not whole. */
  readTicker(raw: unknown, markets: MarketBook, known: Ticker | undefined): Ticker | undefined
  readBook(raw: unknown, markets: MarketBook): OrderBook | undefined
}

export interface MarketFeedOptions {
  readonly client: StreamClient
  readonly questions: PublicQuestions
  readonly now: () => number
  /** Without keeping the process alive. */
  readonly every: (ms: number, tick: () => void) => () => void
  readonly onProblem: (problem: unknown) => void
}

type Handler = (event: MarketDataEvent) => void

interface Received {
  readonly at: number
  readonly event: MarketDataEvent
}

interface Followed {
  readonly handlers: Set<Handler>
  /** Those of them that are about to be told what is known. */
  readonly newcomers: Set<Handler>
  /** The newest of each. */
  readonly received: { ticker: Received | undefined; book: Received | undefined }
  /** undefined until both are known, or one has not come for too long. */
  state: 'live' | 'stale' | undefined
  readonly since: number
  readonly stops: readonly (() => void)[]
}

export class MarketFeed {
  readonly #options: MarketFeedOptions
  readonly #timers: StreamTimers
  readonly #followed = new Map<string, Followed>()
  readonly #tickers: SymbolStreams<Ticker>
  readonly #books: SymbolStreams<OrderBook>
  /** Once they are known. */
  #book: MarketBook | undefined
  #isClosed = false

  constructor(options: MarketFeedOptions) {
    this.#options = options
    const { client, questions, now, onProblem } = options
    this.#timers = createStreamTimers(options.every)
    const markets = async (): Promise<MarketBook> => {
      this.#book = await questions.markets()
      return this.#book
    }
    const shared = { client, markets, now, onProblem, timers: this.#timers, quietMs: QUIET_MS }
    // A symbol that is lost says so by its age, and why once.
    const onLost = onProblem
    this.#tickers = new SymbolStreams<Ticker>({
      ...shared,
      topic: 'Ticker',
      onLost,
      read: questions.ticker,
      toRow: (raw, known) => this.#book && questions.readTicker(raw, this.#book, known),
      notify: (ticker, symbol) => this.#receive(symbol, 'ticker', { type: 'ticker', ticker }),
    })
    this.#books = new SymbolStreams<OrderBook>({
      ...shared,
      topic: 'OrderBook',
      onLost,
      read: questions.book,
      toRow: (raw) => this.#book && questions.readBook(raw, this.#book),
      notify: (book, symbol) => this.#receive(symbol, 'book', { type: 'book', book }),
    })
  }

  watch(symbol: string, handler: Handler): () => void {
    if (this.#isClosed) return () => {}
    const known = this.#followed.get(symbol)
    const followed = known ?? this.#follow(symbol)
    const own: Handler = (event) => handler(event)
    followed.handlers.add(own)
    // After the caller holds what ends it.
    if (known !== undefined) this.#greetSoon(followed, own)
    return () => {
      followed.handlers.delete(own)
      if (followed.handlers.size > 0 || this.#followed.get(symbol) !== followed) return
      this.#followed.delete(symbol)
      for (const stop of followed.stops) stop()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#tickers.close()
    this.#books.close()
    this.#timers.end()
    this.#followed.clear()
  }

  #follow(symbol: string): Followed {
    const followed: Followed = {
      handlers: new Set(),
      newcomers: new Set(),
      received: { ticker: undefined, book: undefined },
      state: undefined,
      since: this.#options.now(),
      stops: [
        this.#timers.every(CHECK_MS, () => this.#check(followed)),
        this.#tickers.watch(symbol),
        this.#books.watch(symbol),
      ],
    }
    this.#followed.set(symbol, followed)
    return followed
  }

  /** Someone new at a symbol that is followed already is told what is known, and only then what is new. */
  #greetSoon(followed: Followed, handler: Handler): void {
    followed.newcomers.add(handler)
    queueMicrotask(() => {
      followed.newcomers.delete(handler)
      const { state, handlers, received } = followed
      if (state === undefined || !handlers.has(handler)) return
      const known = state === 'stale' ? [] : [received.ticker, received.book].flatMap((each) => each?.event ?? [])
      for (const event of [...known, { type: 'stream', state } as const]) this.#notify(followed, event, [handler])
    })
  }

  #receive(symbol: string, topic: 'ticker' | 'book', event: MarketDataEvent): void {
    const followed = this.#followed.get(symbol)
    if (followed === undefined) return
    followed.received[topic] = { at: this.#options.now(), event }
    this.#notify(followed, event)
    this.#check(followed)
  }

  #check(followed: Followed): void {
    const { ticker, book } = followed.received
    const oldest = Math.min(ticker?.at ?? followed.since, book?.at ?? followed.since)
    if (this.#options.now() - oldest > STALE_MS) this.#become(followed, 'stale')
    else if (ticker !== undefined && book !== undefined) this.#become(followed, 'live')
  }

  #become(followed: Followed, state: 'live' | 'stale'): void {
    if (followed.state === state) return
    const isBack = followed.state === 'stale'
    followed.state = state
    this.#notify(followed, { type: 'stream', state: isBack ? 'resynced' : state })
  }

  #notify(followed: Followed, event: MarketDataEvent, handlers: Iterable<Handler> = followed.handlers): void {
    for (const handler of [...handlers]) {
      if (followed.newcomers.has(handler)) continue
      try {
        handler(event)
      } catch (error) {
        this.#options.onProblem(error)
      }
    }
  }
}
