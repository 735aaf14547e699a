// Changes on accounts in use are reported, whatever caused them, and at a start those of the meantime (behaviour 34). What a run reports by
// itself is not repeated.
import { Decimal } from 'decimal.js'
import { type Order, orderKey, type Trade } from '../exchange/order.ts'
import type { LastSeen, LastSeenStore } from '../stores/last-seen.ts'
import { watchAccount } from '../trading/account-watch.ts'
import { namesOf } from '../trading/following.ts'
import {
  findMeanwhile,
  isNothing,
  type Meanwhile,
  type SeenAccount,
  type SeenOrder,
  seeAccount,
} from '../trading/offline-changes.ts'
import type { OrderRecords, TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'

interface AccountWatchingOptions {
  readonly lastSeen: LastSeenStore
  readonly now: () => number
  /** Changes of orders that no run of this process reports. */
  readonly report: (account: string, event: OrderEvent) => void
  readonly reportMeanwhile: (account: string, meanwhile: Meanwhile) => void
  /** A fill that the venue made by itself: no order of ours has it. */
  readonly noteMade: (account: string, trade: Trade) => void
  readonly onProblem: (account: string, problem: unknown) => void
}

/** What an account holds is written down this long after it has changed, and at the end. */
const NOTE_AFTER_MS = 5_000
/** Orders remembered as reported. */
const MAX_REPORTED = 2_000

type Elsewhere = Extract<OrderEvent, { type: 'elsewhere' }>

interface Watched {
  readonly account: TradingAccount
  stop(): void
  timer: NodeJS.Timeout | undefined
  /** What comes while it is found out what happened meanwhile. */
  held: Elsewhere[] | undefined
}

export class AccountWatching {
  readonly #options: AccountWatchingOptions
  readonly #watched = new Map<string, Watched>()
  readonly #writing = new Set<Promise<void>>()
  #isStopping = false
  readonly #ready = new Map<string, Promise<void>>()
  /** By account, symbol and the venue's id: the amount of an order that was reported as filled. */
  readonly #reported = new Map<string, Decimal>()
  /** By account: what it held when a hookline last watched before this one. */
  readonly #seenBefore = new Map<string, LastSeen>()

  constructor(options: AccountWatchingOptions) {
    this.#options = options
  }

  /** An account was connected. One that is ready only while all ends is not asked anything any more. */
  opened(account: TradingAccount): void {
    if (this.#isStopping) return
    this.#ready.set(account.name, this.#begin(account))
  }

  /** Resolves when the changes meanwhile on a connected account were reported; never rejects. */
  async ready(name: string): Promise<void> {
    await this.#ready.get(name)
  }

  async #begin(account: TradingAccount): Promise<void> {
    const { name } = account
    this.closed(name)
    const watched = this.#watch(account)
    this.#watched.set(name, watched)
    let reported: ReadonlySet<string> = new Set()
    try {
      reported = await this.#reportMeanwhile(account)
    } catch (error) {
      this.#options.onProblem(name, error)
    }
    const held = watched.held ?? []
    watched.held = undefined
    for (const event of held) {
      const trades = event.trades.filter(({ symbol, id }) => !reported.has(orderKey(symbol, id)))
      if (trades.length > 0 || event.trades.length === 0) this.#report(name, { ...event, trades })
    }
  }

  /** Before an account is disconnected: changes on it were reported, and are not repeated when it comes back. Never rejects. */
  async leaving(name: string): Promise<void> {
    const watched = this.#watched.get(name)
    if (watched?.timer !== undefined) await this.#note(watched)
    this.closed(name)
  }

  closed(name: string): void {
    const watched = this.#watched.get(name)
    if (watched === undefined) return
    this.#watched.delete(name)
    clearTimeout(watched.timer)
    watched.stop()
  }

  /** Whether the recovery of an order found a change not reported yet, here or by the hookline that watched before. */
  isNews(name: string, event: OrderEvent): boolean {
    if (event.type !== 'filled-meanwhile') return true
    const { symbol, id, filled } = event.order
    const key = accountOrderKey(name, symbol, id)
    if (isSeenOver(event.order, this.#seenBefore.get(name))) return false
    const isReported = this.#reported.get(key)?.gte(filled) ?? false
    if (!isReported) this.#noteReported(key, new Decimal(filled))
    return !isReported
  }

  /** Writes down what all accounts hold; nothing is written after it. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#watched.values()].map((watched) => this.#note(watched, true)))
    for (const name of [...this.#watched.keys()]) this.closed(name)
    await Promise.allSettled(this.#writing)
  }

  #watch(account: TradingAccount): Watched {
    const { name, venue, orders } = account
    const report = (event: OrderEvent): void => {
      if (event.type !== 'elsewhere') this.#options.report(name, event)
      else if (watched.held === undefined) this.#report(name, event)
      else watched.held.push(event)
    }
    const { now, onProblem } = this.#options
    const stopReporting = watchAccount({
      venue,
      orders: orders.records,
      notify: report,
      now,
      onProblem: (error) => onProblem(name, error),
    })
    const stopNoting = venue.subscribe(({ type }) => {
      if (type === 'trade' || type === 'order') this.#noteSoon(watched)
    })
    const watched: Watched = {
      account,
      timer: undefined,
      held: [],
      stop() {
        stopReporting()
        stopNoting()
      },
    }
    return watched
  }

  #report(name: string, event: Elsewhere): void {
    const [trade] = event.trades
    if (trade !== undefined) {
      const key = accountOrderKey(name, trade.symbol, trade.orderId)
      const before = this.#reported.get(key) ?? 0
      this.#noteReported(key, Decimal.sum(before, ...event.trades.map(({ amount }) => amount)))
    }
    this.#noteMade(name, event.trades)
    this.#options.report(name, event)
  }

  /** What the venue did by itself belongs to the day too, though hookline ordered none of it. */
  #noteMade(name: string, trades: readonly Trade[]): void {
    for (const trade of trades) if (trade.cause !== undefined) this.#options.noteMade(name, trade)
  }

  /** @returns the trades that were reported, by symbol and id */
  async #reportMeanwhile({ name, venue, orders }: TradingAccount): Promise<ReadonlySet<string>> {
    const { lastSeen, now, reportMeanwhile } = this.#options
    const seen = lastSeen.find(name)
    if (seen !== undefined) this.#seenBefore.set(name, seen)
    const current = await seeAccount(venue, now())
    if (this.#isStopping) return new Set()
    await this.#write(name, current)
    if (seen === undefined) return new Set()
    const meanwhile = withoutOwn(await findMeanwhile(venue, seen, current), orders.records)
    const keyOf = ([trade]: readonly Trade[]) => accountOrderKey(name, trade?.symbol ?? '', trade?.orderId ?? '')
    const fills = meanwhile.fills.filter((trades) => !this.#reported.has(keyOf(trades)))
    for (const trades of fills) {
      this.#noteMade(name, trades)
      this.#noteReported(keyOf(trades), Decimal.sum(...trades.map(({ amount }) => amount)))
    }
    const news = { ...meanwhile, fills }
    if (!isNothing(news)) reportMeanwhile(name, news)
    return new Set(meanwhile.fills.flat().map(({ symbol, id }) => orderKey(symbol, id)))
  }

  #noteReported(key: string, filled: Decimal): void {
    this.#reported.delete(key)
    this.#reported.set(key, filled)
    const [oldest] = this.#reported.keys()
    if (this.#reported.size > MAX_REPORTED && oldest !== undefined) this.#reported.delete(oldest)
  }

  #noteSoon(watched: Watched): void {
    watched.timer ??= setTimeout(() => {
      watched.timer = undefined
      void this.#note(watched)
    }, NOTE_AFTER_MS).unref()
  }

  async #write(name: string, seen: SeenAccount): Promise<void> {
    const writing = this.#options.lastSeen.note(name, seen)
    this.#writing.add(writing)
    await writing.finally(() => this.#writing.delete(writing))
  }

  async #note({ account: { name, venue } }: Watched, isLast = false): Promise<void> {
    const { now, onProblem } = this.#options
    try {
      const seen = await seeAccount(venue, now())
      if (isLast || !this.#isStopping) await this.#write(name, seen)
    } catch (error) {
      onProblem(name, error)
    }
  }
}

/** A run of this process may trade while it is found out: what it does, it reports. */
function withoutOwn(meanwhile: Meanwhile, orders: Pick<OrderRecords, 'isOwn'>): Meanwhile {
  const isOurs = ([trade]: readonly Trade[]) => trade !== undefined && orders.isOwn(namesOf(trade))
  const fills = meanwhile.fills.filter((trades) => !isOurs(trades))
  const symbolsOf = (all: Meanwhile['fills']) => new Set(all.flat().map(({ symbol }) => symbol))
  const [ours, others] = [symbolsOf(meanwhile.fills.filter(isOurs)), symbolsOf(fills)]
  return {
    ...meanwhile,
    fills,
    ended: meanwhile.ended.filter((order) => !orders.isOwn(order)),
    positions: meanwhile.positions.filter(({ symbol }) => !ours.has(symbol) || others.has(symbol)),
  }
}

/** It was placed before the account was last seen, and no longer rested then: the process that watched has reported its end. */
function isSeenOver({ symbol, id, timestamp }: Order, seen: LastSeen | undefined): boolean {
  const isSame = (order: SeenOrder) => order.id === id && order.symbol === symbol
  return seen !== undefined && timestamp < seen.at && !seen.orders.some(isSame)
}

/** Of one process, which watches several accounts. */
function accountOrderKey(account: string, symbol: string, id: string): string {
  return `${account} ${orderKey(symbol, id)}`
}
