// The stop and the take-profit of one entry (behaviour 38): reduce-only, on the other side, amended to what has filled. They are placed when
// the first part fills, changed in place where the venue can, and what one of them closes the other no longer covers. One order where the
// venue takes both prices in one.
import { Decimal } from 'decimal.js'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { type Order, refOf } from '../exchange/order.ts'
import { MAX_ATTEMPTS } from './client-order-id.ts'
import type { TellOrder } from './order-event.ts'
import type { ProtectionPlan } from './order-plan.ts'
import { isUnknownOutcome } from './order-sender.ts'
import { PROTECTS, type ProtectedEntry, type ProtectionPorts } from './protection-ports.ts'
import { isOneOrder, legsOf, type ProtectiveLeg, passedPrice, protectiveOrder, waitingOrder } from './protective-leg.ts'
import { TradingError, withoutProtection } from './trading-error.ts'

export class Protection {
  readonly #ports: ProtectionPorts
  readonly #entry: ProtectedEntry
  readonly #plan: ProtectionPlan
  readonly #tell: TellOrder
  readonly #legs: readonly ProtectiveLeg[]
  readonly #isOneOrder: boolean
  /** What has filled of the entry. */
  #filled = new Decimal(0)
  #work: Promise<void> = Promise.resolve()
  #isTidyQueued = false
  #isEntryOver = false
  #isReleased = false

  constructor(entry: ProtectedEntry, plan: ProtectionPlan, tell: TellOrder, ports: ProtectionPorts) {
    this.#entry = entry
    this.#plan = plan
    this.#tell = tell
    this.#ports = ports
    this.#isOneOrder = isOneOrder(ports.exchange.capabilities, entry)
    this.#legs = legsOf(plan, entry, this.#isOneOrder)
  }

  /** Whether the entry can fill no further. */
  get isEntryOver(): boolean {
    return this.#isEntryOver
  }

