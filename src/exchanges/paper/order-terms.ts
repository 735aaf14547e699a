// Which orders the paper market takes at all: the fields each type has, the market's grid and its minimums. Orders that only
// reduce are exempt from the minimums, so that every position can be closed.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { PriceGrid, Ticker } from '../../exchange/market.ts'
import type { Order, OrderChange, OrderRequest, OrderType } from '../../exchange/order.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import { Decimal, decimal, decimalText } from './decimal.ts'
import type { PaperMarket } from './listing.ts'
import { takingPrice } from './market.ts'

/** A request's figures in canonical form. */
export interface OrderTerms extends PriceTerms {
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
export function checkTerms(request: OrderRequest, market: PaperMarket, ticker: Ticker): OrderTerms {
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
