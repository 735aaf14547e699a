// What a venue tells everybody: markets, prices, books and funding, without keys. A paper account on real prices follows it.

import type { Interval } from '../base/candle-intervals.ts'
import type { StreamState } from './exchange.ts'
import type { Candle, FundingRate, Market, MarketKind, MarketSummary, OrderBook, TapeTrade, Ticker } from './market.ts'

export interface Funding extends FundingRate {
  readonly symbol: string
}

export type MarketDataEvent =
  | { readonly type: 'ticker'; readonly ticker: Ticker }
  | { readonly type: 'book'; readonly book: OrderBook }
  | { readonly type: 'stream'; readonly state: StreamState }

/** @throws {ExchangeError} `network`, `unavailable`, `rate-limited`, `bad-symbol` in all questions */
export interface MarketData {
  /** A ccxt id. */
  readonly id: string
  readonly kind: MarketKind
  loadMarkets(options?: { readonly reload?: boolean }): Promise<readonly Market[]>
  fetchTicker(symbol: string): Promise<Ticker>
  /** At least 20 levels of each side, where there are so many. */
  fetchOrderBook(symbol: string): Promise<OrderBook>
  /** As `VenueView.intervals`. */
  readonly intervals?: readonly Interval[]
  /** As `VenueView.fetchCandles`. @throws {ExchangeError} `not-supported` */
  fetchCandles?(symbol: string, interval: Interval, limit: number, since?: number): Promise<readonly Candle[]>
  /** Absent: the price is all there is. */
  fetchSummary?(symbol: string): Promise<MarketSummary>
  /** As `VenueView.knownTape`. */
  knownTape?(symbol: string): readonly TapeTrade[]
  /** The next payment; undefined where the venue publishes none. */
  fetchFunding(symbol: string): Promise<Funding | undefined>
  /** Ticker and book of one symbol, as they change, and whether they are current. @returns ends it */
  watch(symbol: string, handler: (event: MarketDataEvent) => void): () => void
  close(): Promise<void>
}
