// The lines that the buttons of positions and orders write; undefined where an id or a symbol cannot be typed.
import { typedLine } from '../../../language/print.ts'
import type { Portfolio } from '../../../protocol/frames.ts'
import { isThere, type Protection } from './protection.ts'

type Position = Pick<Portfolio['positions'][number], 'symbol' | 'side' | 'amount'>

/** @param percent of the position; absent: all of it */
export function closeLine({ symbol }: Pick<Position, 'symbol'>, percent?: string): string | undefined {
  return percent === undefined ? typedLine`close ${symbol}` : typedLine`close ${symbol} ${`${percent}%`}`
}

/** As much on the other side. */
export function reverseLine({ symbol, side, amount }: Position): string | undefined {
  return typedLine`position ${side === 'long' ? 'short' : 'long'} ${inBase(amount)} ${symbol}`
}

/** For a person to put the price right: two percent away. Of all of the position, or of what no stop covers. */
export function stopLine({ symbol, side }: Position, { stops, uncovered }: Protection): string | undefined {
  const distance = side === 'short' ? '+2%' : '-2%'
  const isPart = stops.length > 0 && isThere(uncovered)
  return isPart
    ? typedLine`stop ${inBase(uncovered)} ${symbol} at ${distance}`
    : typedLine`stop ${symbol} at ${distance}`
}

/** @param price for a stop: where it is now, for a person to put it right */
export function moveOrderLine(id: string, price: string): string | undefined {
  return typedLine`move ${id} to ${price}`
}

export function cancelLine(id: string): string | undefined {
  // In quotes it is an id and nothing else.
  return /^all$/i.test(id) ? `cancel "${id}"` : typedLine`cancel ${id}`
}

/** @param symbol undefined: every order of the account */
export function cancelAllLine(symbol: string | undefined): string | undefined {
  return symbol === undefined ? 'cancel all' : typedLine`cancel ${symbol}`
}

export const CLOSE_ALL_LINE = 'close all'

/** A bare whole number could be taken for money. */
function inBase(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.0`
}
