// What an order must be before anything is sent. A library that rounds would place another order than was asked for (behaviour 39): what is off
// the grid is refused here.

import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import {
  type Capabilities,
  canEdit,
  type Exchange,
  type OrderOutcome,
  type OrderContext as Sending,
} from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import {
  isTriggerType,
  type Order,
  type OrderChange,
  type OrderRef,
  type OrderRequest,
  type OrderType,
  refOf,
} from '../../exchange/order.ts'
import { isOnGrid, priceOnGrid } from '../../exchange/price-grid.ts'
import type { Params } from './ccxt-client.ts'
import { outcomeOfError, soonOr } from './connection.ts'
import { Decimal, isPositive, word } from './decimals.ts'
import { waitsAbove } from './default-profile.ts'
import { toContracts, type VenueMarket } from './markets.ts'
import {
  fetchOrder,
  firstFound,
  isNotFound,
  notFound,
  ownIdOf,
  placesOf,
  readingOf,
  referenceOf,
  requireMarket,
  type VenueAccount,
} from './order-lookup.ts'
import { expectedOrder, readOrder } from './orders.ts'
import type { OrderContext } from './profile.ts'
import type { Questions } from './venue-questions.ts'

const FIGURE = /^\d+(\.\d+)?$/
const CLIENT_ORDER_ID = /^[0-9a-f]{32}$/

/** @throws {ExchangeError} `not-supported`, `invalid-order` */
export function requireOrderTerms(request: OrderRequest, venueMarket: VenueMarket, can: Capabilities): void {
  const { type, timeInForce, postOnly, takeProfitPrice } = request
  if (!CLIENT_ORDER_ID.test(request.clientOrderId)) refuse('the client order id must be 32 hex characters')
  requireCapabilities(request, can)
  if (type !== 'limit' && postOnly === true) refuse('only a limit order can be post-only')
  if (type !== 'limit' && timeInForce !== undefined && timeInForce !== 'gtc')
    refuse(`a ${type} order has no ${timeInForce}`)
  if (postOnly === true && timeInForce !== undefined && timeInForce !== 'gtc')
    refuse(`${timeInForce} is never post-only`)
  requireAmount(request.amount, type === 'market', venueMarket)
  const hasPrice = type === 'limit' || type === 'stop-limit'
  if (hasPrice) requirePrice(request.price, 'price', venueMarket)
  else if (request.price !== undefined) refuse(`a ${type} order has no price`)
  if (isTriggerType(type)) requirePrice(request.triggerPrice, 'trigger price', venueMarket)
  else if (request.triggerPrice !== undefined) refuse(`a ${type} order has no trigger price`)
  requireAttached(request, venueMarket)
  if (takeProfitPrice === undefined) return
  if (type !== 'stop') refuse(`a ${type} order has no take-profit price`)
  requirePrice(takeProfitPrice, 'take-profit price', venueMarket)
}

function requireCapabilities(request: OrderRequest, can: Capabilities): void {
  const { type, timeInForce, postOnly, reduceOnly, takeProfitPrice, attached } = request
  if (!can.orderTypes.includes(type)) notSupported(`${type} orders`)
  if (timeInForce !== undefined && !can.timeInForce.includes(timeInForce)) notSupported(`${timeInForce} orders`)
  if (takeProfitPrice !== undefined && can.oco !== true) notSupported('stops with a take-profit price')
  if (attached !== undefined && can.attached === undefined) notSupported('orders that carry a stop')
  if (postOnly === true && !can.postOnly) notSupported('post-only orders')
  if (reduceOnly === true && !can.reduceOnly) notSupported('reduce-only orders')
}

function requireAttached({ type, attached = [] }: OrderRequest, venueMarket: VenueMarket): void {
  if (attached.length > 0 && isTriggerType(type)) refuse(`a ${type} order carries no other orders`)
  for (const { clientOrderId, triggerPrice, takeProfitPrice } of attached) {
    if (!CLIENT_ORDER_ID.test(clientOrderId)) refuse('the client order id must be 32 hex characters')
    requirePrice(triggerPrice, 'trigger price', venueMarket)
    if (takeProfitPrice !== undefined) requirePrice(takeProfitPrice, 'take-profit price', venueMarket)
  }
}

