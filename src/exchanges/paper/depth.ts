// What is offered on the paper market: a book invented around the quote, a function of seed, symbol and second, so that processes agree on
// it. It fills up again every second; what the account took of it in this second is gone (`taken` in the state).

import type { Ticker } from '../../exchange/market.ts'
import type { Side } from '../../exchange/order.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import { Decimal, decimal, ZERO } from './decimal.ts'
import { type Listing, TOUCH_VALUES } from './markets.ts'
import { type Pricing, takingPrice } from './quotes.ts'
import { hashText, noise } from './random-walk.ts'

/** How much is offered. */
export interface Depth {
  /**
   * In quote currency, to a taker of `side`, at the `level`-th price from the best one, which is level 0. Infinity: any amount.
   * @returns undefined behind the last level
   */
  valueAt(symbol: string, side: Side, level: number, second: number): number | undefined
}

const LEVELS = 30
/** Levels further out hold more: the tenth about twice as much as the first. */
const GROWTH = 0.1
/** Share of the price between two levels, brought onto the tick. */
const LEVEL_GAP = 0.00005

/** About 70 times the value at the best price within 15 basis points: two million dollars of BTC, 70 thousand of the smallest coins. */
export function createSyntheticDepth(seed: string): Depth {
  const keys = new Map<string, number>()
  function keyOf(symbol: string, side: Side): number {
    const name = `${seed}/${symbol}/${side}`
    const key = keys.get(name) ?? hashText(name)
    keys.set(name, key)
    return key
  }
  return {
    valueAt(symbol, side, level, second) {
      if (level >= LEVELS) return undefined
      const average = (TOUCH_VALUES[symbol] ?? 1000) * (1 + GROWTH * level)
      return average * (1 + noise(keyOf(symbol, side), second * LEVELS + level) / 2)
    },
  }
}

/** Any amount trades at the best price. */
export const UNLIMITED_DEPTH: Depth = {
  valueAt: (_symbol, _side, level) => (level === 0 ? Number.POSITIVE_INFINITY : undefined),
}

/** Of the fault `partial-fills`: two levels of 500 USDT. */
export const THIN_DEPTH: Depth = { valueAt: (_symbol, _side, level) => (level < 2 ? 500 : undefined) }

/** One price and the amount offered there. */
export interface Level {
  readonly price: Decimal
  readonly amount: Decimal
}

/** The book of one moment. `side` is the taker's. */
export type Book = (symbol: string, side: Side, level: number) => Level | undefined

/** The book around these quotes, each level computed once. */
export function bookAt(depth: Depth, { quotes, listing }: Pricing, atMs: number): Book {
  const second = Math.floor(atMs / 1000)
  const known = new Map<string, (Level | undefined)[]>()
  return (symbol, side, index) => {
    const name = `${symbol}/${side}`
    const levels = known.get(name) ?? []
    known.set(name, levels)
    if (!(index in levels)) {
      levels[index] = levelOf(listing, quotes(symbol), side, index, depth.valueAt(symbol, side, index, second))
    }
    return levels[index]
  }
}

function levelOf(
  listing: Listing,
  ticker: Ticker,
  side: Side,
  index: number,
  value: number | undefined,
): Level | undefined {
  if (value === undefined) return undefined
  const { priceGrid, lotSize } = listing.find(ticker.symbol)
  const tick = stepAt(ticker.last, priceGrid)
  const ticks = Math.max(1, Math.round((Number(ticker.last) * LEVEL_GAP) / tick.toNumber()))
  const away = new Decimal(tick).times(ticks * index)
  const best = takingPrice(side, ticker)
  const price = side === 'buy' ? best.plus(away) : best.minus(away)
  if (price.lte(0)) return undefined
  const lots = Math.max(1, Math.floor(value / (Number(price) * Number(lotSize))))
  return { price, amount: decimal(lotSize).times(lots) }
}

/** What a taker is asking the book for. */
interface Taking {
  readonly symbol: string
  readonly side: Side
  readonly amount: Decimal
  /** No price worse than this. */
  readonly limit?: string
  /** What is gone from the front of the book already. */
  readonly taken: Decimal
}

/** What the taker gets, best price first; together no more than was asked for. */
export function walkBook(book: Book, { symbol, side, amount, limit, taken }: Taking): readonly Level[] {
  const fills: Level[] = []
  let gone = taken
  let wanted = amount
  for (let index = 0; wanted.gt(0); index += 1) {
    const level = book(symbol, side, index)
    if (level === undefined || (limit !== undefined && isWorse(side, level.price, limit))) break
    const left = level.amount.minus(gone)
    gone = Decimal.max(ZERO, gone.minus(level.amount))
    if (left.lte(0)) continue
    const traded = Decimal.min(wanted, left)
    fills.push({ price: level.price, amount: traded })
    wanted = wanted.minus(traded)
  }
  return fills
}

function isWorse(side: Side, price: Decimal, limit: string): boolean {
  return side === 'buy' ? price.gt(limit) : price.lt(limit)
}

/** Amounts together. */
export function totalOf(fills: readonly Level[]): Decimal {
  return fills.reduce((sum, fill) => sum.plus(fill.amount), ZERO)
}
