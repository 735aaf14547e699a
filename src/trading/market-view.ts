// What an order needs to know about one symbol at one moment.

import type { VenueView } from '../exchange/exchange.ts'
import type { Market, Ticker } from '../exchange/market.ts'
import type { Balance, Position, Side } from '../exchange/order.ts'
import { findMarket } from './find-market.ts'

export interface MarketView {
  readonly market: Market
  readonly ticker: Ticker
  /** Absent when the account is flat on this symbol. */
  readonly position: Position | undefined
}

/**
 * What streams have just told is not asked for.
 * @param held `known`: where no figure hangs on the position; a side: before an order of that side, too
 * @throws {TradingError} as `findMarket` @throws {ExchangeError}
 */
export async function viewSymbol(
  venue: VenueView,
  typed: string,
  held: 'asked' | 'known' | Side = 'asked',
): Promise<MarketView> {
  const market = await findMarket(venue, typed)
  const { symbol } = market
  const known =
    held === 'asked' ? undefined : venue.knownPositions?.(held === 'known' ? undefined : { symbol, side: held })
  const [ticker, positions] = await Promise.all([
    venue.knownTicker?.(symbol) ?? venue.fetchTicker(symbol),
    known ?? venue.fetchPositions(),
  ])
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