/** @throws {ExchangeError} `not-supported`, `invalid-order` */
function requireChangeTerms(change: OrderChange, order: Order, venueMarket: VenueMarket): void {
  const { amount, price, triggerPrice, takeProfitPrice } = change
  // It has no amount to be changed to.
  if (order.closesPosition === true) notSupported('change of an order that closes the whole position')
  if (amount !== undefined) requireAmount(amount, false, venueMarket)
  if (price !== undefined) {
    if (order.price === undefined) refuse(`a ${order.type} order has no price`)
    requirePrice(price, 'price', venueMarket)
  }
  if (triggerPrice !== undefined) {
    if (!isTriggerType(order.type)) refuse(`a ${order.type} order has no trigger price`)
    requirePrice(triggerPrice, 'trigger price', venueMarket)
  }
  if (takeProfitPrice !== undefined) {
    if (order.takeProfitPrice === undefined) refuse(`this ${order.type} order has no take-profit price`)
    requirePrice(takeProfitPrice, 'take-profit price', venueMarket)
  }
  if (Object.values(change).every((value) => value === undefined)) refuse('nothing is to change')
}

/** @throws {ExchangeError} `invalid-order` */
function requireLeverage(leverage: string, { market }: VenueMarket): number {
  if (!/^[1-9]\d{0,3}$/.test(leverage)) refuse(`leverage must be a whole number, not ${leverage.slice(0, 20)}`)
  const times = Number(leverage)
  if (market.maxLeverage !== undefined && new Decimal(leverage).gt(market.maxLeverage)) {
    refuse(`the most leverage of ${market.symbol} is ${market.maxLeverage}`)
  }
  return times
}

function requireAmount(amount: string, isMarketOrder: boolean, { market }: VenueMarket): void {
  if (!FIGURE.test(amount)) refuse('the amount is not a number')
  const value = new Decimal(amount)
  if (!value.gt(0)) refuse('the amount must be more than 0')
  if (!value.mod(market.lotSize).isZero()) refuse(`the amount ${amount} is not a multiple of ${market.lotSize}`)
  if (value.lt(market.minAmount)) refuse(`the amount ${amount} is less than ${market.minAmount}`)
  const most = isMarketOrder ? (market.marketMaxAmount ?? market.maxAmount) : market.maxAmount
  if (most !== undefined && value.gt(most)) refuse(`the amount ${amount} is more than ${most}`)
}

function requirePrice(price: string | undefined, name: string, { market }: VenueMarket): void {
  if (price === undefined) refuse(`the ${name} is missing`)
  if (!FIGURE.test(price) || new Decimal(price).isZero()) refuse(`the ${name} is not a number above 0`)
  if (!isOnGrid(price, market)) refuse(`the ${name} ${price} is between two steps of ${market.symbol}`)
}

function refuse(message: string): never {
  throw new ExchangeError('invalid-order', message)
}

function notSupported(what: string): never {
  throw new ExchangeError('not-supported', `the venue has no ${what}`)
}

// Orders, changes and cancels: each is sent once, and ends as placed, refused or unknown (behaviour 37).

interface VenueOrdersOptions {
  readonly account: VenueAccount
  readonly capabilities: Capabilities
  readonly questions: Questions
  /** Notified of every order that was placed, changed or canceled here. */
  readonly note: (order: Order) => void
}

type VenueOrders = Pick<Exchange, 'createOrder' | 'editOrder' | 'cancelOrder' | 'cancelAllOrders' | 'setLeverage'> & {
  setMarginMode(symbol: string, mode: 'cross' | 'isolated'): Promise<void>
}

/** How many cancels are under way at once. */
const CANCELS_AT_ONCE = 10

