// An account's own orders and fills, and prices: by WebSocket where the venue streams them, by asking where it does not. After every failure and
// every silence the gap is read again and what it held is told; until then the account is stale (behaviour 38).
import { BoundedMap } from '../../../base/concurrency.ts'
import type { ExchangeEvent } from '../../../exchange/exchange.ts'
import type { Ticker } from '../../../exchange/market.ts'
import { type Order, type OrderRef, orderKey, refOf, type Trade } from '../../../exchange/order.ts'
import { type AccountQuestions, AccountReading, createRecentSymbols } from './account-reading.ts'
import { OwnOrderStreams, type OwnStream, type OwnStreams, type ReceivedRow } from './own-streams.ts'
import type { ReceivedNews } from './position-cache.ts'
import { createCountedFills, createKnownOrders, type KnownOrders, OrderNews } from './stream-order-state.ts'
import { StreamResync } from './stream-resync.ts'
import { SymbolStreams, TickerCache } from './symbol-streams.ts'
import { canWatch, createStreamTimers, type StreamClient, type StreamTimers } from './watch-loop.ts'

export interface AccountStreamsOptions {
  readonly client: StreamClient
  /** Of own orders and fills; undefined: they are asked for. Prices are streamed wherever the class can. */
  readonly own: OwnStreams | undefined
  /** Before own orders and fills are subscribed to, besides the markets. */
  readonly prepare?: () => Promise<unknown>
  /** Before a stream that was lost is made again. */
  readonly renew?: () => void
  /** Calls `listener` whenever a socket of the client is open, whichever it is. */
  readonly onOpened?: (listener: () => void) => void
  readonly markets: () => Promise<{ byName(name: string): { readonly symbol: string } | undefined }>
  /** The adapter's own questions: what a gap is read again with. */
  readonly read: AccountQuestions & { ticker(symbol: string): Promise<Ticker> }
  /** From ccxt's rows. */
  readonly toOrder: (raw: unknown, stream: OwnStream) => ReceivedRow<Order>
  readonly toTrade: (raw: unknown, stream: OwnStream) => ReceivedRow<Trade>
  /** Of a row that says only what has changed, with the rest as it was known. */
  readonly toTicker: (raw: unknown, known: Ticker | undefined) => Ticker | undefined
  readonly now: () => number
  /** Calls `tick` every `ms`, without keeping the process alive. @returns stops the calls */
  readonly every: (ms: number, tick: () => void) => () => void
  readonly onProblem: (problem: unknown) => void
  /** Called whenever a fill of the account was heard, or may have been missed. @param news what a stream said; absent: not known */
  readonly onNews?: (news?: ReceivedNews) => void
}

export interface AccountStreams {
  readonly state: 'live' | 'stale'
  /** Whether each order and each fill is reported as it comes: there are streams, all of them are up, and all have told something. */
  readonly isReported: boolean
  subscribe(handler: (event: ExchangeEvent) => void): () => void
  /** The first ticker comes as soon as one is known. @returns ends it */
  watchTicker(symbol: string): () => void
  /** As a stream has told it just now. The symbol is listened to from the first time on; never before the first `subscribe`. */
  knownTicker(symbol: string): Ticker | undefined
  /** What rests of the symbol, stops included; undefined: not known for certain. */
  knownOpenOrders(symbol: string): readonly Order[] | undefined
  /** An order as the venue has just acknowledged it, changed it or canceled it. */
  note(order: Order): void
  close(): Promise<void>
}

/** How long an order waits for its fills to come by themselves. */
const FILLS_COME_MS = 500
const TIDY_MS = 60_000
/** After its acknowledgement a stream says of an order that it rests. */
const ACKNOWLEDGED_MS = 1_000
const MOST_ACKNOWLEDGED = 200

const NOT_STREAMED: OwnStreams = { orders: [], fills: [], triggers: 'asked' }

export function createAccountStreams(options: AccountStreamsOptions): AccountStreams {
  return new Streams(options)
}

class Streams implements AccountStreams {
  readonly #options: AccountStreamsOptions
  readonly #client: StreamClient
  readonly #timers: StreamTimers
  readonly #known = createKnownOrders()
  readonly #handlers = new Set<(event: ExchangeEvent) => void>()
  readonly #symbols = createRecentSymbols()
  readonly #own: OwnOrderStreams
  /** By symbol and id: when the venue acknowledged an order, the newest so many. */
  readonly #acknowledged = new BoundedMap<string, number>(MOST_ACKNOWLEDGED)
  readonly #news: OrderNews
  readonly #keeper: StreamResync
  readonly #tickers: SymbolStreams<Ticker>
  readonly #fresh: TickerCache
  #startedAt: number
  #isBegun = false
  #isClosed = false
  #isSettling = false

