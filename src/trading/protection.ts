// One protective stop for one entry (behaviour 38): reduce-only, on the other side, amended to what has filled. It is placed when the first
// part fills, changed in place where the venue can, and has done its work when it is over.
import { Decimal } from 'decimal.js'
import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { type Order, refOf } from '../exchange/order.ts'
import { MAX_STOP_ATTEMPTS, stopOrderId } from './client-order-id.ts'
import type { TellOrder } from './order-event.ts'
import type { Intent, OrderJournal } from './order-journal.ts'
import type { OrderPlan, ProtectionPlan } from './order-plan.ts'
import { isUnknownOutcome } from './order-sender.ts'
import { TradingError } from './trading-error.ts'

/** The entry was placed: neither a halt nor simulation leaves it without its stop (behaviour 40). */
const PROTECTS: OrderContext = { protects: true }

export interface ProtectionPorts {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  /** Sends a protective order and follows it; `onEnd` when it is over. @throws as `OrderSender.send` */
  send(intent: Omit<Intent, 'at' | 'account' | 'venue'>, onEnd: (order: Order) => void): Promise<Order>
  /**
   * Asks for an order that was sent before.
   * @returns undefined when the venue does not have it
   * @throws {TradingError} `outcome-unknown`
   */
  find(clientOrderId: string): Promise<Order | undefined>
  /** Follows a protective order that is there already. */
  follow(order: Order, id: string, onEnd: (order: Order) => void): void
  /** From now on the end of the order is told; one that came before, at once. */
  release(id: string): void
}

/** `stopsSent`: after a crash, how many stops the process before had begun to send. */
export type ProtectedEntry = Intent & { readonly stopsSent?: number }

export class Protection {
  readonly #ports: ProtectionPorts
  readonly #entry: ProtectedEntry
  readonly #plan: ProtectionPlan
  readonly #tell: TellOrder
  /** What has filled of the entry. */
  #filled = new Decimal(0)
  /** What stops that are over were there for. */
  #dealtWith = new Decimal(0)
  #attempt = 0
  #stop: Order | undefined
  #work: Promise<void> = Promise.resolve()
  /** Nothing definite is known of the stop that was sent last. */
  #isInDoubt = false
  #isLookedFor = false
  #isEntryOver = false
  #isReleased = false

  /** @param entry with the number of stops that a process before this one had begun to send for it */
  constructor(entry: ProtectedEntry, plan: ProtectionPlan, tell: TellOrder, ports: ProtectionPorts) {
    this.#entry = entry
    this.#plan = plan
    this.#tell = tell
    this.#ports = ports
  }

  /** Whether the entry can fill no further. */
  get isEntryOver(): boolean {
    return this.#isEntryOver
  }

