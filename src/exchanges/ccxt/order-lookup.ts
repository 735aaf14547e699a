// One order, by either id, wherever the venue keeps it; and what became of a trigger order that fired. A row is the order that was asked for by
// its own ids: one of another order is never read as it, and what cannot be read is never said to be nowhere.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import { isTriggerType, type Order, type OrderRef, type Trade, type VenueCause } from '../../exchange/order.ts'
import type { CcxtClient, Params } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import { Decimal, isPositive, moment, word } from './decimals.ts'
import type { KnownOrders, UnreadRows } from './known-orders.ts'
import type { MarketBook, VenueMarket } from './markets.ts'
import { type OrderReading, readOrder, readTrade } from './orders.ts'
import type { Environment, Reference, VenueProfile } from './profile.ts'
import type { SymbolSettings } from './settings.ts'

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
  readonly settings: SymbolSettings
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
  const { fillHintsOf, statusOf, causeOf, averageInFills } = profile
  return {
    markets,
    clientOrderIds: profile.clientOrderIds,
    now,
    hintsOf: profile.hintsOf,
    fillHintsOf: fillHintsOf && ((info) => fillHintsOf(info, client)),
    ...defined({ statusOf, causeOf, averageInFills }),
  }
}

/** What should be a list and is not is not an answer. */
export function listOf(rows: unknown): readonly unknown[] {
  if (!Array.isArray(rows)) throw new ExchangeError('network', 'the venue gave no list')
  return rows
}

/** Our id, where the venue's rows of stops do not have it; the type of a trigger order, where they do not tell a stop from a take-profit. */
export function withKnown(order: Order, known: KnownOrders): Order {
  const before = known.find(order)
  if (before === undefined) return order
  const { clientOrderId = before.id === order.id ? before.clientOrderId : undefined } = order
  const named = { ...order, ...defined({ clientOrderId }) }
  if (before.triggerPrice === undefined) return named
  const { triggerPrice = before.triggerPrice, takeProfitPrice = before.takeProfitPrice } = order
  return { ...named, type: before.type, triggerPrice, ...defined({ takeProfitPrice }) }
}

/** Of one order that is looked for. */
interface Search {
  readonly account: VenueAccount
  readonly market: VenueMarket
  readonly reading: OrderReading
  /** With the other id of the order, where this process has seen both in one row. */
  readonly ref: OrderRef
}

export async function fetchOrder(account: VenueAccount, asked: OrderRef): Promise<Order> {
  const { profile, kind, connection, known } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, asked.symbol)
    const { id, clientOrderId } = known.find(asked) ?? {}
    const ref = { ...defined({ id, clientOrderId }), ...asked }
    const search: Search = { account, market, reading: readingOf(account, markets), ref }
    const order = await firstFound(placesOf(asked, profile, kind), (isTrigger) => lookUp(search, asked, isTrigger))
    return known.remember(named(withKnown(await priced(search, order), known), ref))
  })
}

/** Who knows both ids of an order knows that they are of one: a row may have the venue's alone, and then ours finds it too. So with its type. */
function named(order: Order, { id, clientOrderId, type = order.type }: OrderRef): Order {
  const isBoth = order.clientOrderId === undefined && clientOrderId !== undefined && order.id === id
  return {
    ...order,
    ...(isBoth && { clientOrderId }),
    ...(isTriggerType(order.type) && isTriggerType(type) && { type }),
  }
}

/** By the venue's own question; what that does not find may still be in a list. */
async function lookUp(search: Search, asked: OrderRef, isTrigger: boolean): Promise<Order> {
  const { client, profile, kind, connection } = search.account
  const isListed = isTrigger && profile.triggersListedOnly(kind)
  const reference = isListed ? undefined : referenceOf(asked, profile, kind, isTrigger)
  if (reference === undefined) return among(search, listsOf(search, isTrigger))
  const { findEnded } = profile
  try {
    const row = await connection.nested(() => client.fetchOrder(reference.id, search.market.symbol, reference.params))
    return await became(search, row, answered(search, row))
  } catch (error) {
    if (findEnded === undefined || !isNotFound(error)) throw error
    const { id, clientOrderId } = search.ref
    const venueId = clientOrderId === undefined ? undefined : profile.clientOrderIds.toVenue(clientOrderId)
    return among(search, [() => findEnded(client, defined({ id, venueId }), search.market, { kind, isTrigger })])
  }
}

