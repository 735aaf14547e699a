// What would have been sent, in one line (behaviour 40). It never reads like something that happened.
import type { OrderChange, OrderRef, OrderRequest } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showPrice } from '../../trading/figures.ts'
import type { WouldData } from './guard-data.ts'

export function sayWould(would: Would, info: (text: string, data: WouldData) => void): void {
  info(`simulated: ${describeWould(would)}`, { type: 'would', ...would })
}

/** `would place buy 0.003 BTCUSDT at 64,000, post-only`. */
export function describeWould(would: Would): string {
  switch (would.kind) {
    case 'place':
      return `would place ${describeRequest(would.order)}`
    case 'change':
      return `would change order ${nameOf(would.ref)} to ${describeChange(would.change)}`
    case 'cancel':
      return `would cancel order ${nameOf(would.ref)} on ${printable(would.ref.symbol, 40)}`
    case 'cancel-all':
      return `would cancel every order${would.symbol === undefined ? '' : ` on ${printable(would.symbol, 40)}`}`
    case 'set':
      return `would set the ${would.what} of ${printable(would.symbol, 40)} to ${printable(would.value, 20)}`
  }
}

function describeRequest(order: Omit<OrderRequest, 'clientOrderId'>): string {
  const {
    type,
    side,
    amount,
    symbol,
    price,
    triggerPrice,
    takeProfitPrice,
    postOnly,
    reduceOnly,
    timeInForce,
    attached = [],
  } = order
  const kind = type === 'market' || type === 'limit' ? '' : `${type} `
  const at = triggerPrice ?? price
  const limit = triggerPrice !== undefined && price !== undefined ? `, limit ${showPrice(price)}` : ''
  const where = at === undefined ? ' at the market' : ` at ${showPrice(at)}${limit}`
  const flags = [
    ...(takeProfitPrice === undefined ? [] : [`take-profit at ${showPrice(takeProfitPrice)}`]),
    ...(postOnly === true ? ['post-only'] : []),
    ...(reduceOnly === true ? ['reduce-only'] : []),
    ...(timeInForce === undefined || timeInForce === 'gtc' ? [] : [timeInForce]),
    ...attached.flatMap((each) => [
      `with its ${each.type} at ${showPrice(each.triggerPrice)}`,
      ...(each.takeProfitPrice === undefined ? [] : [`with its take-profit at ${showPrice(each.takeProfitPrice)}`]),
    ]),
  ]
  return [`${kind}${side} ${showAmount(amount)} ${symbol}${where}`, ...flags].join(', ')
}

function describeChange({ amount, price, triggerPrice, takeProfitPrice }: OrderChange): string {
  const parts = [
    ...(amount === undefined ? [] : [showAmount(amount)]),
    ...(price === undefined ? [] : [`at ${showPrice(price)}`]),
    ...(triggerPrice === undefined ? [] : [`trigger ${showPrice(triggerPrice)}`]),
    ...(takeProfitPrice === undefined ? [] : [`take-profit ${showPrice(takeProfitPrice)}`]),
  ]
  return parts.join(', ')
}

function nameOf({ id, clientOrderId = '' }: OrderRef): string {
  return printable(id ?? clientOrderId, 40)
}
