// What an order must be before anything is sent. A library that rounds would place another order than was asked for (behaviour 39): what is off
// the grid is refused here.
import type { Capabilities } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderChange, type OrderRequest } from '../../exchange/order.ts'
import { isOnGrid } from '../../exchange/price-grid.ts'
import { Decimal } from './decimals.ts'
import type { VenueMarket } from './markets.ts'

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
export function requireChangeTerms(change: OrderChange, order: Order, venueMarket: VenueMarket): void {
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
export function requireLeverage(leverage: string, { market }: VenueMarket): number {
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
