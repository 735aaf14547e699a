// What happens on an account without this process having asked for it: fills, stops, liquidations and cancels of orders that a person, another
// process or the venue placed or took back, and orders that a person or another program has placed or changed (behaviour 34).

import { Decimal } from 'decimal.js'
import { BoundedMap, startUnheldTimer } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { isNothingLeft, isTriggerType, type Order, orderKey, type Trade } from '../exchange/order.ts'
import { namesOf } from './following.ts'
import type { OrderRecords } from './order-desk.ts'
import type { ChangedOrder, OrderListener } from './order-event.ts'

interface AccountWatchOptions {
  readonly venue: Pick<VenueView, 'id' | 'subscribe' | 'isFired'>
  readonly orders: Pick<OrderRecords, 'isOwn' | 'isSending' | 'isEndReported' | 'isFillReported' | 'madeHere'>
  readonly notify: OrderListener
  /** ms since the epoch. */
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
  /** Runs `work` once what comes together has come. Default: after this turn of the event loop. */
  readonly soon?: (work: () => void) => void
  /** Runs `work` after `ms`, without keeping the process alive. @returns does not */
  readonly later?: (ms: number, work: () => void) => () => void
}

interface Happened {
  readonly symbol: string
  order: Order | undefined
  reason: string | undefined
  readonly trades: Trade[]
}

/** Begins at once. @returns ends it; what has come by then is told, but for orders that rest */
export function watchAccount(options: AccountWatchOptions): () => void {
  const { venue, orders, notify, now, soon = setImmediate, later = startUnheldTimer } = options
  const resting = new RestingOrders(options)
  /** By the order: a venue tells the fills of one order one by one, and then the order. */
  let happened = new Map<string, Happened>()
  /** By symbol, side and type: the last order with a trigger that another process has placed. */
  const placed = new BoundedMap<string, { readonly order: Order; readonly at: number }>(MAX_PLACED)
  /** What may be of an order that is being sent: its answer says so. */
  let doubtful = new Map<string, Happened>()

  function flush(): void {
    const reported = happened
    happened = new Map()
    report(withoutDoubtful(reported))
  }

  function flushDoubtful(): void {
    const reported = doubtful
    doubtful = new Map()
    report(withoutDoubtful(reported))
  }

  /** What the venue did by itself is told at once. */
  function withoutDoubtful(reported: ReadonlyMap<string, Happened>): ReadonlyMap<string, Happened> {
    const known = new Map<string, Happened>()
    for (const [key, entry] of reported) {
      const isCaused = entry.reason !== undefined || entry.trades.some(({ cause }) => cause !== undefined)
      if (isCaused || !orders.isSending(entry.symbol)) known.set(key, entry)
      else {
        if (doubtful.size === 0) later(TOGETHER_MS, flushDoubtful)
        doubtful.set(key, entry)
      }
    }
    return known
  }

  function report(reported: ReadonlyMap<string, Happened>): void {
    for (const { order, reason, trades: all } of reported.values()) {
      const names = order ?? (all[0] && namesOf(all[0]))
      if (names !== undefined && orders.isOwn(names)) continue
      const trades = all.filter((trade) => !orders.isFillReported(trade))
      const isEnded =
        order !== undefined && order.status !== 'open' && (order.status !== 'closed' || reason !== undefined)
      const isOver = isEnded && !(isNothingLeft(order.cause) && orders.isEndReported(order))
      if (trades.length === 0 && !isOver) continue
      const replacedBy = order === undefined || reason !== undefined ? undefined : replacementOf(order)
      notify({ type: 'elsewhere', trades, ...defined({ order, reason, replacedBy }) })
    }
  }

  /** Another process places the new one before it cancels the present one. */
  function replacementOf(order: Order): Order | undefined {
    const next = placed.get(kindOf(order))
    if (order.status !== 'canceled' || next === undefined || next.order.id === order.id) return undefined
    return now() - next.at <= REPLACED_WITHIN_MS ? next.order : undefined
  }

  function entryOf(symbol: string, orderId: string): Happened {
    const key = orderKey(symbol, orderId)
    const known = happened.get(key) ?? doubtful.get(key)
    if (known !== undefined) return known
    if (happened.size === 0) soon(flush)
    const entry: Happened = { symbol, order: undefined, reason: undefined, trades: [] }
    happened.set(key, entry)
    return entry
  }

  function receive(event: ExchangeEvent): void {
    if (event.type === 'trade') {
      const { orderId, symbol } = event.trade
      if (orders.isOwn(namesOf(event.trade))) return
      entryOf(symbol, orderId).trades.push(event.trade)
    }
    if (event.type !== 'order') return
    resting.receive(event.order, event.before)
    if (orders.isOwn(event.order)) return
    const { order } = event
    if (order.status === 'open' && isTriggerType(order.type) && placed.get(kindOf(order))?.order.id !== order.id) {
      placed.set(kindOf(order), { order, at: now() })
    }
    const entry = entryOf(event.order.symbol, event.order.id)
    entry.order = event.order
    entry.reason = event.reason ?? entry.reason
  }

  const stop = venue.subscribe(receive)
  return () => {
    stop()
    resting.end()
    report(doubtful)
    report(happened)
  }
}

