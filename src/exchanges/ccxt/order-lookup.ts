// One order, by either id, wherever the venue keeps it; and what became of a trigger order that fired.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { Order, OrderRef, VenueCause } from '../../exchange/order.ts'
import type { CcxtClient, Params } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import { Decimal } from './decimals.ts'
import { type FiredOrders, noteFired } from './fired-orders.ts'
import type { KnownOrders } from './known-orders.ts'
import { type MarketBook, present, type VenueMarket } from './markets.ts'
import { firstFound, isNotFound, matches, notFound, placesOf, referenceOf } from './order-search.ts'
import { type OrderReading, readOrder } from './orders.ts'
import type { Environment, VenueProfile } from './profile.ts'
import { readTrade } from './trades.ts'
import type { UnreadRows } from './unread-rows.ts'

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
  /** When that was. */
  positionsReadAt: number | undefined
  readonly fired: FiredOrders
  /** Orders that are known to come from no trigger order. */
  readonly plain: Set<string>
  /** Orders that the venue made by itself, by symbol and id. */
  readonly causes: Map<string, VenueCause>
  readonly unread: UnreadRows
}

/** @throws {ExchangeError} `bad-symbol` */
export function requireMarket(markets: MarketBook, symbol: string): VenueMarket {
  const market = markets.byName(symbol)
  if (market === undefined) throw new ExchangeError('bad-symbol', `the venue does not list ${symbol.slice(0, 40)}`)
  return market
}

export function readingOf({ client, profile, now }: VenueAccount, markets: MarketBook): OrderReading {
  const { fillHintsOf } = profile
  return {
    markets,
    clientOrderIds: profile.clientOrderIds,
    now,
    hintsOf: profile.hintsOf,
    fillHintsOf: fillHintsOf && ((info) => fillHintsOf(info, client)),
  }
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
  const { triggerPrice = before.triggerPrice, takeProfitPrice = before.takeProfitPrice } = order
  return { ...order, type: before.type, triggerPrice, ...present({ takeProfitPrice }) }
}

export async function fetchOrder(account: VenueAccount, ref: OrderRef): Promise<Order> {
  const { profile, kind, connection, known } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, ref.symbol)
    const order = await firstFound(placesOf(ref, profile, kind), (isTrigger) =>
      lookUp(account, ref, market, markets, isTrigger),
    ).catch((error: unknown) => {
      if (!profile.forgetsEnded || !isNotFound(error)) throw error
      return fromFills(account, ref, market, markets)
    })
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
  const isListed = isTrigger && profile.triggersListedOnly(kind)
  const reference = isListed ? undefined : referenceOf(ref, profile, kind, isTrigger)
  if (reference === undefined) return search(account, ref, market, markets, isTrigger)
  const row = await connection.nested(() => client.fetchOrder(reference.id, market.symbol, reference.params))
  const order = readOrder(row, readingOf(account, markets), { ...known.find(ref), symbol: ref.symbol })
  if (order === undefined) throw unreadableOrder()
  noteFired(account, row, order)
  const successor = profile.successorOf?.(row)
  return successor === undefined ? order : follow(account, order, successor, market, markets)
}

function unreadableOrder(): ExchangeError {
  return new ExchangeError('network', 'the venue gave an order that cannot be read')
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
  if (became === undefined) throw unreadableOrder()
  const { filled, remaining, average, status } = became
  return { ...order, filled, remaining, status, ...(average === undefined ? {} : { average }) }
}

/** For venues whose class cannot ask by our id: by the venue's own question, or among the open ones and those that ended. */
async function search(
  account: VenueAccount,
  ref: OrderRef,
  market: VenueMarket,
  markets: MarketBook,
  isTrigger: boolean,
): Promise<Order> {
  const { client, profile, kind, connection, known } = account
  const reading = readingOf(account, markets)
  const find = profile.findByClientOrderId
  const { clientOrderId } = ref
  const lists = [() => client.fetchOpenOrders(market.symbol, undefined, undefined, scope()), ended]
  const isApart = isTrigger && profile.triggers(kind) !== 'with-others'
  if (find !== undefined && clientOrderId !== undefined && !isApart) {
    lists.splice(0, 2, () => find(client, profile.clientOrderIds.toVenue(clientOrderId), market, kind))
  }
  for (const list of lists) {
    const rows = listOf(await connection.nested(list))
    const found = rows.map((row) => readOrder(row, reading, { ...known.find(ref), symbol: ref.symbol }))
    const order = found.find((each) => each !== undefined && matches(each, ref))
    if (order !== undefined) return order
  }
  throw notFound()

  function scope(): Params {
    const triggers = profile.triggers(kind)
    const usual = profile.openOrdersScopes(kind, [])[0] ?? {}
    return isTrigger && triggers !== 'with-others' ? { ...usual, ...triggers.apart } : usual
  }

  function ended(): Promise<unknown> {
    if (profile.listEnded !== undefined) return profile.listEnded(client, market)
    const ask = client.has.fetchOrders === true ? client.fetchOrders : client.fetchClosedOrders
    const canAsk = client.has.fetchOrders === true || client.has.fetchClosedOrders === true
    return canAsk ? ask.call(client, market.symbol, undefined, undefined, scope()) : Promise.resolve([])
  }
}

/** What became of an order that the venue has forgotten, from its fills. @throws {ExchangeError} `order-not-found` where it has none */
async function fromFills(
  account: VenueAccount,
  ref: OrderRef,
  market: VenueMarket,
  markets: MarketBook,
): Promise<Order> {
  const { client, connection, known } = account
  const rows = listOf(await connection.nested(() => client.fetchMyTrades(market.symbol)))
  const before = known.find(ref)
  const id = ref.id ?? before?.id
  const fills = rows
    .flatMap((row) => readTrade(row, readingOf(account, markets)) ?? [])
    .filter(
      (trade) =>
        (id !== undefined && trade.orderId === id) ||
        (ref.clientOrderId !== undefined && trade.clientOrderId === ref.clientOrderId),
    )
  const [first] = fills
  if (first === undefined) throw notFound()
  const filled = fills.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
  const worth = fills.reduce((sum, { amount, price }) => sum.plus(new Decimal(amount).times(price)), new Decimal(0))
  const amount = before?.amount ?? filled.toFixed()
  const isWhole = filled.gte(amount)
  const { clientOrderId = ref.clientOrderId } = first
  return {
    ...{ type: 'market', reduceOnly: false, postOnly: false, timestamp: first.timestamp },
    ...before,
    ...{ id: first.orderId, symbol: ref.symbol, side: first.side, amount, filled: filled.toFixed() },
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...{ remaining: Decimal.max(new Decimal(amount).minus(filled), 0).toFixed() },
    ...{ average: worth.div(filled).toFixed(), status: isWhole ? 'closed' : 'canceled' },
  }
}
