// One symbol of one account that someone looks at: its price as the venue reports it, its candles from the feed that conditions are judged by, its
// book as it is asked for now and then.
import { Decimal } from 'decimal.js'
import { INTERVAL_MS, type Interval } from '../../base/candle-intervals.ts'
import { defined } from '../../base/defined.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { ExchangeEvent, VenueView } from '../../exchange/exchange.ts'
import type { Candle, FundingRate, Market } from '../../exchange/market.ts'
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
import { BarFeeds, type ShownBars } from '../../tasks/bar-feed.ts'
import type { TaskWakes } from '../../tasks/task-wakes.ts'
import type { Clock } from '../../trading/clock.ts'
import { findMarkets } from '../../trading/market-view.ts'
import { TradingError } from '../../trading/trading-error.ts'

export interface MarketPlace {
  readonly account: string
  readonly symbol: string
  readonly interval: Interval
}

export interface WatchedMarketPorts {
  readonly connect: (account: string) => Promise<{ readonly venue: VenueView }>
  readonly clock: Clock
  readonly wakes: TaskWakes
  readonly changed: () => void
  /** Whether someone wants the trades of others now. */
  readonly isTapeWanted: () => boolean
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
  /** The exchange has answered, and the symbol is of no market, or of several. */
  isUnlisted: boolean
}

