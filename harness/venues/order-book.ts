// What others offer: levels around the last price that are there again for the next order. In a thin book little is, and a resting order
// gets more of it piece by piece.
import { Decimal } from 'decimal.js'

export type Level = readonly [price: Decimal, amount: Decimal]

const LEVELS = 100
/** In quote. The contract's small orders fill on the first level, its large ones on several. */
const WORTH = 2_500
const THIN_LEVELS = 4
export const THIN_WORTH = 400

/** In what steps a market is traded. */
export interface Grid {
  readonly tick: string
  readonly lot: string
  /** How much of the base one of the amount's units is; default 1. */
  readonly contractValue?: string
}

export interface Book {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

/** Books that were made, by all that they are made of: most of what is asked stands around few prices. */
const made = new Map<string, Book>()
const MOST_MADE = 1_000

export function bookAround(last: Decimal, grid: Grid, isThin: boolean): Book {
  const { tick, lot, contractValue = '1' } = grid
  const key = [last.toFixed(), tick, lot, contractValue, isThin].join(' ')
  const known = made.get(key)
  if (known !== undefined) return known
  const book = { bids: levelsOf(last, grid, isThin, -1), asks: levelsOf(last, grid, isThin, 1) }
  if (made.size >= MOST_MADE) made.clear()
  made.set(key, book)
  return book
}

/** What an order of this side can take, best first. */
export function opposite(book: Book, isBuy: boolean): readonly Level[] {
  return isBuy ? book.asks : book.bids
}

/** So much of the quote, in lots; at least one. */
export function amountWorth(quote: number, price: Decimal, { lot, contractValue = '1' }: Grid): Decimal {
  const lots = Decimal.max(1, new Decimal(quote).div(price).div(contractValue).div(lot).floor())
  return lots.times(lot)
}

function levelsOf(last: Decimal, grid: Grid, isThin: boolean, direction: 1 | -1): Level[] {
  const worth = isThin ? THIN_WORTH : WORTH
  const levels: Level[] = []
  for (let step = 1; step <= (isThin ? THIN_LEVELS : LEVELS); step += 1) {
    const price = last.plus(new Decimal(grid.tick).times(step * direction))
    if (price.gt(0)) levels.push([price, amountWorth(worth * (isThin ? 1 : step), price, grid)])
  }
  return levels
}
