// What rests to end a position: its stops, what they leave of it, and its targets.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import { isTriggerType, type Order, type Position } from '../exchange/order.ts'
import { printSize } from '../language/size.ts'

export type Bare = Pick<Position, 'symbol' | 'side' | 'amount'>

/** Those among the orders that end the position where it loses. */
export function stopsOf(position: Pick<Position, 'symbol' | 'side'>, orders: readonly Order[]): readonly Order[] {
  const exit = position.side === 'long' ? 'sell' : 'buy'
  return orders.filter((order) => order.symbol === position.symbol && order.side === exit && isProtectiveStop(order))
}

export function isProtectiveStop({ reduceOnly, type, closesPosition }: Order): boolean {
  if (!reduceOnly || type === 'take-profit' || type === 'limit') return false
  return isTriggerType(type) || closesPosition === true
}

/** The orders that end a position, where it loses and where it gains. */
export interface Cover {
  /** The one that last reaches first before the others. */
  readonly stops: readonly Order[]
  /** What of the position no stop ends, in the market's unit. */
  readonly uncovered: string
  /** Take-profits and reduce-only limit orders, the nearest first. */
  readonly targets: readonly Target[]
}

export interface Target {
  readonly order: Order
  /** Of a stop that has a take-profit price: that one. */
  readonly price: string
}

export function coverOf(position: Bare, orders: readonly Order[]): Cover {
  const { symbol, side, amount } = position
  const towards = (a: Decimal.Value | undefined, b: Decimal.Value | undefined) =>
    new Decimal(a ?? 0).cmp(b ?? 0) * (side === 'long' ? 1 : -1)
  const stops = [...stopsOf(position, orders)].sort((a, b) => towards(b.triggerPrice, a.triggerPrice))
  const isWhole = stops.some(({ closesPosition }) => closesPosition === true)
  const covered = isWhole ? amount : Decimal.sum(0, ...stops.map(({ remaining }) => remaining))
  const targets = orders
    .filter((order) => order.symbol === symbol && order.side === (side === 'long' ? 'sell' : 'buy'))
    .flatMap((order): Target[] => {
      const price = order.reduceOnly ? targetPrice(order) : undefined
      return price === undefined ? [] : [{ order, price }]
    })
    .sort((a, b) => towards(a.price, b.price))
  return { stops, uncovered: Decimal.max(0, new Decimal(amount).minus(covered)).toFixed(), targets }
}

function targetPrice({ type, price, triggerPrice, takeProfitPrice }: Order): string | undefined {
  if (type === 'take-profit') return triggerPrice
  return type === 'limit' ? price : takeProfitPrice
}

/** The line that places a stop for a part of the position. */
export function coverLine({ symbol, amountUnit }: Market, amount: string, at: string): string {
  return `stop ${printSize({ kind: amountUnit, amount })} ${symbol} ${at} add`
}

/** Where a stop is offered that nobody has chosen. */
export function awayFrom(side: Position['side']): string {
  return `at ${side === 'long' ? '-' : '+'}2%`
}
