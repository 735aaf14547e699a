// What of a venue a paper account can trade: contracts that are settled in one currency, as the paper account counts.
import type { Interval } from '../../base/candle-intervals.ts'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Candle, Market, MarketSummary, OrderBook, TapeTrade, Ticker } from '../../exchange/market.ts'
import type { Funding, MarketData, MarketDataEvent } from '../../exchange/market-data.ts'
import type { Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { Decimal, decimal } from './decimal.ts'
import type { Book, Level } from './depth.ts'
import type { CandlesAsked, MarketSource, MarketView } from './market-source.ts'
import { createListing, type Listing, type PaperMarket } from './markets.ts'

/** Where the venue does not report: about what the large ones take. */
const DEFAULTS = { makerFee: '0.0002', takerFee: '0.00055', maxLeverage: '20', minNotional: '0' } as const

/** All contracts in USDT, or where there are none in the currency of the first. @param id a ccxt id */
function listVenueMarkets(markets: readonly Market[], id: string): Listing {
  const linear = markets.filter(({ kind, amountUnit, active }) => kind === 'linear' && amountUnit === 'base' && active)
  const currency = linear.some(({ settle }) => settle === 'USDT') ? 'USDT' : (linear[0]?.settle ?? 'USDT')
  const traded = linear.filter(({ settle }) => settle === currency)
  return createListing(traded.map(asPaperMarket), { name: id, currency })
}

/** With what the large venues take where it is not reported. */
export function asPaperMarket(market: Market): PaperMarket {
  return { ...DEFAULTS, settle: market.quote, ...market }
}

// One symbol of a venue as it is heard: ticker, book, and whether both are of now.

/** What was heard longer ago is not current, whatever the feed says: this machine may have slept. */
const MAX_AGE_MS = 20_000
const PAYMENTS_KNOWN = 3

class FollowedSymbol {
  readonly symbol: string
  /** It is followed at least until then, in ms since the epoch. */
  keepUntil = 0
  fundingAskedAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number
  /** Since when it is waited for. */
  #since: number
  #stop: (() => void) | undefined
  #isLive = false
  #wasCurrent = false
  #last: Ticker | undefined
  #book: OrderBook | undefined
  /** When each was heard, since the last time that the feed was stale. */
  #receivedAt: { ticker?: number; book?: number } = {}
  #levels: { [side in Side]?: readonly Level[] } = {}
  #funding: readonly Funding[] = []

  constructor(symbol: string, now: () => number) {
    this.symbol = symbol
    this.#now = now
    this.#since = now()
  }

  /** Once. */
  begin(data: MarketData, changed: () => void): void {
    this.#stop ??= data.watch(this.symbol, (event) => {
      this.#receive(event)
      changed()
    })
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** Last as the ticker says it, bid and ask as the book does; undefined until both were heard. */
  get ticker(): Ticker | undefined {
    if (this.#last === undefined || this.#book === undefined) return undefined
    const { bids, asks } = this.#book
    return { ...this.#last, bid: bids[0]?.[0] ?? this.#last.bid, ask: asks[0]?.[0] ?? this.#last.ask }
  }

  /** Payments that are known, the next one last. */
  get funding(): readonly Funding[] {
    return this.#funding
  }

  isCurrent(now: number): boolean {
    const { ticker, book } = this.#receivedAt
    return this.#isLive && ticker !== undefined && book !== undefined && now - Math.min(ticker, book) <= MAX_AGE_MS
  }

  /** Whether its prices should be there and are not. */
  isOverdue(now: number, patienceMs: number): boolean {
    return !this.isCurrent(now) && (this.#wasCurrent || now - this.#since > patienceMs)
  }

  /** In whole lots: what a venue offers in parts of one cannot be traded. */
  level(side: Side, index: number, listing: Listing): Level | undefined {
    this.#levels[side] ??= this.#levelsOf(side, listing)
    return this.#levels[side]?.[index]
  }

  noteFunding(next: Funding): void {
    this.#funding = [...this.#funding.filter(({ at }) => at !== next.at), next].slice(-PAYMENTS_KNOWN)
  }

  #levelsOf(side: Side, listing: Listing): readonly Level[] {
    const market = listing.find(this.symbol)
    const offered = side === 'buy' ? this.#book?.asks : this.#book?.bids
    return (offered ?? [])
      .map(([price, amount]) => ({ price: decimal(price), amount: new Decimal(amountOnLot(amount, market)) }))
      .filter(({ amount }) => amount.gt(0))
  }

  #receive(event: MarketDataEvent): void {
    if (event.type === 'stream') this.#receiveStream(event.state === 'stale')
    if (event.type === 'ticker') {
      this.#last = event.ticker
      this.#receivedAt.ticker = this.#now()
    }
    if (event.type === 'book' && !isCrossed(event.book)) {
      this.#book = event.book
      this.#levels = {}
      this.#receivedAt.book = this.#now()
    }
    this.#wasCurrent ||= this.isCurrent(this.#now())
  }

  /** After a gap both have to be heard again. */
  #receiveStream(isStale: boolean): void {
    this.#isLive = !isStale
    if (!isStale) return
    this.#receivedAt = {}
    this.#wasCurrent = true
  }
}

