// One order, by either id, wherever the venue keeps it; and what became of a trigger order that fired.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { Order, OrderRef } from '../../exchange/order.ts'
import type { CcxtClient } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import type { KnownOrders } from './known-orders.ts'
import type { MarketBook, VenueMarket } from './markets.ts'
import { firstFound, matches, notFound, placesOf, referenceOf } from './order-search.ts'
import { type OrderReading, readOrder } from './orders.ts'
import type { Environment, VenueProfile } from './profile.ts'

export interface VenueAccount {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  readonly kind: MarketKind
  readonly environment: Environment
  readonly connection: Connection
  readonly known: KnownOrders
  readonly now: () => number
  /** By our symbol: what positions were last seen in. */
  readonly marginModes: Map<string, 'cross' | 'isolated'>
  /** A trigger order that has fired by the id of the order that it became. */
  readonly fired: Map<string, Pick<Order, 'id' | 'clientOrderId'>>
}

/** @throws {ExchangeError} `bad-symbol` */
export function requireMarket(markets: MarketBook, symbol: string): VenueMarket {
  const market = markets.byName(symbol)
  if (market === undefined) throw new ExchangeError('bad-symbol', `the venue does not list ${symbol.slice(0, 40)}`)
  return market
}

export function readingOf({ profile, now }: VenueAccount, markets: MarketBook): OrderReading {
  return { markets, clientOrderIds: profile.clientOrderIds, now }
}

/** What should be a list and is not is not an answer. */
export function listOf(rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new ExchangeError('network', 'the venue gave no list')
  return rows
}

/** The type of a trigger order, where the venue's row does not tell a stop from a take-profit. */
export function withKnown(order: Order, known: KnownOrders): Order {
  const before = known.find(order)
  if (before?.triggerPrice === undefined) return order
  const { triggerPrice = before.triggerPrice } = order
  return { ...order, type: before.type, triggerPrice }
}

export async function fetchOrder(account: VenueAccount, ref: OrderRef): Promise<Order> {
  const { profile, kind, connection, known } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, ref.symbol)
    const order = await firstFound(placesOf(ref, profile, kind), (isTrigger) =>
      lookUp(account, ref, market, markets, isTrigger),
    )
    return known.remember(withKnown(order, known))
  })
}

async function lookUp(
  account: VenueAccount,
  ref: OrderRef,
  market: VenueMarket,
  markets: MarketBook,
  isTrigger: boolean,
): Promise<Order> {
  const { client, profile, kind, known, connection } = account
  const reference = referenceOf(ref, profile, kind, isTrigger)
  if (reference === undefined) return search(account, ref, market, markets, isTrigger)
  const row = await connection.nested(() => client.fetchOrder(reference.id, market.symbol, reference.params))
  const order = readOrder(row, readingOf(account, markets), { ...known.find(ref), symbol: ref.symbol })
  if (order === undefined) throw new ExchangeError('network', 'the venue gave an order that cannot be read')
  const successor = profile.successorOf?.(row)
  return successor === undefined ? order : follow(account, order, successor, market, markets)
}

/** A trigger order that fired is another order at some venues: ours is what became of it. */
async function follow(
  account: VenueAccount,
  order: Order,
  successor: string,
  market: VenueMarket,
  markets: MarketBook,
): Promise<Order> {
  const { client, connection, fired } = account
  fired.set(successor, order)
  const row = await connection.nested(() => client.fetchOrder(successor, market.symbol))
  const became = readOrder(row, readingOf(account, markets), { symbol: order.symbol, side: order.side })
  if (became === undefined) throw new ExchangeError('network', 'the venue gave an order that cannot be read')
  const { filled, remaining, average, status } = became
  return { ...order, filled, remaining, status, ...(average === undefined ? {} : { average }) }
}

/** For venues that cannot be asked by our id: among the open ones and those that ended. */
async function search(
  account: VenueAccount,
  ref: OrderRef,
  market: VenueMarket,
  markets: MarketBook,
  isTrigger: boolean,
): Promise<Order> {
  const { client, profile, kind, connection } = account
  const triggers = profile.triggers(kind)
  const params = {
    ...profile.fetchOpenOrdersParams(kind),
    ...(isTrigger && triggers !== 'with-others' ? triggers.apart : {}),
  }
  const ended = client.has.fetchOrders === true ? client.fetchOrders : client.fetchClosedOrders
  const reading = readingOf(account, markets)
  for (const list of [client.fetchOpenOrders, ended]) {
    const rows = listOf(await connection.nested(() => list.call(client, market.symbol, undefined, undefined, params)))
    const found = rows.map((row) => readOrder(row, reading)).find((order) => order !== undefined && matches(order, ref))
    if (found !== undefined) return found
  }
  throw notFound()
}
