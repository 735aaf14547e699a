// Which orders the paper market takes at all: the fields each type has, the market's grid and its minimums. Orders that only
// reduce are exempt from the minimums, so that every position can be closed.

import { defined } from '../../base/defined.ts'
import type { MarginSetting } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { PriceGrid, Ticker } from '../../exchange/market.ts'
import {
  isTriggerType,
  type Order,
  type OrderChange,
  type OrderRef,
  type OrderRequest,
  type OrderType,
  type TimeInForce,
} from '../../exchange/order.ts'
import { groupThousands, stepAt } from '../../exchange/price-grid.ts'
import { equityOf, lockedMargin, missingFunds, reducibleAmount } from './account.ts'
import { Decimal, decimal, decimalText } from './decimal.ts'
import { totalOf } from './depth.ts'
import { stalePrices } from './market-source.ts'
import type { Listing, PaperMarket } from './markets.ts'
import {
  BOOK_EXHAUSTED,
  cutToPosition,
  execute,
  fillsNow,
  type Moment,
  type Outcome,
  type Rest,
  type Working,
} from './matching.ts'
import { crosses, type Pricing, takingPrice } from './quotes.ts'
import { endOrder, isKnownId, keepOpen, leverageOf, numberOrder, type PaperState, requireOpen } from './state.ts'

/** A request's figures in canonical form. */
interface OrderTerms extends PriceTerms {
  readonly amount: Decimal
}

interface PriceTerms {
  /** Present exactly for limit orders and those that become one. */
  readonly price?: Decimal
  /** Present exactly for orders that wait for it. */
  readonly triggerPrice?: Decimal
  /** Of a stop with two triggers. */
  readonly takeProfitPrice?: Decimal
}

const CLIENT_ORDER_ID = /^[0-9a-f]{32}$/

/** More digits than any market has; keeps arithmetic exact. */
const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,15})?$/

/** What each type has, and what is said where it lacks it. */
const FIELDS: Readonly<Record<OrderType, { readonly price?: string; readonly trigger?: string }>> = {
  market: {},
  limit: { price: 'limit orders name one' },
  stop: { trigger: 'stop orders name the last price at which they become market orders' },
  'stop-limit': {
    price: 'stop-limit orders name the price of the limit order that they become',
    trigger: 'stop-limit orders name the last price at which they become limit orders',
  },
  'take-profit': { trigger: 'take-profit orders name the last price at which they become market orders' },
}

/** @throws {ExchangeError} `invalid-order` */
function checkTerms(request: OrderRequest, market: PaperMarket, ticker: Ticker): OrderTerms {
  checkFields(request)
  const terms: OrderTerms = {
    amount: onGrid(request.amount, 'amount', market.lotSize),
    ...pricesOnGrid(request, market),
  }
  const price = terms.price ?? terms.triggerPrice ?? takingPrice(request.side, ticker)
  if (request.reduceOnly !== true) checkMinimums(terms.amount, price, market)
  return terms
}

function checkFields(request: OrderRequest): void {
  const { type, price, triggerPrice } = request
  if (!CLIENT_ORDER_ID.test(request.clientOrderId)) {
    throw refuse('the clientOrderId is not 32 hexadecimal characters', 'make a new one for each order')
  }
  const needs = FIELDS[type]
  if ((needs.price !== undefined) !== (price !== undefined)) {
    throw needs.price === undefined
      ? refuse(`a ${type} order has no price`, 'leave it out, or name the type of order that has one')
      : refuse(`a ${type} order needs a price`, needs.price)
  }
  if ((needs.trigger !== undefined) !== (triggerPrice !== undefined)) {
    throw needs.trigger === undefined
      ? refuse(`a ${type} order has no trigger price`, 'only stops and take-profits wait for one')
      : refuse(`a ${type} order needs a trigger price`, needs.trigger)
  }
  if (request.takeProfitPrice !== undefined && type !== 'stop') {
    throw refuse(`a ${type} order has no take-profit price`, 'only a stop may have one')
  }
  if (request.attached !== undefined) {
    throw new ExchangeError('not-supported', 'paper has no orders that carry a stop')
  }
  checkFlags(request)
}

