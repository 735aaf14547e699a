// What a gap is read again with: the open orders, the orders that were open and are not listed any more, and the fills of every symbol that the
// account was busy with.
import { type Order, type OrderRef, refOf, type Trade, type TradeQuery } from '../../../exchange/order.ts'
import type { KnownOrders } from './known-orders.ts'
import type { OrderNews } from './order-news.ts'

export interface AccountQuestions {
  openOrders(): Promise<readonly Order[]>
  order(ref: OrderRef): Promise<Order>
  trades(query: TradeQuery): Promise<readonly Trade[]>
  positions?(): Promise<readonly { readonly symbol: string }[]>
}

export interface AccountReadingOptions {
  readonly read: AccountQuestions
  readonly known: KnownOrders
  readonly news: OrderNews
  /** Symbols that the account is busy with, besides those of its orders. */
  readonly symbols: RecentSymbols
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
}

/** Clocks differ, and venues list fills a moment late. */
const OVERLAP_MS = 60_000
const MAX_TRADES = 500
/** An order that the venue does not know so often in a row is not asked for any more. How it ended nobody knows. */
const FORGET_AFTER = 3

/** A venue lists fills late, but not for ever. */
const SHORT_LOOKS = 6

interface ShortOrder extends Pick<Order, 'id' | 'symbol' | 'filled'> {
  /** Up to when all had been read before. */
  readonly since: number
  looksLeft: number
}

export class AccountReading {
  readonly #options: AccountReadingOptions
  /** The last moment up to which all was read. */
  #readUntil: number
  /** By id: orders that were told without all of their fills. */
  readonly #short = new Map<string, ShortOrder>()
  /** How often in a row the venue has not known an order that was open. */
  readonly #unknown = new Map<string, number>()

  constructor(options: AccountReadingOptions) {
    this.#options = options
    this.#readUntil = options.now()
  }

  /** Learns what there is, and tells nothing of what was before. */
  async begin(): Promise<void> {
    const { read, known, news, symbols } = this.#options
    const open = await read.openOrders()
    const partly = open.filter(({ id, filled }) => Number(filled) !== 0 && known.get(id) === undefined)
    const trades = await this.#askTrades(partly.map(({ symbol }) => symbol))
    const held = (await read.positions?.()) ?? []
    for (const { symbol } of [...held, ...open]) symbols.note(symbol)
    news.adopt(open, trades)
    if (held.length === 0) return
    // What filled while this was read: its order is not among the open ones.
    news.trades(await this.#askTrades(held.map(({ symbol }) => symbol)), true)
    await this.settle()
  }

  /** Tells what is new. `isGap`: also of symbols of which no order has changed. */
  async reread(isGap: boolean): Promise<void> {
    const { read, known, news, symbols, now } = this.#options
    const startedAt = now()
    const before = known.open()
    const open = await read.openOrders()
    const listed = new Set(open.map(({ id }) => id))
    const ended = await this.#askGone(before.filter(({ id }) => !listed.has(id)))
    const changed = [...open, ...ended].filter((order) => known.get(order.id)?.filled !== order.filled)
    const { orders, orphans } = news.unsettled()
    const busy = [...changed, ...orders, ...orphans, ...this.#short.values()].map(({ symbol }) => symbol)
    const trades = await this.#askTrades(isGap ? [...busy, ...symbols.list()] : busy)
    // From here on without waiting: what the stream tells meanwhile falls before or after, not in between.
    news.trades(trades, true)
    for (const order of [...open, ...ended]) news.order(order)
    this.#recountShort()
    await this.settle()
    this.#readUntil = startedAt
  }

  /** Asks for the orders of fills, and for the fills that orders wait for. Those that cannot be had are asked for again with the next gap or look. */
  async settle(): Promise<void> {
    const { news } = this.#options
    await this.#askOrphans()
    const { orders } = news.unsettled()
    if (orders.length === 0) return
    news.trades(await this.#askTrades(orders.map(({ symbol }) => symbol)), true)
    for (const order of news.release(orders)) {
      this.#short.set(order.id, { ...order, since: this.#readUntil, looksLeft: SHORT_LOOKS })
    }
  }

  #recountShort(): void {
    for (const [id, order] of this.#short) {
      order.looksLeft -= 1
      if (order.looksLeft === 0 || this.#options.news.isCounted(order)) this.#short.delete(id)
    }
  }

  async #askTrades(names: Iterable<string>): Promise<readonly Trade[]> {
    const found: Trade[] = []
    const since = Math.min(this.#readUntil, ...[...this.#short.values()].map((order) => order.since)) - OVERLAP_MS
    for (const symbol of new Set(names)) {
      found.push(...(await this.#options.read.trades({ symbol, since, limit: MAX_TRADES })))
    }
    return found
  }

  async #askGone(orders: readonly Order[]): Promise<readonly Order[]> {
    const found: Order[] = []
    for (const order of orders) {
      const now = await this.#askOrder(refOf(order))
      const times = now === undefined ? (this.#unknown.get(order.id) ?? 0) + 1 : 0
      if (now !== undefined) found.push(now)
      if (times > 0 && times < FORGET_AFTER) this.#unknown.set(order.id, times)
      else this.#unknown.delete(order.id)
      if (times >= FORGET_AFTER) this.#options.known.forget(order.id)
    }
    return found
  }

  /** The orders of fills that were told without one. */
  async #askOrphans(): Promise<void> {
    const { news } = this.#options
    const { orphans } = news.unsettled()
    for (const { symbol, orderId: id } of orphans) {
      const order = await this.#askOrder({ symbol, id })
      if (order !== undefined) news.order(order)
    }
    news.dropOrphans(orphans)
  }

  /** As it is now; undefined where the venue does not know it any more, which says nothing about how it ended. */
  async #askOrder(ref: OrderRef): Promise<Order | undefined> {
    try {
      return await this.#options.read.order(ref)
    } catch (error) {
      if (codeOf(error) !== 'order-not-found') throw error
      this.#options.onProblem(error)
      return undefined
    }
  }
}

export interface RecentSymbols {
  note(symbol: string): void
  list(): readonly string[]
}

/** The newest so many. */
export function createRecentSymbols(most = 20): RecentSymbols {
  const symbols = new Set<string>()
  return {
    note(symbol) {
      symbols.delete(symbol)
      symbols.add(symbol)
      const [oldest] = symbols
      if (symbols.size > most && oldest !== undefined) symbols.delete(oldest)
    },
    list: () => [...symbols],
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
