// The protective orders of all entries of one account: created with their entry, told of its fills and of their own, and looked at again while
// one of them could not be placed for a reason that passes.
import { Decimal } from 'decimal.js'
import type { Exchange } from '../exchange/exchange.ts'
import { ExchangeError, type ExchangeErrorCode } from '../exchange/exchange-error.ts'
import type { Order } from '../exchange/order.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import type { Clock } from './clock.ts'
import type { FollowedOrder, Follower } from './following.ts'
import { type Guarded, Leftovers } from './leftovers.ts'
import type { TellOrder } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent } from './order-journal-lines.ts'
import type { OrderSender } from './order-sender.ts'
import { Protection } from './protection.ts'
import type { ProtectedEntry, ProtectionPorts } from './protection-ports.ts'
import { TradingError } from './trading-error.ts'

export interface ProtectionsOptions {
  readonly account: string
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly clock: Clock
  readonly sender: OrderSender
  readonly follower: Follower
  /** The process ends. */
  readonly signal: AbortSignal
  readonly onProblem: (error: unknown) => void
  /** Whether an entry of the symbol is being sent, or its fate is unknown. */
  readonly isUnderWay: (symbol: string) => boolean
}

interface Kept extends Guarded {
  /** By currency, what a process before this one had paid. */
  readonly feesBefore: Readonly<Record<string, string>>
}

/** Reasons that pass: everything else is the operator's to decide. */
const PASSING: ReadonlySet<ExchangeErrorCode> = new Set([
  'network',
  'outcome-unknown',
  'unavailable',
  'rate-limited',
  'clock',
  'guarded',
])

/** A stop that could not be placed is tried again after so long, then after twice as long, and so on up to the most. */
const FIRST_RETRY_MS = 1_000
const MOST_RETRY_MS = 30_000
/** How long a stop waits for the price. */
const PRICE_MS = 1_000
/** When a book that was too thin to close a position is looked at again. */
const THIN_BOOK_MS = 1_000

/** A protection never takes back what it knows to have filled. */
const NOTHING_NEW = new Decimal(0)

export class Protections {
  readonly #options: ProtectionsOptions
  readonly #kept = new Map<string, Kept>()
  /** Called when a protective order is over, by its `clientOrderId`. */
  readonly #onEnd = new Map<string, (order: Order) => void>()
  /** By the `clientOrderId` of a protective order. */
  readonly #entryOf = new Map<string, string>()
  readonly #updating = new Set<string>()
  /** How long each entry waits the next time, in ms. */
  readonly #pauses = new Map<string, number>()
  readonly leftovers: Leftovers

