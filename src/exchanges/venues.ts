// The one table of venues: which there are and which of them this build can trade on. A live venue is one more row here and an adapter
// behind the `Exchange` port.

import type { MarketKind } from '../exchange/market.ts'

export interface Venue {
  /** `paper`, or a ccxt id. */
  readonly id: string
  /** Whether orders can be placed there. An account on any other venue is kept for the pages that sent it. */
  readonly canTrade: boolean
  /** Whether an account on it has an API key and secret, asked for with hidden input. */
  readonly needsCredentials: boolean
  /** Which ones, by ccxt's names, in the order in which they are asked for. Default: `apiKey` and `secret`. */
  readonly credentials?: readonly Credential[]
  /** What it can be traded for, the first where none is named. Default: as the venue does. */
  readonly kinds?: readonly MarketKind[]
}

/** Of ccxt's `requiredCredentials`, those that venues here want. */
type Credential = 'apiKey' | 'secret' | 'password' | 'uid' | 'walletAddress' | 'privateKey'

const live = (id: string): Venue => ({ id, canTrade: false, needsCredentials: true })

export const VENUES: readonly Venue[] = [
  { id: 'paper', canTrade: true, needsCredentials: false },
  live('binance'),
  live('binanceusdm'),
  live('bingx'),
  live('bitget'),
  live('bitmart'),
  live('bitmex'),
  live('blofin'),
  live('bybit'),
  live('coinbase'),
  live('coinex'),
  live('deribit'),
  live('dydx'),
  live('gate'),
  live('htx'),
  live('hyperliquid'),
  live('kraken'),
  live('krakenfutures'),
  live('kucoin'),
  live('kucoinfutures'),
  live('mexc'),
  live('okx'),
  live('phemex'),
  live('woo'),
]

/** By its exact id. */
export function findVenue(id: string): Venue | undefined {
  return VENUES.find((venue) => venue.id === id)
}