function checkFlags({ type, postOnly, timeInForce }: OrderRequest): void {
  if (postOnly === true && type !== 'limit') {
    throw refuse(`a ${type} order cannot be post-only`, 'use a limit order, or leave post-only out')
  }
  if (timeInForce === undefined || timeInForce === 'gtc') return
  if (type !== 'limit') {
    throw refuse(`a ${type} order cannot be ${timeInForce}`, 'use a limit order, or leave the time in force out')
  }
  if (postOnly === true) {
    throw refuse(`a post-only order cannot be ${timeInForce}`, 'leave one of the two out')
  }
}

const PRICE_NAMES = { price: 'price', triggerPrice: 'trigger price', takeProfitPrice: 'take-profit price' } as const

function pricesOnGrid(prices: OrderChange, { priceGrid }: PaperMarket): PriceTerms {
  const given = (Object.keys(PRICE_NAMES) as (keyof typeof PRICE_NAMES)[]).flatMap((name) => {
    const text = prices[name]
    return text === undefined ? [] : [[name, onGrid(text, PRICE_NAMES[name], priceStep(text, priceGrid))]]
  })
  return Object.fromEntries(given)
}

/** The distance between prices there. Anything but a number is refused after it. */
function priceStep(text: string, grid: PriceGrid): string {
  if (grid.kind === 'tick') return grid.tick
  return PLAIN_DECIMAL.test(text) ? stepAt(text, grid).toFixed() : '1'
}

function onGrid(text: string, what: string, step: string): Decimal {
  const value = PLAIN_DECIMAL.test(text) ? decimal(text) : undefined
  if (value === undefined || value.isZero()) {
    throw refuse(`the ${what} must be a number above zero`, `write it plainly, in steps of ${step}`)
  }
  if (!value.mod(decimal(step)).isZero()) {
    const nearest = Decimal.max(value.div(step).floor().times(step), step)
    throw refuse(
      `the ${what} ${decimalText(value)} is not a multiple of ${step}`,
      `choose a multiple, as ${decimalText(nearest)}`,
    )
  }
  return value
}

function checkMinimums(amount: Decimal, price: Decimal, market: PaperMarket): void {
  if (amount.lt(decimal(market.minAmount))) {
    throw refuse(
      `the amount ${decimalText(amount)} is below the minimum of ${market.symbol}`,
      `order at least ${market.minAmount} ${market.base}`,
    )
  }
  const notional = amount.times(price)
  if (notional.lt(decimal(market.minNotional))) {
    throw refuse(
      `the order is worth ${groupThousands(notional.toFixed(2))} ${market.quote}, below the minimum of ${market.symbol}`,
      `order for at least ${market.minNotional} ${market.quote}`,
    )
  }
}

/**
 * The order with the change made, as it would rest.
 * @throws {ExchangeError} `invalid-order`
 */
function changeTerms(order: Order, change: OrderChange, market: PaperMarket): Order {
  for (const name of Object.keys(PRICE_NAMES) as (keyof typeof PRICE_NAMES)[]) {
    if (change[name] === undefined || order[name] !== undefined) continue
    throw refuse(`a ${order.type} order has no ${PRICE_NAMES[name]} to change`, `leave the ${PRICE_NAMES[name]} out`)
  }
  const amount = change.amount === undefined ? decimal(order.amount) : onGrid(change.amount, 'amount', market.lotSize)
  const prices = Object.entries(pricesOnGrid(change, market)).map(([name, price]) => [name, decimalText(price)])
  const changed: Order = {
    ...order,
    amount: decimalText(amount),
    remaining: decimalText(Decimal.max(amount.minus(order.filled), 0)),
    ...Object.fromEntries(prices),
  }
  const price = new Decimal(changed.price ?? changed.triggerPrice ?? 0)
  if (!order.reduceOnly) checkMinimums(amount, price, market)
  return changed
}