const answer = z.object({ status: z.optional(word) })

/** An answer about one order is about the one that was asked for, and says how it is. @throws {ExchangeError} */
function answered(search: Search, row: unknown): Order {
  const { account, reading, ref } = search
  const names = namesOf(row, reading, ref.symbol)
  if (names === undefined) throw unreadableOrder()
  if (names.id === undefined && names.clientOrderId === undefined) {
    throw account.profile.answersNothing ? notFound() : unreadableOrder()
  }
  if (!isNamed(names, ref)) throw new ExchangeError('network', 'the venue answered with another order')
  if (z.safeParse(answer, row).data?.status === undefined) throw unreadableOrder()
  return readKnown(search, row, names)
}

/** What is known of an order is of the one that its own row names. @throws {ExchangeError} */
function readKnown({ account, reading, ref: { symbol } }: Search, row: unknown, names: RowNames): Order {
  const order = readOrder(row, reading, { ...account.known.find({ symbol, ...names }), ...names, symbol })
  if (order === undefined) throw unreadableOrder()
  noteFired(account, row, order)
  return order
}

type List = () => Promise<unknown>

/** @throws {ExchangeError} `order-not-found` where none has it, `network` where a row of theirs may be it */
async function among(search: Search, lists: readonly List[]): Promise<Order> {
  const { account, reading, ref } = search
  let isWhole = true
  for (const list of lists) {
    const rows = listOf(await account.connection.nested(list))
    const found: unknown[] = []
    for (const row of rows) {
      const names = namesOf(row, reading, ref.symbol)
      if (names !== undefined && isNamed(names, ref)) found.push(row)
      else isWhole &&= isOther(row, names, search)
    }
    const { ownIdOf } = account.profile
    // What a trigger order became says more than that it has fired.
    const row = found.find((each) => ownIdOf?.(each) !== undefined) ?? found[0]
    if (row !== undefined) return became(search, row, readKnown(search, row, namesOf(row, reading, ref.symbol) ?? {}))
  }
  throw isWhole ? notFound() : unreadableOrder()
}

const listed = z.object({ symbol: z.optional(word) })

/** Whether a row is that of another order, or of another market. */
function isOther(row: unknown, names: RowNames | undefined, { market }: Search): boolean {
  if (names !== undefined) return names.id !== undefined || names.clientOrderId !== undefined
  const { symbol } = z.safeParse(listed, row).data ?? {}
  return symbol !== undefined && symbol !== market.symbol
}

/** For venues whose class cannot ask by our id: by the venue's own question, or among the open ones and those that ended. */
function listsOf({ account, market, ref: { clientOrderId } }: Search, isTrigger: boolean): readonly List[] {
  const { client, profile, kind } = account
  const find = profile.findByClientOrderId
  const triggers = profile.triggers(kind)
  const isApart = isTrigger && triggers !== 'with-others'
  if (find !== undefined && clientOrderId !== undefined && !isApart) {
    return [() => find(client, profile.clientOrderIds.toVenue(clientOrderId), market, kind)]
  }
  const usual = profile.openOrdersScopes(kind, [])[0] ?? {}
  const own: Params = isApart ? { ...usual, ...triggers.apart } : usual
  // None of those that a person has typed has an id of ours.
  const typed = isApart && clientOrderId === undefined ? profile.typedTriggers?.(kind)?.apart : undefined
  const scopes = typed === undefined ? [own] : [own, { ...usual, ...typed }]
  return scopes.flatMap((scope) => [
    () => client.fetchOpenOrders(market.symbol, undefined, undefined, scope),
    () => ended(scope),
  ])

  function ended(scope: Params): Promise<unknown> {
    if (profile.listEnded !== undefined) return profile.listEnded(client, market, scope)
    const ask = client.has.fetchOrders === true ? client.fetchOrders : client.fetchClosedOrders
    const canAsk = client.has.fetchOrders === true || client.has.fetchClosedOrders === true
    return canAsk ? ask.call(client, market.symbol, undefined, undefined, scope) : Promise.resolve([])
  }
}

