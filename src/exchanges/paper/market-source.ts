import { INTERVAL_MS, INTERVALS, type Interval } from '../../base/candle-intervals.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { type Candle, type MarketSummary, TAPE_TRADES, type TapeTrade } from '../../exchange/market.ts'
import type { Funding } from '../../exchange/market-data.ts'
import { Decimal, decimal } from './decimal.ts'
import { type Book, bookAt, type Depth } from './depth.ts'
import { type Listing, OFFLINE_LISTING } from './markets.ts'
import { type PriceRange, type PriceSource, type Pricing, quotesAt } from './quotes.ts'
import { hashText, noise } from './random-walk.ts'

// Candles of a market that is made here: all that its price did in each, so that one that has closed is what it was while it formed. They are a
// picture: nothing is filled or counted by them.

/** Of prices that cannot tell their range. */
const LOOKS = 6
/** So many are made without a pause. */
const AT_ONCE = 25
const FIRST_MONDAY = 4 * INTERVAL_MS['1d']

export interface CandlesAsked {
  readonly symbol: string
  readonly interval: Interval
  /** So many, the one that forms included. */
  readonly limit: number
  readonly now: number
  /** The first so many that begin then or later, ms since the epoch. Absent: the newest. */
  readonly since?: number
}

/** @param pause lets others have their turn */
export async function madeCandles(
  prices: PriceSource,
  { symbol, interval, limit, now: present, since }: CandlesAsked,
  pause: () => Promise<void>,
): Promise<readonly Candle[]> {
  const length = INTERVAL_MS[interval]
  const first = since === undefined ? 0 : beginOf(since + length - 1, interval)
  const now = since === undefined ? present : Math.min(present, first + limit * length - 1)
  const newest = beginOf(now, interval)
  const candles: Candle[] = []
  for (let index = 0; index < limit; index += 1) {
    const begin = newest - index * length
    const candle = begin < first ? undefined : madeCandle(prices, symbol, begin, Math.min(begin + length - 1, now))
    // Before there was a price.
    if (candle === undefined) break
    candles.push(candle)
    if (index % AT_ONCE === AT_ONCE - 1) await pause()
  }
  return candles.reverse()
}

/** Of the candle at this time; weeks begin on Mondays. */
function beginOf(at: number, interval: Interval): number {
  const offset = interval === '1w' ? FIRST_MONDAY : 0
  return Math.floor((at - offset) / INTERVAL_MS[interval]) * INTERVAL_MS[interval] + offset
}

function madeCandle(prices: PriceSource, symbol: string, begin: number, end: number): Candle | undefined {
  try {
    const [open, close] = [prices.lastPrice(symbol, begin), prices.lastPrice(symbol, end)]
    const { low, high } = prices.range?.(symbol, begin, end) ?? rangeOfLooks(prices, symbol, begin, end)
    return { at: begin, open, high, low, close }
  } catch (error) {
    if (error instanceof ExchangeError) return undefined
    throw error
  }
}

function rangeOfLooks(prices: PriceSource, symbol: string, begin: number, end: number): PriceRange {
  const step = (end - begin) / LOOKS
  const looks = Array.from({ length: LOOKS + 1 }, (_, look) =>
    decimal(prices.lastPrice(symbol, Math.round(begin + look * step))),
  )
  return { low: Decimal.min(...looks).toFixed(), high: Decimal.max(...looks).toFixed() }
}

// The trades of such a market: one a second at its price. Who took follows from the way that the price went.

/** @param at the market at a time */
function inventedTape(at: (ms: number) => MarketView, symbol: string, now: number): readonly TapeTrade[] {
  const key = hashText(symbol)
  const trades: TapeTrade[] = []
  let side: TapeTrade['side'] = 'buy'
  let before: string | undefined
  const newest = Math.floor(now / SECOND_MS)
  for (let second = newest - TAPE_TRADES; second <= newest; second += 1) {
    const view = at(second * SECOND_MS)
    const price = pricedAt(view, symbol)
    if (price === undefined) continue
    if (before !== undefined && price !== before) side = decimal(price).gt(before) ? 'buy' : 'sell'
    const lot = decimal(view.listing.find(symbol).lotSize)
    const best = view.book(symbol, side, 0)?.amount.div(lot)
    const share = (noise(key, second) + 1) / 2
    const lots = best?.isFinite() ? best.times(share ** 3).ceil() : decimal('1')
    if (before !== undefined) trades.push({ at: second * SECOND_MS, price, amount: lots.times(lot).toFixed(), side })
    before = price
  }
  return trades
}