/** How often each is asked for: a live venue bans who asks too often. */
const LIVE_BOOK_MS = 3_000
/** Asked of what is known: nothing goes to the venue. */
const TAPE_MS = 500
const CANDLES_MS = 60_000
const RETRY_MS = 5_000
const UNLISTED: ReadonlySet<TradingError['code']> = new Set(['unknown-symbol', 'ambiguous-symbol'])
/** How often it is seen whether the account has changed. */
const ACCOUNT_MS = 10_000

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
    isUnlisted: false,
  }
  readonly #ports: WatchedMarketPorts
  readonly #timers = new Set<NodeJS.Timeout>()
  #stops: (() => void)[] = []
  #chart: ShownBars | undefined
  #day: MarketDay | undefined
  #isTapeKept = false
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
      this.#set({ exchange: venue.id, market, intervals: venue.intervals, problem: undefined, isUnlisted: false })
      this.#venue = venue
      this.#receiveFirst(venue, found)
      if (!isPaper(venue)) this.#keepBook(venue, found)
      this.keepTape()
      this.#after(ACCOUNT_MS, () => void this.#followAccount(venue))
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
    this.#keepCandles(venue, symbol)
    // Where nothing is streamed yet, the first price is asked for.
    void this.#ask(async () => {
      const { last, bid, ask, timestamp } = await venue.fetchTicker(symbol)
      if (this.state.ticker === undefined) this.#priced({ last, bid, ask, timestamp })
    })
  }

  #received(event: ExchangeEvent, venue: VenueView, symbol: string): void {
    if (event.type === 'stream') return this.#followStream(venue)
    if (event.type !== 'ticker' || event.ticker.symbol !== symbol) return
    this.#followReplay(venue)
    const { last, bid, ask, timestamp } = event.ticker
    this.#priced({ last, bid, ask, timestamp })
    // Of the same moment: the last price is never outside of the book.
    if (isPaper(venue)) void this.#ask(() => this.#askBook(venue, symbol))
  }

  #followStream(venue: VenueView): void {
    const isStale = venue.stream === 'stale'
    if (isStale === (this.state.staleSince !== undefined)) return
    this.#set({ staleSince: isStale ? (this.state.ticker?.timestamp ?? this.#ports.clock.now()) : undefined })
  }

  /** Candles and range of the prices before a replay are not those of the replay. */
  #followReplay(venue: VenueView): void {
    const replayedSince = venue.replayedSince?.()
    if (replayedSince === this.state.replayedSince) return
    this.#set({ replayedSince, candles: [], day: undefined })
    this.#chart?.again()
    this.#day?.again()
  }

  /** The candle that forms goes with the price. */
  #priced(ticker: TickerRow): void {
    this.#set({
      ticker,
      candles: formed(this.state.candles, ticker, INTERVAL_MS[this.place.interval]),
      day: this.#day?.priced(ticker),
    })
  }

  async #askBook(venue: VenueView, symbol: string): Promise<void> {
    if (venue.fetchOrderBook === undefined || venue.stream === 'stale') return
    const { bids, asks, timestamp } = await venue.fetchOrderBook(symbol)
    const top = (levels: typeof bids): BookRow['bids'] =>
      levels.slice(0, WIRE_LIMITS.bookLevels).map(([price, amount]) => [price, amount])
    this.#set({ book: { bids: top(bids), asks: top(asks), timestamp } })
  }

  #keepCandles(venue: VenueView, symbol: string): void {
    const { clock, wakes, onBug } = this.#ports
    const feeds = new BarFeeds({ account: { venue }, clock, wakes, problem: () => {} })
    this.#stops.push(() => feeds.close())
    this.#chart = feeds.show(
      { symbol, frame: this.place.interval, bars: WIRE_LIMITS.candles, everyMs: CANDLES_MS },
      { changed: () => this.#drawn(venue), failed: (error) => this.#fail(error) },
    )
    // Those that others have read already.
    this.#drawn(venue)
    const day = new MarketDay({ venue, symbol, clock, feeds, onBug, changed: () => this.#set({ day: day.row() }) })
    this.#day = day
    this.#stops.push(() => day.end())
  }

  /** What was formed here from prices is put right. */
  #drawn(venue: VenueView): void {
    const rows = this.#chart?.bars()?.map(rowOfCandle)
    if (rows === undefined) return
    const replayedSince = venue.replayedSince?.()
    const known = replayedSince === this.state.replayedSince ? this.state.candles : []
    this.#set({ candles: merged(known, rows), replayedSince, problem: undefined })
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
    void this.#ask(() => this.#askBook(venue, symbol)).then((isDone) =>
      this.#after(isDone ? LIVE_BOOK_MS : RETRY_MS, () => this.#keepBook(venue, symbol)),
    )
  }

  /** As long as someone wants it. */
  keepTape(): void {
    const venue = this.#venue
    if (this.#isTapeKept || venue?.knownTape === undefined || !this.#ports.isTapeWanted()) return
    const symbol = this.state.market?.symbol ?? this.place.symbol
    const trades = venue.stream === 'stale' ? undefined : venue.knownTape(symbol)
    if (trades !== undefined)
      this.#set({ tape: trades.map(({ at, price, amount, side }) => [at, price, amount, side]) })
    this.#isTapeKept = true
    this.#after(TAPE_MS, () => {
      this.#isTapeKept = false
      this.keepTape()
    })
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
    const isUnlisted = error instanceof TradingError && UNLISTED.has(error.code)
    this.#set({ problem: isRefusal(error) ? describeRefusal(error) : 'internal error; see hookline.log', isUnlisted })
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