  constructor(options: ProtectionsOptions) {
    this.#options = options
    this.leftovers = new Leftovers({ ...options, guarded: () => this.#kept.values() })
  }

  /** Begins to protect an entry that asks for it. */
  begin(entry: ProtectedEntry, tell: TellOrder): void {
    const { protection: plan, symbol, side } = entry.order
    if (plan === undefined) return
    const protection = new Protection(entry, plan, tell, this.#ports(entry, tell))
    const filled = { filledAt: this.#options.clock.now(), looksLeft: 0 }
    this.#kept.set(entry.id, { ...{ protection, tell, symbol, side }, ...filled, feesBefore: entry.feesBefore ?? {} })
    this.leftovers.listen()
  }

  /** The entry was never placed, or nothing of it is left to protect. */
  forget(entryId: string): void {
    this.#kept.delete(entryId)
    this.#pauses.delete(entryId)
    if (this.#kept.size === 0) this.leftovers.rest()
  }

  /** @throws {TradingError} `stop-failed`; it is tried again by itself where the reason passes */
  async update(entryId: string, filled: Decimal, isEntryOver: boolean): Promise<void> {
    const kept = this.#kept.get(entryId)
    if (kept === undefined) return
    if (filled.gt(0)) kept.filledAt = this.#options.clock.now()
    try {
      await kept.protection.update(await this.#held(entryId, kept, filled), isEntryOver)
    } catch (error) {
      if (isPassing(error)) this.#tryAgain(entryId, error)
      throw error
    }
    this.#pauses.delete(entryId)
    this.#forgetReleased(entryId)
  }

  /** An order of this account filled or ended: as `update`, with nobody waiting. */
  follow({ id, filled }: FollowedOrder, ended: Order | undefined): void {
    if (ended !== undefined) {
      this.#onEnd.get(id)?.(ended)
      this.#onEnd.delete(id)
    }
    this.#tidy(this.#entryOf.get(id))
    if (ended !== undefined) this.#entryOf.delete(id)
    const kept = this.#kept.get(id)
    if (kept === undefined) return
    this.update(id, filled, ended !== undefined).catch((error: unknown) => this.#tellFailure(kept, error))
  }

  /** Entries that may still fill, and pairs of which one must end with the other: this process will no longer see to them. */
  abandon(): void {
    for (const { tell, symbol, protection } of this.#kept.values()) {
      const { isEntryOver, isPair } = protection
      if (!isEntryOver || isPair) tell({ type: 'left', symbol, isPair: isEntryOver })
    }
    this.#kept.clear()
    this.leftovers.rest()
  }

  #tidy(entryId: string | undefined): void {
    const kept = entryId === undefined ? undefined : this.#kept.get(entryId)
    if (entryId === undefined || kept === undefined) return
    kept.protection.tidy().then(
      () => this.#forgetReleased(entryId),
      (error: unknown) => {
        if (isPassing(error)) this.#tryAgain(entryId, error)
        this.#tellFailure(kept, error)
      },
    )
  }

  /** On spot a fee may have been taken from the coins that were bought: what is left can be sold. */
  async #held(entryId: string, { symbol, feesBefore }: Kept, filled: Decimal): Promise<Decimal> {
    const { exchange, follower } = this.#options
    if (exchange.kind !== 'spot') return filled
    const market = (await exchange.loadMarkets()).find((each) => each.symbol === symbol)
    if (market === undefined) return filled
    const paid = (follower.find(entryId)?.trades ?? []).filter(({ feeCurrency }) => feeCurrency === market.base)
    const fee = Decimal.max(feesBefore[market.base] ?? 0, Decimal.sum(0, ...paid.map((trade) => trade.fee ?? 0)))
    return amountOnLot(Decimal.max(0, filled.minus(fee)), market)
  }

  #ports(entry: Intent, tell: TellOrder): ProtectionPorts {
    const { exchange, journal, account, clock, sender, follower } = this.#options
    const hear = (id: string, onEnd: (order: Order) => void) => {
      this.#onEnd.set(id, (order) => {
        onEnd(order)
        this.#forgetReleased(entry.id)
        // A book that is too thin left a rest to be closed.
        if (order.type === 'market' || order.filled !== '0') this.#updateLater(entry.id, THIN_BOOK_MS)
      })
    }
    const listen = (id: string, onEnd: (order: Order) => void) => {
      this.#entryOf.set(id, entry.id)
      hear(id, onEnd)
      follower.begin(id, tell)
    }
    return {
      exchange,
      journal,
      send: async (part, onEnd) => {
        const intent: Intent = { ...part, at: clock.now(), account, venue: exchange.id }
        listen(intent.id, onEnd)
        const order = await sender.send(intent, tell).catch((error: unknown) => {
          follower.forget(intent.id)
          this.#onEnd.delete(intent.id)
          this.#entryOf.delete(intent.id)
          throw error
        })
        const { filled, trades } = follower.acknowledge(intent.id, order)
        if (filled.gt(0)) tell({ type: 'filled', order, trades })
        return order
      },
      find: async (id) => {
        const asked = await sender.askAgain(id)
        return asked === undefined ? findOrder(exchange, entry.order.symbol, id) : asked.order
      },
      priceSoon: (symbol) => this.#priceSoon(symbol),
      follow: (order, id, onEnd) => {
        this.#entryOf.set(id, entry.id)
        if (follower.find(id) === undefined) listen(id, onEnd)
        else hear(id, onEnd)
        follower.acknowledge(id, order)
      },
      release: (id) => follower.release(id),
      filledOf: ({ clientOrderId = '', filled }) => Decimal.max(follower.find(clientOrderId)?.filled ?? 0, filled),
    }
  }

  async #priceSoon(symbol: string): Promise<string | undefined> {
    const { exchange, clock, signal } = this.#options
    const asked = exchange.fetchTicker(symbol).then(
      ({ last }) => last,
      (error: unknown) => {
        if (error instanceof ExchangeError) return undefined
        throw error
      },
    )
    const known = new AbortController()
    const late = clock.delay(PRICE_MS, AbortSignal.any([signal, known.signal])).then(() => undefined)
    try {
      return await Promise.race([asked, late])
    } finally {
      known.abort()
    }
  }

  #forgetReleased(entryId: string): void {
    if (this.#kept.get(entryId)?.protection.isReleased === true) this.forget(entryId)
  }

  #tryAgain(entryId: string, error: unknown): void {
    if (this.#updating.has(entryId)) return
    const pause = this.#pauses.get(entryId) ?? FIRST_RETRY_MS
    this.#pauses.set(entryId, Math.min(2 * pause, MOST_RETRY_MS))
    this.#updateLater(entryId, Math.max(pause, waitSaid(error)))
  }

  #updateLater(entryId: string, ms: number): void {
    if (this.#updating.has(entryId)) return
    this.#updating.add(entryId)
    const { clock, signal, onProblem } = this.#options
    clock
      .delay(ms, signal)
      .then(async () => {
        this.#updating.delete(entryId)
        const kept = this.#kept.get(entryId)
        if (signal.aborted || kept === undefined) return
        await this.update(entryId, NOTHING_NEW, false).catch((error: unknown) => this.#tellFailure(kept, error))
      })
      .catch(onProblem)
  }

  #tellFailure({ tell }: Kept, error: unknown): void {
    if (error instanceof TradingError) tell({ type: 'stop-failed', error })
    else this.#options.onProblem(error)
  }
}

async function findOrder(exchange: Exchange, symbol: string, clientOrderId: string): Promise<Order | undefined> {
  // What was executed at once never was a trigger order, and some venues keep those elsewhere.
  for (const isTrigger of [true, false]) {
    try {
      return await exchange.fetchOrder({ symbol, clientOrderId, isTrigger })
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'order-not-found') throw error
    }
  }
  return undefined
}

/** The venue's own word, in ms. */
function waitSaid(error: unknown): number {
  const cause = error instanceof TradingError ? error.cause : undefined
  return (cause instanceof ExchangeError ? cause.retryAfterMs : undefined) ?? 0
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof TradingError)) return false
  const { cause, code } = error
  if (cause instanceof ExchangeError) return PASSING.has(cause.code)
  return code === 'outcome-unknown' || (cause instanceof TradingError && cause.code === 'outcome-unknown')
}
