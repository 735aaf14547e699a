// Where a paper account has its market from: made here, replayed from a file, or followed at a venue. The account asks it for one moment at a
// time, and gets all of that moment without waiting.
import type { Candle } from '../../exchange/market.ts'
import type { Funding } from '../../exchange/market-data.ts'
import { type Book, bookAt, type Depth } from './depth.ts'
import type { Listing } from './listing.ts'
import { type PriceSource, type Pricing, quotesAt } from './market.ts'
import { OFFLINE_LISTING } from './markets.ts'
import { type CandlesAsked, sampledCandles } from './sampled-candles.ts'

/** The market of one moment. */
export interface MarketView extends Pricing {
  readonly book: Book
  /** Whether its prices are those of now: where they are not, nothing fills and no stop fires. */
  isCurrent(symbol: string): boolean
  /** Whether it has prices at all, of now or of earlier. */
  isKnown(symbol: string): boolean
  /** Payments that are known, due or not. */
  funding(symbol: string): readonly Funding[]
}

export interface MarketSource {
  /** As known now. */
  readonly listing: Listing
  /** Grows with every change that is not one of time alone. */
  readonly changes: number
  /** Whether a symbol that matters is not current. */
  readonly isStale: boolean
  /** Whether it was closed while no hookline ran: what its price jumped over then fills at the opening quotes. */
  readonly closesWithUs: boolean
  /** Asks for the listing where it is not known. @throws {ExchangeError} `network`, `unavailable`, `rate-limited` */
  loadMarkets(reload: boolean): Promise<Listing>
  /** Resolves once these are quoted, or will not be soon; undefined when there is nothing to wait for. Never rejects. */
  prepare(symbols: readonly string[]): Promise<void> | undefined
  /** The market at a time, in ms since the epoch. */
  at(ms: number): MarketView
  /** For people to look at. Absent: none are known. @throws {ExchangeError} */
  candles?(asked: CandlesAsked, pause: () => Promise<void>): Promise<readonly Candle[]>
  /** When there was a price to be met after `from` and before `to`, which nobody has looked at. Oldest first. */
  between(from: number, to: number): readonly number[]
  /** These matter from now on, and no others. */
  follow(symbols: ReadonlySet<string>): void
  /** A second has passed. */
  tick(): void
  /** Calls `handler` when a price has changed, or is stale or current again. @returns stops the calls */
  onChange(handler: (symbol: string) => void): () => void
  close(): Promise<void>
}

export interface OfflineMarketOptions {
  readonly prices: PriceSource
  readonly depth: Depth
  /** Default: all there are. */
  readonly listing?: Listing
}

/** Prices that are a function of the time: never late, and never to be waited for. */
export function createOfflineMarket({ prices, depth, listing = OFFLINE_LISTING }: OfflineMarketOptions): MarketSource {
  const at = (ms: number): MarketView => {
    const quotes = quotesAt(prices, ms)
    return { ...ALWAYS, listing, quotes, book: bookAt(depth, { quotes, listing }, ms) }
  }
  return {
    listing,
    changes: 0,
    isStale: false,
    closesWithUs: true,
    loadMarkets: async () => listing,
    prepare: () => undefined,
    at,
    candles: (asked, pause) => sampledCandles(at, asked, pause),
    between: () => [],
    follow() {},
    tick() {},
    onChange: () => () => {},
    close: async () => {},
  }
}

const ALWAYS: Pick<MarketView, 'isCurrent' | 'isKnown' | 'funding'> = {
  isCurrent: () => true,
  isKnown: () => true,
  funding: () => [],
}
