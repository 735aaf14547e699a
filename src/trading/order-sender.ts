// The one way out: an order is journalled, sent once, and its fate is known, or asked for (behaviour 36, 37).
import { defined } from '../base/defined.ts'
import type { Capabilities, Exchange, OrderContext, OrderOutcome } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderRequest } from '../exchange/order.ts'
import { Simulated } from '../exchange/simulated.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from './clock.ts'
import type { OwnOrders } from './following.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent, OpenIntent, Outcome } from './order-journal-lines.ts'
import { guardContext, type OrderedBy, type OrderPlan } from './order-plan.ts'
import { attachedOrders } from './protection-state.ts'
import { Inquiry, type OpenPoint, type Settlement, signed } from './settlement.ts'
import { TradingError } from './trading-error.ts'

/** An order of which nothing definite is known. */
export interface UnsettledOrder {
  readonly id: string
  readonly order: OrderPlan
  /** When it was sent, ms since the epoch. */
  readonly at: number
  /** Why asking for it settles nothing: a person has to. */
  readonly why?: OpenPoint
}

interface OrderSenderOptions {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  /** Told of every order that is sent or taken over. */
  readonly own: OwnOrders
  readonly clock: Clock
  /** The process ends: nothing is asked any more. */
  readonly signal: AbortSignal
  /** What nobody waits for has become known; undefined: it is not there. Never rejects. */
  readonly onLate: (intent: Intent | OpenIntent, order: Order | undefined, notify: OrderListener) => Promise<void>
}

type Answer = Exclude<Settlement, { kind: 'unsettled' }>

interface UnresolvedOrder {
  readonly intent: Intent | OpenIntent
  readonly inquiry: Inquiry
  notify: OrderListener
  /** Of the last answer. */
  why: OpenPoint | undefined
  /** It was placed, and only what became of it since is asked: nothing depends on the answer. */
  readonly isPlaced: boolean
  /** The sender no longer waits: it was told that nothing is known, or is dead. */
  isGivenUp: boolean
}

/** How often what was given up on is asked about again: where the answers say that only a person can settle it, ever more rarely. */
const ASK_AGAIN_MS = 30_000
const ASK_AGAIN_MOST_MS = 600_000

export class OrderSender {
  readonly #options: OrderSenderOptions
  readonly #doubts = new Map<string, UnresolvedOrder>()
  /** Between the decision and the answer. */
  readonly #sending = new Set<Intent>()

  constructor(options: OrderSenderOptions) {
    this.#options = options
  }

  unsettled(): readonly UnsettledOrder[] {
    return this.#unknown().map(({ intent: { id, order, at }, why }) => ({ id, order, at, ...defined({ why }) }))
  }

  /**
   * @returns the order as known after the acknowledgement, or after the venue was asked
   * @throws {StoreError} the journal could not be written: nothing was sent
   * @throws {ExchangeError} the venue's own no, or `guarded`
   * @throws {TradingError} `order-rejected`, `outcome-unknown`
   * @throws {Simulated} it was not sent
   */
  send(intent: Intent, notify: OrderListener): Promise<Order> {
    this.#sending.add(intent)
    return this.#send(intent, notify).finally(() => this.#sending.delete(intent))
  }

  /** Somebody else is told from now on. @returns whether its fate is being asked */
  renotify(id: string, notify: OrderListener): boolean {
    const doubt = this.#doubts.get(id)
    if (doubt !== undefined) doubt.notify = notify
    return doubt !== undefined
  }

