// When the slices of a twap come and how large each is. Chance comes from a seed, so that the same task always has the same plan.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import { amountOnLot } from '../exchange/price-grid.ts'

interface TwapShape {
  readonly amount: string
  readonly slices: number
  readonly durationMs: number
  /** By how much sizes and times vary, in percent; at most 50. */
  readonly random?: string
  readonly seed: string
}

/** A slice is never more than so many planned ones, however much was missed. */
const MOST_PLANNED = 3
const GRAIN = 1000

/** When the slice is due, in ms from the start. The first is due at once; the others move by at most half of what may vary. */
export function slotOffset(shape: TwapShape, slice: number): number {
  const spacing = shape.durationMs / shape.slices
  if (slice === 0 || shape.random === undefined) return Math.round(slice * spacing)
  const moved = (Number(shape.random) / 100) * (chance(shape.seed, slice, 'time') / GRAIN)
  return Math.round((slice + moved * 0.98) * spacing)
}

/**
 * How much the slice is, in whole lots: its part of what is left, and no more than three planned ones. The last takes what is left.
 * @param left what has not filled yet @param slice counts from 0
 */
export function sliceAmount(shape: TwapShape, slice: number, left: Decimal, market: Market): Decimal {
  const cap = amountOnLot(new Decimal(shape.amount).div(shape.slices).times(MOST_PLANNED), market)
  const most = Decimal.min(left, Decimal.max(cap, market.lotSize))
  if (slice + 1 >= shape.slices) return amountOnLot(most, market)
  let weights = 0
  for (let each = slice; each < shape.slices; each += 1) weights += weightOf(shape, each)
  return amountOnLot(Decimal.min(left.times(weightOf(shape, slice)).div(weights), most), market)
}

/** How much of it a slice is beside the others, as a whole number, so that sums are exact. */
function weightOf({ random, seed }: TwapShape, slice: number): number {
  return random === undefined ? 1 : 100 * GRAIN + Math.round(Number(random) * chance(seed, slice, 'size'))
}

/** From -1000 to 1000, spread evenly. */
function chance(seed: string, slice: number, what: string): number {
  let hash = 0x811c9dc5
  for (const unit of `${seed}/${slice}/${what}`) {
    hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  }
  // Texts that differ in their last letters alone leave alike sums.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) % (2 * GRAIN + 1)) - GRAIN
}

export interface PlannedSlice {
  readonly afterMs: number
  readonly amount: string
}

/** The whole plan, as it goes when every slice fills. */
export function planSlices(shape: TwapShape, market: Market): readonly PlannedSlice[] {
  let left = new Decimal(shape.amount)
  return Array.from({ length: shape.slices }, (_, slice) => {
    const amount = sliceAmount(shape, slice, left, market)
    left = left.minus(amount)
    return { afterMs: slotOffset(shape, slice), amount: amount.toFixed() }
  })
}
