// What a gap is read again with: the open orders, the orders that were open and are not listed any more, and the fills of every symbol that the
// account was busy with.

import { Decimal } from 'decimal.js'
import { BoundedMap, BoundedSet } from '../../../base/concurrency.ts'
import type { Market } from '../../../exchange/market.ts'
import {
  type Balance,
  type Order,
  type OrderRef,
  type Position,
  refOf,
  type Trade,
  type TradeQuery,
} from '../../../exchange/order.ts'
import { type KnownOrders, nameOf, type OrderNews } from './stream-order-state.ts'

export interface AccountQuestions {
  openOrders(): Promise<readonly Order[]>
  order(ref: OrderRef): Promise<Order>
  trades(query: TradeQuery): Promise<readonly Trade[]>
  positions?(): Promise<readonly HeldSymbol[]>
  /** On spot: what is bought and sold at the market is in no list of orders or positions. */
  balances?(): Promise<readonly Pick<Balance, 'currency' | 'total'>[]>
  /** The venue lets few questions through: orders and balances are asked for in turn, and no fills without a reason. */
  readonly isInTurn?: boolean
  pairs?(): Promise<readonly Pair[]>
}

type Pair = Pick<Market, 'symbol' | 'base' | 'quote'>

type HeldSymbol = Pick<Position, 'symbol' | 'side' | 'amount'>

interface AccountReadingOptions {
  readonly read: AccountQuestions
  readonly known: KnownOrders
  readonly news: OrderNews
  /** Symbols that the account is busy with, besides those of its orders. */
  readonly symbols: RecentSymbols
  readonly now: () => number
  readonly onProblem: (problem: unknown) => void
  /** Something waits that is to be asked for once more. */
  readonly onUnsettled: () => void
}

/** Clocks differ, and venues list fills a moment late. */
const OVERLAP_MS = 60_000
/** A stream may be dead for minutes before anybody notices, and looks between that may not have asked for the fills of every symbol. */
const LOOK_BACK_MS = 15 * 60_000
/** So many quiet symbols are asked for every half a minute, in turn: orders that someone else places and that fill at once are in no list. */
const QUIET_SYMBOLS = 2
/** Not in every look where there is no stream: some venues let few such questions through. */
const QUIET_EVERY_MS = 25_000
const MAX_TRADES = 500
const MAX_SYMBOLS = 500
/** A fee in a third currency makes more than one of a trade. */
const MOST_PAIRS = 5
/** An order that the venue does not know so often in a row is not asked for any more. How it ended no one knows. */
const FORGET_AFTER = 3

/** Streams may begin with all that is open: more than these are read as one list. */
const MOST_ASKED = 5

/** Answers of a venue may lag behind its streams: so often in a row one must say less than a stream before it is believed. */
const DOUBTS = 3

/** A venue lists fills late, but not for ever. */
const SHORT_LOOKS = 6

interface ShortOrder extends Pick<Order, 'id' | 'symbol' | 'filled'> {
  /** Up to when all had been read before. */
  readonly since: number
  looksLeft: number
}

export class AccountReading {
  readonly #options: AccountReadingOptions
  /** The last moment up to which all orders were read. */
  #readUntil: number
  /** The same of the fills of each symbol. */
  readonly #fillsReadUntil = new BoundedMap<string, number>(MAX_SYMBOLS)
  readonly #startedAt: number
  #quietAskedAt = 0
  /** By symbol: what was held at the last look. Undefined before the first. */
  #held: ReadonlyMap<string, string> | undefined
  /** By currency, on spot: how much there was at the last look. Undefined before the first. */
  #wallet: ReadonlyMap<string, string> | undefined
  /** Of the last look. */
  #isTurnOfBalances = false
  /** Where that changed at the last look: a venue may list the fill later. */
  #moved: readonly string[] = []
  /** By symbol and id: orders that were told without all of their fills. */
  readonly #short = new Map<string, ShortOrder>()
  /** How often in a row the venue has not known an order that was open. */
  readonly #unknown = new Map<string, number>()
  /** How often in a row the venue's answer said less than a stream, without a fill behind it. */
  readonly #doubts = new Map<string, number>()

  constructor(options: AccountReadingOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#readUntil = this.#startedAt
  }

  /** Learns what there is, and tells nothing of what was before. */
  async begin(): Promise<void> {
    const { read, known, news, symbols } = this.#options
    const open = await read.openOrders()
    const partly = open.filter((order) => Number(order.filled) !== 0 && known.get(order) === undefined)
    const trades = await this.#askTrades(
      partly.map(({ symbol }) => symbol),
      false,
    )
    const held = (await read.positions?.()) ?? []
    this.#heldNow(held)
    await this.#traded()
    for (const { symbol } of [...held, ...open]) symbols.note(symbol)
    news.adopt(open, trades)
    if (held.length === 0) return
    // What filled while this was read: its order is not among the open ones.
    news.trades(await this.#askTrades(held.map(({ symbol }) => symbol)), true)
    await this.settle()
  }

