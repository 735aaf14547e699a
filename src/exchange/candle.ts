// What a market did, in pieces of equal length.

/** The lengths that can be asked for; a venue may have fewer. */
export const CANDLE_MS = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const
export type CandleInterval = keyof typeof CANDLE_MS

export interface Candle {
  /** When it began, ms since the epoch. */
  readonly at: number
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  /** In base; absent where the venue does not say. */
  readonly volume?: string
}
