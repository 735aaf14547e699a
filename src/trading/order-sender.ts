// The one way out: an order is journalled, sent once, and its fate is known, or asked for (behaviour 36, 37).
import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderRequest } from '../exchange/order.ts'
import { Simulated, unlessSimulated } from '../exchange/simulated.ts'
import type { Clock } from './clock.ts'
import type { TellOrder } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent, OpenIntent, Outcome } from './order-journal-lines.ts'
import { guardContext, type OrderedBy, type OrderPlan } from './order-plan.ts'
import type { OwnOrders } from './own-orders.ts'
import { askOnce, type Question, type Settlement, settle } from './settlement.ts'
import { TradingError } from './trading-error.ts'

/** An order of which nothing definite is known. */
export interface UnsettledOrder {
  readonly id: string
  readonly order: OrderPlan
  /** When it was sent, ms since the epoch. */
  readonly at: number
}

export interface OrderSenderOptions {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  /** Told of every order that is sent or taken over. */
  readonly own: OwnOrders
  readonly clock: Clock
  /** The process ends: nothing is asked any more. */
  readonly signal: AbortSignal
  /** What nobody waits for has become known; undefined: it is not there. Never rejects. */
  readonly onLate: (intent: Intent | OpenIntent, order: Order | undefined, tell: TellOrder) => Promise<void>
}

type Answer = Exclude<Settlement, { kind: 'unsettled' }>

interface Doubt {
  readonly intent: Intent | OpenIntent
  tell: TellOrder
  /** It was placed, and only what became of it since is asked: nothing depends on the answer. */
  readonly isPlaced: boolean
  /** The sender no longer waits: it was told that nothing is known, or is dead. */
  isGivenUp: boolean
}

/** How often what was given up on is asked about again. */
const ASK_AGAIN_MS = 30_000

export class OrderSender {
  readonly #options: OrderSenderOptions
  readonly #doubts = new Map<string, Doubt>()
  /** Between the decision and the answer. */
  readonly #sending = new Set<Intent>()

  constructor(options: OrderSenderOptions) {
    this.#options = options
  }

  unsettled(): readonly UnsettledOrder[] {
    return this.#unknown().map(({ intent: { id, order, at } }) => ({ id, order, at }))
  }

  /**
   * @returns the order as known after the acknowledgement, or after the venue was asked
   * @throws {StoreError} the journal could not be written: nothing was sent
   * @throws {ExchangeError} the venue's own no, or `guarded`
   * @throws {TradingError} `order-rejected`, `outcome-unknown`
   * @throws {Simulated} it was not sent
   */
  send(intent: Intent, tell: TellOrder): Promise<Order> {
    this.#sending.add(intent)
    return this.#send(intent, tell).finally(() => this.#sending.delete(intent))
  }

  /** Somebody else is told from now on. @returns whether its fate is being asked */
  retell(id: string, tell: TellOrder): boolean {
    const doubt = this.#doubts.get(id)
    if (doubt !== undefined) doubt.tell = tell
    return doubt !== undefined
  }

  /** Whether an order of the symbol that may open or add is being sent, or nothing definite is known of one. */
  isUnderWay(symbol: string): boolean {
    const open = [...this.#sending, ...this.#unknown().map(({ intent }) => intent)]
    return open.some(({ order }) => order.symbol === symbol && order.reduceOnly !== true)
  }

  /** Asks the guards about an order; it is neither sent nor written down. @throws {ExchangeError} `guarded` */
  judge(id: string, order: OrderPlan, by: OrderedBy): Promise<void> {
    return this.#judge(id, order, by).finally(() => by.budget?.giveBack(id))
  }

  async #judge(id: string, order: OrderPlan, by: OrderedBy): Promise<void> {
    const { protection: _, ...request } = order
    const context = { ...guardContext(by), isDry: true }
    const outcome = await unlessSimulated(
      this.#options.exchange.createOrder({ ...request, clientOrderId: id }, context),
    )
    if (outcome?.kind === 'refused') throw outcome.error
  }

