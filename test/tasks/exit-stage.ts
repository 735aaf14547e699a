// A venue of a few lines and a driver of a few lines, for reducers of protective tasks: nothing happens but what a test says, in the order in
// which it says it. State goes through JSON and its schema at every step, as it does through the journal.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import type { Capabilities } from '../../src/exchange/exchange.ts'
import type { OrderChange } from '../../src/exchange/order.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskOrder } from '../../src/tasks/task-kind.ts'
import { BTC, CAN, type Holding, PureVenue } from './pure-venue.ts'

/** What is on its way to the venue. */
export type Request =
  | { readonly kind: 'place'; readonly step: number }
  | { readonly kind: 'amend'; readonly step: number; readonly change: OrderChange }
  | { readonly kind: 'cancel'; readonly step: number }

/** Where a process dies while it handles an event: before anything is written, before it is sent, or before it is answered. */
export type CrashPoint = 'before-writing' | 'before-sending' | 'before-hearing'

export const CRASH_POINTS: readonly CrashPoint[] = ['before-writing', 'before-sending', 'before-hearing']

interface StageOptions {
  readonly can?: Partial<Capabilities>
  readonly side?: 'long' | 'short'
  readonly held?: string
  readonly entry?: string
  readonly last?: string
  /** Requests are answered only when the test says so. */
  readonly isSlow?: boolean
}

const nothing = new Decimal(0)

export class PureStage<Params, State> {
  readonly kind: TaskKind<Params, State>
  readonly params: Params
  readonly can: Capabilities
  readonly said: string[] = []
  /** For `tasks show` alone. */
  readonly kept: string[] = []
  /** All that was ever asked of the venue. */
  readonly sent: string[] = []
  readonly venue: PureVenue
  waiting: Request[] = []
  orders: TaskOrder[] = []
  entry: string
  now = 1_700_000_000_000
  isPositionKnown = true
  isSlow: boolean
  ended: Extract<TaskEffect, { type: 'end' }> | undefined
  /** The venue's no to the next requests. */
  refuse: ((request: Request) => { code: string; why: string } | undefined) | undefined
  /** What a test holds to be true after each step. */
  check: (() => void) | undefined
  crashAt: CrashPoint | undefined
  #state: string
  #wakeAt: number | undefined
  #isStale = false

  constructor(kind: TaskKind<Params, State>, params: Params, options: StageOptions = {}) {
    this.kind = kind
    this.params = z.parse(kind.params, JSON.parse(JSON.stringify(params)))
    this.can = { ...CAN, ...options.can }
    this.venue = new PureVenue({ side: options.side ?? 'long', amount: options.held ?? '1' }, options.last ?? '100')
    this.entry = options.entry ?? '100'
    this.isSlow = options.isSlow ?? false
    this.#state = JSON.stringify(kind.initial(this.params))
  }

