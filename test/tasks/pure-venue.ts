// A venue of a few lines, for orders that only reduce: it does what it is asked, and what its prices do to what rests.
import { Decimal } from 'decimal.js'
import { defined } from '../../src/base/defined.ts'
import type { Capabilities } from '../../src/exchange/exchange.ts'
import type { Market } from '../../src/exchange/market.ts'
import type { Order, OrderChange } from '../../src/exchange/order.ts'
import type { OrderPlan } from '../../src/trading/order-plan.ts'

export const BTC: Market = {
  symbol: 'BTCUSDT',
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  amountUnit: 'base',
  priceGrid: { kind: 'tick', tick: '0.1' },
  lotSize: '0.001',
  minAmount: '0.001',
  active: true,
}

export const CAN: Capabilities = {
  orderTypes: ['market', 'limit', 'stop', 'take-profit'],
  timeInForce: ['gtc'],
  postOnly: true,
  reduceOnly: true,
  editOrder: true,
  setLeverage: true,
}

export type Holding = { readonly side: 'long' | 'short'; readonly amount: string } | undefined

export class PureVenue {
  /** By the step of the task. */
  readonly orders = new Map<number, Order>()
  held: Holding
  last: string

  constructor(held: Holding, last: string) {
    this.held = held
    this.last = last
  }

  /** `stop 1 at 99`, oldest first. */
  resting(): string[] {
    return [...this.orders.values()]
      .filter(({ status }) => status === 'open')
      .map(({ type, amount, filled, price, triggerPrice }) => {
        const left = new Decimal(amount).minus(filled).toFixed()
        return `${type} ${left} at ${triggerPrice ?? price}`
      })
  }

  place(step: number, plan: OrderPlan, now: number): void {
    const { type, side, amount, price, triggerPrice, symbol } = plan
    const prices = defined({ price, triggerPrice })
    this.orders.set(step, {
      id: `v${step}`,
      symbol,
      side,
      type,
      amount,
      filled: '0',
      remaining: amount,
      ...prices,
      reduceOnly: plan.reduceOnly === true,
      postOnly: false,
      status: 'open',
      timestamp: now,
    })
    this.match(step)
  }

  amend(step: number, change: OrderChange): void {
    const order = this.orders.get(step)
    if (order?.status !== 'open') return
    const merged = { ...order, ...change }
    const remaining = Decimal.max(0, new Decimal(merged.amount).minus(order.filled)).toFixed()
    const changed = { ...merged, remaining }
    this.orders.set(step, changed)
    if (new Decimal(changed.amount).lte(order.filled)) this.end(step, 'closed')
    else this.match(step)
  }

  /** Whether the market has done something to it. */
  match(step: number): boolean {
    const order = this.orders.get(step)
    if (order?.status !== 'open') return false
    const { type, side, price, triggerPrice = '0', amount, filled } = order
    const last = new Decimal(this.last)
    const isBelow = side === 'sell' ? last.lte(triggerPrice) : last.gte(triggerPrice)
    const crosses = side === 'sell' ? last.gte(price ?? 0) : last.lte(price ?? 0)
    const isMet = type === 'market' || (type === 'stop' ? isBelow : type === 'limit' ? crosses : !isBelow)
    if (!isMet) return false
    this.fill(step, new Decimal(amount).minus(filled))
    this.end(step, 'closed')
    return true
  }

  /** Never past flat: all of them only reduce. */
  fill(step: number, asked: Decimal): void {
    const order = this.orders.get(step)
    if (order === undefined) return
    const isAgainst = this.held !== undefined && (this.held.side === 'long') === (order.side === 'sell')
    const amount = Decimal.min(asked, isAgainst ? (this.held?.amount ?? 0) : 0)
    const filled = amount.plus(order.filled).toFixed()
    this.orders.set(step, {
      ...order,
      filled,
      remaining: new Decimal(order.amount).minus(filled).toFixed(),
      average: this.last,
    })
    if (this.held === undefined || amount.isZero()) return
    const left = new Decimal(this.held.amount).minus(amount)
    this.held = left.isZero() ? undefined : { ...this.held, amount: left.toFixed() }
  }

  end(step: number, status: Order['status']): void {
    const order = this.orders.get(step)
    if (order?.status === 'open') this.orders.set(step, { ...order, status })
  }
}