  async #send(intent: Intent, tell: TellOrder): Promise<Order> {
    const { exchange, journal, own, signal } = this.#options
    const written = journal.intend(intent)
    // An exchange that prepares the order meanwhile lets nothing of it leave before this has resolved.
    written.catch(() => {})
    let isHeldBack = false
    const release = async (): Promise<void> => {
      await written
      isHeldBack = signal.aborted
      if (isHeldBack) throw closed()
    }
    const holds = exchange.holdsOrders === true
    if (!holds) await written
    if (signal.aborted) throw this.#refuse(intent, closed())
    own.addSent(intent.id)
    const context = holds ? { ...contextOf(intent), release } : contextOf(intent)
    const outcome = await exchange.createOrder(requestOf(intent), context).catch(async (error: unknown) => {
      await written
      if (error instanceof Simulated) journal.outcome(intent.id, { outcome: 'simulated' })
      throw error
    })
    // What could not be written was not sent, whatever the exchange makes of that.
    await written
    if (isHeldBack) throw this.#refuse(intent, closed())
    if (outcome.kind === 'placed') return this.#placed(intent, outcome.order) ?? fail(intent)
    // Somebody sent this very id before, and that can only have been us: it is there, and its fate is to be asked for.
    const isThere = outcome.kind === 'refused' && outcome.error.code === 'duplicate-id'
    if (outcome.kind === 'refused' && !isThere) {
      throw this.#refuse(intent, outcome.error)
    }
    return this.#settle(intent, outcome.error, tell)
  }

  /** Asks what became of an order that another process left: once before it resolves, then until it is known. `onLate` is told. */
  async resume(intent: OpenIntent, tell: TellOrder): Promise<void> {
    const isPlaced = intent.outcome?.outcome === 'placed'
    const doubt: Doubt = { intent, tell, isPlaced, isGivenUp: true }
    this.#doubts.set(intent.id, doubt)
    this.#options.own.addSent(intent.id)
    await this.#askAgain(doubt)
    if (this.#doubts.has(intent.id)) void this.#pursue(doubt)
  }

  /**
   * Refuses an order that depends on the fate of another one of its symbol; what only reduces may always be sent.
   * @throws {TradingError} `unsettled-order`
   */
  async requireSettled({ symbol, reduceOnly }: Pick<OrderPlan, 'symbol' | 'reduceOnly'>): Promise<void> {
    if (reduceOnly === true || this.#doubts.size === 0) return
    for (const doubt of this.#unknown().filter(({ intent }) => intent.order.symbol === symbol)) {
      if (doubt.isGivenUp) await this.#askAgain(doubt)
      if (this.#doubts.has(doubt.intent.id)) throw unsettled(symbol)
    }
  }

  /** As `requireSettled` and `judge`, without asking again about what is in doubt; what it takes of a budget is taken. @throws as both */
  async look(id: string, plan: OrderPlan, by: OrderedBy): Promise<void> {
    const isInDoubt = this.#unknown().some(({ intent }) => intent.order.symbol === plan.symbol)
    if (plan.reduceOnly !== true && isInDoubt) throw unsettled(plan.symbol)
    return this.#judge(id, plan, by)
  }

  /**
   * Asks once more for what is not settled.
   * @returns what has become known; undefined for an id that was never in doubt
   * @throws {TradingError} `outcome-unknown`
   */
  async askAgain(id: string): Promise<{ readonly order: Order | undefined } | undefined> {
    const doubt = this.#doubts.get(id)
    if (doubt === undefined) return undefined
    const answer = await askOnce(this.#question(doubt.intent))
    if (answer.kind === 'unsettled') throw stillUnknown(doubt.intent)
    return { order: this.#conclude(doubt.intent, answer, doubt.isPlaced) }
  }

  #refuse({ id }: Intent, error: ExchangeError): ExchangeError {
    this.#options.journal.outcome(id, { outcome: 'refused', code: error.code, message: error.message })
    return error
  }

  async #settle(intent: Intent, error: ExchangeError, tell: TellOrder): Promise<Order> {
    this.#doubts.set(intent.id, { intent, tell, isPlaced: false, isGivenUp: false })
    this.#options.journal.outcome(intent.id, { outcome: 'unknown', message: error.message })
    tell({ type: 'unknown', clientOrderId: intent.id, symbol: intent.order.symbol, error })
    const answer = await settle(this.#question(intent))
    if (answer.kind === 'unsettled') throw this.#giveUp(intent)
    const order = this.#conclude(intent, answer)
    tellSettled(intent, order, tell)
    return order ?? fail(intent)
  }

  #unknown(): readonly Doubt[] {
    return [...this.#doubts.values()].filter(({ isPlaced }) => !isPlaced)
  }

  /** Nobody waits for it any more; it is asked about until the venue answers or the process ends. */
  #giveUp(intent: Intent): TradingError {
    const doubt = this.#doubts.get(intent.id)
    if (doubt !== undefined) {
      doubt.isGivenUp = true
      void this.#keepAsking(doubt)
    }
    return stillUnknown(intent)
  }

  /** With growing pauses first. */
  async #pursue(doubt: Doubt): Promise<void> {
    const answer = await settle(this.#question(doubt.intent))
    if (answer.kind === 'unsettled') return this.#keepAsking(doubt)
    await this.#concludeLate(doubt, answer)
  }

  async #keepAsking(doubt: Doubt): Promise<void> {
    const { clock, signal } = this.#options
    while (!signal.aborted && this.#doubts.has(doubt.intent.id)) {
      await clock.delay(ASK_AGAIN_MS, signal)
      if (!signal.aborted) await this.#askAgain(doubt)
    }
  }

  async #askAgain(doubt: Doubt): Promise<void> {
    const answer = await askOnce(this.#question(doubt.intent))
    if (answer.kind !== 'unsettled') await this.#concludeLate(doubt, answer)
  }

  async #concludeLate({ intent, tell, isPlaced }: Doubt, answer: Answer): Promise<void> {
    // Somebody else may have asked at the same time.
    if (!this.#doubts.has(intent.id)) return
    const order = this.#conclude(intent, answer, isPlaced)
    if (!isPlaced) tellSettled(intent, order, tell)
    await this.#options.onLate(intent, order, tell)
  }

  #conclude(intent: Intent, answer: Answer, isPlaced = false): Order | undefined {
    this.#doubts.delete(intent.id)
    if (answer.kind === 'never-arrived') return isPlaced ? this.#gone(intent) : this.#neverArrived(intent)
    return this.#placed(intent, answer.order, isPlaced)
  }

  #neverArrived(intent: Intent): undefined {
    this.#options.journal.outcome(intent.id, {
      outcome: 'refused',
      code: 'never-arrived',
      message: 'the venue does not know it',
    })
  }

  /** It was placed once, and the venue no longer knows it. */
  #gone({ id }: Intent): undefined {
    this.#options.journal.end(id, { status: 'expired', filled: '0', reason: 'the venue no longer knows it' })
  }

  /** @returns undefined when the venue rejected it after all */
  #placed(intent: Intent, order: Order, isJournalled = false): Order | undefined {
    const { status, filled } = order
    this.#options.own.addPlaced(order.id)
    if (status === 'rejected' && filled === '0') {
      const refusal = { outcome: 'refused', code: 'rejected', message: 'rejected by the venue' } as const
      this.#options.journal.outcome(intent.id, refusal)
      return undefined
    }
    const end = status === 'open' ? {} : { end: { status, filled } }
    const outcome: Outcome = { outcome: 'placed', orderId: order.id, ...end }
    if (!isJournalled || status !== 'open') this.#options.journal.outcome(intent.id, outcome)
    return order
  }

  #question({ id, at, order }: Intent): Question {
    const { exchange, clock, signal } = this.#options
    const ref = { symbol: order.symbol, clientOrderId: id, isTrigger: isTriggerType(order.type) }
    return { venue: exchange, ref, sentAt: at, clock, signal }
  }
}