function isPaper({ id }: VenueView): boolean {
  return id === 'paper'
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

// What a market did in the last 24 hours: from the price of this minute a day ago on. Minutes of a day ago are asked for once an hour, an hour of them
// ahead; what came after them is in candles of 15 minutes, and in each price since.

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const QUARTER: Interval = '15m'
const QUARTERS = 97
/** An hour of them, and those until the first quarter begins. */
const MINUTES = 75
const FUNDING_MS = 300_000

interface MarketDayOptions extends Pick<WatchedMarketPorts, 'clock' | 'onBug' | 'changed'> {
  readonly venue: VenueView
  readonly symbol: string
  readonly feeds: BarFeeds
}

class MarketDay {
  readonly #options: MarketDayOptions
  readonly #quarters: ShownBars
  readonly #closing = new AbortController()
  #minutes: readonly CandleRow[] = []
  #minutesFrom = 0
  #funding: FundingRate | undefined
  #fundingAt = 0
  /** Of 15 minutes, the last one as prices make it. */
  #rows: readonly CandleRow[] = []
  #row: DayRow | undefined
  /** Whether the price of a day ago was asked for. */
  #isAsked = false

  constructor(options: MarketDayOptions) {
    this.#options = options
    const changed = () => {
      this.#rows = merged(this.#rows, this.#quarters.bars()?.map(rowOfCandle) ?? [])
      this.#count()
    }
    // Why they are not to be had is said by the candles of the chart.
    const listener = { changed, failed: () => {} }
    this.#quarters = options.feeds.show({ symbol: options.symbol, frame: QUARTER, bars: QUARTERS }, listener)
    void this.#keep()
  }

  row(): DayRow | undefined {
    return this.#row
  }

  priced(ticker: Pick<TickerRow, 'last' | 'timestamp'>): DayRow | undefined {
    this.#rows = formed(this.#rows, ticker, INTERVAL_MS[QUARTER])
    this.#row = withPrice(this.#row, ticker.last)
    return this.#row
  }

  /** Its prices are others now. */
  again(): void {
    this.#minutes = []
    this.#minutesFrom = 0
    this.#rows = []
    this.#row = undefined
    this.#isAsked = false
    this.#quarters.again()
    void this.#ask()
  }

  end(): void {
    this.#closing.abort()
  }

  async #keep(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#ask()
      await clock.delay(MINUTE_MS - (clock.now() % MINUTE_MS), signal)
    }
  }

  async #ask(): Promise<void> {
    const now = this.#options.clock.now()
    await Promise.all([
      now - DAY_MS >= this.#minutesFrom ? this.#askMinutes(now) : undefined,
      now - this.#fundingAt >= FUNDING_MS ? this.#askFunding(now) : undefined,
    ])
    this.#isAsked = true
    this.#count()
  }

  async #askMinutes(now: number): Promise<void> {
    const { venue, symbol } = this.#options
    const replayedSince = venue.replayedSince?.()
    const since = Math.floor((now - DAY_MS) / MINUTE_MS) * MINUTE_MS
    await this.#unlessRefused(async () => {
      const found = await venue.fetchCandles?.(symbol, '1m', MINUTES, since)
      if (found === undefined || venue.replayedSince?.() !== replayedSince) return
      this.#minutes = found.map(rowOfCandle)
      this.#minutesFrom = since + (MINUTES - 15) * MINUTE_MS
    })
  }

  async #askFunding(now: number): Promise<void> {
    const { venue, symbol } = this.#options
    await this.#unlessRefused(async () => {
      this.#funding = (await venue.fetchMarketSummary?.(symbol))?.funding
      this.#fundingAt = now
    })
  }

  async #unlessRefused(ask: () => Promise<void>): Promise<void> {
    try {
      await ask()
    } catch (error) {
      if (!isRefusal(error)) this.#options.onBug(error)
    }
  }

  #count(): void {
    if (this.#closing.signal.aborted || !this.#isAsked) return
    this.#row = withFunding(dayOf(this.#minutes, this.#rows, this.#options.clock.now()), this.#funding)
    this.#options.changed()
  }
}

/**
 * @param minutes of a day ago, and @param quarters those until now, oldest first
 * @returns undefined: none is of the last 24 hours
 */
export function dayOf(minutes: readonly CandleRow[], quarters: readonly CandleRow[], now: number): DayRow | undefined {
  const from = now - DAY_MS
  const later = quarters.filter(([at]) => at >= from)
  const until = later[0]?.[0] ?? now
  const recent = [...minutes.filter(([at]) => at + MINUTE_MS > from && at < until), ...later]
  const [first] = recent
  if (first === undefined) return undefined
  const [since, open] = first
  return {
    since,
    open,
    high: Decimal.max(...recent.map(([, , high]) => high)).toFixed(),
    low: Decimal.min(...recent.map(([, , , low]) => low)).toFixed(),
  }
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
