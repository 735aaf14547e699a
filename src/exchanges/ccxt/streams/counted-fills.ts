// Fills, each counted once by its id (behaviour 38), and what they add up to for each order.
import { Decimal } from 'decimal.js'
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
  const seen = new Set<string>()
  const counted = new Map<string, Decimal>()

  return {
    add(trade) {
      const key = symbolKey(trade.symbol, trade.id)
      if (seen.has(key)) return false
      seen.add(key)
      forgetOldest(seen, MAX_TRADES)
      const order = symbolKey(trade.symbol, trade.orderId)
      const sum = (counted.get(order) ?? ZERO).plus(trade.amount)
      counted.delete(order)
      counted.set(order, sum)
      forgetOldest(counted, MAX_ORDERS)
      return true
    },
    of: (order) => counted.get(nameOf(order)) ?? ZERO,
    get size() {
      return seen.size + counted.size
    },
  }
}

function forgetOldest(kept: Set<string> | Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys()
  if (kept.size > most && oldest !== undefined) kept.delete(oldest)
}
