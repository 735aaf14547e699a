// How deep an account fell below its last high, and when.
import { Decimal } from 'decimal.js'
import type { EquityPoints } from './curve.ts'

export interface Fall {
  /** Negative: `-3.92`. */
  readonly percent: string
  /** From the high to the deepest point, ms since the epoch. */
  readonly from: number
  readonly to: number
}

/** @returns undefined where it never fell, or was never worth anything */
export function deepestFall(points: EquityPoints): Fall | undefined {
  let high: { readonly at: number; readonly total: Decimal } | undefined
  let deepest: { readonly part: Decimal; readonly from: number; readonly to: number } | undefined
  for (const [at, text] of points) {
    const total = new Decimal(text)
    if (high === undefined || total.gt(high.total)) high = { at, total }
    else if (high.total.isPositive() && !high.total.isZero()) {
      const part = total.minus(high.total).div(high.total)
      if (part.lt(deepest?.part ?? 0)) deepest = { part, from: high.at, to: at }
    }
  }
  if (deepest === undefined) return undefined
  return { percent: deepest.part.times(100).toFixed(2), from: deepest.from, to: deepest.to }
}
