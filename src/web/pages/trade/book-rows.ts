// The book as rows: what is offered at a price, and from the best price up to it.
import type { BookRow } from '../../../protocol/frames.ts'

export interface BookLevel {
  readonly price: string
  readonly amount: string
  /** From the best price to this one. */
  readonly sum: string
  /** Of the greatest sum shown, from 0 to 1: for drawing only. */
  readonly share: number
}

/** Best first, both with the same scale. */
export function bookLevels({ bids, asks }: Pick<BookRow, 'bids' | 'asks'>, count: number) {
  const [below, above] = [withSums(bids.slice(0, count)), withSums(asks.slice(0, count))]
  const greatest = Math.max(...[below, above].map((levels) => Number(levels.at(-1)?.sum ?? 0)))
  const shared = (levels: typeof below): BookLevel[] =>
    levels.map((level) => ({ ...level, share: greatest > 0 ? Number(level.sum) / greatest : 0 }))
  return { bids: shared(below), asks: shared(above) }
}

function withSums(levels: readonly (readonly [price: string, amount: string])[]) {
  const digits = Math.max(0, ...levels.map(([, amount]) => amount.split('.')[1]?.length ?? 0))
  let sum = 0n
  return levels.map(([price, amount]) => {
    sum += scaled(amount, digits)
    return { price, amount: unscaled(scaled(amount, digits), digits), sum: unscaled(sum, digits) }
  })
}

function scaled(text: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(digits, '0'))
}

function unscaled(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
