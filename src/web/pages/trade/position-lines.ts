// The lines that a position's buttons write.
import type { Portfolio } from '../../../protocol/frames.ts'

type Position = Pick<Portfolio['positions'][number], 'symbol' | 'side' | 'amount'>

/** @param percent of the position; absent: all of it */
export function closeLine({ symbol }: Position, percent?: string): string {
  return percent === undefined ? `close ${symbol}` : `close ${symbol} ${percent}%`
}

/** As much on the other side. A bare whole number could be taken for money. */
export function reverseLine({ symbol, side, amount }: Position): string {
  const size = amount.includes('.') ? amount : `${amount}.0`
  return `position ${side === 'long' ? 'short' : 'long'} ${size} ${symbol}`
}
