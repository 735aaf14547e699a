// Trigger orders that fired, at venues where they go on under another id: by that one, what they are known by. Their fills are told as theirs,
// and what rests of them is canceled under the id that it rests under.
import { defined } from '../../base/defined.ts'
import type { Order, Trade } from '../../exchange/order.ts'
import type { CcxtClient } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import type { KnownOrders } from './known-orders.ts'
import type { VenueMarket } from './markets.ts'
import { isNotFound } from './order-search.ts'
import type { VenueProfile } from './profile.ts'

/** A trigger order by the id of the order that it became. */
export type FiredOrders = Map<string, Pick<Order, 'id' | 'clientOrderId'>>

interface Account {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  readonly connection: Connection
  readonly known: KnownOrders
  readonly fired: FiredOrders
}

/** How many orders one list of fills is asked about. */
const MOST_ASKED = 20

/** The id of the order that a trigger order became, where it is known. */
export function ownIdOf({ fired }: Pick<Account, 'fired'>, id: string): string | undefined {
  return [...fired].find(([own, trigger]) => trigger.id === id && own !== id)?.[0]
}

/** From the row of an order that a trigger order became. */
export function noteFired(
  { profile, fired }: Pick<Account, 'profile' | 'fired'>,
  row: unknown,
  { id, clientOrderId }: Order,
): void {
  const own = profile.ownIdOf?.(row)
  if (own !== undefined) fired.set(own, { id, ...defined({ clientOrderId }) })
}

/**
 * Asks which orders the fills are of, where only the order itself says that it was a trigger order. An order of ours that was none has our id in
 * its fills.
 */
export async function learnFired(
  { client, profile, connection, known, fired }: Account,
  market: VenueMarket,
  trades: readonly Trade[],
  read: (row: unknown) => Order | undefined,
): Promise<void> {
  if (!profile.asksOrdersOfFills) return
  const isStrange = ({ clientOrderId, orderId, symbol }: Trade) =>
    clientOrderId === undefined && !fired.has(orderId) && known.find({ symbol, id: orderId }) === undefined
  const ids = [...new Set(trades.filter(isStrange).map(({ orderId }) => orderId))]
  for (const id of ids.slice(-MOST_ASKED)) {
    try {
      const row = await connection.nested(() => client.fetchOrder(id, market.symbol))
      const { id: named = id, clientOrderId } = read(row) ?? {}
      fired.set(id, { id: named, ...defined({ clientOrderId }) })
    } catch (error) {
      if (!isNotFound(error)) throw error
      fired.set(id, { id })
    }
  }
}
