// Plays one kind of task against a scripted book: no driver, no disk, no clock but this one. Every order takes the way that the test says.
import { Decimal } from 'decimal.js'
import { defined } from '../../src/base/defined.ts'
import type { Capabilities } from '../../src/exchange/exchange.ts'
import type { Market, Ticker } from '../../src/exchange/market.ts'
import type { Order, Position } from '../../src/exchange/order.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskOrder, TaskSight } from '../../src/tasks/task-kind.ts'
import { ABLE, BTC, tickerAt, venueOrder } from './scripted-venue.ts'

/** What becomes of an order that was just sent. `book`: as a venue would; `hang`: no answer yet. */
export type Answer =
  | { readonly as: 'book' }
  | { readonly as: 'hang' }
  | { readonly as: 'unknown' }
  | { readonly as: 'refused'; readonly code: string; readonly why?: string }
  /** Taken, and ended by the venue at once. */
  | { readonly as: 'ended'; readonly status: Order['status'] }

export interface Sent {
  readonly at: number
  /** As things stood when it was sent. */
  readonly before: Pick<TaskFacts, 'orders' | 'ticker' | 'filled'>
  readonly effect: Extract<TaskEffect, { type: 'place' | 'amend' | 'cancel' }>
}

export interface StageOptions {
  readonly market?: Market
  readonly capabilities?: Partial<Capabilities>
  readonly bid?: string
  readonly ask?: string
  readonly position?: Pick<Position, 'side' | 'amount'>
}

type Mutable<T> = { -readonly [field in keyof T]: T[field] }

export const START = 1_800_000_000_000

export class PureStage<Params, State> {
  readonly #kind: TaskKind<Params, State>
  readonly #params: Params
  readonly #market: Market
  readonly #capabilities: Capabilities
  readonly orders: Mutable<TaskOrder>[] = []
  readonly sent: Sent[] = []
  readonly said: string[] = []
  /** For `tasks show` alone. */
  readonly kept: string[] = []
  /** Of both, what a notice carries. */
  readonly news: string[] = []
  /** Lines that it had run. */
  readonly ran: string[] = []
  readings: TaskFacts['readings']
  ended: Extract<TaskEffect, { type: 'end' }> | undefined
  state: State
  /** As it was when something was last sent: what is sure to be on the disk. */
  written: State
  now = START
  ticker: Ticker | undefined
  position: Position | undefined
  isPositionKnown = true
  cost = new Decimal(0)
  wakeAt: number | undefined
  /** Of orders from now on. */
  answer: Answer = { as: 'book' }
  /** Of changes and cancels from now on. */
  changes: 'done' | 'hang' | { readonly code: string; readonly why: string } = 'done'
  readonly #events: TaskEvent[] = []

  constructor(kind: TaskKind<Params, State>, params: Params, options: StageOptions = {}) {
    const { market = BTC, capabilities = {}, bid = '65000', ask = '65000.1', position } = options
    this.#kind = kind
    this.#params = params
    this.#market = market
    this.#capabilities = { ...ABLE, ...capabilities }
    this.ticker = tickerAt(market.symbol, bid, ask, this.now)
    if (position !== undefined) this.hold(position)
    this.state = kind.initial(params)
    this.written = this.state
  }

  willAnswer(answer: Answer): this {
    this.answer = answer
    return this
  }

  willChange(changes: PureStage<Params, State>['changes']): this {
    this.changes = changes
    return this
  }

  begin(): this {
    return this.tell({ type: 'begun' })
  }

  /** The process dies, and another goes on: all that is left is JSON, and what is on the venue. What hung was asked for. */
  restart(afterMs = 0, state = this.state): this {
    this.now += afterMs
    this.#events.length = 0
    this.wakeAt = undefined
    for (const order of this.orders) {
      order.isChanging = false
      if (order.status === 'sending') order.status = 'unknown'
    }
    this.state = JSON.parse(JSON.stringify(state)) as State
    return this.tell({ type: 'resumed' })
  }

  /** Time passes, and what was to wake it does. */
  pass(ms: number): this {
    const until = this.now + ms
    while (this.wakeAt !== undefined && this.wakeAt <= until) {
      this.now = Math.max(this.now, this.wakeAt)
      this.wakeAt = undefined
      this.tell({ type: 'time' })
    }
    this.now = until
    return this
  }