function refuse(message: string, hint: string): ExchangeError {
  return new ExchangeError('invalid-order', message, { hint })
}

// Placing, changing and canceling orders on a paper account. Pure: every refusal is thrown before anything has changed, and the state given
// is never touched.

/** What one account may have open, as at the large venues. */
const MAX_OPEN_ORDERS = 500

/**
 * Takes from the book or rests in it. `state` is up to date with `moment` (see `advance`).
 * @throws {ExchangeError} `bad-symbol`, `invalid-order`, `not-supported`, `duplicate-id`, `reduce-only-rejected`,
 *   `order-immediately-fillable`, `insufficient-funds`
 */
export function placeOrder(state: PaperState, request: OrderRequest, moment: Moment): Outcome {
  const { symbol, side } = request
  const market = moment.listing.find(symbol)
  if (!moment.isCurrent(symbol)) throw stalePrices(symbol)
  const ticker = moment.quotes(symbol)
  const terms = checkTerms(request, market, ticker)
  const { clientOrderId } = request
  if (isKnownId(state, clientOrderId) || moment.archive.find(clientOrderId)) throw duplicate(clientOrderId)
  if (request.reduceOnly === true && reducibleAmount(state, symbol, side).isZero()) {
    throw new ExchangeError('reduce-only-rejected', `no ${symbol} position that a ${side} can reduce`, {
      hint: 'leave `reduce` out to open a position',
    })
  }
  const { state: numbered, order } = numberOrder(state, describe(request, terms, moment.now))
  const outcome = meet(numbered, { order }, { timeInForce: request.timeInForce ?? 'gtc', ticker, moment })
  const { status, remaining } = outcome.result
  const isCut = status !== 'open' && !decimal(remaining).isZero() && !order.reduceOnly
  for (const after of isCut ? [unfilled(numbered, order, ticker), outcome.state] : [outcome.state]) {
    const missing = missingFunds(state, after, symbol, moment)
    if (missing !== undefined) throw missing
  }
  return outcome
}

/**
 * With all of it still to fill: a venue asks for the margin of the whole order, whatever the book holds of it, and also at the market
 * (binance.com/en/support/faq/87fa7ee33b574f7084d42bd2ce2e463b: price times the quantity of the order, by its leverage).
 */
function unfilled(state: PaperState, order: Order, { ask, bid }: Ticker): PaperState {
  return keepOpen(state, { order: { ...order, price: order.price ?? (order.side === 'buy' ? ask : bid) } })
}

/** A new order, or one with a new price, at the market: it takes, rests, or both. */
function meet(
  state: PaperState,
  working: Working,
  { timeInForce, ticker, moment }: { timeInForce: TimeInForce; ticker: Ticker; moment: Moment },
): Outcome {
  const { order } = working
  if (isTriggerType(order.type) && working.hasFired !== true) {
    return rest(state, { ...working, firesWhenLast: firingSide(order, ticker.last) })
  }
  const takes = order.price === undefined || crosses(order.side, order.price, ticker)
  if (!takes && timeInForce === 'gtc') return rest(state, working)
  if (takes && order.postOnly) throw immediatelyFillable(order, ticker)
  const cut = takes ? cutToPosition(state, working) : working
  const offered = takes ? fillsNow(state, cut, moment) : []
  const isWhole = totalOf(offered).eq(cut.order.remaining)
  const taken = timeInForce === 'fok' && !isWhole ? [] : offered
  const leaves = restOf(order, timeInForce)
  if (!isWhole && leaves === 'rests') refuseTooMany(state, order)
  return execute(state, cut, { taken, takerOrMaker: 'taker', rest: leaves }, moment)
}

function restOf(order: Order, timeInForce: TimeInForce): Rest {
  if (order.type === 'market') return BOOK_EXHAUSTED
  if (timeInForce === 'ioc') return { status: 'expired', reason: 'ioc: the rest could not trade at once' }
  if (timeInForce === 'fok') return { status: 'expired', reason: 'fok: it could not trade whole at once' }
  return 'rests'
}

