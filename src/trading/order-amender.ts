// Changes of resting orders: written down, sent once, and their fate is known, or asked for (behaviour 37).
import { defined } from '../base/defined.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { ExchangeError } from '../exchange/exchange-error.ts'
import { type Order, type OrderChange, type OrderRef, refOf } from '../exchange/order.ts'
import { Simulated, unlessSimulated } from '../exchange/simulated.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from './clock.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import { type IntendedChange, isAs, type OpenChange } from './order-journal-lines.ts'
import { guardContext, type OrderedBy, type OrderPlan } from './order-plan.ts'
import { failedWhileSent } from './order-sender.ts'
import { askOnce, NOT_FOUND_IS_FINAL_MS, PAUSES_MS } from './settlement.ts'
import { TradingError } from './trading-error.ts'

interface OrderAmenderOptions {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly clock: Clock
  /** The process ends: nothing is asked any more. */
  readonly signal: AbortSignal
}

type Fate =
  | { readonly kind: 'changed'; readonly order: Order }
  /** It is as it was, over, or gone: the change can no longer be made. */
  | { readonly kind: 'unchanged'; readonly order: Order | undefined }

interface UnresolvedChange {
  readonly intended: IntendedChange
  readonly notify: OrderListener
}

/** How often what was given up on is asked about again. */
const ASK_AGAIN_MS = 30_000

export class OrderAmender {
  readonly #options: OrderAmenderOptions
  readonly #doubts = new Map<string, UnresolvedChange>()

  constructor(options: OrderAmenderOptions) {
    this.#options = options
  }

  /** Changes of which nothing definite is known. */
  unsettled(): readonly IntendedChange[] {
    return [...this.#doubts.values()].map(({ intended }) => intended)
  }

  /**
   * @returns the order as it is now
   * @throws {StoreError} the journal could not be written: nothing was sent @throws {ExchangeError} the venue's own no
   * @throws {TradingError} `outcome-unknown`, `order-unchanged`, `order-ended` @throws {Simulated} it was not sent
   */
  async amend(intended: IntendedChange, notify: OrderListener): Promise<Order> {
    const { exchange, journal } = this.#options
    await journal.intendChange(intended)
    const { ref, change, by } = intended
    const outcome = await exchange.editOrder(ref, change, guardContext(by)).catch((error: unknown) => {
      if (error instanceof Simulated) journal.unchanged(intended.id, 'simulated')
      // The guards could not count it, and let nothing leave without.
      if (error instanceof StoreError) journal.unchanged(intended.id, error.message)
      if (error instanceof Simulated || error instanceof StoreError) throw error
      return failedWhileSent(error)
    })
    if (outcome.kind === 'placed') {
      journal.changeMade(intended)
      return outcome.order
    }
    if (outcome.kind === 'refused') {
      journal.unchanged(intended.id, outcome.error.message)
      throw outcome.error
    }
    return this.#settle(intended, outcome.error, notify)
  }

  /** Asks the guards about a change; it is neither sent nor written down. @throws {ExchangeError} `guarded`, `order-not-found` */
  async judge(order: Order, change: OrderChange, by: OrderedBy): Promise<void> {
    const context = { ...guardContext(by), isDry: true }
    const outcome = await unlessSimulated(this.#options.exchange.editOrder(refOf(order), change, context))
    if (outcome?.kind === 'refused') throw outcome.error
  }

  /** Asks what became of a change that another process left: once before it resolves, then until it is known. */
  async resume(change: OpenChange, notify: OrderListener): Promise<void> {
    const doubt: UnresolvedChange = { intended: change, notify }
    this.#doubts.set(change.id, doubt)
    await this.#askAgain(doubt)
    if (this.#doubts.has(change.id)) void this.#keepAsking(doubt, PAUSES_MS)
  }

  /**
   * Refuses what depends on a change that is in doubt: of the order itself, and, but for what only reduces, of any of its symbol.
   * @throws {TradingError} `unsettled-order`
   */
  async requireSettled(
    { symbol, reduceOnly }: Pick<OrderPlan, 'symbol' | 'reduceOnly'>,
    orderId?: string,
  ): Promise<void> {
    const isOf = ({ intended: { ref } }: UnresolvedChange) =>
      ref.symbol === symbol && (reduceOnly !== true || (ref.id !== undefined && ref.id === orderId))
    for (const doubt of [...this.#doubts.values()].filter(isOf)) {
      await this.#askAgain(doubt)
      if (!this.#doubts.has(doubt.intended.id)) continue
      throw new TradingError('unsettled-order', `the outcome of a change of a ${symbol} order is unknown`, {
        hint: 'check `orders`: hookline keeps asking the venue; `close` and `cancel` work meanwhile',
      })
    }
  }

  async #settle(intended: IntendedChange, error: ExchangeError, notify: OrderListener): Promise<Order> {
    const { clock, signal } = this.#options
    const doubt: UnresolvedChange = { intended, notify }
    this.#doubts.set(intended.id, doubt)
    notify({ type: 'change-unknown', ref: intended.ref, symbol: intended.ref.symbol, error })
    for (const ms of PAUSES_MS) {
      await clock.delay(ms, signal)
      if (signal.aborted) break
      const fate = await this.#ask(intended)
      if (fate !== undefined) return this.#answer(doubt, fate)
    }
    void this.#keepAsking(doubt)
    throw new TradingError('outcome-unknown', `the venue does not report whether ${nameOf(intended.ref)} was changed`, {
      hint: 'check `orders`; hookline does not send the change again, and takes no new entries in this symbol until it knows',
    })
  }

  /** @throws {TradingError} `order-unchanged`, `order-ended` */
  #answer(doubt: UnresolvedChange, fate: Fate): Order {
    this.#conclude(doubt, fate)
    if (fate.kind === 'changed') return fate.order
    const name = nameOf(doubt.intended.ref)
    if (fate.order?.status === 'open') {
      throw new TradingError('order-unchanged', `${name} was not changed: it is as it was`, { hint: 'try again' })
    }
    throw new TradingError('order-ended', `${name} ended before it was changed`, { hint: '`orders --all` shows how' })
  }

  #conclude({ intended, notify }: UnresolvedChange, fate: Fate): void {
    const { journal } = this.#options
    // Somebody else may have asked at the same time.
    if (!this.#doubts.delete(intended.id)) return
    if (fate.kind === 'changed') journal.changeMade(intended)
    else journal.unchanged(intended.id, fate.order === undefined ? 'gone' : fate.order.status)
    const { symbol } = intended.ref
    notify({
      type: 'change-settled',
      ref: intended.ref,
      symbol,
      isChanged: fate.kind === 'changed',
      ...defined({ order: fate.order }),
    })
  }

  /** @param pauses before the first questions, in ms */
  async #keepAsking(doubt: UnresolvedChange, pauses: readonly number[] = []): Promise<void> {
    const { clock, signal } = this.#options
    const { id, at } = doubt.intended
    for (let asked = 0; !signal.aborted && this.#doubts.has(id); asked += 1) {
      const untilFinal = at + NOT_FOUND_IS_FINAL_MS - clock.now()
      const pause = pauses[asked] ?? ASK_AGAIN_MS
      await clock.delay(untilFinal > 0 ? Math.min(pause, untilFinal) : pause, signal)
      if (!signal.aborted) await this.#askAgain(doubt)
    }
  }

  async #askAgain(doubt: UnresolvedChange): Promise<void> {
    const fate = await this.#ask(doubt.intended)
    if (fate !== undefined) this.#conclude(doubt, fate)
  }

  /** @returns undefined: not known yet. That the order is as it was says nothing while the change may be on its way. */
  async #ask({ ref, change, at }: IntendedChange): Promise<Fate | undefined> {
    const { exchange, clock, signal } = this.#options
    const answer = await askOnce({ venue: exchange, ref, sentAt: at, clock, signal })
    if (answer.kind === 'unsettled') return undefined
    if (answer.kind === 'never-arrived') return { kind: 'unchanged', order: undefined }
    const { order } = answer
    if (isAs(order, { ...change })) return { kind: 'changed', order }
    const isFinal = order.status !== 'open' || clock.now() - at >= NOT_FOUND_IS_FINAL_MS
    return isFinal ? { kind: 'unchanged', order } : undefined
  }
}

