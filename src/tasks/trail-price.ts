// Where the stop of a trail belongs, and when it is worth a request to move it there.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import { priceOnGrid, stepAt } from '../exchange/price-grid.ts'
import { PACE_MS } from './exit-order.ts'
import type { HeldSide } from './held-position.ts'

interface TrailDistance {
  readonly kind: 'percent' | 'amount'
  /** Above zero. */
  readonly value: string
}

/** Of the distance: what is less waits for more, or for a quiet moment. */
const SMALL_SHARE = '0.01'
/** How long a small step waits, in ms. */
const QUIET_MS = 5_000

/** Further in the direction in which the position gains. */
export function isBetter(side: HeldSide, price: Decimal.Value, than: Decimal.Value): boolean {
  return side === 'long' ? new Decimal(price).gt(than) : new Decimal(price).lt(than)
}

/** Whether the market has come to a stop of this side. */
export function hasPassed(side: HeldSide, last: Decimal.Value, stop: Decimal.Value): boolean {
  return !isBetter(side, last, stop)
}

/** The stop that belongs to a mark, never nearer to it than the distance. */
export function stopOf(side: HeldSide, mark: Decimal.Value, distance: TrailDistance, market: Market): string {
  const away = lengthOf(distance, mark)
  const price = side === 'long' ? new Decimal(mark).minus(away) : new Decimal(mark).plus(away)
  return priceOnGrid(price, market, side === 'long' ? 'down' : 'up')
}

/** The distance as a difference of prices. */
export function lengthOf({ kind, value }: TrailDistance, mark: Decimal.Value): Decimal {
  return kind === 'amount' ? new Decimal(value) : new Decimal(mark).times(value).div(100)
}

/** @returns from when the stop may be moved, ms since the epoch; undefined: there is nothing to move it to */
export function moveDueAt(
  from: string,
  to: string,
  { side, length, market, movedAt }: { side: HeldSide; length: Decimal; market: Market; movedAt: number | undefined },
): number | undefined {
  const gain = side === 'long' ? new Decimal(to).minus(from) : new Decimal(from).minus(to)
  if (gain.lt(stepAt(from, market.priceGrid))) return undefined
  return (movedAt ?? 0) + (gain.gte(length.times(SMALL_SHARE)) ? PACE_MS : QUIET_MS)
}
