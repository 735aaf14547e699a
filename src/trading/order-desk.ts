// Where every order of one account is placed, followed and taken back. Commands, hooks, tasks and copiers come here with a plan; nothing
// else sends an order. It tells what happens and never prints.
import type { Decimal } from 'decimal.js'
import type { VenueView } from '../exchange/exchange.ts'
import { type Order, type OrderChange, type OrderRef, refOf, type Trade } from '../exchange/order.ts'
import { type Adopted, type AdoptedRef, adoptOrder } from './adopted-order.ts'
import { fillsOf } from './fills-of-order.ts'
import { Follower } from './following.ts'
import { setMarginMode } from './margin-mode.ts'
import { OrderAmender } from './order-amender.ts'
import type { IntendedChange } from './order-change-lines.ts'
import type { OrderDeskOptions } from './order-desk-options.ts'
import type { TellOrder } from './order-event.ts'
import type { Intent, OpenIntent } from './order-journal-lines.ts'
import { guardContext, type OrderedBy, type OrderPlan, orderIdOf, withoutAsked } from './order-plan.ts'
import { isUnknownOutcome, OrderSender, type UnsettledOrder } from './order-sender.ts'
import { type OrderNames, OwnOrders } from './own-orders.ts'
import { Protections } from './protections.ts'
import { type Replacement, replaceOrder } from './replace-order.ts'
import { takeOver } from './take-over.ts'
import { TradingError } from './trading-error.ts'

/** An account that can be traded on: what it holds and where it trades may be asked; orders go to its desk. */
export interface TradingAccount {
  readonly name: string
  readonly venue: VenueView
  /** One that sends, or that of a preview. */
  readonly orders: Orders
  /** How far through the market a limit may be, in percent, or `off`; absent: 5. */
  readonly priceBand?: () => string
}

export type Orders = Pick<OrderDesk, keyof OrderDesk>

export class OrderDesk {
  readonly #options: OrderDeskOptions
  readonly #sender: OrderSender
  readonly #amender: OrderAmender
  readonly #follower: Follower
  readonly #protections: Protections
  readonly #own = new OwnOrders()
  readonly #closing = new AbortController()
  #recovery: Promise<void> | undefined