/** A book that was put together wrongly: no one buys above what is offered. */
function isCrossed({ bids, asks }: OrderBook): boolean {
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]]
  return bid !== undefined && ask !== undefined && decimal(bid).gte(decimal(ask))
}

// The market of a paper account on real prices: what a venue tells everybody, of the symbols that matter to the account. Prices that are not of
// now are known, and not current: they value what is held, and nothing trades at them.

interface FollowedMarketOptions {
  /** Closed with the market. */
  readonly data: MarketData
  /** ms since the epoch. */
  readonly now: () => number
  /** Calls `run` after `ms`. @returns takes it back */
  readonly after: (ms: number, run: () => void) => () => void
  /** Notified of what failed with no caller to tell. */
  readonly onProblem: (problem: unknown) => void
}

/** So long a question waits for the first prices of a symbol. */
const PATIENCE_MS = 5_000
/** A symbol that was asked for is followed for so long, in case it is asked for again. */
const KEPT_MS = 60_000
const FUNDING_EVERY_MS = 60_000
const LISTING_EVERY_MS = 15_000

export class FollowedMarket implements MarketSource {
  readonly closesWithUs = false
  changes = 0
  readonly #options: FollowedMarketOptions
  readonly #symbols = new Map<string, FollowedSymbol>()
  readonly #handlers = new Set<(symbol: string) => void>()
  /** What matters to the account now. */
  #needed: ReadonlySet<string> = new Set()
  #listing: Listing | undefined
  #loading: Promise<Listing> | undefined
  #loadedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #isClosed = false

  constructor(options: FollowedMarketOptions) {
    this.#options = options
  }

  get listing(): Listing {
    return this.#listing ?? this.#unknownListing()
  }

