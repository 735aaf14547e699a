// The operator is told what happens on accounts in use, whatever caused it, and at a start what happened meanwhile (behaviour 34). What a
// run tells by itself is not told again.
import { Decimal } from 'decimal.js'
import { type Order, orderKey, type Trade } from '../exchange/order.ts'
import type { LastSeen, LastSeenStore } from '../stores/last-seen.ts'
import { watchAccount } from '../trading/account-watch.ts'
import {
  findMeanwhile,
  isNothing,
  type Meanwhile,
  type SeenAccount,
  type SeenOrder,
  seeAccount,
} from '../trading/offline-changes.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'

interface AccountWatchingOptions {
  readonly lastSeen: LastSeenStore
  readonly now: () => number
  /** What happened to orders that no run of this process tells of. */
  readonly tell: (account: string, event: OrderEvent) => void
  readonly tellMeanwhile: (account: string, meanwhile: Meanwhile) => void
  /** A fill that the venue made by itself: no order of ours has it. */
  readonly noteMade: (account: string, trade: Trade) => void
  readonly onProblem: (account: string, problem: unknown) => void
}

/** What an account holds is written down this long after it has changed, and at the end. */
const NOTE_AFTER_MS = 5_000
/** So many orders are remembered as told. */
const MAX_TOLD = 2_000

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
  /** By account, symbol and the venue's id: how much of an order has been told as filled. */
  readonly #told = new Map<string, Decimal>()
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

  /** Resolves when what happened meanwhile on a connected account has been told; never rejects. */
  async ready(name: string): Promise<void> {
    await this.#ready.get(name)
  }

  async #begin(account: TradingAccount): Promise<void> {
    const { name } = account
    this.closed(name)
    const watched = this.#watch(account)
    this.#watched.set(name, watched)
    let told: ReadonlySet<string> = new Set()
    try {
      told = await this.#tellMeanwhile(account)
    } catch (error) {
      this.#options.onProblem(name, error)
    }
    const held = watched.held ?? []
    watched.held = undefined
    for (const event of held) {
      const trades = event.trades.filter(({ symbol, id }) => !told.has(orderKey(symbol, id)))
      if (trades.length > 0 || event.trades.length === 0) this.#tell(name, { ...event, trades })
    }
  }

  /** An account is about to be disconnected: what has happened on it was told, and is not to be told when it comes back. Never rejects. */
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

  /** Whether what the recovery of an order found has not been told yet, here or by the hookline that watched before. */
  isNews(name: string, event: OrderEvent): boolean {
    if (event.type !== 'filled-meanwhile') return true
    const { symbol, id, filled } = event.order
    const key = accountOrderKey(name, symbol, id)
    if (isSeenOver(event.order, this.#seenBefore.get(name))) return false
    const isTold = this.#told.get(key)?.gte(filled) ?? false
    if (!isTold) this.#noteTold(key, new Decimal(filled))
    return !isTold
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
    const tell = (event: OrderEvent): void => {
      if (event.type !== 'elsewhere') this.#options.tell(name, event)
      else if (watched.held === undefined) this.#tell(name, event)
      else watched.held.push(event)
    }
    const { now, onProblem } = this.#options
    const stopTelling = watchAccount({
      venue,
      orders: orders.records,
      notify: tell,
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
        stopTelling()
        stopNoting()
      },
    }
    return watched
  }

  #tell(name: string, event: Elsewhere): void {
    const [trade] = event.trades
    if (trade !== undefined) {
      const key = accountOrderKey(name, trade.symbol, trade.orderId)
      const before = this.#told.get(key) ?? 0
      this.#noteTold(key, Decimal.sum(before, ...event.trades.map(({ amount }) => amount)))
    }
    this.#noteMade(name, event.trades)
    this.#options.tell(name, event)
  }

  /** What the venue did by itself belongs to the day too, though hookline ordered none of it. */
  #noteMade(name: string, trades: readonly Trade[]): void {
    for (const trade of trades) if (trade.cause !== undefined) this.#options.noteMade(name, trade)
  }

  /** @returns the trades that were told, by symbol and id */
  async #tellMeanwhile({ name, venue }: TradingAccount): Promise<ReadonlySet<string>> {
    const { lastSeen, now, tellMeanwhile } = this.#options
    const seen = lastSeen.find(name)
    if (seen !== undefined) this.#seenBefore.set(name, seen)
    const current = await seeAccount(venue, now())
    if (this.#isStopping) return new Set()
    await this.#write(name, current)
    if (seen === undefined) return new Set()
    const meanwhile = await findMeanwhile(venue, seen, current)
    const keyOf = ([trade]: readonly Trade[]) => accountOrderKey(name, trade?.symbol ?? '', trade?.orderId ?? '')
    const fills = meanwhile.fills.filter((trades) => !this.#told.has(keyOf(trades)))
    for (const trades of fills) {
      this.#noteMade(name, trades)
      this.#noteTold(keyOf(trades), Decimal.sum(...trades.map(({ amount }) => amount)))
    }
    const news = { ...meanwhile, fills }
    if (!isNothing(news)) tellMeanwhile(name, news)
    return new Set(meanwhile.fills.flat().map(({ symbol, id }) => orderKey(symbol, id)))
  }

  #noteTold(key: string, filled: Decimal): void {
    this.#told.delete(key)
    this.#told.set(key, filled)
    const [oldest] = this.#told.keys()
    if (this.#told.size > MAX_TOLD && oldest !== undefined) this.#told.delete(oldest)
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

/** It was placed before the account was last seen, and no longer rested then: who watched has told how it ended. */
function isSeenOver({ symbol, id, timestamp }: Order, seen: LastSeen | undefined): boolean {
  const isSame = (order: SeenOrder) => order.id === id && order.symbol === symbol
  return seen !== undefined && timestamp < seen.at && !seen.orders.some(isSame)
}

/** Of one process, which watches several accounts. */
function accountOrderKey(account: string, symbol: string, id: string): string {
  return `${account} ${orderKey(symbol, id)}`
}
