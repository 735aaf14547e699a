// What a symbol is quoted at: the last price of some price source with a bid and an ask to either side. How much may be had at
// those prices and behind them is for `depth.ts` to say.
import type { Ticker } from '../../exchange/market.ts'
import type { Side } from '../../exchange/order.ts'
import { Decimal, decimal, decimalText } from './decimal.ts'
import { findMarket, type Listing } from './markets.ts'

/** Where prices come from: the random walk, or a test's script. Both give a multiple of the tick above zero. */
export interface PriceSource {
  /** In quote currency, at a time in ms since the epoch. */
  lastPrice(symbol: string, atMs: number): string
  /** The least and the most of it from one time to another, both included. Absent: only looks can tell. */
  range?(symbol: string, fromMs: number, toMs: number): PriceRange
  /** How far bid and ask are from it, in ticks. Default: one. */
  halfSpread?(symbol: string, atMs: number): number
}

export interface PriceRange {
  readonly low: string
  readonly high: string
}

/** The quotes of one moment. @throws {ExchangeError} `bad-symbol`; `unavailable` where none was ever heard */
export type Quotes = (symbol: string) => Ticker

/** What the account is counted with. */
export interface Pricing {
  readonly quotes: Quotes
  readonly listing: Listing
}

/** @throws {ExchangeError} `bad-symbol` */
export function quote(prices: PriceSource, symbol: string, atMs: number): Ticker {
  const tick = decimal(findMarket(symbol).priceGrid.tick)
  const last = decimal(prices.lastPrice(symbol, atMs))
  const away = tick.times(prices.halfSpread?.(symbol, atMs) ?? 1)
  return {
    symbol,
    last: decimalText(last),
    bid: decimalText(Decimal.max(last.minus(away), tick)),
    ask: decimalText(last.plus(away)),
    timestamp: atMs,
  }
}

/** All quotes of one moment, each looked up once. */
export function quotesAt(prices: PriceSource, atMs: number): Quotes {
  const known = new Map<string, Ticker>()
  return (symbol) => {
    const ticker = known.get(symbol) ?? quote(prices, symbol, atMs)
    known.set(symbol, ticker)
    return ticker
  }
}

/** The best price for a taker of this side. */
export function takingPrice(side: Side, ticker: Ticker): Decimal {
  return decimal(side === 'buy' ? ticker.ask : ticker.bid)
}

/** Whether a limit at `price` can trade now. */
export function crosses(side: Side, price: string, ticker: Ticker): boolean {
  const limit = decimal(price)
  return side === 'buy' ? takingPrice(side, ticker).lte(limit) : takingPrice(side, ticker).gte(limit)
}
