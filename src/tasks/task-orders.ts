// The orders of one task, as far as they are known: from their answers, from the venue's events, and from what was asked. Nothing that is known
// is taken back: what is over stays over, and fills only grow.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import type { Order, Trade } from '../exchange/order.ts'
import { clientOrderId, type OrderPlan, orderIdPrefix } from '../trading/order-plan.ts'
import type { TaskOrder } from './task-kind.ts'
import {
  droppable,
  type Filled,
  NOTHING_FILLED,
  type OrderSettlement,
  type PlannedStep,
  plusFilled,
  type RecordedOrder,
} from './task-record.ts'

/** One order of the task. */
export interface OwnOrder {
  readonly step: number
  readonly tag: string
  readonly plan: OrderPlan
  /** Its `clientOrderId`. */
  readonly id: string
  /** When it was decided. */
  readonly at: number
  status: TaskOrder['status']
  order: Order | undefined
  /** By the ids of its trades. */
  readonly trades: Map<string, Filled>
  fill: Filled
  code: string | undefined
  why: string | undefined
  isReplaced: true | undefined
  canceledBy: TaskOrder['canceledBy']
  isChanging: boolean
  /** Of its last change, while no later one was made. */
  changeRefused: { readonly code: string; readonly why: string } | undefined
  /** In the journal. */
  settled: OrderSettlement | undefined
}

export class TaskOrders {
  readonly #taskId: string
  readonly #prefix: string
  readonly #amountUnit: Market['amountUnit']
  #orders: OwnOrder[]
  #before: Filled

  constructor(taskId: string, market: Pick<Market, 'amountUnit'>, known: readonly RecordedOrder[], before: Filled) {
    this.#taskId = taskId
    this.#prefix = orderIdPrefix(taskId)
    this.#amountUnit = market.amountUnit
    this.#before = before
    this.#orders = known.map((recorded) => this.#restored(recorded))
  }

