// How much of a position stops cover.
import type { Portfolio } from '../../../protocol/frames.ts'
import { compareFigures, restOf, sumOf } from '../../figures.ts'

type Position = Portfolio['positions'][number]
type Order = Portfolio['orders'][number]

export interface Protection {
  /** That would close it, the one that is hit first before the others. */
  readonly stops: readonly Order[]
  /** What of its amount no stop covers: `0` where all of it is covered. */
  readonly uncovered: string
}

const CLOSING_SIDE: ReadonlyMap<string, string> = new Map([
  ['long', 'sell'],
  ['short', 'buy'],
])
const STOP_TYPES: ReadonlySet<string> = new Set(['stop', 'stop-limit'])

/** @returns undefined for a position of a side that is not known here */
export function protectionOf(
  { symbol, side, amount }: Pick<Position, 'symbol' | 'side' | 'amount'>,
  orders: readonly Order[],
): Protection | undefined {
  const closing = CLOSING_SIDE.get(side)
  if (closing === undefined) return undefined
  const stops = orders
    .filter((order) => order.reduceOnly && STOP_TYPES.has(order.type) && order.symbol === symbol)
    .filter((order) => order.side === closing && (isOfAll(order) || isThere(remainingOf(order))))
    .sort((a, b) => compareFigures(a.triggerPrice, b.triggerPrice) * (side === 'long' ? -1 : 1))
  if (stops.some(isOfAll)) return { stops, uncovered: '0' }
  const covered = sumOf(stops.map(remainingOf))
  return { stops, uncovered: restOf(amount, covered) ?? amount }
}

export function isThere(amount: string | undefined): boolean {
  return amount !== undefined && /[1-9]/.test(amount)
}

/** Some venues have stops of the whole position, whatever it grows to, and tell no amount of them. */
function isOfAll({ amount }: Order): boolean {
  return !isThere(amount)
}

function remainingOf({ amount, filled }: Order): string | undefined {
  return restOf(amount, filled)
}

/** It becomes a limit order, which a fast market may leave behind. */
export function mayNotFill({ type }: Pick<Order, 'type'>): boolean {
  return type === 'stop-limit'
}