  get state(): State {
    return z.parse(this.kind.state, JSON.parse(this.#state))
  }

  get facts(): TaskFacts {
    const filled = this.orders.reduce((sum, each) => sum.plus(each.filled), nothing)
    const cost = this.orders.reduce(
      (sum, each) => sum.plus(new Decimal(each.filled).times(each.order?.average ?? 0)),
      nothing,
    )
    const last = this.#isStale ? undefined : this.venue.last
    return {
      now: this.now,
      market: BTC,
      capabilities: this.can,
      ...(last === undefined ? {} : { ticker: { symbol: 'BTCUSDT', last, bid: last, ask: last, timestamp: this.now } }),
      ...(this.held === undefined
        ? {}
        : { position: { symbol: 'BTCUSDT', ...this.held, entryPrice: this.entry, settle: 'USDT', notional: '1' } }),
      isPositionKnown: this.isPositionKnown,
      orders: this.orders,
      filled: filled.toFixed(),
      cost: cost.toFixed(),
    }
  }

  get sight() {
    return this.kind.see(this.params, this.state, this.facts)
  }

  get held(): Holding {
    return this.venue.held
  }

  resting(): string[] {
    return this.venue.resting()
  }

  begin(): this {
    this.tell({ type: 'begun' })
    return this
  }

  /** The market moves, and the venue does what rests there. */
  price(last: string): this {
    this.venue.last = last
    this.#isStale = false
    const touched = [...this.venue.orders].filter(([step]) => this.venue.match(step))
    for (const [step] of touched) this.hear(step)
    if (touched.length > 0) this.tell({ type: 'position' })
    this.tell({ type: 'ticker' })
    return this
  }

  stale(): this {
    this.#isStale = true
    this.tell({ type: 'ticker' })
    return this
  }

  /** The position as somebody else has made it. */
  hold(held: Holding): this {
    this.venue.held = held
    this.tell({ type: 'position' })
    return this
  }

  advance(ms: number): this {
    const until = this.now + ms
    for (let guard = 0; this.#wakeAt !== undefined && this.#wakeAt <= until; guard += 1) {
      if (guard > 1000) throw new Error('it wakes without end')
      this.now = Math.max(this.now, this.#wakeAt)
      this.#wakeAt = undefined
      this.tell({ type: 'time' })
    }
    this.now = until
    return this
  }

  /** Somebody else takes an order back. */
  takeBack(step: number): this {
    this.venue.end(step, 'canceled')
    this.hear(step)
    return this
  }

  /** A part of what rests is executed. */
  fillPart(step: number, amount: string): this {
    this.venue.fill(step, new Decimal(amount))
    this.hear(step)
    this.tell({ type: 'position' })
    return this
  }

  /** A stop fires into a book that holds only so much. */
  fireThin(step: number, amount: string): this {
    this.venue.fill(step, new Decimal(amount))
    this.venue.end(step, 'expired')
    this.hear(step)
    this.tell({ type: 'position' })
    return this
  }

  /** The first of what is on its way arrives and is answered; with `isLost` the answer does not come. */
  answer(isLost = false): this {
    const request = this.waiting.shift()
    if (request === undefined) throw new Error('nothing is on its way')
    const no = this.refuse?.(request)
    if (no === undefined) this.#do(request)
    if (isLost) this.#patch(request.step, request.kind === 'place' ? { status: 'unknown' } : {})
    else this.#answered(request, no)
    return this
  }

  /** What got no answer is asked for. */
  settle(): this {
    for (const order of this.orders.filter(({ status, isChanging }) => isChanging || status === 'unknown'))
      this.#ask(order)
    return this
  }

  /** The process dies; another one asks what became of everything, and goes on. */
  restart(): this {
    this.waiting = []
    this.#wakeAt = undefined
    for (const order of this.orders.filter(({ status }) => status !== 'refused' && status !== 'ended'))
      this.#ask(order, false)
    if (this.ended === undefined) this.tell({ type: 'resumed' })
    return this
  }

  /** The task is told of an order as it is at the venue. */
  hear(step: number): void {
    const order = this.venue.orders.get(step)
    if (order === undefined) return
    const status = order.status === 'open' ? 'open' : 'ended'
    this.#patch(step, { status, order, filled: order.filled })
    this.tell({ type: 'order', step })
  }

  tell(event: TaskEvent): void {
    if (this.ended !== undefined) return
    const step = this.kind.reduce(this.params, this.state, event, this.facts)
    const point = this.crashAt
    this.crashAt = undefined
    if (point === 'before-writing') return void this.restart()
    this.#state = JSON.stringify(step.state)
    const first = this.waiting.length
    for (const effect of step.effects) this.#apply(effect)
    if (point !== undefined) {
      const begun = this.waiting.splice(first)
      if (point === 'before-hearing') for (const request of begun) this.#do(request)
      return void this.restart()
    }
    this.check?.()
    while (!this.isSlow && this.waiting.length > 0) this.answer()
  }

  #apply(effect: TaskEffect): void {
    if (effect.type === 'place') {
      const step = this.orders.length
      this.orders.push({ step, tag: effect.tag, plan: effect.plan, status: 'sending', filled: '0', isChanging: false })
      this.waiting.push({ kind: 'place', step })
      this.sent.push(
        `place ${effect.plan.type} ${effect.plan.amount} ${effect.plan.triggerPrice ?? effect.plan.price ?? ''}`.trim(),
      )
    } else if (effect.type === 'amend') {
      this.#patch(effect.step, { isChanging: true })
      this.waiting.push({ kind: 'amend', step: effect.step, change: effect.change })
      this.sent.push(`amend ${JSON.stringify(effect.change)}`)
    } else if (effect.type === 'cancel') {
      this.#patch(effect.step, { isChanging: true })
      this.waiting.push({ kind: 'cancel', step: effect.step })
      this.sent.push(`cancel ${effect.step}`)
    } else if (effect.type === 'wake') this.#wakeAt = effect.at
    else if (effect.type === 'line') (effect.isKeptOnly === true ? this.kept : this.said).push(effect.text)
    else if (effect.type === 'end') {
      this.ended = effect
      // What is on its way is waited for.
      for (const request of this.waiting.splice(0)) this.#do(request)
      for (const { step, tag } of this.orders) if (!effect.keeps?.includes(tag)) this.venue.end(step, 'canceled')
    }
  }

  #do(request: Request): void {
    const { step } = request
    if (request.kind === 'place') this.venue.place(step, this.#known(step).plan, this.now)
    else if (request.kind === 'amend') this.venue.amend(step, request.change)
    else this.venue.end(step, 'canceled')
  }

  #answered(request: Request, no: { code: string; why: string } | undefined): void {
    const { step } = request
    if (request.kind === 'place' && no !== undefined) this.#patch(step, { status: 'refused', ...no })
    else this.#patch(step, { isChanging: false, ...(no && { changeRefused: no }) })
    if (this.venue.orders.has(step)) this.hear(step)
    else this.tell({ type: 'order', step })
    if (this.venue.orders.get(step)?.filled !== '0' && this.venue.orders.has(step)) this.tell({ type: 'position' })
  }

  #ask({ step }: TaskOrder, isTold = true): void {
    const order = this.venue.orders.get(step)
    if (order === undefined)
      this.#patch(step, { status: 'refused', isChanging: false, code: 'never-arrived', why: 'it never arrived' })
    else {
      const status = order.status === 'open' ? 'open' : 'ended'
      this.#patch(step, { status, order, filled: order.filled, isChanging: false })
    }
    if (isTold) this.tell({ type: 'order', step })
  }

  #known(step: number): TaskOrder {
    const order = this.orders[step]
    if (order === undefined) throw new Error(`no order ${step}`)
    return order
  }

  #patch(step: number, change: Partial<TaskOrder>): void {
    this.orders = this.orders.map((each) => (each.step === step ? { ...each, ...change } : each))
  }
}