function requestOf({ id, order }: Intent): OrderRequest {
  const { protection: _protection, ...request } = order
  return { ...request, clientOrderId: id }
}

/** What the guards are told (behaviour 40). */
function contextOf({ by, protects }: Intent): OrderContext {
  return { ...guardContext(by), ...(protects === undefined ? {} : { protects: true }) }
}

function fail({ order }: Intent): never {
  throw new TradingError('order-rejected', `the ${order.symbol} order was not placed`)
}

/** Nobody would follow it, nor place its stop. */
function closed(): ExchangeError {
  return new ExchangeError('unavailable', 'the connection of the account has ended; the order was not sent', {
    hint: 'try again',
  })
}

function stillUnknown({ order }: Intent): TradingError {
  return new TradingError('outcome-unknown', `the venue does not say what became of the ${order.symbol} order`, {
    hint: 'check `orders` and `positions`; hookline does not send it again, and takes no new entries in this symbol until it knows',
  })
}

function tellSettled({ id, order }: Intent, found: Order | undefined, tell: TellOrder): void {
  tell({ type: 'settled', clientOrderId: id, symbol: order.symbol, ...(found === undefined ? {} : { order: found }) })
}

function unsettled(symbol: string): TradingError {
  return new TradingError('unsettled-order', `an earlier ${symbol} order got no answer, and may be there or not`, {
    hint: 'check `orders`: hookline asks until the venue answers; `close` and `cancel` work meanwhile',
  })
}

export function isUnknownOutcome(error: unknown): boolean {
  return (error instanceof ExchangeError || error instanceof TradingError) && error.code === 'outcome-unknown'
}
