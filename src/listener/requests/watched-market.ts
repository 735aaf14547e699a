// One symbol of one account that someone looks at: its price as the venue reports it, its book and its candles as they are asked for now and then.
import { Decimal } from 'decimal.js'
import { INTERVAL_MS, type Interval } from '../../base/candle-intervals.ts'
import { defined } from '../../base/defined.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { ExchangeEvent, VenueView } from '../../exchange/exchange.ts'
import type { Candle, FundingRate, Market, MarketSummary } from '../../exchange/market.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import {
  type BookRow,
  type CandleRow,
  type DayRow,
  type MarketRow,
  type TapeRow,
  type TickerRow,
  WIRE_LIMITS,
} from '../../protocol/frames.ts'
import { findMarkets } from '../../trading/market-view.ts'

export interface MarketPlace {
  readonly account: string
  readonly symbol: string
  readonly interval: Interval
  /** Default: no. */
  readonly hasTape?: boolean
}

export interface WatchedMarketPorts {
  readonly connect: (account: string) => Promise<{ readonly venue: VenueView }>
  /** ms since the epoch. */
  readonly now: () => number
  readonly changed: () => void
  readonly onBug: (error: unknown) => void
}

/** What is known of it now. */
export interface MarketState {
  exchange: string
  market: Market | undefined
  intervals: readonly Interval[] | undefined
  ticker: TickerRow | undefined
  book: BookRow | undefined
  /** undefined: it is not asked for, or the venue streams none. */
  tape: readonly TapeRow[] | undefined
  candles: readonly CandleRow[]
  day: DayRow | undefined
  replayedSince: number | undefined
  staleSince: number | undefined
  problem: string | undefined
}

/** How often each is asked for: a live venue bans who asks too often. */
const PAPER_BOOK_MS = 1_000
const LIVE_BOOK_MS = 3_000
/** Asked of what is known: nothing goes to the venue. */
const TAPE_MS = 500
const CANDLES_MS = 60_000
const DAY_REFRESH_MS = 300_000
/** Behind the end of a candle, when a venue has counted it. */
const SETTLED_MS = 2_000
const RETRY_MS = 5_000
/** How often it is seen whether the account has changed. */
const ACCOUNT_MS = 10_000
/** Asked for again: what was formed here from prices is put right. */
const LATEST_CANDLES = 5

export class WatchedMarket {
  readonly place: MarketPlace
  readonly state: MarketState = {
    exchange: '',
    market: undefined,
    intervals: undefined,
    ticker: undefined,
    book: undefined,
    tape: undefined,
    candles: [],
    day: undefined,
    replayedSince: undefined,
    staleSince: undefined,
    problem: undefined,
  }
  readonly #ports: WatchedMarketPorts
  readonly #timers = new Set<NodeJS.Timeout>()
  #stops: (() => void)[] = []
  /** Where it is asked for now. */
  #venue: VenueView | undefined
  #isEnded = false

  constructor(place: MarketPlace, ports: WatchedMarketPorts) {
    this.place = place
    this.#ports = ports
    void this.#begin()
  }