/** What has become of an order: a trigger order that fired is another order at some venues, and ours is as that one is. */
async function became(search: Search, row: unknown, order: Order): Promise<Order> {
  const { account, market } = search
  const { client, profile, connection, kind } = account
  const named = profile.successorOf?.(row)
  if (named === undefined) return order
  const { askSuccessor } = profile
  const isUnnamed = named === '' && askSuccessor !== undefined
  const successor = isUnnamed ? await connection.nested(() => askSuccessor(client, row, market, kind)) : named
  if (successor === 'failed') return failedTrigger(unfilled(order))
  if (successor === undefined || successor === '') throw unlistedSuccessor()
  return follow(search, row, order, successor)
}

/** Its price was reached, and the venue made no order of it. */
function failedTrigger(order: Order): Order {
  return { ...order, status: 'rejected', cause: 'trigger-failed' }
}

/** Some classes take a trigger order that fired for one that filled whole. */
function unfilled({ average: _none, ...order }: Order): Order {
  return { ...order, filled: '0', remaining: order.amount }
}

function unlistedSuccessor(): ExchangeError {
  return new ExchangeError('network', 'the stop has fired and the venue does not list its order yet')
}

async function follow(search: Search, row: unknown, order: Order, successor: string): Promise<Order> {
  const { account, market, reading } = search
  const { client, connection, fired } = account
  fired.set(successor, order)
  let child: unknown
  try {
    child = await connection.nested(() => client.fetchOrder(successor, market.symbol))
  } catch (error) {
    if (!isNotFound(error)) throw error
    return forgottenChild(search, row, order, successor)
  }
  const names = namesOf(child, reading, order.symbol)
  // A row of some venues goes by the trigger order's id.
  const isAsked = names !== undefined && (isNamed(names, order) || names.id === successor)
  const read = isAsked ? readOrder(child, reading, { symbol: order.symbol, side: order.side }) : undefined
  if (read === undefined) throw unreadableOrder()
  return asChild(order, read)
}

/** What the order behind a trigger filled is what the trigger order filled. One at the market that ended otherwise was ended by the venue. */
function asChild(order: Order, { filled, remaining, average, status, cause }: Order): Order {
  const isAtMarket = order.type !== 'stop-limit'
  const isUnfilled = !isPositive(filled) && status !== 'open'
  return {
    ...order,
    filled,
    remaining,
    status: isAtMarket && status === 'canceled' ? 'expired' : status,
    ...defined({ average, cause: cause ?? (isAtMarket && isUnfilled ? 'trigger-failed' : undefined) }),
  }
}

/** Some venues list a new order late, and forget one that ended without a fill. */
const LISTED_AFTER_MS = 60_000

const dated = z.object({ lastUpdateTimestamp: z.optional(moment), lastTradeTimestamp: z.optional(moment) })

/** The order that a trigger order became is not found: its fills tell, or it had none. */
async function forgottenChild(search: Search, row: unknown, order: Order, successor: string): Promise<Order> {
  const child = await filledBy(search, order, successor)
  if (child !== undefined) return asChild(order, child)
  const { lastUpdateTimestamp, lastTradeTimestamp } = z.safeParse(dated, row).data ?? {}
  const firedAt = lastUpdateTimestamp ?? lastTradeTimestamp
  if (firedAt === undefined || search.account.now() - firedAt < LISTED_AFTER_MS) throw unlistedSuccessor()
  return { ...unfilled(order), status: 'expired', cause: 'trigger-failed' }
}

/** @returns undefined where it has no fills */
async function filledBy(search: Search, order: Order, successor: string): Promise<Order | undefined> {
  const fills = await fillsOf(search, [successor, order.id])
  if (fills === undefined) return undefined
  const { filled, average } = fills
  const remaining = Decimal.max(new Decimal(order.amount).minus(filled), 0)
  return {
    ...order,
    filled: filled.toFixed(),
    remaining: remaining.toFixed(),
    average,
    status: remaining.isZero() ? 'closed' : 'canceled',
  }
}

/** Of the newest fills, those of orders with these ids. @returns undefined where there are none */
async function fillsOf(
  { account, market, reading }: Search,
  ids: readonly string[],
): Promise<{ readonly filled: Decimal; readonly average: string } | undefined> {
  const rows = listOf(await account.connection.nested(() => account.client.fetchMyTrades(market.symbol)))
  const trades = rows.flatMap((row) => readTrade(row, reading) ?? [])
  const fills = trades.filter(({ orderId }) => ids.includes(orderId))
  if (fills.length === 0) return undefined
  const filled = fills.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
  const worth = fills.reduce((sum, { amount, price }) => sum.plus(new Decimal(amount).times(price)), new Decimal(0))
  return { filled, average: worth.div(filled).toSignificantDigits(12).toFixed() }
}

