// The venues that have a profile of their own. Every other class of ccxt works with what most have in common.
import { findVenue } from '../venues.ts'
import { unprovenProfile } from './default-profile.ts'
import type { VenueProfile } from './profile.ts'
import { BINANCE } from './venues/binance.ts'
import { BITGET } from './venues/bitget.ts'
import { BYBIT } from './venues/bybit.ts'
import { COINBASE } from './venues/coinbase.ts'
import { DERIBIT } from './venues/deribit.ts'
import { GATE } from './venues/gate.ts'
import { HYPERLIQUID } from './venues/hyperliquid.ts'
import { KRAKEN } from './venues/kraken.ts'
import { KRAKENFUTURES } from './venues/krakenfutures.ts'
import { KUCOIN } from './venues/kucoin.ts'
import { MEXC } from './venues/mexc.ts'
import { OKX } from './venues/okx.ts'

const PROFILES: readonly VenueProfile[] = [
  BINANCE,
  BYBIT,
  OKX,
  HYPERLIQUID,
  BITGET,
  KUCOIN,
  GATE,
  KRAKEN,
  KRAKENFUTURES,
  COINBASE,
  MEXC,
  DERIBIT,
]

/** @returns undefined for what is not a venue of ccxt */
export function profileOf(venueId: string): VenueProfile | undefined {
  const own = PROFILES.find(({ id }) => id === venueId)
  if (own !== undefined) return own
  const venue = findVenue(venueId)
  return venue === undefined ? undefined : unprovenProfile(venue.id, venue.name, venue.kinds)
}
