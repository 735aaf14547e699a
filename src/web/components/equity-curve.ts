// Where the points of the equity curve are drawn. Floats, because pixels are: no figure that is read comes from here.

/** When, what the account was worth, and that without open profit, where it is known. */
export type EquityPoints = readonly (readonly [at: number, total: string, wallet?: string])[]

export interface CurvePoint {
  readonly at: number
  readonly total: number
  /** How far below the last high, as a part of it: 0 at a high, 0.1 a tenth below. */
  readonly fall: number
}

interface Gap {
  readonly from: number
  readonly to: number
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Of what is older, hookline keeps a point an hour. */
const MINUTES_KEPT_MS = 14 * 24 * HOUR_MS

export function curveOf(points: EquityPoints): readonly CurvePoint[] {
  let high = Number.NEGATIVE_INFINITY
  return points.map(([at, text]) => {
    const total = Number(text)
    high = Math.max(high, total)
    return { at, total, fall: high > 0 ? (high - total) / high : 0 }
  })
}

/** The curve is broken where nothing was written down: a line across would be an invention. */
export function piecesOf<P extends { readonly at: number }>(
  points: readonly P[],
  now: number,
): readonly (readonly P[])[] {
  const pieces: P[][] = []
  const usual = usualStep(points)
  let last: P | undefined
  for (const point of points) {
    if (last === undefined || isGap(last.at, point.at, usual, now)) pieces.push([point])
    else pieces.at(-1)?.push(point)
    last = point
  }
  return pieces
}

export function gapsOf(points: readonly { readonly at: number }[], now: number): readonly Gap[] {
  const usual = usualStep(points)
  return points.slice(1).flatMap(({ at }, index) => {
    const from = points[index]?.at ?? at
    return isGap(from, at, usual, now) ? [{ from, to: at }] : []
  })
}

function isGap(from: number, to: number, usual: number, now: number): boolean {
  return to - from > Math.max(3 * usual, now - from > MINUTES_KEPT_MS ? 3 * HOUR_MS : 5 * MINUTE_MS)
}

/** The median distance in time. */
function usualStep(points: readonly { readonly at: number }[]): number {
  const steps = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at))
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
}

/** Round values between two, a few of them, for the lines behind a curve. */
export function ticksBetween(low: number, high: number, wanted: number): readonly number[] {
  const size = high - low
  if (!(size > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(size / wanted))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => size / each <= wanted) ?? 10 * power
  const ticks: number[] = []
  for (let at = Math.ceil(low / step); at * step <= high; at++) ticks.push(at * step)
  return ticks
}

/** For a value on an axis: as many digits as the distance between two needs. */
export function tickText(value: number, ticks: readonly number[]): string {
  const [first = 0, second = first + 1] = ticks
  const digits = Math.max(0, Math.min(8, Math.ceil(-Math.log10(Math.abs(second - first)))))
  return value.toFixed(digits)
}