  constructor(options: OrderDeskOptions) {
    const { account, exchange, journal, clock, onProblem } = options
    const { signal } = this.#closing
    this.#options = options
    this.#sender = new OrderSender({
      ...{ exchange, journal, clock, signal, own: this.#own },
      onLate: (intent, order, tell) => this.#late(intent, order, tell),
    })
    this.#amender = new OrderAmender({ exchange, journal, clock, signal })
    this.#follower = new Follower({
      venue: exchange,
      onFill: (followed, trade) => {
        journal.fill(followed.id, account, trade)
        if (followed.isReleased) this.#protections.follow(followed, undefined)
      },
      onEnd: (followed, order) => {
        const { id, wasOpen, reason } = followed
        const { status, filled } = order
        // An order that was over as it was placed has its end in its outcome.
        if (wasOpen && status !== 'open')
          journal.end(id, { status, filled, ...(reason === undefined ? {} : { reason }) })
        this.#protections.follow(followed, order)
      },
    })
    this.#protections = new Protections({
      ...{ account, exchange, journal, clock, signal, onProblem },
      ...{ follower: this.#follower, sender: this.#sender },
      isUnderWay: (symbol) => this.#sender.isUnderWay(symbol),
    })
  }

  /**
   * Sends one order and follows it. `tell` hears what becomes of it, also after this has resolved, until it is over.
   * @returns the order as it is after immediate fills
   * @throws {StoreError} nothing was sent @throws {ExchangeError} the venue's own no, or `guarded`
   * @throws {Simulated} it was worked out and not sent: the caller must go no further with it (behaviour 40)
   * @throws {TradingError} `order-rejected`, `outcome-unknown`, `unsettled-order`; `stop-failed`: the entry was placed
   */
  async place(plan: OrderPlan, by: OrderedBy, tell: TellOrder): Promise<Order> {
    await this.#requireSettled(plan)
    if (plan.reduceOnly !== true) await this.#protections.leftovers.beforeEntry(plan.symbol)
    const { account, exchange, clock } = this.#options
    const id = orderIdOf(by)
    const intent: Intent = { id, at: clock.now(), account, venue: exchange.id, by, order: withoutAsked(plan) }
    this.#follower.begin(id, tell)
    this.#protections.begin(intent, tell)
    const order = await this.#sender.send(intent, tell).catch((error: unknown) => this.#lost(intent, error))
    await this.#placed(intent, order, tell)
    return order
  }

  /** Whether the guards would let it pass; it is neither sent nor written down. @throws {ExchangeError} `guarded` @throws {TradingError} `unsettled-order` */
  async judge(plan: OrderPlan, by: OrderedBy): Promise<void> {
    await this.#requireSettled(plan)
    return this.#sender.judge(orderIdOf(by), plan, by)
  }

  /** As `judge`, but takes nothing over and asks nothing again: it changes nothing. @throws {ExchangeError} `guarded` @throws {TradingError} */
  look(plan: OrderPlan, by: OrderedBy): Promise<void> {
    return this.#sender.look(orderIdOf(by), withoutAsked(plan), by)
  }

  /** As `look`, for a change of a resting order. @throws {ExchangeError} `guarded` */
  lookAtChange(order: Order, change: OrderChange, by: OrderedBy): Promise<void> {
    return this.#amender.judge(order, change, by)
  }

  /** An exit has filled whole: where that left the symbol flat, what protected it is taken back. */
  exited({ symbol, side }: Pick<Order, 'symbol' | 'side'>, tell: TellOrder): Promise<void> {
    return this.#protections.leftovers.exited(symbol, side, tell)
  }

  /** @throws {ExchangeError} `order-not-found`, `outcome-unknown` @throws {Simulated} */
  async cancel(ref: OrderRef, by: OrderedBy): Promise<Order> {
    if (ref.id !== undefined) this.#own.addPlaced({ symbol: ref.symbol, id: ref.id })
    const canceled = await this.#options.exchange.cancelOrder(ref, guardContext(by))
    this.#options.journal.changed(this.#options.account, ref, 'canceled', by)
    return canceled
  }

  /** Changes a resting order in place. `tell` hears of an answer that does not come. @throws as `OrderAmender.amend`; `unsettled-order` */
  async amend(order: Order, change: OrderChange, by: OrderedBy, tell: TellOrder): Promise<Order> {
    await this.#requireSettled(order, order.id)
    const { account, clock } = this.#options
    const id = orderIdOf(by)
    return this.#amender.amend({ id, at: clock.now(), account, ref: refOf(order), change, by }, tell)
  }

  /** Takes an order back, and only when it is known to be over places another. @throws as `replaceOrder` */
  async replace(
    order: Order,
    planFor: (ended: Order) => OrderPlan | undefined,
    by: OrderedBy,
    tell: TellOrder,
  ): Promise<Replacement> {
    await this.#requireSettled(order, order.id)
    const { exchange, journal } = this.#options
    const cancel = () => this.cancel(refOf(order), by)
    return replaceOrder({ exchange, journal, cancel, place: (plan) => this.place(plan, by, tell) }, order, planFor)
  }

  /** @throws {ExchangeError} as `Exchange.setLeverage` */
  setLeverage(symbol: string, leverage: string, by: OrderedBy): Promise<void> {
    return this.#options.exchange.setLeverage(symbol, leverage, guardContext(by))
  }

  /** @throws {ExchangeError} as `Exchange.setMarginMode`; `not-supported` where the venue has one mode */
  async setMarginMode(symbol: string, mode: 'cross' | 'isolated', by: OrderedBy): Promise<void> {
    await setMarginMode(this.#options.exchange, symbol, mode, guardContext(by))
  }

  /** Of one symbol where given. @throws {ExchangeError} @throws {Simulated} */
  async cancelAll(symbol: string | undefined, by: OrderedBy): Promise<readonly Order[]> {
    const ended = this.#own.beginCancel(symbol)
    const canceled = await this.#options.exchange.cancelAllOrders(symbol, guardContext(by)).finally(ended)
    this.noteCanceled(canceled, by)
    return canceled
  }

  /** Into the journal: orders that a control of the venue took back. */
  noteCanceled(orders: readonly Order[], by: OrderedBy): void {
    for (const order of orders) this.#options.journal.changed(this.#options.account, refOf(order), 'canceled', by)
  }

  /** Into the journal: the account began anew. */
  noteReset(canceled: readonly Order[], by: OrderedBy): void {
    this.noteCanceled(canceled, by)
    this.#options.journal.reset(this.#options.account)
  }

  /** Whether this process has placed the order, follows it, or has just taken it back: who asked for that is told already. */
  isOwn(order: OrderNames): boolean {
    return this.#own.has(order)
  }

  /** Orders of which nothing definite is known. */
  unsettled(): readonly UnsettledOrder[] {
    return this.#sender.unsettled()
  }

  /** Changes of resting orders of which nothing definite is known. */
  unsettledChanges(): readonly IntendedChange[] {
    return this.#amender.unsettled()
  }

  /** Takes over what was left open: settles it, follows it, and sees to its stops. Done once, before the first order. */
  recover(): Promise<void> {
    this.#recovery ??= this.#begin()
    return this.#recovery
  }

  /**
   * Hears from now on of an order that was sent by a process that no longer looks after it, or by this one: asked for once before it resolves,
   * and until it is known.
   * @throws {StoreError}
   */
  async adopt(ref: AdoptedRef, tell: TellOrder): Promise<Adopted> {
    await this.recover()
    return adoptOrder({ ...this.#options, ...this.#parts }, ref, tell)
  }

  /** As `recover`, again: other processes may have died since. */
  async recoverAgain(): Promise<void> {
    await this.recover()
    this.#recovery = this.#begin()
    return this.#recovery
  }

  /** Stops asking and following. What rests stays; the journal lets the next process go on. */
  close(): void {
    this.#protections.abandon()
    this.#closing.abort()
    this.#follower.close()
    this.#options.journal.leave(this.#options.account)
  }

  get #parts() {
    return { follower: this.#follower, protections: this.#protections, sender: this.#sender }
  }

  /** What only reduces depends on nothing but on itself. */
  async #requireSettled(order: Pick<OrderPlan, 'symbol' | 'reduceOnly'>, orderId?: string): Promise<void> {
    await this.recover()
    await this.#sender.requireSettled(order)
    await this.#amender.requireSettled(order, orderId)
  }

  async #placed(intent: Intent, order: Order, tell: TellOrder): Promise<void> {
    const { filled } = this.#follower.acknowledge(intent.id, order)
    const tellFills = (trades: readonly Trade[]) => tell({ type: 'filled', order, trades })
    const told = filled.gt(0) ? this.#fillsOf(intent.id, order).then(tellFills) : undefined
    // Only on spot the fees of the fills say how much there is to protect: elsewhere its stop does not wait for a list of fills.
    if (this.#options.exchange.kind === 'spot') await told
    const isOpen = order.status === 'open'
    if (isOpen) tell({ type: 'rests', order })
    if (intent.order.protection !== undefined && isOpen) {
      const { fires: _, ...prices } = intent.order.protection
      tell({ type: 'stop-waits', symbol: order.symbol, ...prices })
    }
    await this.#follow(intent.id, filled, !isOpen, told)
  }

  #fillsOf(id: string, order: Order): Promise<readonly Trade[]> {
    return fillsOf(this.#options.exchange, this.#follower, id, order)
  }

  /** Of another process, and known to be placed: only what happened since is told. */
  async #resumed(intent: OpenIntent, order: Order, tell: TellOrder): Promise<void> {
    const { filled } = this.#follower.acknowledge(intent.id, order)
    if (filled.gt(intent.filledBefore)) {
      await this.#fillsOf(intent.id, order)
      tell({ type: 'filled-meanwhile', order })
    }
    await this.#follow(intent.id, filled, order.status !== 'open')
  }

  /** @param told resolves when its fills so far were told: what is over is followed until then */
  async #follow(id: string, filled: Decimal, isOver: boolean, told?: Promise<void>): Promise<void> {
    try {
      await this.#protections.update(id, filled, isOver)
    } finally {
      if (isOver) await told
      this.#follower.release(id)
      const now = this.#follower.find(id)
      // What filled while its stop was placed.
      if (now?.filled.gt(filled)) this.#protections.follow(now, undefined)
      await told
    }
  }

  /** What nobody waited for is known. Protective orders are seen to by their protection. */
  async #late(intent: Intent | OpenIntent, order: Order | undefined, tell: TellOrder): Promise<void> {
    if (intent.protects !== undefined) return
    if (order === undefined) {
      if (intent.order.protection !== undefined) this.#options.journal.released(intent.id)
      return this.#forget(intent.id)
    }
    try {
      await ('filledBefore' in intent ? this.#resumed(intent, order, tell) : this.#placed(intent, order, tell))
    } catch (error) {
      if (error instanceof TradingError) tell({ type: 'stop-failed', error })
      else this.#options.onProblem(error)
    }
  }

  /** Not placed, or not known to be: what is unknown stays followed, so that nothing of it is missed. */
  #lost({ id }: Intent, error: unknown): never {
    if (!isUnknownOutcome(error)) this.#forget(id)
    throw error
  }

  #forget(id: string): void {
    this.#follower.forget(id)
    this.#protections.forget(id)
  }

  /** A journal that could not be read is read again by the next order. */
  #begin(): Promise<void> {
    const recovery = takeOver({ ...this.#options, ...this.#parts, amender: this.#amender })
    recovery.catch(() => {
      if (this.#recovery === recovery) this.#recovery = undefined
    })
    return recovery
  }
}
