// Which prices are in sight: those of the candles, and the lines that are not far from them. What is farther is told at the edge.
import type { AutoscaleInfo } from 'lightweight-charts'
import type { ChartLine } from './chart-lines.ts'

/** Of the height of the candles in sight, above and below. */
const NEAR = 0.75

/** @param reach `isWhole`: every line, however far */
export function withLines(
  info: AutoscaleInfo | null,
  { lines, isWhole }: { readonly lines: readonly Pick<ChartLine, 'price'>[]; readonly isWhole: boolean },
): AutoscaleInfo | null {
  if (info?.priceRange == null) return info
  const { minValue, maxValue } = info.priceRange
  const near = isWhole ? Number.POSITIVE_INFINITY : (maxValue - minValue) * NEAR
  const prices = lines
    .map(({ price }) => Number(price))
    .filter((price) => Number.isFinite(price) && price >= minValue - near && price <= maxValue + near)
  return {
    ...info,
    priceRange: { minValue: Math.min(minValue, ...prices), maxValue: Math.max(maxValue, ...prices) },
  }
}
