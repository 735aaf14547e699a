// What tasks hear of one account: tickers, positions, and what becomes of its orders. Several tasks on one symbol share one watch. Nothing here
// is given out while it is stale (behaviour 38).
import { defined } from '../base/defined.ts'
import type { ExchangeEvent } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Order, Position, Trade } from '../exchange/order.ts'
import type { Clock } from '../trading/clock.ts'
import type { Connect, TradingAccount } from '../trading/order-desk.ts'
import { type BarFeedPorts, BarFeeds } from './bar-feed.ts'

/** What one task hears. */
interface FeedListener {
  ticker(): void
  position(): void
  order(order: Order, reason: string | undefined): void
  trade(trade: Trade): void
}

/** What is known of a symbol now. */
export interface SymbolSight {
  readonly market: Market
  /** Absent while nothing current is known. */
  ticker(): Ticker | undefined
  position(): Position | undefined
  isPositionKnown(): boolean
  /** Reads the position again, and resolves when it has been read, or could not be. */
  refresh(): Promise<void>
  end(): void
}

interface Watched {
  readonly market: Market
  readonly listeners: Set<FeedListener>
  readonly stopTicker: () => void
  ticker: Ticker | undefined
}

/** How long after a question that got no answer positions are asked for again. */
const ASK_AGAIN_MS = 2_000

/** What a kind is told of it. */
export function factsOf(sight: SymbolSight, { venue }: TradingAccount, isPriceShown: boolean) {
  const ticker = isPriceShown ? sight.ticker() : undefined
  const position = sight.position()
  return {
    market: sight.market,
    capabilities: venue.capabilities,
    isPositionKnown: sight.isPositionKnown(),
    ...defined({ ticker, position }),
  }
}

/** What all feeds share. */
type FeedPorts = Omit<BarFeedPorts, 'account'>

export class AccountFeed {
  readonly account: TradingAccount
  readonly bars: BarFeeds
  readonly #clock: Clock
  readonly #closing = new AbortController()
  readonly #watched = new Map<string, Watched>()
  readonly #stop: () => void
  #positions: readonly Position[] | undefined
  #reading: Promise<void> | undefined
  /** What was read before no longer counts. */
  #isDoubted = false

  constructor(account: TradingAccount, ports: FeedPorts) {
    this.account = account
    this.bars = new BarFeeds({ account, ...ports })
    this.#clock = ports.clock
    this.#stop = account.venue.subscribe((event) => this.#receive(event))
  }

  get isUsed(): boolean {
    return this.#watched.size > 0
  }

  /** @throws {ExchangeError} `bad-symbol`; the markets could not be asked for */
  async watch(symbol: string, listener: FeedListener): Promise<SymbolSight> {
    const market = await this.#marketOf(symbol)
    const watched = this.#watched.get(symbol) ?? this.#begin(symbol, market)
    watched.listeners.add(listener)
    const end = () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size > 0 || this.#watched.get(symbol) !== watched) return
      this.#watched.delete(symbol)
      watched.stopTicker()
    }
    await Promise.all([watched.ticker === undefined ? this.#askTicker(watched) : undefined, this.#readPositions()])
    return {
      market,
      ticker: () => (this.account.venue.stream === 'live' ? watched.ticker : undefined),
      position: () => this.#positions?.find((position) => position.symbol === symbol),
      isPositionKnown: () => this.#positions !== undefined && !this.#isDoubted,
      refresh: () => this.#readPositions(),
      end,
    }
  }

  close(): void {
    this.#closing.abort()
    this.bars.close()
    this.#stop()
    for (const { stopTicker } of this.#watched.values()) stopTicker()
    this.#watched.clear()
  }

  #begin(symbol: string, market: Market): Watched {
    const stopTicker = this.account.venue.watchTicker(symbol)
    const watched: Watched = { market, listeners: new Set(), stopTicker, ticker: undefined }
    this.#watched.set(symbol, watched)
    return watched
  }

  async #marketOf(symbol: string): Promise<Market> {
    const { venue } = this.account
    const find = (markets: readonly Market[]) => markets.find((market) => market.symbol === symbol)
    const market = find(await venue.loadMarkets())
    if (market !== undefined) return market
    // Says in its own words that there is none.
    await venue.fetchTicker(symbol)
    const reloaded = find(await venue.loadMarkets({ reload: true }))
    if (reloaded === undefined) throw new Error(`${venue.id} has a price of ${symbol}, and no such market`)
    return reloaded
  }