  /** Whether an order of the symbol that may open or add is being sent, or nothing definite is known of one. */
  isUnderWay(symbol: string): boolean {
    const open = [...this.#sending, ...this.#unknown().map(({ intent }) => intent)]
    return open.some(({ order }) => order.symbol === symbol && order.reduceOnly !== true)
  }

  isSending(symbol: string): boolean {
    return [...this.#sending].some(({ order }) => order.symbol === symbol)
  }

  /** Asks the guards about an order; it is neither sent nor written down. @throws {ExchangeError} `guarded` */
  async judge(id: string, order: OrderPlan, by: OrderedBy): Promise<void> {
    await this.#judge(id, order, by).finally(() => by.budget?.giveBack(id))
  }

  async #judge(id: string, order: OrderPlan, by: OrderedBy): Promise<Pick<OrderPlan, 'reduceOnly'>> {
    const { protection: _, ...request } = order
    const context = { ...guardContext(by), isDry: true }
    const asked = this.#options.exchange.createOrder({ ...request, clientOrderId: id }, context)
    const outcome = await asked.catch((error: unknown) => {
      if (error instanceof Simulated) return error.would
      throw error
    })
    if (outcome.kind === 'refused') throw outcome.error
    const isHeld = outcome.kind === 'place' && outcome.order.reduceOnly === true
    return isHeld ? { reduceOnly: true } : {}
  }

  async #send(intent: Intent, notify: OrderListener): Promise<Order> {
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
    const request = requestOf(intent, exchange.capabilities)
    this.#addCarried(intent)
    const outcome = await exchange.createOrder(request, context).catch(async (error: unknown) => {
      await written
      if (error instanceof Simulated) journal.outcome(intent.id, { outcome: 'simulated' })
      // The guards could not count it, and let nothing leave without.
      if (error instanceof StoreError) this.#refuse(intent, error)
      if (error instanceof Simulated || error instanceof StoreError) throw error
      return failedWhileSent(error)
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
    return this.#settle(intent, outcome.error, notify)
  }

  /** What the venue places because of it is nothing that somebody did elsewhere. */
  #addCarried({ id, order }: Intent): void {
    const { exchange, own } = this.#options
    const carried = attachedOrders(id, order.protection, exchange.capabilities) ?? []
    for (const { clientOrderId } of carried) own.addSent(clientOrderId)
  }

  /** The venue has placed what an entry carried: from now on it is an order of ours like those that were sent. @throws {StoreError} */
  async adopt(intent: Intent, order: Order): Promise<void> {
    const { journal, own } = this.#options
    own.addSent(intent.id)
    own.addPlaced(order)
    await journal.intend(intent)
    this.#placed(intent, order)
  }

  /** Asks what became of an order that another process left: once before it resolves, then until it is known. `onLate` is told. */
  async resume(intent: OpenIntent, notify: OrderListener): Promise<void> {
    const placedAs = intent.outcome?.outcome === 'placed' ? intent.outcome.orderId : undefined
    const inquiry = this.#inquire(intent, placedAs)
    const doubt: UnresolvedOrder = {
      intent,
      inquiry,
      notify,
      why: undefined,
      isPlaced: placedAs !== undefined,
      isGivenUp: true,
    }
    this.#doubts.set(intent.id, doubt)
    this.#options.own.addSent(intent.id)
    this.#addCarried(intent)
    if (placedAs !== undefined) this.#options.own.addPlaced({ symbol: intent.order.symbol, id: placedAs })
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
      if (this.#doubts.has(doubt.intent.id)) throw unsettledOrder(doubt.intent, doubt.why)
    }
  }

  /** As `requireSettled` and `judge`, without asking again about what is in doubt; what it takes of a budget is taken. @throws as both */
  async look(id: string, plan: OrderPlan, by: OrderedBy): Promise<Pick<OrderPlan, 'reduceOnly'>> {
    const doubt = this.#unknown().find(({ intent }) => intent.order.symbol === plan.symbol)
    if (plan.reduceOnly !== true && doubt !== undefined) throw unsettledOrder(doubt.intent, doubt.why)
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
    const answer = await this.#ask(doubt)
    if (answer.kind === 'unsettled') throw stillUnknown(doubt.intent, answer.why)
    return { order: this.#conclude(doubt.intent, answer, doubt.isPlaced) }
  }

  /** A person has looked; `onLate` is told. @param order undefined: nothing of it is there @returns false where it is not in doubt */
  async settleByHand(id: string, order: Order | undefined): Promise<boolean> {
    const doubt = this.#doubts.get(id)
    if (doubt === undefined) return false
    await this.#concludeLate(doubt, order === undefined ? { kind: 'never-arrived' } : { kind: 'found', order })
    return true
  }

  #refuse<E extends ExchangeError | StoreError>({ id }: Intent, error: E): E {
    this.#options.journal.outcome(id, { outcome: 'refused', code: error.code, message: error.message })
    return error
  }

  async #settle(intent: Intent, error: ExchangeError, notify: OrderListener): Promise<Order> {
    const inquiry = this.#inquire(intent)
    const doubt: UnresolvedOrder = { intent, inquiry, notify, why: undefined, isPlaced: false, isGivenUp: false }
    this.#doubts.set(intent.id, doubt)
    this.#options.journal.outcome(intent.id, { outcome: 'unknown', message: error.message })
    notify({ type: 'unknown', clientOrderId: intent.id, symbol: intent.order.symbol, error })
    const answer = await inquiry.settle()
    if (answer.kind === 'unsettled') throw this.#giveUp(doubt, answer.why)
    const order = this.#conclude(intent, answer)
    notifySettled(intent, order, notify)
    return order ?? fail(intent)
  }