  /** Tells what is new. `isGap`: of every symbol at once, also where no order has changed. @returns whether there was something */
  async reread(isGap: boolean): Promise<boolean> {
    const { read, known, news, symbols, now } = this.#options
    const inTurn = read.isInTurn === true && !isGap
    if (inTurn && this.#takeTurn() === 'balances') return this.#rereadBalances()
    const startedAt = now()
    const before = known.open()
    const open = await read.openOrders()
    // What the venue or a person did at the market is in no list of open orders: the position says that there is a fill.
    const held = (await read.positions?.()) ?? []
    const moved = [...this.#heldNow(held), ...(inTurn ? [] : await this.#traded())]
    const unlisted = this.#moved
    this.#moved = moved
    for (const { symbol } of isGap ? held : []) symbols.note(symbol)
    for (const symbol of moved) symbols.note(symbol)
    const listed = new Set(open.map(nameOf))
    const ended = await this.#askGone(before.filter((order) => !listed.has(nameOf(order))))
    const all = [...open, ...ended]
    const isNews = all.some((order) => known.get(order)?.filled !== order.filled)
    // What has begun to rest has no fills to be read, and is told without waiting for them.
    const changed = all.filter((order) => (known.get(order)?.filled ?? '0') !== order.filled)
    const { orders, orphans } = news.unsettled()
    const busy = [...changed, ...orders, ...orphans, ...this.#short.values()].map(({ symbol }) => symbol)
    const trades = await this.#askTrades([
      ...busy,
      ...moved,
      ...unlisted,
      ...(isGap ? symbols.list() : this.#longestUnread()),
    ])
    // From here on without waiting: what the stream tells meanwhile falls before or after, not in between.
    news.trades(trades, true)
    for (const order of all) news.order(order)
    this.#recountShort()
    await this.settle()
    this.#readUntil = startedAt
    return isNews
  }

  #takeTurn(): 'balances' | 'orders' {
    this.#isTurnOfBalances = !this.#isTurnOfBalances
    return this.#isTurnOfBalances ? 'balances' : 'orders'
  }

  /** Tells what was bought and sold. What is not listed yet is looked for in the next look. */
  async #rereadBalances(): Promise<boolean> {
    const { news, symbols } = this.#options
    this.#moved = await this.#traded()
    for (const symbol of this.#moved) symbols.note(symbol)
    news.trades(await this.#askTrades(this.#moved), true)
    await this.settle()
    return false
  }

  /** @returns the symbols of which more or less is held than at the last look */
  #heldNow(positions: readonly HeldSymbol[]): readonly string[] {
    const before = this.#held
    const held = new Map(positions.map(({ symbol, side, amount }) => [symbol, `${side} ${amount}`]))
    this.#held = held
    if (before === undefined) return []
    return [...new Set([...before.keys(), ...held.keys()])].filter((symbol) => before.get(symbol) !== held.get(symbol))
  }

  /** @returns pairs of which both currencies have become more or less since the last look */
  async #traded(): Promise<readonly string[]> {
    const balances = (await this.#options.read.balances?.()) ?? []
    const before = this.#wallet
    const wallet = new Map(balances.map(({ currency, total }) => [currency, total]))
    this.#wallet = wallet
    if (before === undefined) return []
    const changed = new Set(
      [...before.keys(), ...wallet.keys()].filter((name) => before.get(name) !== wallet.get(name)),
    )
    if (changed.size < 2) return []
    const pairs = (await this.#options.read.pairs?.()) ?? []
    return pairs
      .filter(({ base, quote }) => changed.has(base) && changed.has(quote))
      .slice(0, MOST_PAIRS)
      .map(({ symbol }) => symbol)
  }

  /** Asks what became of orders that a stream only said had changed. @returns those that the venue does not know yet */
  async ask(refs: readonly OrderRef[]): Promise<readonly OrderRef[]> {
    const { news, symbols, known } = this.#options
    if (refs.length > MOST_ASKED) {
      await this.reread(false)
      const isListed = ({ symbol, id }: OrderRef) => id !== undefined && known.get({ symbol, id }) !== undefined
      return this.ask(refs.filter((ref) => !isListed(ref)).slice(0, MOST_ASKED))
    }
    const found: Order[] = []
    const unknown: OrderRef[] = []
    for (const ref of refs) {
      const order = await this.#findOrder(ref)
      if (order === undefined) unknown.push(ref)
      else found.push(order)
    }
    for (const { symbol } of found) symbols.note(symbol)
    const filled = found.filter((order) => !news.isCounted(order)).map(({ symbol }) => symbol)
    news.trades(await this.#askTrades(filled), true)
    for (const order of found) news.order(order)
    return unknown
  }

  /** Asks for the orders of fills, and for the fills that orders wait for. Those that cannot be had are asked for again with the next gap or look. */
  async settle(): Promise<void> {
    const { news } = this.#options
    await this.#askOrphans()
    const { orders } = news.unsettled()
    if (orders.length === 0) return
    news.trades(await this.#askTrades(orders.map(({ symbol }) => symbol)), true)
    const waiting = new Set(news.unsettled().orders)
    const believed = await this.#believed(orders.filter((order) => waiting.has(order)))
    for (const order of news.release(believed)) {
      this.#short.set(nameOf(order), { ...order, since: this.#readUntil, looksLeft: SHORT_LOOKS })
    }
  }

  /** Those orders without fills of which the venue's answer says as much as a stream did. The others are asked for again, or corrected. */
  async #believed(orders: readonly Order[]): Promise<readonly Order[]> {
    const { news, onUnsettled } = this.#options
    const believed: Order[] = []
    for (const order of orders) {
      const now = await this.#askOrder(refOf(order))
      const isLess = now !== undefined && new Decimal(now.filled).lt(order.filled)
      const doubts = isLess ? (this.#doubts.get(nameOf(order)) ?? 0) + 1 : 0
      if (doubts > 0 && doubts < DOUBTS) {
        this.#doubts.set(nameOf(order), doubts)
        onUnsettled()
        continue
      }
      this.#doubts.delete(nameOf(order))
      if (isLess) news.correct(now)
      else believed.push(order)
    }
    return believed
  }

  #recountShort(): void {
    for (const [name, order] of this.#short) {
      order.looksLeft -= 1
      if (order.looksLeft === 0 || this.#options.news.isCounted(order)) this.#short.delete(name)
    }
  }

  /** All of them or none: what is read counts as read once nothing can get lost any more. `isAll`: what is found is told, of whatever order. */
  async #askTrades(names: Iterable<string>, isAll = true): Promise<readonly Trade[]> {
    const { read, now } = this.#options
    const found: Trade[] = []
    const readUntil = new Map<string, number>()
    for (const symbol of new Set(names)) {
      readUntil.set(symbol, now())
      found.push(...(await read.trades({ symbol, since: this.#fillsSince(symbol), limit: MAX_TRADES })))
    }
    if (isAll) for (const [symbol, until] of readUntil) this.#noteRead(symbol, until)
    return found
  }

  #noteRead(symbol: string, until: number): void {
    this.#fillsReadUntil.set(symbol, until)
  }

  #fillsSince(symbol: string): number {
    const read = this.#fillsReadUntil.get(symbol) ?? this.#startedAt
    const short = [...this.#short.values()].filter((order) => order.symbol === symbol).map(({ since }) => since)
    return Math.min(Math.max(read, this.#readUntil - LOOK_BACK_MS), ...short) - OVERLAP_MS
  }

  #longestUnread(): readonly string[] {
    const { read, symbols, now } = this.#options
    if (read.isInTurn === true || now() - this.#quietAskedAt < QUIET_EVERY_MS) return []
    this.#quietAskedAt = now()
    const at = (symbol: string) => this.#fillsReadUntil.get(symbol) ?? 0
    return [...symbols.list()].sort((left, right) => at(left) - at(right)).slice(0, QUIET_SYMBOLS)
  }

  async #askGone(orders: readonly Order[]): Promise<readonly Order[]> {
    const found: Order[] = []
    for (const order of orders) {
      const now = await this.#askOrder(refOf(order))
      const name = nameOf(order)
      const times = now === undefined ? (this.#unknown.get(name) ?? 0) + 1 : 0
      if (now !== undefined) found.push(now)
      if (times > 0 && times < FORGET_AFTER) this.#unknown.set(name, times)
      else this.#unknown.delete(name)
      if (times >= FORGET_AFTER) this.#options.known.forget(order)
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
    return this.#findOrder(ref, this.#options.onProblem)
  }

  async #findOrder(ref: OrderRef, onUnknown?: (error: unknown) => void): Promise<Order | undefined> {
    try {
      return await this.#options.read.order(ref)
    } catch (error) {
      if (codeOf(error) !== 'order-not-found') throw error
      onUnknown?.(error)
      return undefined
    }
  }
}

interface RecentSymbols {
  note(symbol: string): void
  list(): readonly string[]
}

/** The newest so many. */
export function createRecentSymbols(most = 20): RecentSymbols {
  const symbols = new BoundedSet<string>(most)
  return {
    note: (symbol) => void symbols.add(symbol),
    list: () => [...symbols],
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