/** With its average price, where the venue's orders do not have it: from the acknowledgement, or from all of its fills. */
async function priced(search: Search, order: Order): Promise<Order> {
  const { profile, known } = search.account
  if (profile.averageInFills !== true || order.average !== undefined || !isPositive(order.filled)) return order
  const isWhole = ({ filled }: { readonly filled: Decimal | string }) => new Decimal(filled).eq(order.filled)
  const before = known.find(order)
  if (before?.average !== undefined && isWhole(before)) return { ...order, average: before.average }
  // The order itself has been found: it is told without its price rather than not at all.
  const fills = await fillsOf(search, [order.id]).catch(() => undefined)
  return fills !== undefined && isWhole(fills) ? { ...order, average: fills.average } : order
}

// Finding one order at a venue by what is known of it: where it may be kept, what it is asked for by, and which row of an answer it is. A row is
// that order by its own fields alone: what is known of an order is added to its row afterwards.

/** Where a trigger order may be: apart, with the others, or unknown: then first with the others. */
export function placesOf(ref: OrderRef, profile: VenueProfile, kind: MarketKind): readonly boolean[] {
  if (profile.triggers(kind) === 'with-others') return [ref.isTrigger === true]
  if (ref.isTrigger === true) return [true, false]
  return ref.isTrigger === false ? [false] : [false, true]
}

/** @returns undefined where the venue cannot be asked by what is known */
export function referenceOf(
  ref: OrderRef,
  profile: VenueProfile,
  kind: MarketKind,
  isTrigger: boolean,
  isCancel = false,
): Reference | undefined {
  const venueId = ref.clientOrderId === undefined ? undefined : profile.clientOrderIds.toVenue(ref.clientOrderId)
  const reference = profile.refer(ref, venueId, { kind, isTrigger, isCancel })
  if (reference === undefined || !isTrigger) return reference
  const triggers = profile.triggers(kind)
  return triggers === 'with-others' ? reference : { ...reference, params: { ...triggers.apart, ...reference.params } }
}

/** The first place that has it. @throws {ExchangeError} `order-not-found` where none has, or what a place throws */
export async function firstFound<T>(places: readonly boolean[], look: (isTrigger: boolean) => Promise<T>): Promise<T> {
  let missing: unknown = notFound()
  for (const isTrigger of places) {
    try {
      return await look(isTrigger)
    } catch (error) {
      if (!isNotFound(error)) throw error
      missing = error
    }
  }
  throw missing
}

/** What names an order in its own row. */
interface RowNames {
  readonly id?: string
  readonly clientOrderId?: string
}

/** In the place of what a row leaves out, so that a row with little more than its names can be distinguished from others. */
const PLACEHOLDER = { id: '', side: 'buy', amount: '1' } as const

/** @returns undefined for what is not a row of an order of this account's markets */
function namesOf(row: unknown, reading: OrderReading, symbol: string): RowNames | undefined {
  const read = readOrder(row, reading, { ...PLACEHOLDER, symbol })
  if (read === undefined || read.symbol !== symbol) return undefined
  const { id, clientOrderId } = read
  return { ...(id === PLACEHOLDER.id ? {} : { id }), ...defined({ clientOrderId }) }
}

/** Ids are the venue's own and never given twice; ours are of 128 bits. */
function isNamed(names: RowNames, { id, clientOrderId }: Pick<OrderRef, 'id' | 'clientOrderId'>): boolean {
  if (id !== undefined && names.id === id) return true
  return clientOrderId !== undefined && names.clientOrderId === clientOrderId
}

export function isNotFound(error: unknown): error is ExchangeError {
  return error instanceof ExchangeError && error.code === 'order-not-found'
}

export function notFound(): ExchangeError {
  return new ExchangeError('order-not-found', 'the venue has no such open order')
}

/** It may be the order that was asked for: that it is nowhere cannot be said. */
function unreadableOrder(): ExchangeError {
  return new ExchangeError('network', 'the venue gave an order that cannot be read')
}

// Trigger orders that fired, at venues where they go on under another id: by that one, what they are known by. Their fills are reported as theirs,
// and what rests of them is canceled under the id that it rests under.

/** A trigger order by the id of the order that it became. */
type FiredOrders = Map<string, Pick<Order, 'id' | 'clientOrderId'>>

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
