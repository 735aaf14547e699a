// What is known of an account's orders, from what told it first: the answer to the request, the stream, or a question. What comes late never takes
// anything back.

import { Decimal } from 'decimal.js'
import { BoundedMap } from '../../../base/concurrency.ts'
import { defined } from '../../../base/defined.ts'
import { type Order, symbolKey } from '../../../exchange/order.ts'

/** Ended orders are remembered, so that what comes late does not open them again. */
const MAX_ENDED = 2_000

/** Venues number orders within a symbol. */
export type OrderName = Pick<Order, 'symbol' | 'id'>

export const nameOf = ({ symbol, id }: OrderName): string => symbolKey(symbol, id)

export interface KnownOrders {
  /** What is new about the order, all that is known included; undefined where nothing is. */
  take(order: Order): Order | undefined
  /** The venue's own answer, where it says less than a stream did. */
  correct(order: Order): void
  get(order: OrderName): Order | undefined
  open(): readonly Order[]
  forget(order: OrderName): void
  readonly size: number
}

export function createKnownOrders(): KnownOrders {
  const open = new Map<string, Order>()
  const ended = new BoundedMap<string, Order>(MAX_ENDED)

  function keep(order: Order): void {
    const name = nameOf(order)
    if (order.status === 'open') {
      open.set(name, order)
      return
    }
    open.delete(name)
    ended.set(name, order)
  }

  const get = (order: OrderName): Order | undefined => open.get(nameOf(order)) ?? ended.get(nameOf(order))

  return {
    take(order) {
      const known = get(order)
      const now = known === undefined ? order : laterOf(known, order)
      if (known !== undefined && isSame(known, now)) return undefined
      keep(now)
      return now
    },
    correct(order) {
      ended.delete(nameOf(order))
      keep(order)
    },
    get,
    open: () => [...open.values()],
    forget: (order) => void open.delete(nameOf(order)),
    get size() {
      return open.size + ended.size
    },
  }
}

/** An order that ended stays ended, and what has filled stays filled. */
function laterOf(known: Order, told: Order): Order {
  const isLate = new Decimal(told.filled).lt(known.filled)
  if (known.status !== 'open' && (told.status === 'open' || isLate)) return known
  if (isLate && told.status === 'open') return known
  if (known.status === 'closed' && told.status !== 'closed') return known
  const order = {
    ...known,
    ...definedOf(told),
    // What an order is does not change; a stream often leaves it out.
    type: known.type,
    timestamp: known.timestamp,
    reduceOnly: known.reduceOnly || told.reduceOnly,
    postOnly: known.postOnly || told.postOnly,
  }
  if (!isLate) return order
  const { filled, remaining } = known
  return { ...order, filled, remaining, ...defined({ average: known.average }) }
}

function definedOf(order: Order): Order {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined)) as unknown as Order
}

/** Whether people and tasks would do the same with both. An average that venues round differently here and there is no news. */
function isSame(known: Order, now: Order): boolean {
  if (known === now) return true
  const isPriced = known.average !== undefined || now.average === undefined
  return isPriced && known.status === now.status && FIGURES.every((name) => isEqual(known[name], now[name]))
}

const FIGURES = ['filled', 'amount', 'price', 'triggerPrice', 'takeProfitPrice'] as const

function isEqual(left: string | undefined, right: string | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && new Decimal(left).eq(right))
}