  quote(bid: string, ask = new Decimal(bid).plus('0.1').toFixed()): this {
    this.ticker = tickerAt(this.#market.symbol, bid, ask, this.now)
    this.#matchResting()
    return this.tell({ type: 'ticker' })
  }

  /** Nothing current is known any more. */
  stale(): this {
    this.ticker = undefined
    return this.tell({ type: 'ticker' })
  }

  hold(position: Pick<Position, 'side' | 'amount'> | undefined): this {
    this.position =
      position === undefined
        ? undefined
        : { ...position, symbol: this.#market.symbol, entryPrice: '65000', settle: 'USDT', notional: '0' }
    return this
  }

  fill(step: number, amount: string, price?: string): this {
    const order = this.order(step)
    const filled = new Decimal(order.filled).plus(amount)
    order.filled = filled.toFixed()
    const at = price ?? order.order?.price ?? order.plan.price ?? '65000'
    this.cost = this.cost.plus(new Decimal(at).times(amount))
    const whole = order.order?.amount ?? order.plan.amount
    const isWhole = filled.gte(whole)
    if (isWhole) order.status = 'ended'
    order.order = venueOrder(this.now, order, isWhole ? 'closed' : 'open')
    this.#events.push({ type: 'order', step })
    return this.#drain()
  }

  /** What was unknown, or hung, is known. */
  settle(step: number, as: 'open' | 'never-arrived'): this {
    const order = this.order(step)
    if (as === 'open')
      Object.assign(order, { status: 'open', order: venueOrder(this.now, order, 'open'), isChanging: false })
    else Object.assign(order, { status: 'refused', code: 'never-arrived', why: 'the order never arrived' })
    this.#matchResting()
    this.#events.push({ type: 'order', step })
    return this.#drain()
  }

  /** The venue, or somebody by hand, ends it. */
  endOrder(step: number, status: Order['status'], why?: string): this {
    const order = this.order(step)
    Object.assign(order, { status: 'ended', order: venueOrder(this.now, order, status), ...defined({ why }) })
    return this.tell({ type: 'order', step })
  }

  order(step: number): Mutable<TaskOrder> {
    const order = this.orders.find((each) => each.step === step)
    if (order === undefined) throw new Error(`there is no order ${step}`)
    return order
  }

  get placed(): readonly Extract<TaskEffect, { type: 'place' }>[] {
    return this.sent.flatMap(({ effect }) => (effect.type === 'place' ? [effect] : []))
  }

  get live(): readonly TaskOrder[] {
    return this.orders.filter(({ status }) => status === 'sending' || status === 'open' || status === 'unknown')
  }

  get filled(): Decimal {
    return this.orders.reduce((sum, { filled }) => sum.plus(filled), new Decimal(0))
  }

  get sight(): TaskSight {
    return this.#kind.see(this.#params, this.state, this.facts())
  }

  get doing(): string {
    return this.sight.doing
  }

  facts(): TaskFacts {
    return {
      now: this.now,
      ...defined({ readings: this.readings }),
      market: this.#market,
      capabilities: this.#capabilities,
      ...defined({ ticker: this.ticker, position: this.position }),
      isPositionKnown: this.isPositionKnown,
      orders: this.orders.map((order) => ({ ...order })),
      filled: this.filled.toFixed(),
      cost: this.cost.toFixed(),
    }
  }

  tell(event: TaskEvent): this {
    this.#events.push(event)
    return this.#drain()
  }

  #drain(): this {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      if (this.ended !== undefined) continue
      const step = this.#kind.reduce(this.#params, this.state, event, this.facts())
      this.state = step.state
      for (const effect of step.effects) this.#perform(effect)
    }
    return this
  }