/**
 * Changes a resting order in its place; one whose price now crosses takes from the book.
 * @throws {ExchangeError} `order-not-found`, `invalid-order`, `order-immediately-fillable`, `insufficient-funds`, `bad-symbol`
 */
export function editOrder(state: PaperState, ref: OrderRef, change: OrderChange, moment: Moment): Outcome {
  const resting = requireOpen(state, ref, moment.listing)
  const { seq: _, ...working } = resting
  if (working.hasFired === true && change.triggerPrice !== undefined) throw hasFired(resting.order)
  const order = changeTerms(resting.order, change, moment.listing.find(ref.symbol))
  if (new Decimal(order.amount).lte(order.filled)) {
    const ended: Order = { ...order, amount: order.filled, remaining: '0' }
    const reason = 'its new amount had filled already'
    return { state: endOrder(state, ended, 'canceled', reason), result: { ...ended, status: 'canceled' } }
  }
  if (!moment.isCurrent(ref.symbol)) throw stalePrices(ref.symbol)
  const ticker = moment.quotes(ref.symbol)
  const outcome = meet(state, { ...working, order }, { timeInForce: 'gtc', ticker, moment })
  const missing = missingFunds(state, outcome.state, ref.symbol, moment)
  if (missing !== undefined) throw missing
  return outcome
}

/** @throws {ExchangeError} `order-not-found`, `bad-symbol` */
export function cancelOrder(state: PaperState, ref: OrderRef, { listing }: Pick<Moment, 'listing'>): Outcome {
  const { order } = requireOpen(state, ref, listing)
  return { state: endOrder(state, order, 'canceled'), result: { ...order, status: 'canceled' } }
}

/** Cancels all open orders, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function cancelOrders(
  state: PaperState,
  symbol: string | undefined,
  { listing }: Pick<Moment, 'listing'>,
): Outcome<readonly Order[]> {
  const orders = openOrdersOf(state, symbol, listing)
  return {
    state: orders.reduce((current, order) => endOrder(current, order, 'canceled'), state),
    result: orders.map((order): Order => ({ ...order, status: 'canceled' })),
  }
}

/** Oldest first, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function openOrdersOf(state: PaperState, symbol: string | undefined, listing: Listing): readonly Order[] {
  if (symbol !== undefined && state.openOrders.every(({ order }) => order.symbol !== symbol)) listing.find(symbol)
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => symbol === undefined || order.symbol === symbol)
}

/** @throws {ExchangeError} `bad-symbol` */
export function marginOf(state: PaperState, symbol: string, listing: Listing): MarginSetting {
  return { leverage: leverageOf(state, listing.find(symbol)), marginMode: 'cross' }
}

/**
 * From now on margin of the symbol is its notional divided by this.
 * @throws {ExchangeError} `bad-symbol`, `invalid-order`, `insufficient-funds` when what is held and ordered could not be carried
 */
export function setLeverage(state: PaperState, symbol: string, leverage: string, pricing: Pricing): Outcome<void> {
  const { maxLeverage } = pricing.listing.find(symbol)
  if (!/^[1-9]\d{0,2}$/.test(leverage) || Number(leverage) > Number(maxLeverage)) {
    throw new ExchangeError('invalid-order', `${symbol} has no leverage of ${leverage.slice(0, 20)}`, {
      hint: `use a whole number from 1 to ${maxLeverage}`,
    })
  }
  const after = {
    ...state,
    leverage: { ...state.leverage, [symbol]: leverage },
    nextChangeSeq: state.nextChangeSeq + 1,
  }
  const locked = lockedMargin(after, pricing)
  if (locked.gt(lockedMargin(state, pricing)) && locked.gt(equityOf(state, pricing))) {
    throw new ExchangeError(
      'insufficient-funds',
      `at ${leverage}x the margin would be ${groupThousands(locked.toFixed(2))} ${pricing.listing.currency}`,
      {
        hint: 'close a part of the position first',
      },
    )
  }
  return { state: after, result: undefined }
}

