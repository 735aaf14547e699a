// The lines that the buttons of positions and orders write.
import type { Portfolio } from '../../../protocol/frames.ts'
import { isThere, type Protection } from './protection.ts'

type Position = Pick<Portfolio['positions'][number], 'symbol' | 'side' | 'amount'>

/** @param percent of the position; absent: all of it */
export function closeLine({ symbol }: Position, percent?: string): string {
  return percent === undefined ? `close ${symbol}` : `close ${symbol} ${percent}%`
}

/** As much on the other side. */
export function reverseLine({ symbol, side, amount }: Position): string {
  return `position ${side === 'long' ? 'short' : 'long'} ${inBase(amount)} ${symbol}`
}

/** For a person to put the price right: two percent away. Of all of the position, or of what no stop covers. */
export function stopLine({ symbol, side }: Position, { stops, uncovered }: Protection): string {
  const distance = side === 'short' ? '+2%' : '-2%'
  const size = stops.length > 0 && isThere(uncovered) ? `${inBase(uncovered)} ` : ''
  return `stop ${size}${symbol} at ${distance}`
}

/** For a person to put the price right. @param price where it is now */
export function moveStopLine({ id }: { readonly id: string }, price: string): string {
  return `move ${id} to ${price}`
}

/** @param symbol undefined: every order of the account */
export function cancelAllLine(symbol: string | undefined): string {
  return `cancel ${symbol ?? 'all'}`
}

export const CLOSE_ALL_LINE = 'close all'

/** A bare whole number could be taken for money. */
function inBase(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.0`
}
