// One of the orders that protect an entry: its stop, or its take-profit. What it has done, and how much it is to cover.
import { Decimal } from 'decimal.js'
import type { Capabilities } from '../exchange/exchange.ts'
import type { Order } from '../exchange/order.ts'
import { MAX_ATTEMPTS, type ProtectiveRole, protectiveOrderId } from './client-order-id.ts'
import type { Protector } from './order-journal-lines.ts'
import type { OrderPlan, ProtectionPlan } from './order-plan.ts'
import type { ProtectedEntry } from './protection-ports.ts'

/** What of it ended unfilled, and not by us: a person took it back, or the venue did because the position was gone. */
interface TakenBack {
  readonly amount: Decimal
  /** What the other leg had filled when this order was placed. */
  readonly otherBefore: Decimal
}

export class ProtectiveLeg {
  readonly role: ProtectiveRole
  readonly #entryId: string
  /** At the venue now. */
  order: Order | undefined
  /** Orders that the one at the venue has replaced, and that are still to be taken back. */
  readonly leftOver = new Set<Order>()
  /** How many were begun to be sent. */
  sent: number
  /** Of the one that was sent last, where nothing definite is known of it. */
  inDoubt: string | undefined
  /** What orders that are over have filled. */
  closed = new Decimal(0)
  /** What it need not cover, because somebody took its order back. */
  waived = new Decimal(0)
  /** Ids of orders that we take back ourselves. */
  readonly withdrawn = new Set<string>()
  #takenBack: TakenBack[] = []
  #otherBefore = new Decimal(0)

  /** What a process before this one had begun to send, and has not been asked for. The first is the next. */
  readonly unasked: Protector[]

  constructor(role: ProtectiveRole, entry: ProtectedEntry) {
    this.role = role
    this.#entryId = entry.id
    const before = (entry.protectors ?? []).filter((each) => each.role === role)
    this.unasked = before.filter(({ isRefused }) => !isRefused)
    this.sent = this.#attemptsIn(before)
  }

  /** Whether all that a process before this one sent has been asked for. */
  get isFound(): boolean {
    return this.unasked.length === 0
  }

  /** Whether nothing of it is at the venue, and nothing is to be found out. */
  get isIdle(): boolean {
    const isKnown = this.isFound && this.inDoubt === undefined && !this.isToBeSettled
    return isKnown && this.order === undefined && this.leftOver.size === 0
  }

  get nextId(): string {
    return protectiveOrderId(this.#entryId, this.role, this.sent)
  }

  /** One that could not be written down has left a gap: no id is taken twice. */
  #attemptsIn(before: readonly Protector[]): number {
    const ids = new Set(before.map(({ id }) => id))
    let attempt = 0
    for (; ids.size > 0 && attempt <= MAX_ATTEMPTS; attempt += 1) {
      ids.delete(protectiveOrderId(this.#entryId, this.role, attempt))
    }
    return attempt
  }

  /** An order of it goes out. @param otherFilled what the other leg has filled by now */
  begin(otherFilled: Decimal): void {
    this.#otherBefore = otherFilled
  }

  /** The order is over. */
  end({ id, type, filled, amount }: Order): void {
    if (this.order?.id === id) this.order = undefined
    // What a stop that has fired could not fill is still to be closed.
    if (type === 'market' || new Decimal(filled).gt(0)) this.closed = this.closed.plus(filled)
    else if (!this.withdrawn.has(id)) this.takeBack(amount)
  }

  /** So much is not placed again, unless it turns out that the other leg has closed it. */
  takeBack(amount: Decimal.Value): void {
    this.#takenBack.push({ amount: new Decimal(amount), otherBefore: this.#otherBefore })
  }

  /** Whether it has to be known what the other leg has filled. */
  get isToBeSettled(): boolean {
    return this.#takenBack.length > 0
  }

  /** @param otherFilled what the other leg has filled in all: the venue itself takes back what that has closed */
  settle(otherFilled: Decimal): void {
    for (const { amount, otherBefore } of this.#takenBack) {
      const byOther = otherFilled.minus(otherBefore)
      this.waived = this.waived.plus(Decimal.max(0, amount.minus(byOther)))
    }
    this.#takenBack = []
  }
}

/** Whether the venue takes stop and take-profit as one order. What was begun as two goes on as two: a hookline before this one may have known no other way. */
export function isOneOrder({ oco }: Pick<Capabilities, 'oco'>, { protectors = [] }: ProtectedEntry): boolean {
  return oco === true && !protectors.some(({ role, isAlone }) => role === 'take' || isAlone)
}

/** The legs that a plan has. */
export function legsOf(plan: ProtectionPlan, entry: ProtectedEntry, asOne: boolean): readonly ProtectiveLeg[] {
  const { triggerPrice, takeProfitPrice } = plan
  const roles: ProtectiveRole[] = []
  if (triggerPrice !== undefined) roles.push('stop')
  if (takeProfitPrice !== undefined && !(asOne && triggerPrice !== undefined)) roles.push('take')
  return roles.map((role) => new ProtectiveLeg(role, entry))
}

export interface Waiting {
  readonly type: 'stop' | 'take-profit'
  readonly triggerPrice: string
  readonly takeProfitPrice?: string
}

/** The order that waits for its price. */
export function waitingOrder(plan: ProtectionPlan, role: ProtectiveRole, asOne: boolean): Waiting {
  const { triggerPrice = '0', takeProfitPrice } = plan
  if (role === 'take') return { type: 'take-profit', triggerPrice: takeProfitPrice ?? '0' }
  const isPair = asOne && takeProfitPrice !== undefined
  return { type: 'stop', triggerPrice, ...(isPair ? { takeProfitPrice } : {}) }
}

/** Of the prices that the order waits for, the one that last has passed already. */
export function passedPrice(
  { fires }: ProtectionPlan,
  { type, triggerPrice, takeProfitPrice }: Waiting,
  last: string,
): { readonly role: ProtectiveRole; readonly price: string } | undefined {
  const price = new Decimal(last)
  const isPassed = (trigger: string, role: ProtectiveRole) => {
    const above = (fires === 'at-or-above') === (role === 'stop')
    return above ? price.gte(trigger) : price.lte(trigger)
  }
  const role = type === 'stop' ? 'stop' : 'take'
  if (isPassed(triggerPrice, role)) return { role, price: triggerPrice }
  if (takeProfitPrice === undefined || !isPassed(takeProfitPrice, 'take')) return undefined
  return { role: 'take', price: takeProfitPrice }
}

/** @param waiting undefined: at the market */
export function protectiveOrder(
  { symbol, side }: OrderPlan,
  amount: Decimal,
  reduceOnly: boolean,
  waiting: Waiting | undefined,
): OrderPlan {
  const what = { symbol, side: side === 'buy' ? 'sell' : 'buy', amount: amount.toFixed() } as const
  return { ...what, ...(reduceOnly ? { reduceOnly } : {}), ...(waiting ?? { type: 'market' }) }
}