  add({ step, tag, plan }: PlannedStep, at: number): OwnOrder {
    const order = { ...this.#blank({ step, tag, plan, at }), status: 'sending' as const }
    this.#orders.push(order)
    return order
  }

  /** Those that live, or may. */
  live(): readonly OwnOrder[] {
    return this.#orders.filter(isLiveOrder)
  }

  find(step: number): OwnOrder | undefined {
    return this.#orders.find((order) => order.step === step)
  }

  /** By either of its ids. */
  findBy({ clientOrderId, id }: { readonly clientOrderId?: string; readonly id?: string }): OwnOrder | undefined {
    // Most of what a market tells is of others.
    if (clientOrderId !== undefined && !clientOrderId.startsWith(this.#prefix)) return undefined
    return this.#orders.find(
      (own) => own.id === clientOrderId || (id !== undefined && own.order !== undefined && own.order.id === id),
    )
  }

  /** For the kind. */
  views(): readonly TaskOrder[] {
    return this.#orders.map(viewOf)
  }

  total(): Filled {
    return this.#orders.reduce((sum, { fill }) => plusFilled(sum, fill), this.#before)
  }

  /** Ids, at the venue, of those that rest. */
  resting(): readonly string[] {
    return this.#orders.flatMap(({ status, order }) => (status === 'open' && order !== undefined ? [order.id] : []))
  }

  /** The venue has reported it. @returns whether anything is new */
  received(own: OwnOrder, order: Order): boolean {
    const { status, order: known, fill } = own
    const isOver = own.status === 'ended' || own.status === 'refused'
    if (!isOver || new Decimal(order.filled).gt(own.fill.filled)) {
      if (own.order === undefined || order.status !== 'open' || own.order.status === 'open') own.order = order
      if (own.status !== 'ended') own.status = order.status === 'open' ? 'open' : 'ended'
    }
    this.#count(own, this.#filledOf(order), false)
    this.#endWhole(own)
    return own.status !== status || own.fill.filled !== fill.filled || !isSameOrder(own.order, known)
  }

  /** A fill of it. @returns whether it is new */
  receivedTrade(own: OwnOrder, trade: Trade): boolean {
    if (own.trades.has(trade.id)) return false
    own.trades.set(trade.id, this.#fillOf(trade.amount, trade.price))
    const before = own.fill.filled
    this.#count(own, [...own.trades.values()].reduce(plusFilled, NOTHING_FILLED), true)
    this.#endWhole(own)
    return own.fill.filled !== before
  }

  /** Nothing of it ever lived. */
  refused(own: OwnOrder, code: string, why: string): void {
    if (own.status === 'ended' || own.status === 'refused') return
    Object.assign(own, { status: 'refused', code, why })
  }

  /** What is to be written down: the first time that it is over. */
  settle(own: OwnOrder): OrderSettlement | undefined {
    if (own.settled !== undefined || isLiveOrder(own)) return undefined
    own.settled = {
      status: own.status === 'refused' ? 'refused' : 'ended',
      ...own.fill,
      ...defined({ orderId: own.order?.id, code: own.code, why: own.why }),
    }
    this.#drop()
    return own.settled
  }

  #drop(): void {
    const dropped = droppable(this.#orders)
    if (dropped.size === 0) return
    this.#before = [...dropped].reduce((sum, { fill }) => plusFilled(sum, fill), this.#before)
    this.#orders = this.#orders.filter((order) => !dropped.has(order))
  }

  #restored({ settled, ...planned }: RecordedOrder): OwnOrder {
    const own = this.#blank(planned)
    if (settled === undefined) return { ...own, status: 'unknown' }
    const { status, code, why, filled, cost, base } = settled
    return { ...own, status, code, why, settled, fill: { filled, cost, base } }
  }

  #blank({ step, tag, plan, at }: Pick<RecordedOrder, 'step' | 'tag' | 'plan' | 'at'>): OwnOrder {
    return {
      step,
      tag,
      plan,
      at,
      id: clientOrderId(this.#taskId, step),
      status: 'sending',
      order: undefined,
      trades: new Map(),
      fill: NOTHING_FILLED,
      code: undefined,
      why: undefined,
      isReplaced: undefined,
      canceledBy: undefined,
      isChanging: false,
      changeRefused: undefined,
      settled: undefined,
    }
  }

  /** All of it has filled: some venues tell the fills, and not the end. */
  #endWhole(own: OwnOrder): void {
    const amount = own.order?.amount ?? own.plan.amount
    if (own.status !== 'refused' && new Decimal(own.fill.filled).gte(amount)) own.status = 'ended'
  }

  #filledOf({ filled, average, price }: Order): Filled {
    if (new Decimal(filled).isZero()) return NOTHING_FILLED
    return this.#fillOf(filled, average ?? price ?? '0')
  }

  #fillOf(filled: string, price: string): Filled {
    const at = new Decimal(price)
    if (this.#amountUnit === 'quote') {
      const base = at.isZero() ? '0' : new Decimal(filled).div(at).toFixed()
      return { filled, cost: filled, base }
    }
    return { filled, cost: at.times(filled).toFixed(), base: filled }
  }

  /** @param isExact the trades say so: that counts more than what an order tells of itself */
  #count(own: OwnOrder, reported: Filled, isExact: boolean): void {
    const more = new Decimal(reported.filled).cmp(own.fill.filled)
    if (more > 0 || (more === 0 && isExact)) own.fill = reported
  }
}

/** Most events of an order say what its answer has said. */
function isSameOrder(one: Order | undefined, other: Order | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

export function isLiveOrder({ status }: Pick<OwnOrder, 'status'>): boolean {
  return status === 'sending' || status === 'open' || status === 'unknown'
}

export function namesOf({ orderId: id, clientOrderId }: Trade): {
  readonly id: string
  readonly clientOrderId?: string
} {
  return { id, ...defined({ clientOrderId }) }
}

function viewOf(own: OwnOrder): TaskOrder {
  const { step, tag, plan, status, order, fill, code, why, isReplaced, canceledBy, isChanging, changeRefused } = own
  return {
    step,
    tag,
    plan,
    status,
    filled: fill.filled,
    isChanging,
    ...defined({ order, code, why, isReplaced, canceledBy, changeRefused }),
  }
}
