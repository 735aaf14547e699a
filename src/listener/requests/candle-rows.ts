// Rows of candles: those that were asked for, and the one that forms with each price.
import { Decimal } from 'decimal.js'
import type { Candle } from '../../exchange/candle.ts'
import { type CandleRow, type TickerRow, WIRE_LIMITS } from '../../protocol/frames.ts'

export function rowOfCandle({ at, open, high, low, close, volume }: Candle): CandleRow {
  return [at, open, high, low, close, volume ?? null]
}

/** The later say more of those that both have. */
export function merged(known: readonly CandleRow[], later: readonly CandleRow[]): readonly CandleRow[] {
  const byTime = new Map([...known, ...later].map((row) => [row[0], row]))
  return [...byTime.values()].sort(([a], [b]) => a - b).slice(-WIRE_LIMITS.candles)
}

/** With this price in the candle of its time; one that is older than the newest changes nothing. */
export function formed(
  known: readonly CandleRow[],
  { last, timestamp }: Pick<TickerRow, 'last' | 'timestamp'>,
  lengthMs: number,
): readonly CandleRow[] {
  const newest = known.at(-1)
  // Without a history there is nothing to go on with.
  if (newest === undefined || timestamp < newest[0]) return known
  const at = timestamp - (timestamp % lengthMs)
  if (at > newest[0]) return [...known, [at, last, last, last, last, null] as CandleRow].slice(-WIRE_LIMITS.candles)
  const [begin, open, high, low, , volume] = newest
  const price = new Decimal(last)
  const row: CandleRow = [begin, open, price.gt(high) ? last : high, price.lt(low) ? last : low, last, volume]
  return [...known.slice(0, -1), row]
}