export function createVenueOrders(options: VenueOrdersOptions): VenueOrders {
  const { account, questions } = options
  return {
    createOrder: (request, context) =>
      account.connection.ordering(() => create(options, request, context)).catch(outcomeOfError),
    editOrder: (ref, change) => account.connection.ordering(() => edit(options, ref, change)).catch(outcomeOfError),
    cancelOrder: (ref) => cancel(options, ref),
    async cancelAllOrders(symbol) {
      if (symbol !== undefined) requireMarket(await account.connection.markets(), symbol)
      return cancelEach(options, await questions.fetchOpenOrders(symbol))
    },
    setLeverage: (symbol, leverage) => setLeverage(options, symbol, leverage),
    setMarginMode: (symbol, mode) => setMarginMode(options, symbol, mode),
  }
}

/** @throws {ExchangeError} for what was not placed */
async function create(
  options: VenueOrdersOptions,
  request: OrderRequest,
  { release, protects = false }: Sending = {},
): Promise<OrderOutcome> {
  const { account, capabilities, note } = options
  const { client, connection, kind, known, profile } = account
  const isExit = endsOrProtects(request, kind)
  const markets = await connection.markets()
  const market = requireMarket(markets, request.symbol)
  requireOrderTerms(request, market, capabilities)
  await connection.ready(request.symbol, isExit)
  if (kind !== 'spot' && profile.ordersNameMarginMode) await readMarginModes(options, isExit)
  if (known.noteSent(request.clientOrderId)) await refuseIfThere(account, request)
  const context = contextOf(options, market, request.clientOrderId)
  const wanted = await boughtByAmount(carrying(request), context, profile.buysByCost(kind))
  const { type, price, params } = await connection.nested(async () => profile.place(wanted, context))
  const amount = toContracts(request.amount, market)
  const { value, call } = await connection
    .send(() => client.createOrder(market.symbol, type, request.side, amount, price, params), {
      clientOrderId: request.clientOrderId,
      isExit,
      ...defined({ release }),
    })
    .catch((error: unknown) => forgetSettings(account, request.symbol, error))
  const order = isAbout(value, request, market, account)
    ? readOrder(value, readingOf(account, markets), expectedOrder(request))
    : undefined
  if (order === undefined) throw connection.unknown(call, request.clientOrderId)
  // One that was rejected after a part of it had filled was placed, and has ended.
  if (order.status === 'rejected' && !isPositive(order.filled)) {
    throw new ExchangeError('invalid-order', `${profile.name} rejected the order`)
  }
  // Some classes tell the price of a fill as the order's.
  const placed = known.remember(request.price === undefined ? order : { ...order, price: request.price })
  // A protection looks at the price itself once its order rests, also at one that it finds.
  if (profile.triggersEitherWay(kind) && !protects) await refusePassed(options, request, placed)
  note(placed)
  return { kind: 'placed', order: placed }
}

/**
 * What waits on the wrong side of the price is taken back.
 * @throws {ExchangeError} `would-trigger`, or `outcome-unknown` where it may still wait
 */
async function refusePassed(
  { account, questions }: VenueOrdersOptions,
  request: OrderRequest,
  placed: Order,
): Promise<void> {
  const { connection, known, profile } = account
  const { symbol, triggerPrice, clientOrderId } = request
  if (triggerPrice === undefined) return
  const last = await soonOr(
    questions.fetchTicker(symbol).then((ticker): string | undefined => ticker.last),
    () => undefined,
  )
  if (last === undefined) return
  if (waitsAbove(request) ? new Decimal(last).lt(triggerPrice) : new Decimal(last).gt(triggerPrice)) return
  try {
    await sendCancel(account, refOf(placed), requireMarket(await connection.markets(), symbol), true)
  } catch (error) {
    // It has fired meanwhile, as it should.
    if (isNotFound(error)) return
    throw new ExchangeError(
      'outcome-unknown',
      'the price has passed the trigger, and the order may wait for it to come back',
      {
        hint: '`orders` shows what the venue has',
        cause: error,
        clientOrderId,
      },
    )
  }
  known.remember({ ...placed, status: 'canceled' })
  throw new ExchangeError(
    'would-trigger',
    `the price has passed the trigger; ${profile.name} would wait for it to come back`,
  )
}

const answer = z.object({ clientOrderId: z.optional(word), symbol: z.optional(word), side: z.optional(word) })

