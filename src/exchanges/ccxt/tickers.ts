// Prices as ccxt tells them, as ours. Some venues tell the last price and the best bid and ask in two answers.
import * as z from 'zod/mini'
import { defined } from '../../base/defined.ts'
import type { Ticker } from '../../exchange/market.ts'
import { figure, isPositive, moment, word } from './decimals.ts'
import type { MarketBook } from './markets.ts'

const ccxtTicker = z.object({
  symbol: z.optional(word),
  last: z.optional(figure),
  close: z.optional(figure),
  bid: z.optional(figure),
  ask: z.optional(figure),
  timestamp: z.optional(moment),
})

const level = z.pipe(
  z.array(z.unknown()),
  z.transform((row) => z.parse(figure, row[0])),
)
const topOfBook = z.object({ bids: z.array(level), asks: z.array(level) })

/** What is known of a price; a ticker once it has all three. */
type PartialTicker = Pick<Ticker, 'symbol' | 'timestamp'> & Partial<Pick<Ticker, 'last' | 'bid' | 'ask'>>

/** @returns undefined for what is not a ticker of this account's markets */
export function readTicker(row: unknown, markets: MarketBook, now: () => number): PartialTicker | undefined {
  const read = z.safeParse(ccxtTicker, row)
  if (!read.success || read.data.symbol === undefined) return undefined
  const market = markets.bySymbol(read.data.symbol)
  if (market === undefined) return undefined
  const last = [read.data.last, read.data.close].find(isPositive)
  return {
    symbol: market.market.symbol,
    ...defined({ last }),
    ...(isPositive(read.data.bid) ? { bid: read.data.bid } : {}),
    ...(isPositive(read.data.ask) ? { ask: read.data.ask } : {}),
    timestamp: read.data.timestamp ?? now(),
  }
}

/** Best bid and ask; undefined where a side is empty. */
export function readTop(book: unknown): Pick<Ticker, 'bid' | 'ask'> | undefined {
  const read = z.safeParse(topOfBook, book)
  if (!read.success) return undefined
  const [bid, ask] = [read.data.bids[0], read.data.asks[0]]
  return isPositive(bid) && isPositive(ask) ? { bid, ask } : undefined
}

/** Of a stream that says only what has changed: the rest as it was known. */
export function completed(ticker: PartialTicker | undefined, known: Ticker | undefined): Ticker | undefined {
  const whole = ticker !== undefined && ticker.symbol === known?.symbol ? { ...known, ...ticker } : ticker
  return isWhole(whole) ? whole : undefined
}

export function isWhole(ticker: PartialTicker | undefined): ticker is Ticker {
  return ticker?.last !== undefined && ticker.bid !== undefined && ticker.ask !== undefined
}
