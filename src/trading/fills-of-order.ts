// The fills of an order as it was placed: what was heard of it, or what the venue lists.
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, Trade } from '../exchange/order.ts'
import type { Follower } from './following.ts'

/** Fewer where the venue does not tell: the order is placed all the same. */
export async function tradesOf(
  venue: VenueView,
  follower: Follower,
  id: string,
  order: Order,
): Promise<readonly Trade[]> {
  const followed = follower.find(id)
  const known = followed?.trades ?? []
  if (followed?.counted.gte(order.filled)) return known
  try {
    const all = await venue.fetchMyTrades({ symbol: order.symbol, since: order.timestamp })
    const own = all.filter((trade) => trade.orderId === order.id)
    return follower.addTrades(id, own).trades
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return known
  }
}