  #unknown(): readonly UnresolvedOrder[] {
    return [...this.#doubts.values()].filter(({ isPlaced, why }) => !isPlaced || why !== undefined)
  }

  /** Nobody waits for it any more; it is asked about until the venue answers or the process ends. */
  #giveUp(doubt: UnresolvedOrder, why: OpenPoint | undefined): TradingError {
    Object.assign(doubt, { why, isGivenUp: true })
    if (this.#doubts.has(doubt.intent.id)) void this.#keepAsking(doubt)
    return stillUnknown(doubt.intent, why)
  }

  /** With growing pauses first. */
  async #pursue(doubt: UnresolvedOrder): Promise<void> {
    const answer = await doubt.inquiry.settle()
    if (answer.kind !== 'unsettled') return this.#concludeLate(doubt, answer)
    this.#note(doubt, answer.why)
    await this.#keepAsking(doubt)
  }

  async #keepAsking(doubt: UnresolvedOrder): Promise<void> {
    const { clock, signal } = this.#options
    let pause = ASK_AGAIN_MS
    while (!signal.aborted && this.#doubts.has(doubt.intent.id)) {
      await clock.delay(pause, signal)
      pause = doubt.why === undefined ? ASK_AGAIN_MS : Math.min(2 * pause, ASK_AGAIN_MOST_MS)
      if (!signal.aborted && this.#doubts.has(doubt.intent.id)) await this.#askAgain(doubt)
    }
  }

  async #askAgain(doubt: UnresolvedOrder): Promise<void> {
    const answer = await this.#ask(doubt)
    if (answer.kind === 'unsettled') this.#note(doubt, answer.why)
    else await this.#concludeLate(doubt, answer)
  }

  /** A person may have settled it in another process, which the journal has. */
  async #ask({ intent, inquiry, isPlaced, why }: UnresolvedOrder): Promise<Settlement> {
    const { journal, exchange } = this.#options
    const known = why === undefined ? undefined : await journal.recordOf(intent.id).catch(() => undefined)
    const outcome = known?.outcome
    if (!isPlaced && outcome?.outcome === 'refused') return { kind: 'never-arrived' }
    if (isPlaced || outcome?.outcome !== 'placed') return inquiry.ask()
    const order = await exchange.fetchOrder({ symbol: intent.order.symbol, id: outcome.orderId }).catch(() => undefined)
    return order === undefined ? inquiry.ask() : { kind: 'found', order }
  }

  /** Told once: from now on it is a person's to settle. */
  #note(doubt: UnresolvedOrder, why: OpenPoint | undefined): void {
    const isNew = doubt.why === undefined && why !== undefined
    doubt.why = why ?? doubt.why
    const { id, order } = doubt.intent
    if (!isNew || !this.#doubts.has(id)) return
    doubt.notify({ type: 'unsettled', clientOrderId: id, symbol: order.symbol, error: stillUnknown(doubt.intent, why) })
  }

  async #concludeLate({ intent, notify, isPlaced }: UnresolvedOrder, answer: Answer): Promise<void> {
    // Somebody else may have asked at the same time.
    if (!this.#doubts.has(intent.id)) return
    const order = this.#conclude(intent, answer, isPlaced)
    if (!isPlaced) notifySettled(intent, order, notify)
    await this.#options.onLate(intent, order, notify)
  }

  #conclude(intent: Intent, answer: Answer, isPlaced = false): Order | undefined {
    this.#doubts.delete(intent.id)
    if (answer.kind === 'never-arrived') return this.#neverArrived(intent)
    // A protective order that rested and did nothing is placed again.
    const isGone = isPlaced && answer.isDeduced === true && intent.protects !== undefined && answer.order.filled === '0'
    return isGone ? this.#gone(intent) : this.#placed(intent, answer.order, isPlaced)
  }

  #neverArrived(intent: Intent): undefined {
    this.#options.journal.outcome(intent.id, {
      outcome: 'refused',
      code: 'never-arrived',
      message: 'the venue does not know it',
    })
  }

  /** It was placed once, rests no more, and has filled nothing. */
  #gone({ id }: Intent): undefined {
    this.#options.journal.end(id, { status: 'canceled', filled: '0', reason: 'the venue no longer lists it' })
  }

  /** @returns undefined when the venue rejected it after all */
  #placed(intent: Intent, order: Order, isJournalled = false): Order | undefined {
    const { status, filled } = order
    this.#options.own.addPlaced(order)
    if (status === 'rejected' && filled === '0') {
      const refusal = { outcome: 'refused', code: 'rejected', message: 'rejected by the venue' } as const
      this.#options.journal.outcome(intent.id, refusal)
      return undefined
    }
    // An end comes after the fills that it counts: a crash in between leaves an order that is asked for again.
    const end = status === 'open' || filled !== '0' ? {} : { end: { status, filled } }
    const outcome: Outcome = { outcome: 'placed', orderId: order.id, ...end }
    if (!isJournalled || status !== 'open') this.#options.journal.outcome(intent.id, outcome)
    return order
  }

  #inquire({ id, at, order, held, protects }: Intent, placedAs?: string): Inquiry {
    const { exchange, clock, signal, own } = this.#options
    const names = defined({ id: placedAs })
    return new Inquiry({
      venue: exchange,
      clock,
      signal,
      sentAt: at,
      sent: order,
      ref: {
        symbol: order.symbol,
        clientOrderId: id,
        isTrigger: isTriggerType(order.type),
        type: order.type,
        ...names,
      },
      isProtective: protects !== undefined,
      isOther: (orderId) => orderId !== placedAs && own.has({ id: orderId, symbol: order.symbol }),
      ...defined({ heldBefore: held, placedAs }),
    })
  }
}