  #perform(effect: TaskEffect): void {
    switch (effect.type) {
      case 'wake':
        this.wakeAt = effect.at
        return
      case 'line':
        if (effect.isKeptOnly === true) this.kept.push(effect.text)
        else this.said.push(effect.text)
        if (effect.isNews === true) this.news.push(effect.text)
        return
      case 'end':
        this.ended = effect
        return
      case 'run':
        this.ran.push(effect.line)
        this.written = this.state
        return
      default:
        this.sent.push({ at: this.now, effect, before: this.facts() })
        this.written = this.state
    }
    if (effect.type === 'place') this.#place(effect)
    else this.#change(effect)
  }

  #place({ tag, plan }: Extract<TaskEffect, { type: 'place' }>): void {
    const step = this.orders.length
    const order: Mutable<TaskOrder> = { step, tag, plan, status: 'sending', filled: '0', isChanging: false }
    this.orders.push(order)
    const { answer } = this
    if (answer.as === 'hang') return
    this.#events.push({ type: 'order', step })
    if (answer.as === 'unknown') order.status = 'unknown'
    else if (answer.as === 'refused')
      Object.assign(order, { status: 'refused', code: answer.code, why: answer.why ?? answer.code })
    else if (answer.as === 'ended')
      Object.assign(order, { status: 'ended', order: venueOrder(this.now, order, answer.status) })
    else this.#match(order)
  }

  /** As a venue does with what has just arrived. */
  #match(order: Mutable<TaskOrder>): void {
    const { side, type, price, postOnly, timeInForce, amount } = order.plan
    const touch = (side === 'buy' ? this.ticker?.ask : this.ticker?.bid) ?? price ?? '65000'
    const crosses =
      price === undefined || (side === 'buy' ? new Decimal(price).gte(touch) : new Decimal(price).lte(touch))
    if (postOnly === true && crosses) {
      Object.assign(order, { status: 'refused', code: 'order-immediately-fillable', why: 'it would trade at once' })
    } else if (type === 'market' || crosses) {
      this.cost = this.cost.plus(new Decimal(touch).times(amount))
      Object.assign(order, { status: 'ended', filled: amount })
      order.order = venueOrder(this.now, order, 'closed')
    } else if (timeInForce === 'ioc') {
      Object.assign(order, { status: 'ended', order: venueOrder(this.now, order, 'expired') })
    } else {
      Object.assign(order, { status: 'open', order: venueOrder(this.now, order, 'open') })
    }
  }

  #change(effect: Extract<TaskEffect, { type: 'amend' | 'cancel' }>): void {
    const order = this.order(effect.step)
    order.isChanging = true
    if (this.changes === 'hang') return
    delete order.changeRefused
    order.isChanging = false
    this.#events.push({ type: 'order', step: effect.step })
    if (this.changes !== 'done') order.changeRefused = this.changes
    else if (effect.type === 'cancel')
      Object.assign(order, { status: 'ended', order: venueOrder(this.now, order, 'canceled') })
    else order.order = { ...venueOrder(this.now, order, 'open'), ...effect.change }
  }

  /** Orders that rest fill when the other side comes to them. */
  #matchResting(): void {
    for (const order of this.orders) {
      if (order.status !== 'open' || this.ticker === undefined) continue
      const price = order.order?.price ?? '0'
      const isReached =
        order.plan.side === 'buy' ? new Decimal(this.ticker.ask).lte(price) : new Decimal(this.ticker.bid).gte(price)
      if (isReached)
        this.fill(order.step, new Decimal(order.order?.amount ?? order.plan.amount).minus(order.filled).toFixed())
    }
  }
}

// Random numbers as acts on a stage.

// biome-ignore lint/suspicious/noExplicitAny: any kind, whatever its state is.
type AnyStage = PureStage<any, any>

/** The step of one of its orders, chosen by a number; undefined: there is none such. */
export function oneOf(stage: AnyStage, number: number, which: (order: TaskOrder) => boolean): number | undefined {
  const found = stage.orders.filter(which)
  return found[number % Math.max(1, found.length)]?.step
}

/** Fills an open order, by at least one lot and at most all of it. */
export function fillSome(stage: AnyStage, number: number, share: number): void {
  const step = oneOf(stage, number, ({ status }) => status === 'open')
  if (step === undefined) return
  const { order, plan, filled } = stage.order(step)
  const lots = new Decimal(order?.amount ?? plan.amount).minus(filled).div(BTC.lotSize).toNumber()
  stage.fill(step, new Decimal(BTC.lotSize).times(1 + (share % lots)).toFixed())
}