  /** Whether nothing more is to be done. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** Whether two orders rest, of which one has to be taken back when the other fills. */
  get isPair(): boolean {
    return this.#legs.length > 1 && this.#legs.every(({ order }) => order !== undefined)
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

  /** One leg of a pair has filled or ended: the other one no longer covers that. Places nothing. @throws {TradingError} `stop-failed` */
  tidy(): Promise<void> {
    if (this.#legs.length < 2 || this.#isTidyQueued) return Promise.resolve()
    this.#isTidyQueued = true
    return this.#inTurn(() => {
      this.#isTidyQueued = false
      return this.#tidyLegs()
    })
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#work.then(step).catch((error: unknown) => {
      throw this.#failed(error)
    })
    this.#work = done.catch(() => {})
    return done
  }

  /** What is not known of one leg keeps the other from nothing: the stop comes first. */
  async #sync(): Promise<void> {
    const failures: unknown[] = []
    const attempt = async (leg: ProtectiveLeg, step: (leg: ProtectiveLeg) => Promise<void>) =>
      step(leg).catch((error: unknown) => void failures.push(this.#failed(error, leg)))
    for (const leg of this.#legs) await attempt(leg, (each) => this.#findSent(each))
    const known = this.#legs.filter((leg) => leg.isFound)
    for (const leg of known) await attempt(leg, (each) => this.#tidyLeg(each))
    for (const leg of known) await attempt(leg, (each) => this.#cover(each))
    this.#releaseIfDone()
    if (failures.length > 0) throw failures[0]
  }

  async #cover(leg: ProtectiveLeg): Promise<void> {
    if (leg.inDoubt !== undefined) await this.#resolveDoubt(leg, leg.inDoubt)
    const needed = this.#neededOf(leg)
    if (needed.gt(0)) await (leg.order === undefined ? this.#place(leg, needed) : this.#amend(leg, leg.order, needed))
  }

  async #tidyLegs(): Promise<void> {
    for (const leg of this.#legs) await this.#tidyLeg(leg)
    this.#releaseIfDone()
  }

  /** Nothing is placed here, and nothing made larger. */
  async #tidyLeg(leg: ProtectiveLeg): Promise<void> {
    for (const order of [...leg.leftOver]) await this.#cancel(leg, order)
    await this.#settleTakenBack(leg)
    const { order } = leg
    if (order === undefined) return
    const [needed, filled] = [this.#neededOf(leg), this.#ports.filledOf(order)]
    if (filled.gte(order.amount)) return
    if (needed.lte(filled)) await this.#withdraw(leg, order)
    else if (needed.lt(order.amount)) await this.#amend(leg, order, needed)
  }

  /** As a whole amount: with what its order at the venue has filled by now. */
  #neededOf(leg: ProtectiveLeg): Decimal {
    const closed = this.#legs.reduce((sum, each) => sum.plus(each.closed), new Decimal(0))
    return this.#filled
      .minus(closed)
      .minus(leg.waived)
      .minus(this.#liveOf(this.#legs.find((each) => each !== leg)))
  }

  /** What the order at the venue has filled. */
  #liveOf(leg: ProtectiveLeg | undefined): Decimal {
    return leg?.order === undefined ? new Decimal(0) : this.#ports.filledOf(leg.order)
  }

  #filledOfOther(leg: ProtectiveLeg): Decimal {
    const other = this.#legs.find((each) => each !== leg)
    return this.#liveOf(other).plus(other?.closed ?? 0)
  }

  async #settleTakenBack(leg: ProtectiveLeg): Promise<void> {
    if (!leg.isToBeSettled) return
    const other = this.#legs.find((each) => each !== leg)
    // Its fill may be told after the end of this one.
    if (other?.order !== undefined) {
      const now = await this.#ports.exchange.fetchOrder(refOf(other.order))
      if (now.status !== 'open') other.end(now)
      else other.order = now
    }
    leg.settle(this.#filledOfOther(leg))
  }

  /** @param price what last is, where that was asked already */
  async #place(leg: ProtectiveLeg, needed: Decimal, price?: string): Promise<void> {
    const { symbol } = this.#entry.order
    if (leg.sent > MAX_ATTEMPTS) {
      throw new TradingError('order-rejected', `it was placed ${leg.sent} times already`)
    }
    const { exchange } = this.#ports
    const waiting = waitingOrder(this.#plan, leg.role, this.#isOneOrder)
    const last = price ?? (await this.#ports.priceSoon(symbol))
    const passed = last === undefined ? undefined : passedPrice(this.#plan, waiting, last)
    if (passed !== undefined) {
      this.#tell({ type: 'stop-passed', symbol, triggerPrice: passed.price, role: passed.role })
    }
    const reduceOnly = exchange.kind !== 'spot'
    const order = protectiveOrder(this.#entry.order, needed, reduceOnly, passed === undefined ? waiting : undefined)
    const id = leg.nextId
    const { by } = this.#entry
    leg.begin(this.#filledOfOther(leg))
    try {
      const part = { id, by, order, protects: this.#entry.id, ...(leg.role === 'stop' ? {} : { role: leg.role }) }
      const placed = await this.#ports.send(part, (ended) => this.#ended(leg, ended))
      leg.order = placed
      leg.sent += 1
      if (placed.status === 'open') this.#tell({ type: 'protected', stop: placed, isChange: false })
      this.#ports.release(id)
    } catch (error) {
      leg.sent += 1
      if (isUnknownOutcome(error)) leg.inDoubt = id
      const code = error instanceof ExchangeError ? error.code : undefined
      // The price, which was not known, may have passed it.
      if (code === 'invalid-order' && last === undefined)
        return this.#place(leg, needed, (await exchange.fetchTicker(symbol)).last)
      if (code !== 'reduce-only-rejected') throw error
      // The position is gone already: there is nothing left to protect.
      leg.takeBack(needed)
      await this.#settleTakenBack(leg)
    }
  }

  async #amend(leg: ProtectiveLeg, order: Order, needed: Decimal): Promise<void> {
    if (needed.eq(order.amount)) return
    const { exchange, journal } = this.#ports
    if (!exchange.capabilities.editOrder) return this.#replace(leg, order, needed)
    const outcome = await exchange.editOrder(refOf(order), { amount: needed.toFixed() }, PROTECTS)
    if (outcome.kind === 'placed') {
      journal.changed(this.#entry.account, refOf(order), { amount: needed.toFixed() }, this.#entry.by)
      if (leg.order?.id === order.id) leg.order = outcome.order
      return this.#tell({ type: 'protected', stop: outcome.order, isChange: true })
    }
    if (outcome.kind === 'refused' && outcome.error.code !== 'order-not-found') throw outcome.error
    // It ended meanwhile, or nobody knows: the venue is asked, and the rest follows from its answer.
    const now = await exchange.fetchOrder(refOf(order))
    if (now.status !== 'open') {
      this.#ended(leg, now)
      await this.#settleTakenBack(leg)
    } else leg.order = now
    const again = this.#neededOf(leg)
    if (leg.order === undefined && again.gt(0)) return this.#place(leg, again)
    if (now.status === 'open' && !again.eq(now.amount)) throw outcome.error
  }

  /** Where a venue cannot change orders: the new one first, so that the position is never without; on spot the coins are locked by the old one. */
  async #replace(leg: ProtectiveLeg, order: Order, needed: Decimal): Promise<void> {
    if (this.#ports.exchange.kind === 'spot' || needed.lt(order.amount)) {
      await this.#withdraw(leg, order, false)
      const again = this.#neededOf(leg)
      return again.gt(0) ? this.#place(leg, again) : undefined
    }
    leg.order = undefined
    try {
      await this.#place(leg, needed)
    } finally {
      if (leg.order === undefined) leg.order = order
      else leg.leftOver.add(order)
    }
    for (const old of [...leg.leftOver]) await this.#cancel(leg, old)
  }

  /** @param isTold whether the other leg is why */
  async #withdraw(leg: ProtectiveLeg, order: Order, isTold = true): Promise<void> {
    const ended = await this.#cancel(leg, order)
    leg.order = leg.order?.id === order.id ? undefined : leg.order
    if (isTold && ended?.status === 'canceled') this.#tell({ type: 'withdrawn', order: ended })
  }

  /** Written down before it is done, so that what ends is known to have been meant. */
  async #cancel(leg: ProtectiveLeg, order: Order): Promise<Order | undefined> {
    const { exchange, journal } = this.#ports
    leg.withdrawn.add(order.id)
    if (order.clientOrderId !== undefined) journal.withdrawn(order.clientOrderId)
    let ended: Order
    try {
      ended = await exchange.cancelOrder(refOf(order), PROTECTS)
      journal.changed(this.#entry.account, refOf(order), 'canceled', this.#entry.by)
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'order-not-found') throw error
      ended = await exchange.fetchOrder(refOf(order))
      if (ended.status === 'open') throw error
    }
    if (leg.leftOver.delete(order)) leg.end(ended)
    else this.#ended(leg, ended)
    return ended
  }

  /** An order that is there already, and may be over. One that was there before it was to be replaced by it. */
  #adopt(leg: ProtectiveLeg, order: Order, id: string): void {
    const before = leg.order
    leg.order = order
    this.#ports.follow(order, id, (ended) => this.#ended(leg, ended))
    this.#ports.release(id)
    if (order.status !== 'open') this.#ended(leg, order)
    if (before === undefined) return
    if (leg.order === undefined) leg.order = before
    else leg.leftOver.add(before)
  }

  /** Once for each order: by its event, or because it was over as it was placed. */
  #ended(leg: ProtectiveLeg, order: Order): void {
    if (leg.order?.id !== order.id) return
    leg.end(order)
    // With nobody beside it there is nothing to wait for.
    if (this.#legs.length === 1) leg.settle(new Decimal(0))
    this.#releaseIfDone()
  }

  /** Goes on where it was when a question got no answer: each order counts once. The last that is open stays. */
  async #findSent(leg: ProtectiveLeg): Promise<void> {
    for (let [next] = leg.unasked; next !== undefined; [next] = leg.unasked) {
      const found = await this.#ports.find(next.id)
      leg.unasked.shift()
      if (found === undefined) continue
      if (next.isWithdrawn) leg.withdrawn.add(found.id)
      this.#adopt(leg, found, next.id)
    }
  }

  /** What was sent and not answered is asked for; only then may there be another. */
  async #resolveDoubt(leg: ProtectiveLeg, id: string): Promise<void> {
    const found = await this.#ports.find(id)
    leg.inDoubt = undefined
    if (found === undefined) return
    this.#adopt(leg, found, id)
    await this.#tidyLeg(leg)
  }

  #releaseIfDone(): void {
    const isDone = (leg: ProtectiveLeg) => leg.isIdle && this.#neededOf(leg).lte(0)
    if (!this.#isEntryOver || this.#isReleased || !this.#legs.every(isDone)) return
    this.#isReleased = true
    this.#ports.journal.released(this.#entry.id)
  }

  #failed(error: unknown, leg = this.#legs.find(({ order }) => order === undefined)): unknown {
    return withoutProtection(error, this.#entry.order.symbol, leg?.role)
  }
}