const MAX_PLACED = 200
/** So long after it an order that is canceled may be one that it replaces. */
const REPLACED_WITHIN_MS = 10_000

const kindOf = ({ symbol, side, type }: Order) => `${symbol} ${side} ${type}`

/**
 * What comes together is told together. By then an order of this process has its answer, and one of another hookline its line in the journal:
 * venues tell orders before they acknowledge them.
 */
const TOGETHER_MS = 1_500
/** More than these are one line, as is what follows within `BURST_MS`: a grid bot places hundreds. */
const MOST_APART = 3
const BURST_MS = 30_000
/** Clocks differ: an order that is older than the watch was there before it. */
const CLOCKS_APART_MS = 5_000
const MAX_RESTING = 5_000

/** Orders that begin to rest, or are changed; told where no hookline on this directory has made them so. */
class RestingOrders {
  readonly #options: AccountWatchOptions
  readonly #startedAt: number
  /** By symbol and id: as last heard. */
  readonly #resting = new BoundedMap<string, Order>(MAX_RESTING)
  /** Not told yet. `before` undefined: it was not there. */
  readonly #unreported = new Map<string, { readonly before: Order | undefined; order: Order }>()
  #foldedAt: number | undefined
  #stop: (() => void) | undefined
  #isEnded = false

  constructor(options: AccountWatchOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  receive(order: Order, reported: Order | undefined): void {
    const key = orderKey(order.symbol, order.id)
    const before = reported ?? this.#resting.get(key)
    this.#resting.delete(key)
    // How it ended is told, and says what it was.
    if (order.status !== 'open') return void this.#unreported.delete(key)
    this.#resting.set(key, order)
    const unreported = this.#unreported.get(key)
    if (unreported !== undefined) unreported.order = order
    else if (order.type !== 'market' && this.#isNews(before, order)) this.#add(key, before, order)
  }

  end(): void {
    this.#isEnded = true
    this.#stop?.()
  }

  #isNews(before: Order | undefined, order: Order): boolean {
    if (before === undefined) return order.timestamp >= this.#startedAt - CLOCKS_APART_MS
    return isMoved(before, order) || isCut(before, order)
  }

  #add(key: string, before: Order | undefined, order: Order): void {
    if (this.#isEnded) return
    if (this.#unreported.size === 0)
      this.#stop = (this.#options.later ?? startUnheldTimer)(this.#pauseMs(), () => void this.#flush())
    this.#unreported.set(key, { before, order })
  }

  #pauseMs(): number {
    const foldedMs = this.#options.now() - (this.#foldedAt ?? Number.NEGATIVE_INFINITY)
    return Math.max(TOGETHER_MS, BURST_MS - foldedMs)
  }

  async #flush(): Promise<void> {
    const unreported = [...this.#unreported.values()]
    this.#unreported.clear()
    const { venue, orders, onProblem } = this.#options
    const isNew = (order: Order) => !orders.isOwn(order) && venue.isFired?.(order) !== true
    const strange = unreported.filter(({ before, order }) => before !== undefined || isNew(order))
    if (strange.length === 0) return
    try {
      const { isPlaced, isChanged } = await orders.madeHere()
      if (this.#isEnded) return
      const placed = strange.flatMap(({ before, order }) => (before === undefined && !isPlaced(order) ? [order] : []))
      // The amounts of our own follow their positions: by their protections, and by venues that cut what can reduce no more.
      const isMeant = (before: Order, order: Order) =>
        isMoved(before, order) || (isCut(before, order) && !isPlaced(order))
      const changes = strange.flatMap(({ before, order }) =>
        before !== undefined && isMeant(before, order) && !isChanged(order) ? [{ before, order }] : [],
      )
      this.#notify(placed, changes)
    } catch (error) {
      // Whose they are is not known.
      onProblem(error)
    }
  }

  #notify(placed: readonly Order[], changes: readonly ChangedOrder[]): void {
    const { notify, venue, now } = this.#options
    if (placed.length > MOST_APART || changes.length > MOST_APART) this.#foldedAt = now()
    const isFolding = this.#foldedAt !== undefined && now() - this.#foldedAt < BURST_MS
    for (const orders of isFolding ? together(placed) : apart(placed)) {
      notify({ type: 'placed-elsewhere', venue: venue.id, orders })
    }
    for (const each of isFolding ? together(changes) : apart(changes)) {
      notify({ type: 'changed-elsewhere', venue: venue.id, changes: each })
    }
  }
}

function together<T>(all: readonly T[]): readonly (readonly T[])[] {
  return all.length === 0 ? [] : [all]
}

function apart<T>(all: readonly T[]): readonly (readonly T[])[] {
  return all.map((each) => [each])
}

function isMoved(before: Order, order: Order): boolean {
  return (['price', 'triggerPrice', 'takeProfitPrice'] as const).some((name) => isOther(before[name], order[name]))
}

/** What closes a position is as large as that. */
function isCut(before: Order, order: Order): boolean {
  return before.closesPosition !== true && order.closesPosition !== true && isOther(before.amount, order.amount)
}

function isOther(was: string | undefined, is: string | undefined): boolean {
  return was !== undefined && is !== undefined && !new Decimal(was).eq(is)
}
