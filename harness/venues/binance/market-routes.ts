import { Decimal } from 'decimal.js'
import { CANDLE_MS, type CandleInterval } from '../../../src/exchange/market.ts'
import { bookAround, type Level } from '../order-book.ts'
import type { Engine } from './engine.ts'
import { amountText, priceText } from './events.ts'
import type { Asked, Route } from './routes.ts'
import { exchangeInfo, type Listed, SYMBOLS } from './symbols.ts'
import { listedIn } from './wishes.ts'

const FUNDING_MS = 8 * 60 * 60_000
export const FUNDING_RATE = '0.00010000'

type Public = Extract<Route, { security: 'none' }>

export const MARKET_ROUTES: Readonly<Record<string, Public>> = {
  'GET /fapi/v1/ping': { security: 'none', run: () => ({}) },
  'GET /fapi/v1/time': { security: 'none', run: ({ now }) => ({ serverTime: now }) },
  'GET /fapi/v1/exchangeInfo': { security: 'none', run: ({ now }) => exchangeInfo(now) },
  'GET /fapi/v1/klines': { security: 'none', run: klines },
  'GET /fapi/v1/depth': { security: 'none', run: depth },
  'GET /fapi/v1/ticker/24hr': { security: 'none', run: (asked) => each(asked, dayRow) },
  'GET /fapi/v1/ticker/bookTicker': { security: 'none', run: (asked) => each(asked, bookRow) },
  'GET /fapi/v1/ticker/price': { security: 'none', run: (asked) => each(asked, priceRow) },
  'GET /fapi/v2/ticker/price': { security: 'none', run: (asked) => each(asked, priceRow) },
  'GET /fapi/v1/premiumIndex': { security: 'none', run: (asked) => each(asked, premiumRow) },
  'GET /api/v3/ping': { security: 'none', run: () => ({}) },
  'GET /api/v3/time': { security: 'none', run: ({ now }) => ({ serverTime: now }) },
}

type Row = (engine: Engine, listed: Listed, now: number) => unknown

/** One row where a symbol was named, else all. */
function each({ params, engine, now }: Asked, row: Row): unknown {
  if (params.symbol !== undefined) return row(engine, listedIn(params), now)
  return SYMBOLS.filter(({ status }) => status === 'TRADING').map((listed) => row(engine, listed, now))
}

function depth({ params, engine, streams, now }: Asked): unknown {
  const listed = listedIn(params)
  const limit = Number(params.limit ?? 500)
  const { bids, asks } = engine.book(listed)
  const rows = (levels: readonly Level[]) => levels.slice(0, limit).map((level) => levelTexts(level, listed))
  return { lastUpdateId: streams.updateId, E: now, T: now, bids: rows(bids), asks: rows(asks) }
}

/** The newest, the one that forms last. */
function klines({ params, engine, now }: Asked): unknown {
  const { symbol } = listedIn(params)
  const length = CANDLE_MS[params.interval as CandleInterval]
  const limit = Number(params.limit ?? 500)
  const newest = Math.floor(now / length) * length
  return Array.from({ length: limit }, (_, index) => {
    const at = newest - (limit - 1 - index) * length
    const close = engine.closeOf(symbol, at + length)
    return [at, close, close, close, close, '10', at + length - 1, '1000', 10, '5', '500', '0']
  })
}

export function levelTexts([price, amount]: Level, listed: Listed): readonly [string, string] {
  return [priceText(price, listed), amountText(amount, listed)]
}

export interface Quote {
  readonly bid: string
  readonly bidAmount: string
  readonly ask: string
  readonly askAmount: string
  readonly last: string
}

export function quoteOf(engine: Engine, listed: Listed): Quote {
  const last = engine.last(listed.symbol)
  const { bids, asks } = bookAround(last, listed, engine.isThin)
  const [bid = '0', bidAmount = '0'] = bids[0] === undefined ? [] : levelTexts(bids[0], listed)
  const [ask = '0', askAmount = '0'] = asks[0] === undefined ? [] : levelTexts(asks[0], listed)
  return { bid, bidAmount, ask, askAmount, last: priceText(last, listed) }
}

const dayRow: Row = (engine, listed, now) => {
  const { last } = quoteOf(engine, listed)
  const open = listed.startPrice
  const range = { openPrice: open, highPrice: last, lowPrice: open, volume: '1000', quoteVolume: '50000000' }
  const times = { openTime: now - 86_400_000, closeTime: now, firstId: 1, lastId: 1000, count: 1000 }
  const change = { priceChange: new Decimal(last).minus(open).toFixed(), priceChangePercent: '0.000' }
  return {
    symbol: listed.symbol,
    ...change,
    weightedAvgPrice: open,
    lastPrice: last,
    lastQty: '0.1',
    ...range,
    ...times,
  }
}

const bookRow: Row = (engine, listed, now) => {
  const { bid, bidAmount, ask, askAmount } = quoteOf(engine, listed)
  return { symbol: listed.symbol, bidPrice: bid, bidQty: bidAmount, askPrice: ask, askQty: askAmount, time: now }
}

const priceRow: Row = (engine, listed, now) => ({
  symbol: listed.symbol,
  price: priceText(engine.last(listed.symbol), listed),
  time: now,
})

export function nextFunding(now: number): number {
  return Math.ceil(now / FUNDING_MS) * FUNDING_MS
}

const premiumRow: Row = (engine, listed, now) => {
  const price = engine.last(listed.symbol).toFixed(8)
  const prices = { markPrice: price, indexPrice: price, estimatedSettlePrice: price }
  const rates = { lastFundingRate: FUNDING_RATE, interestRate: '0.00010000', nextFundingTime: nextFunding(now) }
  return { symbol: listed.symbol, ...prices, ...rates, time: now }
}
