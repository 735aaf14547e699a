// The day of every account, read on from the order journal as processes write it (behaviour 40). An order is counted by a line of its own
// before it is sent. What was used before it is what the file has above that line: of two processes that count at the same moment, one finds
// the other above it, so that no two orders pass that together are too much.

import type { LineTail } from '../stores/durable-journal.ts'
import { ownIdentity, type ProcessIdentity } from '../stores/kernel-files.ts'
import { StoreError } from '../stores/store-error.ts'
import type { AnsweredChange, CountedOrder } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import type { JournalLine } from '../trading/order-journal-lines.ts'
import { type AccountUse, DayFold, dayOf, type SymbolFills } from './day-fold.ts'

export interface DayBook {
  /**
   * Counts the order, and tells what was used before it.
   * @throws {StoreError} it could not be counted, and must not be sent
   */
  count(order: CountedOrder): Promise<AccountUse>
  /** What was used before the order as far as this process knows, while `count` is under way; undefined: it knows nothing yet. */
  ahead(order: CountedOrder): AccountUse | undefined
  /** Whether no other process has ordered, or heard of an order of its own, for some seconds, as of the last count. */
  isAlone(): boolean
  /** What became of a change that was counted. */
  answer(change: AnsweredChange): void
  /** As of now. @param order one that is only looked at */
  look(account: string, order?: LookedAt): Promise<AccountUse & { readonly fills: ReadonlyMap<string, SymbolFills> }>
}

type LookedAt = Pick<CountedOrder, 'id' | 'key' | 'client'>

export interface DayBookOptions {
  readonly journal: Pick<OrderJournal, 'counted' | 'answered' | 'onWritten'>
  readonly tail: LineTail
  readonly now: () => number
}

export function openDayBook(options: DayBookOptions): DayBook {
  return new JournalBook(options)
}

/** What `ahead` said of an order, and how many lines had been folded by then. */
interface Ahead {
  readonly key: string
  readonly folded: number
  readonly use: AccountUse
}

interface Waiting {
  readonly order: CountedOrder
  use: AccountUse | undefined
}

/** What another process has sent is told on the streams of this one within less. */
const OTHERS_MS = 5_000
/** An order's bytes have left within less, as a rule. */
const TAKE_AFTER_MS = 5
/** Midnight may pass between the line and the look at it, once. */
const ATTEMPTS = 3

class JournalBook implements DayBook {
  readonly #options: DayBookOptions
  #fold: DayFold
  readonly #waiting = new Map<string, Waiting>()
  /** One look at a time; what is asked for meanwhile is looked for after it. */
  #looking: Promise<void> = Promise.resolve()
  #isLooking = false
  #hasLooked = false
  #next: Promise<void> | undefined
  /** When another process last wrote about an order of its own. */
  #othersAt = Number.NEGATIVE_INFINITY
  /** Those orders, by id. */
  readonly #others = new Set<string>()
  /** Lines that the fold was given. */
  #folded = 0
  #ahead: Ahead | undefined
  #isTaking = false

  constructor(options: DayBookOptions) {
    this.#options = options
    this.#fold = new DayFold(dayOf(options.now()))
    const { journal, tail } = options
    journal.onWritten?.((written) => {
      tail.noteOwn?.(written)
      this.#takeSoon()
    })
  }