const SECOND_MS = 1_000

/** undefined: there was none yet. */
function pricedAt({ quotes }: MarketView, symbol: string): string | undefined {
  try {
    return quotes(symbol).last
  } catch (error) {
    if (error instanceof ExchangeError) return undefined
    throw error
  }
}

// A price that is not of now is not a price to trade at (behaviour 38).

export function stalePrices(symbol: string): ExchangeError {
  return new ExchangeError('unavailable', `the prices of ${symbol} are stale: the venue has sent no update lately`, {
    hint: 'wait until the venue sends prices again',
  })
}

// Where a paper account has its market from: made here, replayed from a file, or followed at a venue. The account asks it for one moment at a
// time, and gets all of that moment without waiting.

/** The market of one moment. */
export interface MarketView extends Pricing {
  readonly book: Book
  /** Whether its prices are those of now: where they are not, nothing fills and no stop fires. */
  isCurrent(symbol: string): boolean
  /** Whether it has prices at all, of now or of earlier. */
  isKnown(symbol: string): boolean
  /** Payments that are known, due or not. */
  funding(symbol: string): readonly Funding[]
}

export interface MarketSource {
  /** As known now. */
  readonly listing: Listing
  /** Grows with every change that is not one of time alone. */
  readonly changes: number
  /** Whether a symbol that matters is not current. */
  readonly isStale: boolean
  /** Whether it was closed while no hookline ran: what its price jumped over then fills at the opening quotes. */
  readonly closesWithUs: boolean
  /** Asks for the listing where it is not known. @throws {ExchangeError} `network`, `unavailable`, `rate-limited` */
  loadMarkets(reload: boolean): Promise<Listing>
  /** Resolves once these are quoted, or will not be soon; undefined when there is nothing to wait for. Never rejects. */
  prepare(symbols: readonly string[]): Promise<void> | undefined
  /** The market at a time, in ms since the epoch. */
  at(ms: number): MarketView
  /** As `VenueView.intervals`. */
  readonly intervals?: readonly Interval[] | undefined
  /** For people to look at. Absent: none are known. @throws {ExchangeError} */
  candles?(asked: CandlesAsked, pause: () => Promise<void>): Promise<readonly Candle[]>
  /** For people to look at. Absent: nothing is known. @throws {ExchangeError} */
  summary?(symbol: string, now: number): Promise<MarketSummary>
  /** For people to look at. Absent: no trades of others are known. */
  tape?(symbol: string, now: number): readonly TapeTrade[]
  /** As `VenueView.replayedSince`. */
  replayedSince?(): number | undefined
  /** When there was a price to be met after `from` and before `to`, which no one has looked at. Oldest first. */
  between(from: number, to: number): readonly number[]
  /** These matter from now on, and no others. */
  follow(symbols: ReadonlySet<string>): void
  /** A second has passed. */
  tick(): void
  /** Calls `handler` when a price has changed, or is stale or current again. @returns stops the calls */
  onChange(handler: (symbol: string) => void): () => void
  close(): Promise<void>
}

export interface OfflineMarketOptions {
  readonly prices: PriceSource
  readonly depth: Depth
  /** Default: all there are. */
  readonly listing?: Listing
}

/** Prices that are a function of the time: never late, and never to be waited for. */
export function createOfflineMarket({ prices, depth, listing = OFFLINE_LISTING }: OfflineMarketOptions): MarketSource {
  const at = (ms: number): MarketView => {
    const quotes = quotesAt(prices, ms)
    return { listing, ...ALWAYS, quotes, book: bookAt(depth, { quotes, listing }, ms) }
  }
  return {
    listing,
    changes: 0,
    isStale: false,
    closesWithUs: true,
    loadMarkets: async () => listing,
    prepare: () => undefined,
    at,
    intervals: INTERVALS,
    candles: (asked, pause) => madeCandles(prices, asked, pause),
    summary: async (symbol, now) => {
      const [before, last] = [now - INTERVAL_MS['1d'], now].map((ms) => decimal(at(ms).quotes(symbol).last))
      if (before === undefined || last === undefined) return { symbol }
      return { symbol, changePercent: last.div(before).minus(1).times(100).toDecimalPlaces(2).toFixed() }
    },
    tape: (symbol, now) => inventedTape(at, symbol, now),
    between: () => [],
    follow() {},
    tick() {},
    onChange: () => () => {},
    close: async () => {},
  }
}

const ALWAYS: Pick<MarketView, 'isCurrent' | 'isKnown' | 'funding'> = {
  isCurrent: () => true,
  isKnown: () => true,
  funding: () => [],
}
