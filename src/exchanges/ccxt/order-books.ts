// Order books as ccxt tells them, as ours: best first, amounts in base or quote.

import * as z from 'zod/mini'
import type { BookLevel, OrderBook } from '../../exchange/market.ts'
import { fromContracts } from './amounts.ts'
import { figure, isPositive, moment, word } from './decimals.ts'
import type { MarketBook, VenueMarket } from './markets.ts'

/** What is told of each side. */
const MOST_LEVELS = 100

const ccxtBook = z.object({
  symbol: z.optional(word),
  bids: z.array(z.unknown()),
  asks: z.array(z.unknown()),
  timestamp: z.optional(moment),
})

/** @returns undefined for what is not a book of these markets */
export function readOrderBook(raw: unknown, markets: MarketBook, now: () => number): OrderBook | undefined {
  const read = z.safeParse(ccxtBook, raw)
  if (!read.success || read.data.symbol === undefined) return undefined
  const { symbol, bids, asks, timestamp } = read.data
  const market = markets.bySymbol(symbol)
  if (market === undefined) return undefined
  return {
    symbol: market.market.symbol,
    bids: levelsOf(bids, market),
    asks: levelsOf(asks, market),
    timestamp: timestamp ?? now(),
  }
}

function levelsOf(rows: readonly unknown[], market: VenueMarket): readonly BookLevel[] {
  return rows.slice(0, MOST_LEVELS).flatMap((row) => {
    if (!Array.isArray(row)) return []
    const [price, amount] = [z.parse(figure, row[0]), z.parse(figure, row[1])]
    return isPositive(price) && isPositive(amount) ? [[price, fromContracts(amount, market)] as const] : []
  })
}