function nameOf({ id, symbol }: OrderRef): string {
  return id === undefined ? `the ${symbol} order` : `order ${id}`
}

// Where a venue changes no resting orders: one is taken back, and another takes its place. Never two at once.

export interface Replacement {
  /** The order taken back. */
  readonly ended: Order
  /** Undefined: nothing was to be placed. */
  readonly placed: Order | undefined
}

interface ReplacingPorts {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly cancel: (order: Order) => Promise<Order>
  readonly place: (plan: OrderPlan) => Promise<Order>
}

/**
 * The other order is sent only when the first is known to be over, for what that had not filled, and with the same protection.
 * @param planFor from what has ended; undefined: nothing is to be placed
 * @throws as `cancel` and `place`; {TradingError} `outcome-unknown` where it is not known to be over
 */
export async function replaceOrder(
  { exchange, journal, cancel, place }: ReplacingPorts,
  order: Order,
  planFor: (ended: Order) => OrderPlan | undefined,
): Promise<Replacement> {
  const sentAs = order.clientOrderId === undefined ? undefined : await journal.openOrder(order.clientOrderId)
  await cancel(order)
  // What an acknowledgement says of fills may be less than what has filled by then.
  const ended = await exchange.fetchOrder(refOf(order))
  if (ended.status === 'open') throw stillThere(ended)
  const plan = planFor(ended)
  if (plan === undefined) return { ended, placed: undefined }
  const protection = sentAs?.order.protection
  return { ended, placed: await place(protection === undefined ? plan : { ...plan, protection }) }
}

function stillThere({ id }: Order): TradingError {
  return new TradingError('outcome-unknown', `order ${id} is still there, though the venue took it back`, {
    hint: 'check `orders`: nothing else was placed',
  })
}
