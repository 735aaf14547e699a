// The book as rows: what is offered at a price, or in a step of prices, and from the best price up to it.
import type { BookRow, TapeRow, TickerRow } from '../../../protocol/frames.ts'
import { compareFigures, scaleOf, unitsOf, unscaled, withoutZeros } from '../../figures.ts'

export interface BookLevel {
  readonly price: string
  readonly amount: string
  /** From the best price to this one. */
  readonly sum: string
  /** Of the greatest sum shown, from 0 to 1: for drawing only. */
  readonly share: number
}

interface BookLevels {
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

type Level = readonly [price: string, amount: string]

interface BookView {
  /** Rows of a side, at most. */
  readonly count: number
  /** Prices are grouped by it; absent: each has a row. */
  readonly step?: string
  /** The most levels of a side that hookline sends: behind the last of them there may be more. */
  readonly limit?: number
}

/** Without bids above and asks below a newer quote, so that the last price is within the spread. */
export function bookNow(book: BookRow, quote: TickerRow | undefined): BookRow {
  if (quote === undefined || quote.timestamp < book.timestamp) return book
  return {
    ...book,
    bids: book.bids.filter(([price]) => compareFigures(price, quote.bid) <= 0),
    asks: book.asks.filter(([price]) => compareFigures(price, quote.ask) >= 0),
  }
}

/** Best first, both with the same scale. */
export function bookLevels({ bids, asks }: Pick<BookRow, 'bids' | 'asks'>, view: BookView): BookLevels {
  const below = withSums(grouped(bids, 'bid', view).slice(0, view.count))
  const above = withSums(grouped(asks, 'ask', view).slice(0, view.count))
  const greatest = Math.max(...[below, above].map((levels) => Number(levels.at(-1)?.sum ?? 0)))
  const shared = (levels: typeof below): BookLevel[] =>
    levels.map((level) => ({ ...level, share: greatest > 0 ? Number(level.sum) / greatest : 0 }))
  return { bids: shared(below), asks: shared(above) }
}

/** The row that a price is in: bids are put together downwards and asks upwards, so that a row never promises a better price than there is. */
function rowPrice(price: string, side: 'bid' | 'ask', step: string | undefined): string {
  if (step === undefined) return price
  const digits = Math.max(scaleOf(price), scaleOf(step))
  const [value, by] = [unitsOf(price, digits), unitsOf(step, digits)]
  if (by === 0n) return price
  const down = value / by
  const row = side === 'bid' || value % by === 0n ? down : down + 1n
  return unscaled(row * by, digits)
}

/** The last step of a book that is cut is not known to its end: it is left out. */
function grouped(levels: readonly Level[], side: 'bid' | 'ask', { step, limit }: BookView): readonly Level[] {
  if (step === undefined) return levels
  const digits = Math.max(0, ...levels.map(([, amount]) => scaleOf(amount)))
  const rows: { readonly price: string; amount: bigint }[] = []
  for (const [price, amount] of levels) {
    const at = rowPrice(price, side, step)
    const last = rows.at(-1)
    if (last !== undefined && compareFigures(last.price, at) === 0) last.amount += unitsOf(amount, digits)
    else rows.push({ price: at, amount: unitsOf(amount, digits) })
  }
  const whole = limit !== undefined && levels.length >= limit && rows.length > 1 ? rows.slice(0, -1) : rows
  return whole.map(({ price, amount }) => [price, unscaled(amount, digits)])
}

export interface OwnOrder {
  readonly side: 'bid' | 'ask'
  readonly price: string
}

type OwnPrices = ReadonlyMap<string, readonly string[]>

/**
 * Prices of own orders, by the price of the row that they are in, or would be next to: the first that is not better. One behind the last
 * row is in none.
 */
export function ownRows(
  { bids, asks }: BookLevels,
  orders: readonly OwnOrder[],
): { readonly bid: OwnPrices; readonly ask: OwnPrices } {
  const own = { bid: new Map<string, readonly string[]>(), ask: new Map<string, readonly string[]>() }
  for (const { side, price } of orders) {
    const row =
      side === 'bid'
        ? bids.find((level) => compareFigures(level.price, price) <= 0)
        : asks.find((level) => compareFigures(level.price, price) >= 0)
    if (row !== undefined) own[side].set(row.price, [...(own[side].get(row.price) ?? []), price])
  }
  return own
}

/** How prices can be put together: `0.1` → 0.1, 0.5, 1, 5. */
export const STEP_TIMES = [1, 5, 10, 50] as const
export type StepTimes = (typeof STEP_TIMES)[number]

/** @returns without zeros at the end */
export function stepOf(tick: string, times: StepTimes): string {
  const digits = scaleOf(tick)
  return withoutZeros(unscaled(unitsOf(tick, digits) * BigInt(times), digits))
}

function withSums(levels: readonly Level[]) {
  const digits = Math.max(0, ...levels.map(([, amount]) => scaleOf(amount)))
  let sum = 0n
  return levels.map(([price, amount]) => {
    sum += unitsOf(amount, digits)
    return { price, amount: unscaled(unitsOf(amount, digits), digits), sum: unscaled(sum, digits) }
  })
}

interface TapeLine {
  /** Trades of one moment may be alike. */
  readonly key: string
  readonly at: number
  readonly price: string
  readonly amount: string
  readonly side: TapeRow[3]
}

/** The newest first, all amounts with the same scale. */
export function tapeRows(tape: readonly TapeRow[]): readonly TapeLine[] {
  const times = new Map<string, number>()
  const digits = Math.max(0, ...tape.map(([, , amount]) => scaleOf(amount)))
  const lines = tape.map(([at, price, exact, side]): TapeLine => {
    const amount = unscaled(unitsOf(exact, digits), digits)
    const words = `${at} ${price} ${amount} ${side}`
    const nth = (times.get(words) ?? 0) + 1
    times.set(words, nth)
    return { key: `${words} ${nth}`, at, price, amount, side }
  })
  return lines.reverse()
}
