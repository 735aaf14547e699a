// What is known of an account's orders, from what told it first: the answer to the request, the stream, or a question. What comes late never takes
// anything back.
import { Decimal } from 'decimal.js'
import { BoundedMap, BoundedSet } from '../../../base/concurrency.ts'
import { defined } from '../../../base/defined.ts'
import type { ExchangeEvent } from '../../../exchange/exchange.ts'
import { describeCause, type Order, orderKey, type Trade } from '../../../exchange/order.ts'

/** Ended orders are remembered, so that what comes late does not open them again. */
const MAX_ENDED = 2_000

/** Venues number orders within a symbol. */
type OrderName = Pick<Order, 'symbol' | 'id'>

export const nameOf = ({ symbol, id }: OrderName): string => orderKey(symbol, id)

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
function laterOf(known: Order, reported: Order): Order {
  const isLate = new Decimal(reported.filled).lt(known.filled)
  if (known.status !== 'open' && (reported.status === 'open' || isLate)) return known
  if (isLate && reported.status === 'open') return known
  if (known.status === 'closed' && reported.status !== 'closed') return known
  const order = {
    ...known,
    ...definedOf(reported),
    // What an order is does not change; a stream often leaves it out.
    type: known.type,
    timestamp: known.timestamp,
    reduceOnly: known.reduceOnly || reported.reduceOnly,
    postOnly: known.postOnly || reported.postOnly,
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

// Fills, each counted once by its id (behaviour 38), and what they add up to for each order.

const MAX_TRADES = 20_000
const MAX_ORDERS = 5_000
const ZERO = new Decimal(0)

interface CountedFills {
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
      const key = orderKey(trade.symbol, trade.id)
      if (seen.has(key)) return false
      seen.add(key)
      const order = orderKey(trade.symbol, trade.orderId)
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

// From rows to events: fills before the order that they changed, each once, in order. An order that says more has filled than was told waits
// for its fills: they come by their own stream a moment later, or are asked for.

interface OrderNewsOptions {
  readonly known: KnownOrders
  readonly fills: CountedFills
  readonly notify: (event: ExchangeEvent) => void
  /** There is something unsettled. */
  readonly onUnsettled: () => void
  /** Fills from before this are history, unless they are of an order that is known. ms since the epoch. */
  readonly startedAt: () => number
}

const MAX_ORPHANS = 200
const MAX_REPORTED = 5_000

export class OrderNews {
  readonly #options: OrderNewsOptions
  /** By symbol and id: news that waits for fills. */
  readonly #waiting = new Map<string, Order>()
  /** By symbol and order id: a fill whose order has not said so yet. */
  readonly #orphans = new BoundedMap<string, Trade>(MAX_ORPHANS)
  /** By symbol and order id: what had filled before we listened. */
  readonly #before = new Map<string, string>()
  /** By symbol and order id: what rests, as it was told last. */
  readonly #reported = new BoundedMap<string, Order>(MAX_REPORTED)

  constructor(options: OrderNewsOptions) {
    this.#options = options
  }

  /** An order as the venue reports it, by whatever way. */
  order(order: Order): void {
    const { known, onUnsettled } = this.#options
    const news = known.take(order)
    if (this.isCounted(known.get(order) ?? order)) this.#orphans.delete(nameOf(order))
    if (news === undefined) return
    if (this.isCounted(news)) return this.#notifyOrder(news)
    this.#waiting.set(nameOf(news), news)
    onUnsettled()
  }

  /** Fills, in any order. `isHistory`: they were asked for, and of what was before we listened nothing is told. */
  trades(trades: readonly Trade[], isHistory: boolean): void {
    const { known, fills, startedAt } = this.#options
    for (const trade of [...trades].sort(byTime)) {
      const isOld = isHistory && trade.timestamp < startedAt() && known.get(orderOf(trade)) === undefined
      if (fills.add(trade) && !isOld) this.#takeTrade(trade)
    }
  }

  /** What is there before the first event: known, and not told. */
  adopt(orders: readonly Order[], trades: readonly Trade[]): void {
    const { known, fills } = this.#options
    for (const order of orders) {
      if (known.get(order) !== undefined) continue
      known.take(order)
      this.#noteReported(order)
      this.#before.set(nameOf(order), order.filled)
    }
    // Counted once as what had filled before, and not again as fills.
    for (const trade of trades) {
      const name = nameOf(orderOf(trade))
      const filled = this.#before.get(name)
      if (filled !== undefined && fills.add(trade)) this.#before.set(name, minus(filled, trade.amount))
    }
  }

  /** Orders that wait for fills, and fills whose order has not said so. */
  unsettled(): { readonly orders: readonly Order[]; readonly orphans: readonly Trade[] } {
    return { orders: [...this.#waiting.values()], orphans: [...this.#orphans.values()] }
  }

  /** Tells those of the orders that still wait as they did: their fills could not be had. @returns them */
  release(orders: readonly Order[]): readonly Order[] {
    const reported = orders.filter((order) => this.#waiting.get(nameOf(order)) === order)
    for (const order of reported) this.#notifyOrder(order)
    return reported
  }

  /** The order as the venue has answered: what a stream said to have filled has not. */
  correct(order: Order): void {
    this.#options.known.correct(order)
    this.#notifyOrder(order)
  }

  /** Fills whose orders were asked for. */
  dropOrphans(orphans: readonly Trade[]): void {
    for (const trade of orphans) {
      const name = nameOf(orderOf(trade))
      if (this.#orphans.get(name) === trade) this.#orphans.delete(name)
    }
  }

  /** Whether all that the order says has filled was reported as fills, or had filled before. */
  isCounted(order: OrderName & Pick<Order, 'filled'>): boolean {
    return this.#counted(order).gte(order.filled)
  }

  get size(): number {
    return this.#waiting.size + this.#orphans.size + this.#before.size + this.#reported.size
  }

  #counted(order: OrderName): Decimal {
    return this.#options.fills.of(order).plus(this.#before.get(nameOf(order)) ?? 0)
  }

  #notifyOrder(order: Order): void {
    this.#waiting.delete(nameOf(order))
    const { cause } = order
    const before = this.#reported.get(nameOf(order))
    this.#noteReported(order)
    this.#options.notify({
      type: 'order',
      order,
      ...defined({ reason: cause && describeCause(cause), before }),
    })
  }

  #noteReported(order: Order): void {
    this.#reported.delete(nameOf(order))
    if (order.status === 'open') this.#reported.set(nameOf(order), order)
  }

  #takeTrade(trade: Trade): void {
    const { known, notify, onUnsettled } = this.#options
    const name = orderOf(trade)
    notify({ type: 'trade', trade })
    const held = this.#waiting.get(nameOf(name))
    if (held !== undefined) {
      if (this.isCounted(held)) this.#notifyOrder(held)
      return
    }
    // Of no order: there is none to be asked for.
    if (trade.orderId === trade.id) return
    const order = known.get(name)
    if (order !== undefined && this.#counted(name).lte(order.filled)) return
    this.#orphans.set(nameOf(name), trade)
    onUnsettled()
  }
}

function orderOf({ symbol, orderId }: Trade): OrderName {
  return { symbol, id: orderId }
}

function minus(left: string, right: string): string {
  return Decimal.max(new Decimal(left).minus(right), 0).toFixed()
}

function byTime(left: Trade, right: Trade): number {
  return left.timestamp - right.timestamp || compareIds(left.id, right.id)
}

/** Venues count trades up: a longer number is a later one. */
function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : Number(left > right))
}
