// Fills, each counted once by its id (behaviour 38), and what they add up to for each order.

import { Decimal } from 'decimal.js'
import { BoundedMap, BoundedSet } from '../../../base/concurrency.ts'
import { symbolKey, type Trade } from '../../../exchange/order.ts'
import { nameOf, type OrderName } from './known-orders.ts'

const MAX_TRADES = 20_000
const MAX_ORDERS = 5_000
const ZERO = new Decimal(0)

export interface CountedFills {
  /** @returns false for one that was counted before */
  add(trade: Trade): boolean
  /** What of the order is counted. */
  of(order: OrderName): Decimal
  readonly size: number
}

export function createCountedFills(): CountedFills {
  const seen = new BoundedSet<string>(MAX_TRADES)
  const counted = new BoundedMap<string, Decimal>(MAX_ORDERS)

  return {
    add(trade) {
      const key = symbolKey(trade.symbol, trade.id)
      if (seen.has(key)) return false
      seen.add(key)
      const order = symbolKey(trade.symbol, trade.orderId)
      const sum = (counted.get(order) ?? ZERO).plus(trade.amount)
      counted.set(order, sum)
      return true
    },
    of: (order) => counted.get(nameOf(order)) ?? ZERO,
    get size() {
      return seen.size + counted.size
    },
  }
}
