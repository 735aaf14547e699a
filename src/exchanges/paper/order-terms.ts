// Which orders the paper market takes at all: the fields each type has, the market's grid and its minimums. Orders that only
// reduce are exempt from the minimums, so that every position can be closed.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Ticker } from '../../exchange/market.ts'
import type { Order, OrderChange, OrderRequest } from '../../exchange/order.ts'
import { Decimal, decimal, decimalText } from './decimal.ts'
import { takingPrice } from './market.ts'
import type { PaperMarket } from './markets.ts'

/** A request's figures in canonical form. */
export interface OrderTerms {
  readonly amount: Decimal
  /** Present exactly for `limit`. */
  readonly price?: Decimal
  /** Present exactly for `stop`. */
  readonly triggerPrice?: Decimal
}

const CLIENT_ORDER_ID = /^[0-9a-f]{32}$/

/** More digits than any market has; keeps arithmetic exact. */
const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,15})?$/

/** @throws {ExchangeError} `invalid-order`, `not-supported` */
export function checkTerms(request: OrderRequest, market: PaperMarket, ticker: Ticker): OrderTerms {
  checkFields(request)
  const terms: OrderTerms = {
    amount: onGrid(request.amount, 'amount', market.lotSize),
    ...(request.price === undefined ? {} : { price: onGrid(request.price, 'price', market.priceGrid.tick) }),
    ...(request.triggerPrice === undefined
      ? {}
      : { triggerPrice: onGrid(request.triggerPrice, 'trigger price', market.priceGrid.tick) }),
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
  if (type === 'stop-limit' || type === 'take-profit' || (type === 'stop' && price !== undefined)) {
    throw new ExchangeError(
      'not-supported',
      `the paper market has no ${type === 'stop' ? 'stop-limit' : type} orders`,
      {
        hint: 'leave the price out: the stop becomes a market order',
      },
    )
  }
  if ((type === 'limit') !== (price !== undefined)) {
    throw refuse(
      type === 'limit' ? 'a limit order needs a price' : 'a market order has no price',
      'limit orders name one',
    )
  }
  if ((type === 'stop') !== (triggerPrice !== undefined)) {
    throw refuse(
      type === 'stop' ? 'a stop order needs a trigger price' : `a ${type} order has no trigger price`,
      'stop orders name the last price at which they become market orders',
    )
  }
  if (request.takeProfitPrice !== undefined) {
    throw new ExchangeError('not-supported', 'the paper market has no orders with two triggers', {
      hint: 'place two orders',
    })
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
      `the order is worth ${notional.toFixed(2)} ${market.quote}, below the minimum of ${market.symbol}`,
      `order for at least ${market.minNotional} ${market.quote}`,
    )
  }
}

/**
 * The order with the change made, as it would rest.
 * @throws {ExchangeError} `invalid-order`
 */
export function changeTerms(order: Order, change: OrderChange, market: PaperMarket): Order {
  if (change.price !== undefined && order.type !== 'limit') {
    throw refuse(`a ${order.type} order has no price to change`, 'leave the price out')
  }
  if (change.triggerPrice !== undefined && order.type !== 'stop') {
    throw refuse(`a ${order.type} order has no trigger price to change`, 'leave the trigger price out')
  }
  const { tick } = market.priceGrid
  const amount = change.amount === undefined ? decimal(order.amount) : onGrid(change.amount, 'amount', market.lotSize)
  const changed: Order = {
    ...order,
    amount: decimalText(amount),
    remaining: decimalText(Decimal.max(amount.minus(order.filled), 0)),
    ...(change.price === undefined ? {} : { price: decimalText(onGrid(change.price, 'price', tick)) }),
    ...(change.triggerPrice === undefined
      ? {}
      : { triggerPrice: decimalText(onGrid(change.triggerPrice, 'trigger price', tick)) }),
  }
  const price = new Decimal(changed.price ?? changed.triggerPrice ?? 0)
  if (!order.reduceOnly) checkMinimums(amount, price, market)
  return changed
}

function refuse(message: string, hint: string): ExchangeError {
  return new ExchangeError('invalid-order', message, { hint })
}