/** What is held of a symbol as far as that is known without asking, negative for a short. */
export function heldNow(exchange: Exchange, symbol: string): string | undefined {
  const known = exchange.kind === 'spot' ? undefined : exchange.knownPositions?.()
  if (known === undefined || known instanceof Promise) return undefined
  return signed(known.find((each) => each.symbol === symbol)).toFixed()
}

/** Whatever it was: the order may have left. */
export function failedWhileSent(cause: unknown): OrderOutcome {
  const what = cause instanceof Error ? cause.message : String(cause)
  return { kind: 'unknown', error: new ExchangeError('outcome-unknown', `sending it failed: ${what}`, { cause }) }
}

function requestOf({ id, order }: Intent, capabilities: Capabilities): OrderRequest {
  const { protection, ...request } = order
  const attached = attachedOrders(id, protection, capabilities)
  return { ...request, clientOrderId: id, ...defined({ attached }) }
}

/** What the guards are told (behaviour 40). */
function contextOf({ by, protects }: Intent): OrderContext {
  const context = guardContext(by)
  return protects === undefined ? context : { protects: true, ...context }
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

function stillUnknown({ id, order }: Intent, why: OpenPoint | undefined): TradingError {
  const what = `the venue does not report the outcome of the ${order.symbol} order`
  return new TradingError('outcome-unknown', why === undefined ? what : `${what}: ${describePoint(why)}`, {
    hint: why === undefined ? UNTIL_KNOWN : `check \`orders\`, \`positions\` and \`fills\`; ${settleLines(id)}`,
  })
}

const UNTIL_KNOWN =
  'check `orders` and `positions`; hookline does not send it again, and takes no new entries in this symbol until it knows'

/** What a person types who has looked. */
export function settleLines(id: string): string {
  return `\`orders settle ${id} never\` if the venue does not have it, \`orders settle ${id} placed <order id>\` if it does`
}

export function describePoint(why: OpenPoint): string {
  switch (why.kind) {
    case 'forgotten':
      return 'it lists ended orders for a shorter time than has passed'
    case 'fills':
      return `the fills of order ${why.orderIds.slice(0, 3).join(', ')} may be its own`
    case 'too-many-fills':
      return 'too many fills have come since'
    case 'position':
      return `the position has changed by ${why.amount} that no fill explains`
  }
}

function notifySettled({ id, order }: Intent, found: Order | undefined, notify: OrderListener): void {
  notify({ type: 'settled', clientOrderId: id, symbol: order.symbol, ...defined({ order: found }) })
}

export function unsettledOrder({ id, order: { symbol } }: Intent, why: OpenPoint | undefined): TradingError {
  const what = `the outcome of an earlier ${symbol} order is unknown`
  const hint = why === undefined ? 'hookline keeps asking the venue' : settleLines(id)
  return new TradingError('unsettled-order', why === undefined ? what : `${what}: ${describePoint(why)}`, {
    hint: `check \`orders\`: ${hint}; \`close\` and \`cancel\` work meanwhile`,
  })
}

export function isUnknownOutcome(error: unknown): boolean {
  return (error instanceof ExchangeError || error instanceof TradingError) && error.code === 'outcome-unknown'
}
