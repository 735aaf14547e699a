// Prices as ccxt returns them, as ours. Some venues tell the last price and the best bid and ask in two answers.

import * as z from 'zod/mini'
import { INTERVALS, type Interval } from '../../base/candle-intervals.ts'
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import {
  type BookLevel,
  type Candle,
  type FundingRate,
  type MarketSummary,
  type OrderBook,
  TAPE_TRADES,
  type TapeTrade,
  type Ticker,
} from '../../exchange/market.ts'
import type { CcxtClient } from './ccxt-client.ts'
import { decimalText, figure, isPositive, moment, word } from './decimals.ts'
import { fromContracts, type MarketBook, type VenueMarket } from './markets.ts'

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

// Order books as ccxt returns them, as ours: best first, amounts in base or quote.

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

// Public trades as ccxt returns them, as ours: oldest first, the newest so many.

const rows = z.array(z.unknown())

const ccxtTrade = z.object({
  id: z.optional(word),
  timestamp: moment,
  price: figure,
  amount: figure,
  side: z.enum(['buy', 'sell']),
})

/** What is not a trade is left out. */
export function readTape(raw: unknown, market: VenueMarket): readonly TapeTrade[] {
  const listed = z.safeParse(rows, raw)
  if (!listed.success) return []
  const trades = listed.data.slice(-TAPE_TRADES).flatMap((row) => {
    const read = z.safeParse(ccxtTrade, row)
    if (!read.success) return []
    const { id, timestamp, price, amount, side } = read.data
    if (timestamp === undefined || !isPositive(price) || !isPositive(amount)) return []
    return [{ ...defined({ id }), at: timestamp, price, amount: fromContracts(amount, market), side }]
  })
  return trades.sort((one, other) => one.at - other.at)
}

// Candles as ccxt returns them, as ours: oldest first, the one that forms last.

/** The lengths that the venue offers; undefined: it has no candles. */
export function intervalsOf({ fetchOHLCV, has, timeframes }: CcxtClient): readonly Interval[] | undefined {
  if (fetchOHLCV === undefined || has.fetchOHLCV === false) return undefined
  return INTERVALS.filter((interval) => timeframes?.[interval] !== undefined)
}

/** @throws {ExchangeError} `not-supported` */
export async function fetchCandles(
  client: CcxtClient,
  { symbol, contractSize, market }: VenueMarket,
  interval: Interval,
  limit: number,
  since?: number,
): Promise<readonly Candle[]> {
  if (client.fetchOHLCV === undefined || intervalsOf(client)?.includes(interval) !== true)
    throw new ExchangeError('not-supported', `${client.id} has no candles of ${interval}`)
  const answer = z.safeParse(rows, await client.fetchOHLCV(symbol, interval, since, limit))
  if (!answer.success) throw new ExchangeError('unavailable', `there are no candles of ${market.symbol} now`)
  // Other venues count contracts of their own size.
  const isInBase = contractSize === '1' && market.amountUnit === 'base'
  const candles = answer.data.flatMap((row) => candleOf(row, isInBase)).sort((a, b) => a.at - b.at)
  return since === undefined ? candles.slice(-limit) : candles.filter(({ at }) => at >= since).slice(0, limit)
}

function candleOf(row: unknown, isInBase: boolean): Candle[] {
  if (!Array.isArray(row)) return []
  const at = z.parse(moment, row[0])
  const [open, high, low, close, volume] = row.slice(1, 6).map((value: unknown) => decimalText(value))
  if (at === undefined || !isPositive(open) || !isPositive(high) || !isPositive(low) || !isPositive(close)) return []
  return [{ at, open, high, low, close, ...(isInBase && volume !== undefined ? { volume } : {}) }]
}

// What a venue reports of a market besides its price.

const ccxtDay = z.object({
  markPrice: z.optional(figure),
  percentage: z.optional(figure),
  baseVolume: z.optional(figure),
  quoteVolume: z.optional(figure),
})

const ccxtFunding = z.object({
  markPrice: z.optional(figure),
  fundingRate: z.optional(figure),
  fundingTimestamp: z.optional(moment),
  nextFundingRate: z.optional(figure),
  nextFundingTimestamp: z.optional(moment),
})

/** @param nested asks within a question that is under way */
export async function fetchSummary(
  client: CcxtClient,
  { symbol, contractSize, market }: VenueMarket,
  now: () => number,
  nested: (ask: () => Promise<unknown>) => Promise<unknown>,
): Promise<MarketSummary> {
  const hasFunding = market.kind !== 'spot' && client.has.fetchFundingRate === true
  const [ticker, funding] = await Promise.all([
    client.fetchTicker(symbol),
    hasFunding ? nested(async () => client.fetchFundingRate?.(symbol)) : undefined,
  ])
  const [day, rate] = [z.safeParse(ccxtDay, ticker), z.safeParse(ccxtFunding, funding)]
  const { percentage, baseVolume, quoteVolume, markPrice } = day.success ? day.data : {}
  const mark = [markPrice, rate.success ? rate.data.markPrice : undefined].find(isPositive)
  // Other venues count contracts of their own size.
  const isInBase = contractSize === '1' && market.amountUnit === 'base'
  return {
    symbol: market.symbol,
    ...(market.kind === 'spot' ? {} : defined({ mark, funding: readFunding(funding, now) })),
    ...defined({ changePercent: percentage }),
    ...(isInBase && isPositive(baseVolume) ? { volume: baseVolume } : {}),
    ...(market.kind !== 'inverse' && isPositive(quoteVolume) ? { quoteVolume } : {}),
  }
}

/** The next payment: venues call it the current one until it is made. */
export function readFunding(raw: unknown, now: () => number): FundingRate | undefined {
  const read = z.safeParse(ccxtFunding, raw)
  if (!read.success) return undefined
  const { fundingRate, fundingTimestamp, nextFundingRate, nextFundingTimestamp } = read.data
  const payments = [
    { rate: fundingRate, at: fundingTimestamp },
    { rate: nextFundingRate ?? fundingRate, at: nextFundingTimestamp },
  ]
  const next = payments.find(({ rate, at }) => rate !== undefined && at !== undefined && at > now())
  return next?.rate === undefined || next.at === undefined ? undefined : { rate: next.rate, at: next.at }
}