  ahead(order: CountedOrder): AccountUse | undefined {
    const { now } = this.#options
    if (!this.#hasLooked || this.#fold.day !== dayOf(now())) return undefined
    const use = this.#fold.use(order.account, now(), order)
    this.#ahead = { key: order.key, folded: this.#folded, use }
    return use
  }

  isAlone(): boolean {
    return Math.abs(this.#options.now() - this.#othersAt) > OTHERS_MS
  }

  async count(order: CountedOrder): Promise<AccountUse> {
    const waiting: Waiting = { order, use: undefined }
    this.#waiting.set(order.key, waiting)
    const ahead = this.#ahead?.key === order.key ? this.#ahead : undefined
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await this.#options.journal.counted(order)
        if (ahead !== undefined && this.#isStill(ahead, order)) return ahead.use
        this.#takeOwn()
        if (waiting.use === undefined) await this.#look()
        if (waiting.use !== undefined) return waiting.use
        // It is there, so it was missed, or it counts for the day before: once more, from the beginning.
        this.#options.tail.forget()
      }
    } finally {
      this.#waiting.delete(order.key)
    }
    throw new StoreError('store-corrupt', 'an order was counted and is not in orders.jsonl', {
      hint: 'check that nothing else writes to it',
    })
  }

  answer(change: AnsweredChange): void {
    this.#options.journal.answered(change)
  }

  async look(
    account: string,
    order?: LookedAt,
  ): Promise<AccountUse & { readonly fills: ReadonlyMap<string, SymbolFills> }> {
    await this.#look()
    return { ...this.#fold.use(account, this.#options.now(), order), fills: this.#fold.fills(account) }
  }

  #look(): Promise<void> {
    this.#next ??= this.#looking
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#looking = this.#readOn()
        return this.#looking
      })
    return this.#next
  }

  /** Whether the lines of the order, which count for nothing against itself, are all that was written since. */
  #isStill({ folded }: Ahead, { id, key }: CountedOrder): boolean {
    const { tail, now } = this.#options
    if (this.#isLooking || this.#folded !== folded || this.#fold.day !== dayOf(now())) return false
    const lines = tail.peekOwn?.() ?? []
    const names = `"id":${JSON.stringify(id)},`
    const counted = lines.at(-1) ?? ''
    const isCount = counted.startsWith('{"t":"counted",') && counted.includes(`,${names}"key":${JSON.stringify(key)},`)
    return isCount && lines.slice(0, -1).every((line) => line.startsWith(`{"t":"intent",${names}`))
  }

  /** Behind the orders that are on their way: the next one finds its own lines and no others. */
  #takeSoon(): void {
    if (this.#isTaking || this.#waiting.size > 0) return
    this.#isTaking = true
    setTimeout(() => {
      this.#isTaking = false
      if (this.#waiting.size === 0) this.#takeOwn()
    }, TAKE_AFTER_MS).unref()
  }

  /** Where no one else wrote since the last look, what we wrote is all that is new. */
  #takeOwn(): void {
    const { tail, now } = this.#options
    if (this.#isLooking || !this.#hasLooked || this.#fold.day !== dayOf(now())) return
    for (const line of tail.takeOwn?.() ?? []) this.#take(line)
  }

  async #readOn(): Promise<void> {
    this.#isLooking = true
    try {
      await this.#readLines()
      this.#hasLooked = true
    } finally {
      this.#isLooking = false
    }
  }

  async #readLines(): Promise<void> {
    const { tail, now } = this.#options
    const today = dayOf(now())
    // A new day: what the file has of it is read again.
    if (this.#fold.day !== today) tail.forget()
    const next = new DayFold(today)
    const { isAnew, lines } = await tail.readOn(next.since)
    if (isAnew) {
      this.#fold = next
      this.#folded += 1
    }
    for (const line of lines) this.#take(line)
  }

  #noteOthers(line: JournalLine): void {
    if (!('id' in line) || line.id === undefined) return
    if ('owner' in line && !isOurs(line.owner)) this.#others.add(line.id)
    if (this.#others.has(line.id)) this.#othersAt = Math.max(this.#othersAt, line.at)
  }

  #take(text: string): void {
    this.#folded += 1
    const line = this.#fold.add(text)
    if (line !== undefined) this.#noteOthers(line)
    // One of the day before is to be counted again. Two that count at the same time each find the other above their copies.
    if (line?.t !== 'counted' || line.isCarried === true || line.at < this.#fold.day) return
    const found = this.#waiting.get(line.key)
    if (found !== undefined) found.use = this.#fold.use(found.order.account, this.#options.now(), found.order)
  }
}

function isOurs(owner: Partial<ProcessIdentity> | undefined): boolean {
  const { pid, born } = ownIdentity()
  return owner?.pid === pid && owner.born === born
}