  get isStale(): boolean {
    const now = this.#options.now()
    return [...this.#symbols.values()].some((followed) => followed.isOverdue(now, PATIENCE_MS))
  }

  async loadMarkets(reload: boolean): Promise<Listing> {
    if (this.#listing !== undefined && !reload) return this.#listing
    this.#loading ??= this.#load(reload)
    return this.#loading
  }

  prepare(symbols: readonly string[]): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    const now = this.#options.now()
    const asked = this.#listing === undefined ? symbols : symbols.filter((symbol) => this.#isListed(symbol))
    for (const symbol of asked) this.#follow(symbol).keepUntil = now + KEPT_MS
    const isReady = this.#listing !== undefined && symbols.every((symbol) => !this.#mayCome(symbol))
    return isReady ? undefined : this.#waitFor(symbols)
  }

  at(ms: number): MarketView {
    const find = (symbol: string): FollowedSymbol | undefined => this.#symbols.get(symbol)
    const book: Book = (symbol, side, level) => find(symbol)?.level(side, level, this.listing)
    return {
      listing: this.listing,
      book,
      quotes: (symbol) => {
        const ticker = find(symbol)?.ticker
        if (ticker !== undefined) return ticker
        throw this.#unavailable(`no price of ${symbol} is known yet`)
      },
      isCurrent: (symbol) => this.#listing !== undefined && (find(symbol)?.isCurrent(ms) ?? false),
      isKnown: (symbol) => this.#listing !== undefined && find(symbol)?.ticker !== undefined,
      funding: (symbol) => find(symbol)?.funding ?? [],
    }
  }

  get intervals(): readonly Interval[] | undefined {
    return this.#options.data.intervals
  }

  async candles({ symbol, interval, limit, since }: CandlesAsked): Promise<readonly Candle[]> {
    return (await this.#options.data.fetchCandles?.(symbol, interval, limit, since)) ?? []
  }

  async summary(symbol: string): Promise<MarketSummary> {
    return (await this.#options.data.fetchSummary?.(symbol)) ?? { symbol }
  }

  tape(symbol: string): readonly TapeTrade[] {
    return this.#options.data.knownTape?.(symbol) ?? []
  }

  between(): readonly number[] {
    return []
  }

  follow(symbols: ReadonlySet<string>): void {
    if (this.#isClosed) return
    this.#needed = symbols
    const now = this.#options.now()
    for (const symbol of symbols) this.#follow(symbol)
    this.#loadWhereNeeded()
    for (const [symbol, followed] of this.#symbols) {
      if (symbols.has(symbol) || followed.keepUntil > now) continue
      this.#symbols.delete(symbol)
      followed.stop()
    }
  }

  tick(): void {
    const now = this.#options.now()
    this.#loadWhereNeeded()
    for (const symbol of this.#needed) {
      const followed = this.#symbols.get(symbol)
      if (followed !== undefined && now - followed.fundingAskedAt >= FUNDING_EVERY_MS) void this.#askFunding(followed)
    }
  }

  onChange(handler: (symbol: string) => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const followed of this.#symbols.values()) followed.stop()
    this.#symbols.clear()
    this.#handlers.clear()
    await this.#options.data.close()
  }

  #follow(symbol: string): FollowedSymbol {
    const known = this.#symbols.get(symbol)
    if (known !== undefined) return known
    const followed = new FollowedSymbol(symbol, this.#options.now)
    this.#symbols.set(symbol, followed)
    this.#begin(followed)
    return followed
  }

  /** A venue is not asked for what it does not list; what is held of it is stale. */
  #begin(followed: FollowedSymbol): void {
    const { symbol } = followed
    if (this.#isClosed || !this.#isListed(symbol)) return
    followed.begin(this.#options.data, () => {
      this.changes += 1
      for (const handler of [...this.#handlers]) handler(symbol)
    })
  }

  #isListed(symbol: string): boolean {
    return this.#listing?.markets.some((market) => market.symbol === symbol) ?? false
  }

  /** Whether its first prices are still on their way. */
  #mayCome(symbol: string): boolean {
    const now = this.#options.now()
    const followed = this.#symbols.get(symbol)
    return followed !== undefined && !followed.isCurrent(now) && !followed.isOverdue(now, PATIENCE_MS)
  }

  #waitFor(symbols: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        giveUp()
        stopHearing()
        resolve()
      }
      const look = (): void => {
        if (this.#listing !== undefined && symbols.every((symbol) => !this.#mayCome(symbol))) finish()
      }
      const giveUp = this.#options.after(PATIENCE_MS, finish)
      const stopHearing = this.onChange(look)
      if (this.#listing !== undefined) return
      // Who asks is told why by the listing itself.
      this.loadMarkets(false).then(look, finish)
    })
  }

  /** Again and again while the venue does not answer. */
  #loadWhereNeeded(): void {
    const isDue = this.#options.now() - this.#loadedAt >= LISTING_EVERY_MS
    if (this.#listing !== undefined || this.#needed.size === 0 || !isDue) return
    // Kept as the reason of what is refused meanwhile.
    this.loadMarkets(false).catch(() => {})
  }

  async #load(reload: boolean): Promise<Listing> {
    const { data, now } = this.#options
    this.#loadedAt = now()
    try {
      const listing = listVenueMarkets(await data.loadMarkets({ reload }), data.id)
      this.#listing = listing
      this.#failure = undefined
      this.changes += 1
      for (const followed of this.#symbols.values()) {
        // Someone asked for it before anybody knew what there is.
        if (!this.#isListed(followed.symbol) && !this.#needed.has(followed.symbol))
          this.#symbols.delete(followed.symbol)
        this.#begin(followed)
      }
      return listing
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#loading = undefined
    }
  }

  async #askFunding(followed: FollowedSymbol): Promise<void> {
    const { data, now, onProblem } = this.#options
    followed.fundingAskedAt = now()
    try {
      const next = await data.fetchFunding(followed.symbol)
      if (next === undefined || next.at <= now()) return
      followed.noteFunding(next)
      this.changes += 1
    } catch (error) {
      // It is asked for again; a venue that is not heard is stale anyway.
      if (!(error instanceof ExchangeError)) onProblem(error)
    }
  }

  #unknownListing(): Listing {
    return {
      ...createListing([]),
      find: () => {
        throw this.#unavailable(`the markets of ${this.#options.data.id} are not known yet`)
      },
    }
  }

  #unavailable(message: string): ExchangeError {
    const why = this.#failure instanceof Error ? `: ${this.#failure.message}` : ''
    return new ExchangeError('unavailable', `${message}${why}`, {
      hint: 'wait until the venue sends prices, then ask again',
      ...defined({ cause: this.#failure }),
    })
  }
}