  end(): void {
    this.#isEnded = true
    this.#leave()
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #leave(): void {
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  /** Tries again until someone looks away: a venue may be down, or an account not unlocked yet. */
  async #begin(): Promise<void> {
    const { account, symbol } = this.place
    try {
      const { venue } = await this.#ports.connect(account)
      const [found = symbol] = await findMarkets(venue, [symbol])
      const market = (await venue.loadMarkets()).find((each) => each.symbol === found)
      if (this.#isEnded) return
      this.#set({ exchange: venue.id, market, intervals: venue.intervals, problem: undefined })
      this.#receiveFirst(venue, found)
      this.#venue = venue
      this.#keepBook(venue, found)
      this.#keepTape(venue, found)
      this.#after(ACCOUNT_MS, () => void this.#followAccount(venue))
      void this.#keepCandles(venue, found)
      void this.#keepDay(venue, found)
    } catch (error) {
      this.#fail(error)
      this.#after(RETRY_MS, () => void this.#begin())
    }
  }

  #receiveFirst(venue: VenueView, symbol: string): void {
    this.#leave()
    this.#stops.push(venue.subscribe((event) => this.#received(event, venue, symbol)))
    this.#stops.push(venue.watchTicker(symbol))
    this.#followStream(venue)
    // Where nothing is streamed yet, the first price is asked for.
    void this.#ask(async () => {
      const { last, bid, ask, timestamp } = await venue.fetchTicker(symbol)
      if (this.state.ticker === undefined) this.#priced({ last, bid, ask, timestamp })
    })
  }

  #received(event: ExchangeEvent, venue: VenueView, symbol: string): void {
    if (event.type === 'stream') return this.#followStream(venue)
    if (event.type !== 'ticker' || event.ticker.symbol !== symbol) return
    this.#followReplay(venue, symbol)
    const { last, bid, ask, timestamp } = event.ticker
    this.#priced({ last, bid, ask, timestamp })
  }

  #followStream(venue: VenueView): void {
    const isStale = venue.stream === 'stale'
    if (isStale === (this.state.staleSince !== undefined)) return
    this.#set({ staleSince: isStale ? (this.state.ticker?.timestamp ?? this.#ports.now()) : undefined })
  }

  /** Candles and range of the prices before a replay are not those of the replay. */
  #followReplay(venue: VenueView, symbol: string): void {
    const replayedSince = venue.replayedSince?.()
    if (replayedSince === this.state.replayedSince) return
    this.#set({ replayedSince, candles: [], day: undefined })
    void this.#ask(() => this.#askCandles(venue, symbol))
    void this.#askDay(venue, symbol)
  }

  /** The candle that forms goes with the price. */
  #priced(ticker: TickerRow): void {
    const { candles, day } = this.state
    this.#set({
      ticker,
      candles: formed(candles, ticker, INTERVAL_MS[this.place.interval]),
      day: withPrice(day, ticker.last),
    })
  }

  async #askBook(venue: VenueView, symbol: string): Promise<void> {
    if (venue.fetchOrderBook === undefined || venue.stream === 'stale') return
    const { bids, asks, timestamp } = await venue.fetchOrderBook(symbol)
    const top = (levels: typeof bids): BookRow['bids'] =>
      levels.slice(0, WIRE_LIMITS.bookLevels).map(([price, amount]) => [price, amount])
    this.#set({ book: { bids: top(bids), asks: top(asks), timestamp } })
  }

  /** All at first; then the latest, once a minute and as each ends. */
  async #keepCandles(venue: VenueView, symbol: string): Promise<void> {
    if (this.#venue !== venue) return
    const isDone = await this.#ask(() => this.#askCandles(venue, symbol))
    const length = INTERVAL_MS[this.place.interval]
    const untilNext = length - (this.#ports.now() % length) + SETTLED_MS
    this.#after(isDone ? Math.min(untilNext, CANDLES_MS) : RETRY_MS, () => void this.#keepCandles(venue, symbol))
  }

  async #askCandles(venue: VenueView, symbol: string): Promise<void> {
    if (venue.fetchCandles === undefined) return
    const replayedSince = venue.replayedSince?.()
    const known = replayedSince === this.state.replayedSince ? this.state.candles : []
    const limit = known.length < 2 ? WIRE_LIMITS.candles : LATEST_CANDLES
    const rows = (await venue.fetchCandles(symbol, this.place.interval, limit)).map(rowOfCandle)
    // Another replay began meanwhile: they are asked for anew.
    if (venue.replayedSince?.() !== replayedSince) return
    this.#set({ candles: merged(known, rows), replayedSince, problem: undefined })
  }

  async #keepDay(venue: VenueView, symbol: string): Promise<void> {
    if (this.#venue !== venue || this.#isEnded) return
    await this.#askDay(venue, symbol)
    this.#after(DAY_REFRESH_MS, () => void this.#keepDay(venue, symbol))
  }

  /** Where it is not to be had, the candles' own question has said why. */
  async #askDay(venue: VenueView, symbol: string): Promise<void> {
    if (venue.fetchCandles === undefined) return
    try {
      const replayedSince = venue.replayedSince?.()
      const candles = await venue.fetchCandles(symbol, DAY_CANDLE, DAY_CANDLES)
      const summary = await this.#askSummary(venue, symbol)
      if (venue.replayedSince?.() !== replayedSince) return
      const day = withFunding(dayOf(candles, this.#ports.now()), summary?.funding)
      const last = this.state.ticker?.last
      this.#set({ day: last === undefined ? day : withPrice(withChange(day, last, summary?.changePercent), last) })
    } catch (error) {
      if (!isRefusal(error)) this.#ports.onBug(error)
    }
  }

  /** As the exchange counts, and so as the watchlist and `price` show it; undefined: it does not report it. */
  async #askSummary(venue: VenueView, symbol: string): Promise<MarketSummary | undefined> {
    try {
      return await venue.fetchMarketSummary?.(symbol)
    } catch (error) {
      if (!isRefusal(error)) this.#ports.onBug(error)
      return undefined
    }
  }

  /** An account that was changed has another venue: all of it begins anew there. */
  async #followAccount(venue: VenueView): Promise<void> {
    if (await this.#isLeft(venue)) return this.#begin()
    this.#after(ACCOUNT_MS, () => void this.#followAccount(venue))
  }

  async #isLeft(venue: VenueView): Promise<boolean> {
    try {
      return (await this.#ports.connect(this.place.account)).venue !== venue
    } catch {
      // Why it does not answer is told by the next question.
      return false
    }
  }

  /** Asks now, and again so long after each answer. */
  #keepBook(venue: VenueView, symbol: string): void {
    if (this.#venue !== venue) return
    const everyMs = venue.id === 'paper' ? PAPER_BOOK_MS : LIVE_BOOK_MS
    void this.#ask(() => this.#askBook(venue, symbol)).then((isDone) =>
      this.#after(isDone ? everyMs : RETRY_MS, () => this.#keepBook(venue, symbol)),
    )
  }

  #keepTape(venue: VenueView, symbol: string): void {
    if (this.#venue !== venue || this.place.hasTape !== true || venue.knownTape === undefined) return
    const trades = venue.stream === 'stale' ? undefined : venue.knownTape(symbol)
    if (trades !== undefined)
      this.#set({ tape: trades.map(({ at, price, amount, side }) => [at, price, amount, side]) })
    this.#after(TAPE_MS, () => this.#keepTape(venue, symbol))
  }

  /** @returns whether it was answered */
  async #ask(work: () => Promise<void>): Promise<boolean> {
    if (this.#isEnded) return false
    try {
      await work()
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  #fail(error: unknown): void {
    if (!isRefusal(error)) this.#ports.onBug(error)
    this.#set({ problem: isRefusal(error) ? describeRefusal(error) : 'internal error; see hookline.log' })
  }

  #set(change: Partial<MarketState>): void {
    if (this.#isEnded) return
    Object.assign(this.state, change)
    this.#ports.changed()
  }

  #after(ms: number, work: () => void): void {
    if (this.#isEnded) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, ms).unref()
    this.#timers.add(timer)
  }
}