  /** Whether nothing more is to be done. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /**
   * The entry has filled so far, and is over or not. One change after another, in order.
   * @throws {TradingError} `stop-failed`
   */
  update(filled: Decimal, isEntryOver: boolean): Promise<void> {
    this.#filled = Decimal.max(this.#filled, filled)
    this.#isEntryOver ||= isEntryOver
    return this.#inTurn(() => this.#sync())
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#work.then(step).catch((error: unknown) => {
      throw this.#failed(error)
    })
    this.#work = done.catch(() => {})
    return done
  }

  async #sync(): Promise<void> {
    if (!this.#isLookedFor) await this.#findStops(this.#entry.stopsSent ?? 0)
    this.#isLookedFor = true
    const needed = this.#filled.minus(this.#dealtWith)
    if (needed.gt(0)) await (this.#stop === undefined ? this.#place(needed) : this.#amend(this.#stop, needed))
    this.#releaseIfDone()
  }

  async #place(needed: Decimal): Promise<void> {
    if (this.#isInDoubt) return this.#resolveDoubt()
    const { symbol } = this.#entry.order
    if (this.#attempt > MAX_STOP_ATTEMPTS) {
      throw new TradingError(
        'stop-failed',
        `${symbol} is without its stop: it was placed ${this.#attempt} times already`,
        {
          hint: '`stop at <price>` places one, `close` ends the position',
        },
      )
    }
    const isPassed = await this.#isPassed()
    if (isPassed) this.#tell({ type: 'stop-passed', symbol, triggerPrice: this.#plan.triggerPrice })
    const order = this.#orderOf(needed, isPassed)
    const id = stopOrderId(this.#entry.id, this.#attempt)
    const { by } = this.#entry
    try {
      const placed = await this.#ports.send({ id, by, order, protects: this.#entry.id }, (ended) => this.#ended(ended))
      this.#stop = placed
      if (placed.status === 'open') this.#tell({ type: 'protected', stop: placed, isChange: false })
      this.#ports.release(id)
    } catch (error) {
      if (isUnknownOutcome(error)) this.#isInDoubt = true
      else this.#attempt += 1
      if (!(error instanceof ExchangeError) || error.code !== 'reduce-only-rejected') throw error
      // The position is gone already: there is nothing left to protect.
      this.#dealtWith = this.#filled
    }
  }

  async #amend(stop: Order, needed: Decimal): Promise<void> {
    if (needed.eq(stop.amount)) return
    const { exchange, journal } = this.#ports
    if (!exchange.capabilities.editOrder) return this.#replace(stop, needed)
    const outcome = await exchange.editOrder(refOf(stop), { amount: needed.toFixed() }, PROTECTS)
    if (outcome.kind === 'placed') {
      journal.changed(this.#entry.account, refOf(stop), { amount: needed.toFixed() }, this.#entry.by)
      this.#stop = outcome.order
      return this.#tell({ type: 'protected', stop: outcome.order, isChange: true })
    }
    if (outcome.kind === 'refused' && outcome.error.code !== 'order-not-found') throw outcome.error
    // It ended meanwhile, or nobody knows: the venue is asked, and the rest follows from its answer.
    const now = await exchange.fetchOrder(refOf(stop))
    this.#stop = now
    if (now.status !== 'open') this.#ended(now)
    const again = this.#filled.minus(this.#dealtWith)
    if (this.#stop === undefined && again.gt(0)) return this.#place(again)
    if (now.status === 'open' && !again.eq(now.amount)) throw outcome.error
  }

  /** Where a venue cannot change orders: the new one first, so that the position is never without. */
  async #replace(stop: Order, needed: Decimal): Promise<void> {
    this.#stop = undefined
    this.#attempt += 1
    await this.#place(needed)
    await this.#ports.exchange.cancelOrder(refOf(stop), PROTECTS)
    this.#ports.journal.changed(this.#entry.account, refOf(stop), 'canceled', this.#entry.by)
  }

  /** A stop that is there already, and may be over. */
  #adopt(order: Order, id: string): void {
    this.#stop = order
    this.#ports.follow(order, id, (ended) => this.#ended(ended))
    this.#ports.release(id)
  }

  /** Once for each order: by its event, or because it was over as it was placed. */
  #ended(order: Order): void {
    if (this.#stop?.id !== order.id) return
    this.#stop = undefined
    this.#attempt += 1
    this.#dealtWith = this.#dealtWith.plus(dealtWithBy(order))
    this.#releaseIfDone()
  }

  /** Goes on where it was when a question got no answer: each order counts once. */
  async #findStops(stopsSent: number): Promise<void> {
    while (this.#attempt < stopsSent) {
      const id = stopOrderId(this.#entry.id, this.#attempt)
      const found = await this.#ports.find(id)
      if (found === undefined) {
        this.#attempt += 1
        continue
      }
      this.#adopt(found, id)
      if (found.status === 'open') return
      this.#ended(found)
    }
  }

  /** What was sent and not answered is asked for; only then may there be another. */
  async #resolveDoubt(): Promise<void> {
    const id = stopOrderId(this.#entry.id, this.#attempt)
    const found = await this.#ports.find(id)
    this.#isInDoubt = false
    if (found === undefined) this.#attempt += 1
    else this.#adopt(found, id)
    return this.#sync()
  }

  async #isPassed(): Promise<boolean> {
    const { last } = await this.#ports.exchange.fetchTicker(this.#entry.order.symbol)
    const distance = new Decimal(last).comparedTo(this.#plan.triggerPrice)
    return this.#plan.fires === 'at-or-above' ? distance >= 0 : distance <= 0
  }

  #orderOf(amount: Decimal, isPassed: boolean): OrderPlan {
    const { symbol, side } = this.#entry.order
    const what = { symbol, side: side === 'buy' ? 'sell' : 'buy', amount: amount.toFixed(), reduceOnly: true } as const
    return isPassed ? { ...what, type: 'market' } : { ...what, type: 'stop', triggerPrice: this.#plan.triggerPrice }
  }

  #releaseIfDone(): void {
    const isDone = this.#isEntryOver && this.#stop === undefined && this.#dealtWith.gte(this.#filled)
    if (!isDone || this.#isReleased) return
    this.#isReleased = true
    this.#ports.journal.released(this.#entry.id)
  }

  #failed(error: unknown): unknown {
    const isExpected = error instanceof ExchangeError || error instanceof TradingError
    if (!isExpected || (error instanceof TradingError && error.code === 'stop-failed')) return error
    return new TradingError('stop-failed', `${this.#entry.order.symbol} is without its stop: ${error.message}`, {
      hint: '`stop at <price>` places one, `close` ends the position',
      cause: error,
    })
  }
}

/**
 * How much of the entry an order that is over was there for. What a stop that has fired could not fill is still to be closed; a stop that
 * was taken back is not placed again.
 */
function dealtWithBy({ type, filled, amount }: Order): string {
  return type === 'market' || new Decimal(filled).gt(0) ? filled : amount
}
