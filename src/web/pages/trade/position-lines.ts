// The lines that the buttons of positions and orders write; undefined where an id or a symbol cannot be typed.
import { defined } from '../../../base/defined.ts'
import { ungrouped } from '../../../language/decimal-text.ts'
import { typedLine } from '../../../language/print.ts'
import type { Portfolio } from '../../../protocol/frames.ts'
import { compareFigures, restOf, sumOf } from '../../figures.ts'

// --- How much of a position stops cover.

type Position = Pick<Portfolio['positions'][number], 'symbol' | 'side' | 'amount'>
export type Order = Portfolio['orders'][number]

interface Protection {
  /** Its closing stops, the first to trigger first. */
  readonly stops: readonly Order[]
  /** The amount that no stop covers: `0` where all of it is covered. */
  readonly uncovered: string
}

const CLOSING_SIDE: ReadonlyMap<string, string> = new Map([
  ['long', 'sell'],
  ['short', 'buy'],
])
const STOP_TYPES: ReadonlySet<string> = new Set(['stop', 'stop-limit'])

/** @returns undefined for a position of a side that is not known here */
export function protectionOf({ symbol, side, amount }: Position, orders: readonly Order[]): Protection | undefined {
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

/** Some venues have stops of the whole position, without an amount. */
function isOfAll({ amount }: Order): boolean {
  return !isThere(amount)
}

function remainingOf({ amount, filled }: Order): string | undefined {
  return restOf(amount, filled)
}

/** What only reduces fills no more than is held, and than the orders before it leave. */
export function closedBy(order: Order, positions: Portfolio['positions']): string {
  if (order.closes !== undefined) return order.closes
  const position = positions.find(({ symbol }) => symbol === order.symbol)
  if (position === undefined || !order.reduceOnly || CLOSING_SIDE.get(position.side) !== order.side) return order.amount
  return compareFigures(order.amount, position.amount) > 0 ? position.amount : order.amount
}

/** A stop-limit becomes a limit order, which a fast market may leave unfilled. */
export function mayNotFill({ type }: Pick<Order, 'type'>): boolean {
  return type === 'stop-limit'
}

// --- lines

/** @param percent of the position; absent: all of it */
export function closeLine({ symbol }: Pick<Position, 'symbol'>, percent?: string): string | undefined {
  return percent === undefined ? typedLine`close ${symbol}` : typedLine`close ${symbol} ${`${percent}%`}`
}

/** As much on the other side. */
export function reverseLine({ symbol, side, amount }: Position): string | undefined {
  return typedLine`position ${side === 'long' ? 'short' : 'long'} ${inBase(amount)} ${symbol}`
}

/** What a reversal leaves behind. @param protection undefined: not known */
export function reverseWarnings({ side }: Position, protection: Protection | undefined): readonly string[] {
  const stops = protection?.stops.length ?? 0
  if (stops === 0) return []
  const gone = stops === 1 ? 'The stop' : `The ${stops} stops`
  const next = side === 'long' ? 'short' : 'long'
  return [`${gone} of the ${side} will be canceled. The ${next} starts without a stop.`]
}

/** For a person to put the price right: two percent away. Of all of the position, or of what no stop covers. */
export function stopLine({ symbol, side }: Position, { stops, uncovered }: Protection): string | undefined {
  const distance = side === 'short' ? '+2%' : '-2%'
  const isPart = stops.length > 0 && isThere(uncovered)
  return isPart
    ? typedLine`stop ${inBase(uncovered)} ${symbol} at ${distance}`
    : typedLine`stop ${symbol} at ${distance}`
}

/** It takes the place of the stops on the side of the loss. */
export function breakEvenLine({ symbol }: Pick<Position, 'symbol'>, isAfterFees = false): string | undefined {
  return isAfterFees ? typedLine`stop ${symbol} breakeven +fees` : typedLine`stop ${symbol} breakeven`
}

/** For a person to put the distance right: a percent. */
export function trailLine(
  { symbol }: Pick<Position, 'symbol'>,
  protection: Protection | undefined,
): string | undefined {
  const hasStops = protection !== undefined && protection.stops.length > 0
  return hasStops ? typedLine`trail 1% ${symbol} replace` : typedLine`trail 1% ${symbol}`
}

/** @param price for a stop: where it is now, for a person to put it right */
export function moveOrderLine(id: string, price: string): string | undefined {
  return typedLine`move ${id} to ${price}`
}

/** What of a resting order can be changed, as figures to type over. */
export interface OrderTerms {
  /** Of a stop, its trigger. */
  readonly at?: string
  readonly limit?: string
  /** Of an entry: what follows its fill. */
  readonly stop?: string
  readonly tp?: string
  readonly amount?: string
}

export function termsOf({ price, triggerPrice, takeProfitPrice, amount, stop, takeProfit }: Order): OrderTerms {
  const tp = takeProfitPrice ?? takeProfit?.triggerPrice
  return defined({
    at: triggerPrice ?? price,
    limit: triggerPrice === undefined ? undefined : price,
    stop: stop?.triggerPrice,
    tp,
    amount: isThere(amount) ? amount : undefined,
  })
}

/** @param terms as typed; what is as before, or empty, is left as it is @returns undefined: it changes nothing, or cannot be typed */
export function amendLine(order: Order, terms: OrderTerms): string | undefined {
  const before = termsOf(order)
  const changed = (field: keyof OrderTerms) => {
    const typed = ungrouped(terms[field]?.trim() ?? '')
    return typed === '' || typed === before[field] ? undefined : typed
  }
  const parts = (['at', 'limit', 'stop', 'tp'] as const).flatMap((field) => {
    const price = changed(field)
    return price === undefined ? [] : [typedLine`${field} ${price}`]
  })
  const amount = changed('amount')
  if (amount !== undefined) parts.push(typedLine`${/^\d+$/.test(amount) ? inBase(amount) : amount}`)
  const line = typedLine`amend ${order.id}`
  if (parts.length === 0 || line === undefined || parts.includes(undefined)) return undefined
  return [line, ...parts].join(' ')
}

export function cancelLine(id: string): string | undefined {
  // In quotes it is an id and nothing else.
  return /^all$/i.test(id) ? `cancel "${id}"` : typedLine`cancel ${id}`
}

/** @param symbol undefined: every order of the account */
export function cancelAllLine(symbol: string | undefined): string | undefined {
  return symbol === undefined ? 'cancel all' : typedLine`cancel ${symbol}`
}

export const CLOSE_ALL_LINE = 'close all'
/** An entry that cannot be canceled keeps no position from being closed. */
export const CANCEL_AND_CLOSE_ALL_LINE = 'cancel entries all || echo "not every entry is canceled"; close all'

/** A bare whole number could be taken for money. */
function inBase(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.0`
}