/** Rows of candles: those that were asked for, and the one that forms with each price. */
function rowOfCandle({ at, open, high, low, close, volume }: Candle): CandleRow {
  return [at, open, high, low, close, volume ?? null]
}

/** The later say more of those that both have. */
export function merged(known: readonly CandleRow[], later: readonly CandleRow[]): readonly CandleRow[] {
  const byTime = new Map([...known, ...later].map((row) => [row[0], row]))
  return [...byTime.values()].sort(([a], [b]) => a - b).slice(-WIRE_LIMITS.candles)
}

/** With this price in the candle of its time; one that is older than the newest changes nothing. */
export function formed(
  known: readonly CandleRow[],
  { last, timestamp }: Pick<TickerRow, 'last' | 'timestamp'>,
  lengthMs: number,
): readonly CandleRow[] {
  const newest = known.at(-1)
  // Without a history there is nothing to go on with.
  if (newest === undefined || timestamp < newest[0]) return known
  // Not from 00:00 UTC: where a week begins is the venue's.
  const at = timestamp - ((timestamp - newest[0]) % lengthMs)
  if (at > newest[0]) return [...known, [at, last, last, last, last, null] as CandleRow].slice(-WIRE_LIMITS.candles)
  const [begin, open, high, low, , volume] = newest
  const price = new Decimal(last)
  const row: CandleRow = [begin, open, price.gt(high) ? last : high, price.lt(low) ? last : low, last, volume]
  return [...known.slice(0, -1), row]
}

// What a market did in the last 24 hours: from candles that were asked for, and from each price that came after them. Pure.

const DAY_MS = 86_400_000

/** How exactly it is known when it began, and how many of them that takes. */
const DAY_CANDLE: Interval = '15m'
const DAY_CANDLES = 97

/** @param candles oldest first @returns undefined: none is of the last 24 hours */
export function dayOf(candles: readonly Candle[], now: number): DayRow | undefined {
  const recent = candles.filter(({ at }) => at >= now - DAY_MS)
  const [first] = recent
  if (first === undefined) return undefined
  return {
    since: first.at,
    open: first.open,
    high: Decimal.max(...recent.map(({ high }) => high)).toFixed(),
    low: Decimal.min(...recent.map(({ low }) => low)).toFixed(),
  }
}

/** With the first price that makes this change of the last one: candles know it to 15 minutes only. */
export function withChange(day: DayRow | undefined, last: string, percent: string | undefined): DayRow | undefined {
  if (day === undefined || percent === undefined) return day
  const share = new Decimal(percent).div(100).plus(1)
  return share.gt(0) ? { ...day, open: new Decimal(last).div(share).toSignificantDigits(12).toFixed() } : day
}

export function withFunding(day: DayRow | undefined, funding: FundingRate | undefined): DayRow | undefined {
  if (day === undefined || funding === undefined) return day
  return { ...day, fundingRate: funding.rate, fundingAt: funding.at }
}

/** @returns the same where the price is inside of it */
export function withPrice<Day extends DayRow | undefined>(day: Day, last: string): Day {
  if (day === undefined) return day
  const price = new Decimal(last)
  if (price.gt(day.high)) return { ...day, high: last }
  return price.lt(day.low) ? { ...day, low: last } : day
}

/** @param last its price, where one is known: a grid of significant digits has no step without it */
export function marketRowOf(market: Market, last: string | undefined): MarketRow {
  const { symbol, kind, base, quote, settle, amountUnit, priceGrid, lotSize, minAmount, minNotional } = market
  const { maxLeverage, makerFee, takerFee } = market
  const tick = priceGrid.kind === 'tick' ? priceGrid.tick : last && stepAt(last, priceGrid).toFixed()
  return {
    symbol,
    kind,
    base,
    quote,
    amountUnit,
    lotSize,
    minAmount,
    ...defined({ settle, tick, minNotional, maxLeverage, makerFee, takerFee }),
  }
}