/** Whether what an answer says of the order is what was asked for: an answer about another order says nothing of this one. */
function isAbout(
  row: unknown,
  { clientOrderId, side }: OrderRequest,
  market: VenueMarket,
  { profile }: VenueAccount,
): boolean {
  const stated = z.safeParse(answer, row).data ?? {}
  if (stated.clientOrderId !== undefined && profile.clientOrderIds.fromVenue(stated.clientOrderId) !== clientOrderId) {
    return false
  }
  return (stated.symbol ?? market.symbol) === market.symbol && (stated.side ?? side) === side
}

/** Whether it can only shrink what is held, or waits to: nothing that has to be asked first keeps it. Spot cannot be sold short. */
function endsOrProtects({ reduceOnly, side }: Pick<OrderRequest, 'reduceOnly' | 'side'>, kind: MarketKind): boolean {
  return kind === 'spot' ? side === 'sell' : reduceOnly === true
}

/** What a no of the venue may come from: a setting that is another by now. */
const OF_SETTINGS: ReadonlySet<string> = new Set(['wrong-account-mode', 'invalid-order', 'not-supported', 'permission'])

function forgetSettings(account: VenueAccount, symbol: string, error: unknown): never {
  if (error instanceof ExchangeError && OF_SETTINGS.has(error.code)) {
    account.settings.forget(symbol)
    account.positionsReadAt = undefined
  }
  throw error
}

/** Positions older than this are read again behind an order that names their margin mode. */
const POSITIONS_MS = 30_000
/** And in front of it where they are older than this. */
const OLDEST_POSITIONS_MS = 10 * 60_000

/** An exit names the mode that its position was last seen in, whenever that was. */
async function readMarginModes({ account, questions }: VenueOrdersOptions, isExit: boolean): Promise<void> {
  const { connection, positionsReadAt, now } = account
  const ageMs = positionsReadAt === undefined ? Number.POSITIVE_INFINITY : now() - positionsReadAt
  if (ageMs <= POSITIONS_MS) return
  if (isExit && positionsReadAt === undefined) await soonOr(questions.fetchPositions(), () => [])
  else if (!isExit && ageMs > OLDEST_POSITIONS_MS) await questions.fetchPositions()
  else connection.later(() => void questions.fetchPositions().catch(() => {}))
}

/** How far above the price a market buy may go that is sent as a limit order. */
const MOST_ABOVE = '1.05'

/** What only reduces opens nothing to protect: a guard may have made it that. */
function carrying({ attached, ...request }: OrderRequest): OrderRequest {
  return attached === undefined || request.reduceOnly === true ? request : { ...request, attached }
}

/** A market buy of an amount, where the venue wants money to spend: a limit order that takes what it can at once. */
async function boughtByAmount(
  request: OrderRequest,
  { market, last }: OrderContext,
  isByCost: boolean,
): Promise<OrderRequest> {
  if (!isByCost || request.type !== 'market' || request.side !== 'buy') return request
  const price = priceOnGrid(new Decimal(await last()).times(MOST_ABOVE), market.market, 'down')
  return { ...request, type: 'limit', price, timeInForce: 'ioc' }
}

