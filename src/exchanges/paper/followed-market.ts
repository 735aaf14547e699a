// The market of a paper account on real prices: what a venue tells everybody, of the symbols that matter to the account. Prices that are not of
// now are known, and not current: they value what is held, and nothing trades at them.

import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Candle } from '../../exchange/market.ts'
import type { MarketData } from '../../exchange/market-data.ts'
import type { Book } from './depth.ts'
import { FollowedSymbol } from './followed-symbol.ts'
import { createListing, type Listing } from './listing.ts'
import type { MarketSource, MarketView } from './market-source.ts'
import type { CandlesAsked } from './sampled-candles.ts'
import { listVenueMarkets } from './venue-listing.ts'

interface FollowedMarketOptions {
  /** Closed with the market. */
  readonly data: MarketData
  /** ms since the epoch. */
  readonly now: () => number
  /** Calls `run` after `ms`. @returns takes it back */
  readonly after: (ms: number, run: () => void) => () => void
  /** Told what failed with no caller to tell. */
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

  async candles({ symbol, interval, limit }: CandlesAsked): Promise<readonly Candle[]> {
    return (await this.#options.data.fetchCandles?.(symbol, interval, limit)) ?? []
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
        // Somebody asked for it before anybody knew what there is.
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
      hint: 'wait until the venue is heard, then ask again',
      ...defined({ cause: this.#failure }),
    })
  }
}