  constructor(options: AccountStreamsOptions) {
    this.#options = options
    const { client, markets, read, toTicker, now, onProblem } = options
    this.#client = client
    const timers = createStreamTimers(options.every)
    const known = this.#known
    const notify = (event: ExchangeEvent) => this.#notify(event)
    this.#timers = timers
    this.#startedAt = now()
    this.#news = new OrderNews({
      known,
      fills: createCountedFills(),
      notify,
      onUnsettled: () => this.#settleSoon(),
      startedAt: () => this.#startedAt,
    })
    const onUnsettled = () => this.#settleSoon()
    const reading = new AccountReading({
      read,
      known,
      news: this.#news,
      symbols: this.#symbols,
      now,
      onProblem,
      onUnsettled,
    })
    this.#own = this.#createOwn(known)
    this.#keeper = new StreamResync({
      reading,
      loops: this.#own.loops,
      timers,
      now,
      onProblem,
      notify,
      isTrusted: () => this.#own.isTrusted,
    })
    this.#tickers = new SymbolStreams<Ticker>({
      topic: 'Ticker',
      client,
      timers,
      now,
      onProblem,
      markets,
      toRow: toTicker,
      read: (symbol) => read.ticker(symbol),
      notify: (ticker, _symbol, isWhole) => {
        this.#keeper.received()
        if (isWhole) this.#fresh.received(ticker)
        notify({ type: 'ticker', ticker })
      },
      onLost: (error) => this.#keeper.lose(error),
    })
    this.#fresh = new TickerCache({ watch: (symbol) => this.watchTicker(symbol), now })
  }

  get state(): 'live' | 'stale' {
    return this.#keeper.isStale ? 'stale' : 'live'
  }

  get isReported(): boolean {
    return this.#own.isReported && !this.#keeper.isStale && !this.#isClosed
  }

  subscribe(handler: (event: ExchangeEvent) => void): () => void {
    if (this.#isClosed) return () => {}
    // The same function twice is reported twice, and ends once each.
    const own = (event: ExchangeEvent): void => handler(event)
    this.#handlers.add(own)
    this.#begin()
    return () => void this.#handlers.delete(own)
  }

  watchTicker(symbol: string): () => void {
    if (this.#isClosed) return () => {}
    this.#symbols.note(symbol)
    return this.#tickers.watch(symbol)
  }

  knownTicker(symbol: string): Ticker | undefined {
    // Where prices are asked for there is nothing to be had by asking all the time.
    if (!this.#isBegun || this.#isClosed || !canWatch(this.#client, 'watchTicker')) return undefined
    const ticker = this.#fresh.find(symbol)
    return this.#keeper.isStale ? undefined : ticker
  }

  knownOpenOrders(symbol: string): readonly Order[] | undefined {
    if (!this.isReported || !this.#keeper.isWhole) return undefined
    return this.#known.open().filter((order) => order.symbol === symbol)
  }

  note(order: Order): void {
    if (this.#isClosed) return
    if (order.status === 'open') this.#acknowledge(order)
    this.#take(order)
  }

  #take(order: Order): void {
    this.#symbols.note(order.symbol)
    this.#news.order(order)
  }

  #acknowledge({ symbol, id }: Order): void {
    this.#acknowledged.set(orderKey(symbol, id), this.#options.now())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#own.end()
    this.#tickers.close()
    this.#keeper.end()
    this.#timers.end()
    this.#handlers.clear()
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    this.#startedAt = this.#options.now()
    this.#own.begin()
    // A slow start, of a key or a socket: it was taken for subscribed too early.
    this.#options.onOpened?.(() => {
      if (this.#own.isGuess) this.#keeper.opened()
    })
    this.#timers.every(TIDY_MS, () => this.#fresh.tidy())
    this.#keeper.begin()
  }

  #createOwn(known: KnownOrders): OwnOrderStreams {
    const { client, own, prepare, markets, toOrder, toTrade, renew, now, onProblem } = this.#options
    const onNews = (news?: ReceivedNews): void => this.#options.onNews?.(news)
    // Once for all streams that begin together.
    let preparing: Promise<void> | undefined
    const prepared = async (): Promise<void> => {
      try {
        await markets()
        await prepare?.()
      } finally {
        preparing = undefined
      }
    }
    return new OwnOrderStreams({
      client,
      streams: own ?? NOT_STREAMED,
      toOrder,
      toTrade,
      now,
      onProblem,
      onNews: () => onNews(),
      timers: this.#timers,
      // The adapter reads rows by its markets.
      prepare: () => (preparing ??= prepared()),
      takeOrders: (orders) => {
        // What only rests changes nothing that is held.
        const filled = orders.filter((order) => order.filled !== '0')
        if (filled.length > 0) onNews({ orders: filled })
        for (const order of orders) this.#take(order)
      },
      takeTrades: (trades) => {
        onNews({ trades })
        for (const { symbol } of trades) this.#symbols.note(symbol)
        this.#news.trades(trades, false)
      },
      ask: (refs) => this.#keeper.ask(refs),
      find: (id): OrderRef | undefined => {
        const [order, ...others] = known.open().filter((each) => each.id === id)
        return order === undefined || others.length > 0 ? undefined : refOf(order)
      },
      isAcknowledged: ({ symbol, id = '' }) => {
        return this.#options.now() - (this.#acknowledged.get(orderKey(symbol, id)) ?? 0) < ACKNOWLEDGED_MS
      },
      onReceived: () => this.#keeper.reported(),
      onUnread: (symbol) => {
        if (symbol !== undefined) this.#symbols.note(symbol)
        this.#keeper.distrust()
      },
      onState: (state, error) => {
        if (error !== undefined) renew?.()
        this.#keeper.loopChanged(state, error)
      },
    })
  }

  /** Once for all that comes while it waits. */
  #settleSoon(): void {
    if (this.#isSettling) return
    this.#isSettling = true
    this.#timers.after(FILLS_COME_MS, () => {
      this.#isSettling = false
      void this.#keeper.settle()
    })
  }

  #notify(event: ExchangeEvent): void {
    if (event.type === 'stream') {
      this.#fresh.forget()
      this.#options.onNews?.()
    }
    for (const handler of [...this.#handlers]) {
      try {
        handler(event)
      } catch (error) {
        this.#options.onProblem(error)
      }
    }
  }
}
