// The fills of an order, asked for where the streams have not told them: before an end is written down they are in the journal (behaviour 36).
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, Trade } from '../exchange/order.ts'
import type { Clock } from './clock.ts'
import type { FollowedOrder, Follower } from './following.ts'

/** Others may have filled many times since it was placed. */
const MAX_TRADES = 1_000
/** A venue may list fills some seconds after it has said that their order is over. */
const PAUSES_MS = [0, 250, 1_000, 3_000, 10_000, 30_000]

/** Fewer where the venue does not tell: the order is placed all the same. */
export async function fillsOf(
  venue: VenueView,
  follower: Follower,
  id: string,
  order: Order,
): Promise<readonly Trade[]> {
  const followed = follower.find(id)
  const known = followed?.trades ?? []
  if (followed?.counted.gte(order.filled)) return known
  try {
    const own = await askFills(venue, id, order)
    // It may have ended meanwhile, with all its fills told.
    return follower.find(id) === undefined ? own : follower.addTrades(id, own).trades
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return known
  }
}

interface FillReading {
  readonly venue: VenueView
  readonly follower: Follower
  readonly clock: Clock
  /** The process ends: the next one reads on. */
  readonly signal: AbortSignal
}

/** Asks until the fills of an order that is over add up to what it filled, for less than a minute. @returns what is known of it then */
export async function readFills(
  { venue, follower, clock, signal }: FillReading,
  id: string,
  order: Order,
): Promise<FollowedOrder | undefined> {
  for (const ms of PAUSES_MS) {
    if (ms > 0) await clock.delay(ms, signal)
    const followed = follower.find(id)
    if (signal.aborted || followed === undefined || followed.counted.gte(order.filled)) return followed
    await fillsOf(venue, follower, id, order)
  }
  return follower.find(id)
}

async function askFills(venue: VenueView, id: string, order: Order): Promise<readonly Trade[]> {
  const { id: orderId, symbol, timestamp } = order
  const all = await venue.fetchMyTrades({ symbol, since: timestamp, limit: MAX_TRADES })
  return all.filter((trade) => trade.orderId === orderId || trade.clientOrderId === id)
}
