// The fills of an order that has just been placed, where the streams have not told them yet.
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, Trade } from '../exchange/order.ts'
import type { Follower } from './following.ts'

/** Others may have filled many times since it was placed. */
const MAX_TRADES = 1_000

/** Fewer where the venue does not tell: the order is placed all the same. */
export async function fillsOf(
  venue: VenueView,
  follower: Follower,
  id: string,
  { id: orderId, symbol, filled, timestamp }: Order,
): Promise<readonly Trade[]> {
  const followed = follower.find(id)
  const known = followed?.trades ?? []
  if (followed?.counted.gte(filled)) return known
  try {
    const all = await venue.fetchMyTrades({ symbol, since: timestamp, limit: MAX_TRADES })
    const own = all.filter((trade) => trade.orderId === orderId)
    // It may have ended meanwhile, with all its fills told.
    return follower.find(id) === undefined ? own : follower.addTrades(id, own).trades
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return known
  }
}
