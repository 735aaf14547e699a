// What an order needs to know about one symbol at one moment.

import type { VenueView } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Balance, Position } from '../exchange/order.ts'
import { nearest } from '../language/nearest.ts'
import { printable } from '../language/printable.ts'
import { TradingError } from './trading-error.ts'

export interface MarketView {
  readonly market: Market
  readonly ticker: Ticker
  /** Absent when the account is flat on this symbol. */
  readonly position: Position | undefined
}

/** @throws {TradingError} `unknown-symbol`, with the nearest market as the hint */
export async function findMarket(venue: VenueView, symbol: string): Promise<Market> {
  const markets = await venue.loadMarkets()
  const market = markets.find((row) => row.symbol === symbol)
  if (market !== undefined) return market
  const near =
    markets.find((row) => row.base === symbol)?.symbol ??
    nearest(
      symbol,
      markets.map((row) => row.symbol),
    )
  throw new TradingError('unknown-symbol', `${venue.id} has no market ${printable(symbol, 30)}`, {
    hint: near === undefined ? '`markets` lists them' : `did you mean ${near}?`,
  })
}

/** @throws {TradingError} `unknown-symbol` @throws {ExchangeError} */
export async function viewSymbol(venue: VenueView, symbol: string): Promise<MarketView> {
  const market = await findMarket(venue, symbol)
  const [ticker, positions] = await Promise.all([venue.fetchTicker(symbol), venue.fetchPositions()])
  return { market, ticker, position: positions.find((row) => row.symbol === symbol) }
}

/** Reads the balances once, when first asked: several orders of one command share one picture of what is free. */
export function freeOnce(venue: VenueView): (currency: string) => Promise<string> {
  let balances: Promise<readonly Balance[]> | undefined
  return async (currency) => {
    balances ??= venue.fetchBalances()
    return (await balances).find((balance) => balance.currency === currency)?.free ?? '0'
  }
}
