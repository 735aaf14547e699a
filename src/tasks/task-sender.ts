// The hands of one task: its orders are placed, changed and taken back here, each once, and what became of each is found out. Nothing is sent
// by a process that no longer drives the task.
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderChange, refOf, type Trade } from '../exchange/order.ts'
import { Simulated } from '../exchange/simulated.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import type { Orders, TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent, OrderListener } from '../trading/order-event.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import { isUnknownOutcome } from '../trading/order-sender.ts'
import { NOT_FOUND_IS_FINAL_MS } from '../trading/settlement.ts'
import { TradingError } from '../trading/trading-error.ts'
import { isLiveOrder, type OwnOrder, type TaskOrders } from './task-orders.ts'

interface TaskSenderPorts {
  readonly clock: Clock
  /** Ends all waiting: the task is over, or another process drives it. */
  readonly signal: AbortSignal
  readonly orders: TaskOrders
  /** As it is connected now. */
  readonly account: () => TradingAccount
  /** Who ordered, for the order or change of this number. */
  readonly by: (step: number) => OrderedBy
  /** Looked at afresh: why nothing may be sent. `lost`: another process drives the task. */
  readonly refusal: () => 'lost' | { readonly code: string; readonly why: string } | undefined
  /** Something became of it. */
  readonly changed: (order: OwnOrder) => void
  readonly filled: (trade: Trade) => void
  /** It was worked out and not sent. */
  readonly simulated: () => void
  readonly warn: (text: string) => void
  readonly bug: (error: unknown) => void
}

/** Numbers of changes: the ids of orders and of changes are made alike, and must differ. */
const FIRST_CHANGE = 0x80_00_00
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000]
const LONGEST_PAUSE_MS = 15_000
const NOT_SENT = 'it was computed and not sent'

export class TaskSender {
  readonly #ports: TaskSenderPorts
  #wake = new Set<() => void>()

  constructor(ports: TaskSenderPorts) {
    this.#ports = ports
  }

