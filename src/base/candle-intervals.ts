// The lengths of candles that a chart can have, in ms. Those up to a day are counted from 00:00 UTC; where a week begins is the venue's.
export const INTERVAL_MS = {
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '2h': 7_200_000,
  '4h': 14_400_000,
  '6h': 21_600_000,
  '8h': 28_800_000,
  '12h': 43_200_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
} as const
export type Interval = keyof typeof INTERVAL_MS

/** Shortest first. */
export const INTERVALS = Object.keys(INTERVAL_MS) as readonly Interval[]