  #receive(event: ExchangeEvent): void {
    switch (event.type) {
      case 'ticker':
        return this.#receiveTicker(event.ticker)
      case 'order':
        return this.#notify(event.order.symbol, (listener) => listener.order(event.order, event.reason))
      case 'trade':
        this.#notify(event.trade.symbol, (listener) => listener.trade(event.trade))
        if (this.#watched.has(event.trade.symbol)) void this.#readPositions()
        return
      case 'stream':
        return this.#receiveStream(event.state === 'stale')
    }
  }

  #receiveTicker(ticker: Ticker): void {
    const watched = this.#watched.get(ticker.symbol)
    if (watched === undefined) return
    watched.ticker = ticker
    for (const listener of [...watched.listeners]) listener.ticker()
  }

  #receiveStream(isStale: boolean): void {
    for (const watched of this.#watched.values()) {
      watched.ticker = undefined
      if (isStale) for (const listener of [...watched.listeners]) listener.ticker()
      else void this.#askTicker(watched)
    }
    if (isStale) this.#isDoubted = true
    else if (this.isUsed) void this.#readPositions()
  }

  /** A quiet market tells its next price late. */
  async #askTicker(watched: Watched): Promise<void> {
    const { venue } = this.account
    if (venue.stream !== 'live') return
    // What could not be asked comes as an event.
    const ticker = await venue.fetchTicker(watched.market.symbol).catch(() => undefined)
    if (ticker === undefined || watched.ticker !== undefined || this.account.venue.stream !== 'live') return
    this.#receiveTicker(ticker)
  }

  #readPositions(): Promise<void> {
    this.#isDoubted = true
    this.#reading ??= this.#readUntilSure()
    return this.#reading
  }

  /** What happened while it was read is read again. */
  async #readUntilSure(): Promise<void> {
    // Many fills of one moment are one question.
    await Promise.resolve()
    while (this.#isDoubted && !this.#closing.signal.aborted) {
      this.#isDoubted = false
      try {
        this.#positions = await this.account.venue.fetchPositions()
      } catch {
        // Nothing is known until the next answer; tasks see that.
        this.#isDoubted = true
        this.#reading = undefined
        void this.#askLater()
        return
      }
    }
    // With the last look at the doubt: one that comes now begins another reading.
    this.#reading = undefined
    for (const { listeners } of this.#watched.values()) for (const listener of [...listeners]) listener.position()
  }

  async #askLater(): Promise<void> {
    const { signal } = this.#closing
    await this.#clock.delay(ASK_AGAIN_MS, signal)
    if (!signal.aborted && this.isUsed) void this.#readPositions()
  }

  #notify(symbol: string, call: (listener: FeedListener) => void): void {
    for (const listener of [...(this.#watched.get(symbol)?.listeners ?? [])]) call(listener)
  }
}

// One feed for each account that tasks use, as the account is connected now.

export class AccountFeeds {
  readonly #connect: Connect
  readonly #ports: FeedPorts
  readonly #feeds = new Map<string, AccountFeed>()

  constructor(connect: Connect, ports: FeedPorts) {
    this.#connect = connect
    this.#ports = ports
  }

  /** @throws as `connect` */
  async of(name: string): Promise<AccountFeed> {
    const account = await this.#connect(name)
    const known = this.#feeds.get(name)
    if (known?.account === account) return known
    known?.close()
    const feed = new AccountFeed(account, this.#ports)
    this.#feeds.set(name, feed)
    return feed
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }
}