  get #desk(): Orders {
    return this.#ports.account().orders
  }

  /** Sends what was written down. Never rejects. */
  async place(own: OwnOrder): Promise<void> {
    const refusal = this.#ports.refusal()
    if (refusal === 'lost') return
    if (refusal !== undefined) return this.refuse(own, refusal.code, refusal.why)
    try {
      this.received(own, await this.#desk.place(own.plan, this.#ports.by(own.step), this.listenerOf(own)))
    } catch (error) {
      this.#notPlaced(own, error)
    }
  }

  /** @param change counts the changes of the task from 0. Never rejects. */
  async amend(own: OwnOrder, wanted: OrderChange, change: number): Promise<void> {
    const refusal = this.#ports.refusal()
    if (refusal === 'lost') return
    const { order } = own
    if (own.status !== 'open' || order === undefined || own.isChanging) return this.#noted(own)
    if (refusal !== undefined) return this.#unchanged(own, refusal.code, refusal.why)
    own.isChanging = true
    try {
      const by = this.#ports.by(FIRST_CHANGE + change)
      const changed = await this.#desk.amend(order, wanted, by, this.listenerOf(own))
      Object.assign(own, { isChanging: false, changeRefused: undefined })
      this.received(own, changed)
      this.#noted(own)
    } catch (error) {
      await this.#notChanged(own, order, error)
    }
  }

  /**
   * Takes it back, and resolves when it is known to be over, or the venue's no is definite.
   * @param isPersistent asks again after a no, until it is over
   */
  async cancel(own: OwnOrder, isPersistent: boolean): Promise<void> {
    const { signal } = this.#ports
    for (let attempt = 0; isLiveOrder(own) && !signal.aborted; attempt += 1) {
      if (own.status !== 'open' || own.order === undefined || own.isChanging) {
        await this.#nextChange(pauseOf(attempt))
        continue
      }
      if (this.#ports.refusal() === 'lost') return
      const isKnown = await this.#cancelOnce(own, own.order)
      if (!isLiveOrder(own) || (isKnown && !isPersistent)) return
      await this.#nextChange(pauseOf(attempt))
    }
  }

  /** Takes back all that live but for those of these tags. Resolves when none of the others can live. */
  async takeBack(keeps: readonly string[]): Promise<void> {
    const { orders, signal } = this.#ports
    for (;;) {
      const left = orders.live().filter(({ tag }) => !keeps.includes(tag))
      if (left.length === 0 || signal.aborted) return
      await Promise.all(left.map((own) => this.cancel(own, true)))
    }
  }

  /** Finds out what became of the orders that another process left, and hears of them from now on. Each is asked for once before it resolves. */
  async adopt(): Promise<void> {
    await Promise.all(this.#ports.orders.live().map((own) => this.#adopt(own)))
  }

  /** The venue has reported it. */
  received(own: OwnOrder, order: Order, reason?: string): void {
    if (reason !== undefined) own.why = reason
    if (this.#ports.orders.received(own, order)) this.#noted(own)
  }

  receivedTrade(own: OwnOrder, trade: Trade): void {
    if (!this.#ports.orders.receivedTrade(own, trade)) return
    this.#ports.filled(trade)
    this.#noted(own)
  }

  listenerOf(own: OwnOrder): OrderListener {
    return (event: OrderEvent) => {
      if (isOfItsStop(own, event)) {
        if (event.type === 'filled-later') this.#ports.filled(event.trade)
        return
      }
      switch (event.type) {
        case 'filled':
          for (const trade of event.trades) this.receivedTrade(own, trade)
          return this.received(own, event.order)
        case 'rests':
        case 'filled-meanwhile':
          return this.received(own, event.order)
        case 'filled-later':
          return this.receivedTrade(own, event.trade)
        case 'ended':
          return this.#ended(own, event)
        case 'unknown':
          own.status = 'unknown'
          return this.#noted(own)
        case 'settled':
          if (event.order !== undefined) return this.received(own, event.order)
          return this.refuse(own, 'never-arrived', 'the order never arrived')
        case 'change-settled':
          own.isChanging = false
          if (event.order !== undefined) this.received(own, event.order)
          return this.#noted(own)
        case 'stop-failed':
          return this.#ports.warn(event.error.message)
        default:
          return
      }
    }
  }

  #ended(own: OwnOrder, { order, reason, isReplaced, isElsewhere }: Extract<OrderEvent, { type: 'ended' }>): void {
    own.isReplaced = isReplaced
    if (order.status === 'canceled') own.canceledBy = isElsewhere === true ? 'elsewhere' : 'command'
    if (isElsewhere === true) void this.#findReplacement(own, order)
    this.received(own, order, reason)
  }

  /** Another hookline has canceled it. */
  async #findReplacement(own: OwnOrder, order: Order): Promise<void> {
    try {
      if ((await this.#desk.replacing(order)) === undefined) return
      own.isReplaced = true
      this.#noted(own)
    } catch (error) {
      this.#ports.bug(error)
    }
  }

  #noted(own: OwnOrder): void {
    this.#ports.changed(own)
    const waiting = this.#wake
    this.#wake = new Set()
    for (const wake of waiting) wake()
  }

  /** Nothing of it was sent, or arrived. */
  refuse(own: OwnOrder, code: string, why: string): void {
    this.#ports.orders.refused(own, code, why)
    this.#noted(own)
  }

  #unchanged(own: OwnOrder, code: string, why: string): void {
    own.changeRefused = { code, why }
    this.#noted(own)
  }

  #notPlaced(own: OwnOrder, error: unknown): void {
    if (error instanceof Simulated) {
      this.refuse(own, 'simulated', NOT_SENT)
      return this.#ports.simulated()
    }
    const isDefinite = isExpected(error) && !isUnknownOutcome(error)
    // The entry was placed; what is missing is its stop.
    if (isDefinite && error.code === 'stop-failed') return this.#ports.warn(error.message)
    if (isDefinite) return this.refuse(own, error.code, error.message)
    if (!isExpected(error)) this.#ports.bug(error)
    if (isLiveOrder(own) && own.status !== 'open') own.status = 'unknown'
    this.#noted(own)
    // Of what failed in a way that no one knows, no one will tell.
    if (!isExpected(error)) void this.#adoptLater(own, 0)
  }

  async #notChanged(own: OwnOrder, order: Order, error: unknown): Promise<void> {
    // It is told when it is known.
    if (isUnknownOutcome(error)) return this.#noted(own)
    own.isChanging = false
    if (error instanceof Simulated) {
      this.#ports.simulated()
      return this.#unchanged(own, 'simulated', NOT_SENT)
    }
    if (!isExpected(error)) this.#ports.bug(error)
    const [code, why] = isExpected(error) ? [error.code, error.message] : ['bug', 'it failed for an unknown reason']
    if (code === 'order-not-found' || code === 'order-ended') await this.#look(own, order)
    this.#unchanged(own, code, why)
  }

  /** @returns whether the outcome is known */
  async #cancelOnce(own: OwnOrder, order: Order): Promise<boolean> {
    own.isChanging = true
    try {
      // What rests for real is taken back for real, in simulation too.
      const canceled = await this.#desk.cancel(refOf(order), { ...this.#ports.by(own.step), isReal: true })
      own.isChanging = false
      this.received(own, canceled)
      return true
    } catch (error) {
      own.isChanging = false
      if (!(error instanceof ExchangeError)) this.#ports.bug(error)
      const code = error instanceof ExchangeError ? error.code : 'bug'
      const isDoubtful = code === 'order-not-found' || code === 'outcome-unknown'
      if (isDoubtful) await this.#look(own, order)
      this.#unchanged(own, code, error instanceof Error ? error.message : String(error))
      return !isDoubtful
    }
  }

  /** Asks once what it is. What was placed and is not listed after a while is over: its fills say how much it did. */
  async #look(own: OwnOrder, order: Order): Promise<void> {
    const { clock, account, bug } = this.#ports
    try {
      this.received(own, await account().venue.fetchOrder(refOf(order)))
    } catch (error) {
      if (!(error instanceof ExchangeError)) return bug(error)
      if (error.code !== 'order-not-found' || clock.now() - own.at < NOT_FOUND_IS_FINAL_MS) return
      const now = await this.#desk.records.fateOf(order, own.plan, own.at)
      if (now !== undefined) this.received(own, now, 'the venue no longer lists it')
    }
  }

  async #adopt(own: OwnOrder, attempt = 0): Promise<void> {
    const { symbol, type } = own.plan
    const { signal } = this.#ports
    if (signal.aborted || !isLiveOrder(own)) return
    try {
      const ref = { symbol, isTrigger: isTriggerType(type), clientOrderId: own.id }
      const found = await this.#desk.adopt(ref, this.listenerOf(own))
      if (found.kind === 'found') this.received(own, found.order)
      else if (found.kind === 'never-arrived') this.refuse(own, 'never-arrived', 'the order never arrived')
      else if (found.isFollowed) this.#noted(own)
      else void this.#adoptLater(own, attempt)
    } catch (error) {
      if (!isExpected(error)) this.#ports.bug(error)
      void this.#adoptLater(own, attempt)
    }
  }

  async #adoptLater(own: OwnOrder, attempt: number): Promise<void> {
    const { clock, signal } = this.#ports
    await clock.delay(pauseOf(attempt), signal)
    await this.#adopt(own, attempt + 1)
  }

  /** Resolves when something becomes of any of its orders, and after so long anyway. */
  #nextChange(ms: number): Promise<void> {
    const { clock, signal } = this.#ports
    const changed = new Promise<void>((resolve) => this.#wake.add(resolve))
    return Promise.race([changed, clock.delay(ms, signal)])
  }
}

function pauseOf(attempt: number): number {
  return PAUSES_MS[attempt] ?? LONGEST_PAUSE_MS
}

function isExpected(error: unknown): error is ExchangeError | TradingError | StoreError {
  return error instanceof ExchangeError || error instanceof TradingError || error instanceof StoreError
}

/** What becomes of the stop or the target that an entry took with it is told to the entry, too: none of it is a fill of the task. */
function isOfItsStop({ plan }: OwnOrder, event: OrderEvent): boolean {
  return (
    plan.protection !== undefined && 'order' in event && event.order !== undefined && event.order.side !== plan.side
  )
}
