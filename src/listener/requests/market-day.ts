// What a market did in the last 24 hours: from candles that were asked for, and from each price that came after them. Pure.
import { Decimal } from 'decimal.js'
import type { Candle, CandleInterval } from '../../exchange/candle.ts'
import type { DayRow } from '../../protocol/frames.ts'

const DAY_MS = 86_400_000

/** How exactly it is known when it began, and how many of them that takes. */
export const DAY_CANDLE: CandleInterval = '15m'
export const DAY_CANDLES = 97

/** @param candles oldest first @returns undefined: none is of the last 24 hours */
export function dayOf(candles: readonly Candle[], now: number): DayRow | undefined {
  const recent = candles.filter(({ at }) => at >= now - DAY_MS)
  const [first] = recent
  if (first === undefined) return undefined
  return {
    since: first.at,
    open: first.open,
    high: Decimal.max(...recent.map(({ high }) => high)).toFixed(),
    low: Decimal.min(...recent.map(({ low }) => low)).toFixed(),
  }
}

/** @returns the same where the price is inside of it */
export function withPrice<Day extends DayRow | undefined>(day: Day, last: string): Day {
  if (day === undefined) return day
  const price = new Decimal(last)
  if (price.gt(day.high)) return { ...day, high: last }
  return price.lt(day.low) ? { ...day, low: last } : day
}