function describe(request: OrderRequest, terms: OrderTerms, now: number): Omit<Order, 'id'> {
  const { price, triggerPrice, takeProfitPrice } = terms
  const amount = decimalText(terms.amount)
  return {
    clientOrderId: request.clientOrderId,
    symbol: request.symbol,
    side: request.side,
    type: request.type,
    amount,
    filled: '0',
    remaining: amount,
    ...defined({
      price: price && decimalText(price),
      triggerPrice: triggerPrice && decimalText(triggerPrice),
      takeProfitPrice: takeProfitPrice && decimalText(takeProfitPrice),
    }),
    reduceOnly: request.reduceOnly ?? false,
    postOnly: request.postOnly ?? false,
    status: 'open',
    timestamp: now,
  }
}

function rest(state: PaperState, working: Working): Outcome {
  refuseTooMany(state, working.order)
  return { state: keepOpen(state, working), result: working.order }
}

function refuseTooMany(state: PaperState, order: Order): void {
  if (state.openOrders.length < MAX_OPEN_ORDERS || state.openOrders.some((open) => open.order.id === order.id)) return
  throw new ExchangeError('invalid-order', `${MAX_OPEN_ORDERS} orders are open, no more are taken`, {
    hint: 'cancel some first',
  })
}

/** A stop remembers from which side of its trigger price it was placed; a take-profit waits on the winning side, and so does that of a stop. */
function firingSide(order: Order, last: string): 'at-or-above' | 'at-or-below' {
  const { type, side, triggerPrice = last, takeProfitPrice } = order
  const above = side === 'sell'
  if (type === 'take-profit') return waitsBeyond('take-profit', above, triggerPrice, last)
  const distance = new Decimal(triggerPrice).comparedTo(last)
  if (distance === 0) {
    throw new ExchangeError('invalid-order', `the trigger price ${groupThousands(triggerPrice)} is the last price`, {
      hint: 'choose a price above or below it, or trade at once with a market order',
    })
  }
  if (takeProfitPrice === undefined) return distance > 0 ? 'at-or-above' : 'at-or-below'
  waitsBeyond('take-profit', above, takeProfitPrice, last)
  return waitsBeyond('stop', !above, triggerPrice, last)
}

function waitsBeyond(what: string, above: boolean, price: string, last: string): 'at-or-above' | 'at-or-below' {
  const isBeyond = above ? new Decimal(price).gt(last) : new Decimal(price).lt(last)
  if (isBeyond) return above ? 'at-or-above' : 'at-or-below'
  throw new ExchangeError(
    'invalid-order',
    `a ${what} at ${groupThousands(price)} would be executed at once: last is ${groupThousands(last)}`,
    {
      hint: `choose a price ${above ? 'above' : 'below'} it, or trade at once with a market order`,
    },
  )
}

function hasFired({ id, triggerPrice = '' }: Order): ExchangeError {
  return new ExchangeError(
    'invalid-order',
    `order ${id} has already reached its trigger price, ${groupThousands(triggerPrice)}`,
    {
      hint: 'change its price, which it has as a limit order now',
    },
  )
}

function immediatelyFillable({ side, price = '' }: Order, { bid, ask }: Ticker): ExchangeError {
  const rests = side === 'buy' ? `below the ask, ${groupThousands(ask)}` : `above the bid, ${groupThousands(bid)}`
  return new ExchangeError(
    'order-immediately-fillable',
    `a post-only ${side} at ${groupThousands(price)} would trade at once`,
    { hint: `choose a price ${rests}` },
  )
}

function duplicate(clientOrderId: string): ExchangeError {
  return new ExchangeError('duplicate-id', 'an order with this clientOrderId has arrived before', {
    hint: 'ask for the order instead of sending it again',
    clientOrderId,
  })
}