/** An id that was sent before is sent again only where the venue has nothing under it. @throws {ExchangeError} `duplicate-id` */
async function refuseIfThere(account: VenueAccount, { symbol, clientOrderId, type }: OrderRequest): Promise<void> {
  const isTrigger = type !== 'market' && type !== 'limit'
  try {
    await fetchOrder(account, { symbol, clientOrderId, isTrigger })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  throw new ExchangeError('duplicate-id', 'an order with this id has arrived before')
}

function contextOf(
  { account, questions }: VenueOrdersOptions,
  market: VenueMarket,
  clientOrderId: string | undefined,
): OrderContext {
  const { client, connection, kind, profile, marginModes, settings } = account
  const { symbol } = market.market
  const marginMode = marginModes.get(symbol)
  return {
    client,
    kind,
    market,
    clientOrderId: clientOrderId === undefined ? '' : profile.clientOrderIds.toVenue(clientOrderId),
    ...defined({ marginMode }),
    last: () => settings.price(symbol, async () => (await questions.fetchTicker(symbol)).last),
    // What is asked behind an order is not in that order's record of the wire.
    setting: (name, ask) => settings.get(symbol, name, () => connection.nested(ask)),
  }
}

/** @throws {ExchangeError} for what was not changed */
async function edit(options: VenueOrdersOptions, ref: OrderRef, change: OrderChange): Promise<OrderOutcome> {
  const { account, capabilities, note } = options
  const { client, connection, kind, known, profile } = account
  if (!capabilities.editOrder) throw new ExchangeError('not-supported', `${profile.name} changes no order in place`)
  if (ref.type !== undefined) requireEdit(capabilities, ref.type, profile.name)
  const markets = await connection.ready(ref.symbol)
  const market = requireMarket(markets, ref.symbol)
  const order = await fetchOrder(account, ref)
  if (order.status !== 'open') throw notFound()
  requireEdit(capabilities, order.type, profile.name)
  requireChangeTerms(change, order, market)
  const wanted = { ...order, ...change }
  if (new Decimal(wanted.amount).lte(order.filled)) return { kind: 'placed', order: await endAt(options, order) }
  const context = contextOf(options, market, order.clientOrderId)
  // A trigger order that fired is a limit order under an id of its own.
  const own = ownIdOf(account, order.id)
  const isTrigger = order.triggerPrice !== undefined && own === undefined
  const triggers = profile.triggers(kind)
  const params = {
    ...(isTrigger && triggers !== 'with-others' ? triggers.apart : {}),
    ...(own === undefined ? profile.editParams(wanted, context) : {}),
  }
  const type = order.type === 'limit' || order.type === 'stop-limit' ? 'limit' : 'market'
  const amount = toContracts(wanted.amount, market)
  const sendEdit =
    (own === undefined ? profile.edit?.({ order: wanted, amount, change }, context) : undefined) ??
    (() => client.editOrder(own ?? order.id, market.symbol, type, order.side, amount, wanted.price, params))
  const isExit = endsOrProtects(wanted, kind)
  const { value, call } = await connection.send(sendEdit, {
    isExit,
    ...defined({ clientOrderId: order.clientOrderId }),
  })
  const reported = readOrder(value, readingOf(account, markets), order)
  if (reported === undefined) throw connection.unknown(call, order.clientOrderId)
  const remaining = Decimal.max(new Decimal(wanted.amount).minus(reported.filled), 0).toFixed()
  const changed = known.remember({ ...reported, ...change, remaining })
  note(changed)
  return { kind: 'placed', order: changed }
}

/** @throws {ExchangeError} `not-supported` */
function requireEdit(capabilities: Capabilities, type: OrderType, venue: string): void {
  if (canEdit(capabilities, type)) return
  throw new ExchangeError('not-supported', `${venue} changes no ${type} order in place`)
}

/** An amount not above what has filled ends the order. */
async function endAt(options: VenueOrdersOptions, order: Order): Promise<Order> {
  const ended = await cancel(options, refOf(order))
  return { ...ended, amount: ended.filled, remaining: '0' }
}

/**
 * A cancel waits for no question where the venue can be told which order by what is known; what had filled is asked for after it.
 * @throws {ExchangeError} `order-not-found`, `outcome-unknown`
 */
async function cancel(options: VenueOrdersOptions, ref: OrderRef): Promise<Order> {
  const { account, note } = options
  const { connection, profile, kind, known } = account
  await connection.preparedForExit()
  const market = requireMarket(await connection.markets(), ref.symbol)
  const seen = known.find(ref)
  const isNamed = (names: OrderRef) => placesOf(names, profile, kind).every((place) => canName(names, account, place))
  const before = seen ?? (isNamed(ref) ? undefined : await fetchOrder(account, ref))
  const names = before === undefined ? ref : { ...refOf(before), ...ref }
  await firstFound(placesOf(names, profile, kind), async (isTrigger) => {
    const typed = isTrigger && names.clientOrderId === undefined ? profile.typedTriggers?.(kind) : undefined
    try {
      await sendCancel(account, names, market, isTrigger)
    } catch (error) {
      if (typed === undefined || before === undefined || !isNotFound(error)) throw error
      await sendCancel(account, names, market, isTrigger, typed.cancel(before))
    }
  })
  const after = await afterCancel(account, names, before)
  const order = known.remember(after.status === 'open' ? { ...after, status: 'canceled' } : after)
  note(order)
  return order
}

/** Not where it could not be asked for afterwards either. */
function canName(ref: OrderRef, { profile, kind }: VenueAccount, isTrigger: boolean): boolean {
  if (isTrigger && profile.triggersListedOnly(kind)) return false
  return referenceOf(ref, profile, kind, isTrigger, true) !== undefined
}

/** Some venues forget an order that was canceled: then what was known of it is what there is. */
async function afterCancel(account: VenueAccount, ref: OrderRef, before: Order | undefined): Promise<Order> {
  // What waits for its trigger has filled nothing.
  if (before?.triggerPrice !== undefined && account.profile.triggersListedOnly(account.kind)) return before
  try {
    return await fetchOrder(account, ref)
  } catch (error) {
    if (before !== undefined) return before
    throw new ExchangeError('outcome-unknown', 'the order is canceled; what had filled of it is not known', {
      hint: '`orders` shows what the venue has',
      cause: error,
      ...defined({ clientOrderId: ref.clientOrderId }),
    })
  }
}

async function sendCancel(
  account: VenueAccount,
  ref: OrderRef,
  market: VenueMarket,
  isTrigger: boolean,
  more: Params = {},
): Promise<void> {
  const { client, connection, profile, kind } = account
  // A trigger order that fired rests under an id of its own.
  const own = isTrigger || ref.id === undefined ? undefined : ownIdOf(account, ref.id)
  const reference = referenceOf(own === undefined ? ref : { ...ref, id: own }, profile, kind, isTrigger, true)
  if (reference === undefined) throw notFound()
  await connection.send(() => client.cancelOrder(reference.id, market.symbol, { ...reference.params, ...more }), {
    isExit: true,
    ...defined({ clientOrderId: ref.clientOrderId }),
  })
}

/** All are tried; one that ended meanwhile is not named. @throws {ExchangeError} the first that failed otherwise */
async function cancelEach(options: VenueOrdersOptions, orders: readonly Order[]): Promise<readonly Order[]> {
  const canceled: Order[] = []
  const failures: unknown[] = []
  for (let from = 0; from < orders.length; from += CANCELS_AT_ONCE) {
    const batch = orders.slice(from, from + CANCELS_AT_ONCE)
    const results = await Promise.allSettled(batch.map((order) => cancel(options, refOf(order))))
    for (const result of results) {
      if (result.status === 'fulfilled') canceled.push(result.value)
      else if (!isNotFound(result.reason)) failures.push(result.reason)
    }
  }
  if (failures.length > 0) throw failures[0]
  return canceled
}

async function setLeverage(
  { account, capabilities }: VenueOrdersOptions,
  symbol: string,
  leverage: string,
): Promise<void> {
  if (!capabilities.setLeverage) throw new ExchangeError('not-supported', 'the venue has no leverage to set')
  const market = requireMarket(await account.connection.markets(), symbol)
  const times = requireLeverage(leverage, market)
  await account.connection.ready(symbol)
  const { client, connection, profile, marginModes } = account
  const params = await connection.nested(async () =>
    profile.leverageParams(marginModes.get(symbol), client, market, leverage),
  )
  await set(account, symbol, () => client.setLeverage(profile.leverageIsText ? leverage : times, market.symbol, params))
}

async function setMarginMode(
  { account, capabilities }: VenueOrdersOptions,
  symbol: string,
  mode: 'cross' | 'isolated',
): Promise<void> {
  if (capabilities.setMarginMode !== true)
    throw new ExchangeError('not-supported', 'the venue has no margin mode to set')
  const market = requireMarket(await account.connection.ready(symbol), symbol)
  await set(account, symbol, () => account.client.setMarginMode(mode, market.symbol))
  account.marginModes.set(symbol, mode)
}

/** That it is so already is not an error. */
async function set(
  { connection, profile, settings }: VenueAccount,
  symbol: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await connection.send(() => connection.unlessUnchanged(work, profile.unchangedCodes))
  } finally {
    settings.forget(symbol)
  }
}
