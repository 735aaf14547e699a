// What happened on an account while no process watched it: what it held when it was last seen, against what it holds now (behaviour 34).
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderRef, orderKey, type Position, type Trade } from '../exchange/order.ts'

/** An account as it was last seen. */
export interface SeenAccount {
  /** ms since the epoch. */
  readonly at: number
  readonly orders: readonly SeenOrder[]
  readonly positions: readonly SeenPosition[]
}

export type SeenOrder = OrderRef & { readonly id: string }

export type SeenPosition = Pick<Position, 'symbol' | 'side' | 'amount'>

/** A position that is another now; absent: none. */
export interface ChangedPosition {
  readonly symbol: string
  readonly before?: SeenPosition
  readonly after?: SeenPosition
}

export interface Meanwhile {
  /** When it was last seen, ms since the epoch. */
  readonly since: number
  /** Fills of one order each, oldest first. */
  readonly fills: readonly (readonly Trade[])[]
  /** Orders that rested then and ended without filling. */
  readonly ended: readonly Order[]
  readonly positions: readonly ChangedPosition[]
}

/** So many symbols are asked about: each is a question to the venue. */
const MAX_SYMBOLS = 20
const MAX_TRADES = 500

/** @throws {ExchangeError} */
export async function seeAccount(venue: VenueView, at: number): Promise<SeenAccount> {
  const [orders, positions] = await Promise.all([venue.fetchOpenOrders(), venue.fetchPositions()])
  return {
    at,
    orders: orders.map(({ id, clientOrderId, symbol, type }) => ({
      id,
      symbol,
      ...defined({ clientOrderId }),
      ...(isTriggerType(type) ? { isTrigger: true } : {}),
    })),
    positions: positions.map(({ symbol, side, amount }) => ({ symbol, side, amount })),
  }
}

/** @throws {ExchangeError} */
export async function findMeanwhile(venue: VenueView, seen: SeenAccount, now: SeenAccount): Promise<Meanwhile> {
  const stillOpen = new Set(now.orders.map(keyOf))
  const gone = seen.orders.filter((order) => !stillOpen.has(keyOf(order)))
  const positions = changesOf(seen.positions, now.positions)
  const symbols = [...new Set([...gone, ...positions, ...seen.orders, ...now.orders].map(({ symbol }) => symbol))]
  const trades = await Promise.all(symbols.slice(0, MAX_SYMBOLS).map((symbol) => tradesOf(venue, symbol, seen.at)))
  // A fill of the very millisecond was seen.
  const fills = byOrder(trades.flat().filter(({ timestamp }) => timestamp > seen.at))
  const filled = new Set(
    fills.flatMap(([trade]) => (trade === undefined ? [] : [orderKey(trade.symbol, trade.orderId)])),
  )
  const ended = await Promise.all(gone.filter((order) => !filled.has(keyOf(order))).map((ref) => askFor(venue, ref)))
  return {
    since: seen.at,
    fills,
    ended: ended.flatMap((order) => (order === undefined || order.status === 'open' ? [] : [order])),
    positions,
  }
}

export function isNothing({ fills, ended, positions }: Meanwhile): boolean {
  return fills.length + ended.length + positions.length === 0
}

/** None of a market that the venue no longer has: what happened on the others is told all the same. */
async function tradesOf(venue: VenueView, symbol: string, since: number): Promise<readonly Trade[]> {
  try {
    return await venue.fetchMyTrades({ symbol, since, limit: MAX_TRADES })
  } catch (error) {
    if (error instanceof ExchangeError && error.code === 'bad-symbol') return []
    throw error
  }
}

/** undefined where the venue no longer knows it. */
async function askFor(venue: VenueView, ref: SeenOrder): Promise<Order | undefined> {
  try {
    return await venue.fetchOrder(ref)
  } catch (error) {
    if (error instanceof ExchangeError && (error.code === 'order-not-found' || error.code === 'bad-symbol'))
      return undefined
    throw error
  }
}

function keyOf({ symbol, id }: SeenOrder): string {
  return orderKey(symbol, id)
}

function byOrder(trades: readonly Trade[]): readonly (readonly Trade[])[] {
  const orders = new Map<string, Trade[]>()
  for (const trade of trades.toSorted((a, b) => a.timestamp - b.timestamp)) {
    const key = orderKey(trade.symbol, trade.orderId)
    orders.set(key, [...(orders.get(key) ?? []), trade])
  }
  return [...orders.values()]
}

function changesOf(before: readonly SeenPosition[], after: readonly SeenPosition[]): readonly ChangedPosition[] {
  const symbols = [...new Set([...before, ...after].map(({ symbol }) => symbol))].sort()
  return symbols.flatMap((symbol) => {
    const was = before.find((position) => position.symbol === symbol)
    const is = after.find((position) => position.symbol === symbol)
    if (was?.side === is?.side && was?.amount === is?.amount) return []
    return [{ symbol, ...defined({ before: was, after: is }) }]
  })
}
