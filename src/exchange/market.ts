// What can be traded, and at what. Amounts and prices are decimal strings; nothing in hookline computes money with floats.
import { INTERVAL_MS } from '../base/candle-intervals.ts'

/** `spot` trades coins; `linear` contracts are settled in quote (USDT), `inverse` ones in base (BTC). */
export type MarketKind = 'spot' | 'linear' | 'inverse'

/**
 * Where prices may be: multiples of a tick, or a number of significant digits with at most so many decimals; with `integers`, whole numbers of any
 * length too.
 */
export type PriceGrid =
  | { readonly kind: 'tick'; readonly tick: string }
  | { readonly kind: 'significant'; readonly digits: number; readonly decimals: number; readonly integers?: boolean }

/** What amounts of a market count, by name: `BTC`, or the dollars of an inverse contract. */
export function unitOf({ amountUnit, base, quote }: Pick<Market, 'amountUnit' | 'base' | 'quote'>): string {
  return amountUnit === 'base' ? base : quote
}

/** One market of the account's own kind. Contracts exist only inside an adapter: amounts here are never numbers of contracts. */
export interface Market {
  /** As traders type it, `BTCUSDT`; an adapter maps it to the venue's own word. Unique within an account. */
  readonly symbol: string
  readonly kind: MarketKind
  readonly base: string
  readonly quote: string
  /** What profits and margin are counted in; absent on spot. */
  readonly settle?: string
  /** What `lotSize`, order amounts and positions count: `quote` only for inverse contracts, which trade dollars. */
  readonly amountUnit: 'base' | 'quote'
  readonly priceGrid: PriceGrid
  /** Amounts are multiples of this, in `amountUnit`, as the three limits below. */
  readonly lotSize: string
  readonly minAmount: string
  /** Largest amount of one order; of a market order where that is less. */
  readonly maxAmount?: string
  readonly marketMaxAmount?: string
  /** Smallest value of one order, in quote. */
  readonly minNotional?: string
  /** Absent on spot. */
  readonly maxLeverage?: string
  /** Shares of the notional: `0.0002` is 0.02 %. Absent where the venue does not report. */
  readonly makerFee?: string
  readonly takerFee?: string
  /** Whether it takes orders now. */
  readonly active: boolean
}

/** Markets by their symbols, as far as they are known. */
export type KnownMarkets = (symbol: string) => Market | undefined

export interface Ticker {
  readonly symbol: string
  readonly last: string
  readonly bid: string
  readonly ask: string
  /** ms since the epoch. */
  readonly timestamp: number
}

/** What longs pay shorts at `at`, as a share of the notional; negative the other way. */
export interface FundingRate {
  readonly rate: string
  /** ms since the epoch. */
  readonly at: number
}

/** What a venue reports of a market besides its price. A part that it does not report is absent. */
export interface MarketSummary {
  readonly symbol: string
  /** At which positions are valued. */
  readonly mark?: string
  /** The next payment. */
  readonly funding?: FundingRate
  /** Of last against last 24 h ago. */
  readonly changePercent?: string
  /** Traded within 24 h, in base and in quote. */
  readonly volume?: string
  readonly quoteVolume?: string
}

// What a market did, in pieces of equal length.

/** The lengths of bars that conditions read: each is a whole number of the one before. */
export const CANDLE_MS = {
  '1m': INTERVAL_MS['1m'],
  '5m': INTERVAL_MS['5m'],
  '15m': INTERVAL_MS['15m'],
  '1h': INTERVAL_MS['1h'],
  '4h': INTERVAL_MS['4h'],
  '1d': INTERVAL_MS['1d'],
} as const
export type CandleInterval = keyof typeof CANDLE_MS

export interface Candle {
  /** When it began, ms since the epoch. */
  readonly at: number
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  /** In base; absent where the venue does not report. */
  readonly volume?: string
}

// What is offered and asked for, as a venue tells everybody.

/** Best first; price and amount as decimal strings, the amount in the market's `amountUnit`. */
export type BookLevel = readonly [price: string, amount: string]

/** A trade between others, as a venue tells everybody. */
export interface TapeTrade {
  /** The venue's; absent where it has none. */
  readonly id?: string
  /** ms since the epoch. */
  readonly at: number
  readonly price: string
  /** In the market's `amountUnit`. */
  readonly amount: string
  /** The taker's. */
  readonly side: 'buy' | 'sell'
}

/** The newest so many are known of a symbol. */
export const TAPE_TRADES = 40

export interface OrderBook {
  readonly symbol: string
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
  /** ms since the epoch. */
  readonly timestamp: number
}
