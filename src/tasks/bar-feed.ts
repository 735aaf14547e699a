// Bars of an account's symbols, and its mark price, funding and equity, for whatever judges conditions, and for the charts of pages: one feed of
// each in a process, shared by all that use it. Bars are read again a moment after each has closed, until the venue has them. A venue that does not
// answer is asked less and less often.
import { INTERVAL_MS, type Interval } from '../base/candle-intervals.ts'
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import type { Candle, CandleInterval, Market } from '../exchange/market.ts'
import type { Clock } from '../trading/clock.ts'
import { fundsOnce } from '../trading/market-view.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { TaskWakes } from './task-wakes.ts'

/** What a condition judges besides the price. */
export interface TaskReads {
  /** How many bars of each frame at first. */
  readonly bars: Readonly<Partial<Record<CandleInterval, number>>>
  /** Mark price and funding. */
  readonly summary: boolean
  readonly balances: boolean
  /** The forming bar too, each second. */
  readonly isLive: boolean
}

/** Bars of one frame, oldest first. */
interface ReadBars {
  readonly bars: readonly Candle[]
  /** When they were asked for, ms since the epoch: what closed later was still forming. */
  readonly askedAt: number
}

/** Numbers, for judging: no order has a price of them. */
export interface TaskReadings {
  readonly bars: Readonly<Partial<Record<CandleInterval, ReadBars>>>
  readonly mark?: number
  readonly funding?: number
  readonly equity?: number
}

/** Of one user; `end` is called once. */
export interface ReadingsWatch {
  readings(): TaskReadings
  end(): void
}

interface BarsWanted extends Pick<BarNeed, 'everyMs'> {
  readonly symbol: string
  readonly frame: Interval
  /** How many, the one that forms included. */
  readonly bars: number
}

/** Bars that are looked at. `end` is called once. */
export interface ShownBars {
  /** Oldest first, the one that forms last; undefined: none are known. */
  bars(): readonly Candle[] | undefined
  /** Asks now. */
  again(): void
  end(): void
}

interface ShownBarsListener {
  /** They were read. */
  changed(): void
  /** They were asked for, and did not come. */
  failed(error: unknown): void
}

export interface BarFeedPorts {
  readonly account: Pick<TradingAccount, 'venue'>
  readonly clock: Clock
  readonly wakes: TaskWakes
  /** Called once for what cannot be read, until it can be again. */
  readonly problem: (error: unknown) => void
}

/** After the close, by our clock. */
const AFTER_CLOSE_MS = 150
const ASK_AGAIN_MS = 1_000
const VALUES_EVERY_MS = 5_000
/** What is only looked at waits until the venue has counted it. */
const SHOWN_AFTER_CLOSE_MS = 2_000
const LONGEST_WAIT_MS = 15_000
/** A bar that has not come by then fires nothing any more. */
const URGENT_MS = 30_000
/** Bars that are asked for again each time: what came late or was corrected is seen. */
const OVERLAP = 3
/** Of one question. */
const MOST_BARS = 1_000
/** A question that failed is mostly answered the second time. */
const REPORTED_FAILURE = 2

/** Who uses an answer. */
interface FeedUser {
  changed(): void
  /** Each time that no answer came. */
  failed?(error: unknown): void
  /** Called once for all that share it, until there is an answer again. */
  readonly problem?: BarFeedPorts['problem']
}

type SourcePorts = Omit<BarFeedPorts, 'problem'>

/** One question that is asked again and again, for all that use its answer. */
abstract class Source<T> {
  readonly #users = new Map<object, FeedUser>()
  readonly #ports: SourcePorts
  #reading: Promise<void> | undefined
  #failures = 0
  #answeredAt: number | undefined
  #isClosed = false
  value: T | undefined

  constructor(ports: SourcePorts) {
    this.#ports = ports
  }

  get isUsed(): boolean {
    return this.#users.size > 0
  }

  /** Resolves when what this user needs was asked for once. @param isEnough of what is there, or is being read */
  async join(key: object, user: FeedUser, isEnough: () => boolean): Promise<void> {
    this.#users.set(key, user)
    await this.#reading
    if (!isEnough()) await this.again()
    else this.#ask(this.#answeredAt)
  }

  leave(key: object): void {
    this.#users.delete(key)
    if (this.isUsed) return this.#ask(this.#answeredAt)
    this.#isClosed = true
    this.#ports.wakes.set(this, undefined, () => {})
  }

  again(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** @returns undefined: nothing came @throws what keeps it from being read */
  protected abstract ask(now: number): Promise<T | undefined>
  /** When it is asked for next, after an answer. */
  protected abstract dueAfter(now: number): number
  /** Without an answer what was known is not known any more. */
  protected abstract readonly fades: boolean

  /** When those who use it now want it, after an answer. */
  #ask(answeredAt: number | undefined): void {
    if (answeredAt === undefined || this.#reading !== undefined || this.#isClosed) return
    this.#ports.wakes.set(this, this.dueAfter(answeredAt), () => void this.again(), answeredAt)
  }

  async #read(): Promise<void> {
    const { clock, wakes } = this.#ports
    const now = clock.now()
    try {
      const value = await this.ask(now)
      if (this.#isClosed) return
      this.#failures = 0
      this.#answeredAt = now
      if (value !== undefined || this.fades) this.#changed(value)
      wakes.set(this, this.dueAfter(now), () => void this.again(), now)
    } catch (error) {
      if (this.#isClosed) return
      this.#failures += 1
      this.#answeredAt = undefined
      this.#failed(error)
      if (this.fades && this.value !== undefined) this.#changed(undefined)
      const pause = Math.min(ASK_AGAIN_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS)
      wakes.set(this, clock.now() + pause, () => void this.again(), now)
    }
  }

  #changed(value: T | undefined): void {
    this.value = value
    for (const { changed } of [...this.#users.values()]) changed()
  }

  #failed(error: unknown): void {
    const users = [...this.#users.values()]
    for (const user of users) user.failed?.(error)
    if (this.#failures !== REPORTED_FAILURE) return
    for (const problem of new Set(users.map((user) => user.problem))) problem?.(error)
  }
}

/** What one user wants of bars. */
interface BarNeed {
  readonly count: number
  /** `judged`: as soon as each has closed; `live`: the forming one too, each second; `shown`: to be looked at. */
  readonly use: 'judged' | 'live' | 'shown'
  /** Of those that are shown: how often what forms is put right. Default: never. */
  readonly everyMs?: number
}

class BarSource extends Source<ReadBars> {
  readonly #ports: SourcePorts
  readonly #symbol: string
  readonly #frame: Interval
  readonly needs = new Map<object, BarNeed>()
  protected readonly fades = false
  /** The most bars that were asked for at once: a venue may have fewer. */
  #wholeFor = 0
  #replayedSince: number | undefined

  constructor(ports: SourcePorts, symbol: string, frame: Interval) {
    super(ports)
    this.#ports = ports
    this.#symbol = symbol
    this.#frame = frame
  }

  override leave(user: object): void {
    this.needs.delete(user)
    super.leave(user)
  }

  /** Of what is traded now: a replay may have begun since. */
  get shown(): ReadBars | undefined {
    const { venue } = this.#ports.account
    return venue.replayedSince?.() === this.#replayedSince ? this.value : undefined
  }

  has(count: number): boolean {
    const { askedAt = 0 } = this.shown ?? {}
    const isCurrent = this.#ports.clock.now() - askedAt < INTERVAL_MS[this.#frame] + AFTER_CLOSE_MS
    return isCurrent && count <= this.#wholeFor
  }

  /** A replay that began meanwhile has other bars. */
  protected async ask(now: number): Promise<ReadBars | undefined> {
    const { venue } = this.#ports.account
    for (;;) {
      const replayedSince = venue.replayedSince?.()
      if (replayedSince !== this.#replayedSince) this.value = undefined
      this.#replayedSince = replayedSince
      const read = await this.#askOnce(now)
      if (venue.replayedSince?.() === replayedSince) return read
    }
  }

  async #askOnce(now: number): Promise<ReadBars | undefined> {
    const frameMs = INTERVAL_MS[this.#frame]
    const need = Math.max(0, ...[...this.needs.values()].map(({ count }) => count))
    const known = this.value?.bars ?? []
    const last = known.at(-1)?.at
    const isWhole = last === undefined || last > now || need > this.#wholeFor
    const missing = isWhole ? need + 1 : Math.ceil((now - last) / frameMs)
    const bars = await this.#ports.account.venue.fetchCandles?.(
      this.#symbol,
      this.#frame,
      Math.min(MOST_BARS, missing + OVERLAP),
    )
    const read = bars?.toSorted((a, b) => a.at - b.at) ?? []
    const [first] = read
    if (first === undefined) return undefined
    // What no one needs any more is dropped below.
    this.#wholeFor = isWhole ? need : Math.min(this.#wholeFor, need)
    const before = known.filter(({ at }) => at < first.at)
    return { bars: [...before, ...read].slice(-keptFor(need)), askedAt: now }
  }

  protected dueAfter(now: number): number {
    const frameMs = INTERVAL_MS[this.#frame]
    const needs = [...this.needs.values()]
    const uses = new Set(needs.map(({ use }) => use))
    const isJudged = uses.has('judged') || uses.has('live')
    const bars = this.value?.bars ?? []
    // Not from 00:00 UTC: where a week begins is the venue's.
    const offset = this.#frame === '1w' ? (bars.at(-1)?.at ?? 0) % frameMs : 0
    const closedAt = Math.floor((now - offset) / frameMs) * frameMs + offset
    const next = closedAt + frameMs + (isJudged ? AFTER_CLOSE_MS : SHOWN_AFTER_CLOSE_MS)
    const due = Math.min(next, ...needs.map(({ everyMs = Number.POSITIVE_INFINITY }) => now + everyMs))
    if (uses.has('live')) return Math.min(due, now + ASK_AGAIN_MS)
    const isCurrent = bars.some(({ at }) => at + frameMs === closedAt || at === closedAt)
    if (isCurrent || !isJudged) return due
    return Math.min(due, now + (now - closedAt < URGENT_MS ? ASK_AGAIN_MS : LONGEST_WAIT_MS))
  }
}

/** Bars that are kept for who needs so many closed ones. */
function keptFor(count: number): number {
  return count + 1 + OVERLAP
}

/** Values that are asked for every few seconds. */
class ValueSource<T> extends Source<T> {
  protected readonly ask: () => Promise<T>
  protected readonly fades = true

  constructor(ports: SourcePorts, ask: () => Promise<T>) {
    super(ports)
    this.ask = ask
  }

  protected dueAfter(now: number): number {
    return now + VALUES_EVERY_MS
  }
}

/** Of each connection, for all who use it. */
const connections = new WeakMap<object, Map<string, Source<unknown>>>()

/** The feeds of one account, as it is connected now, for one of those who share them. */
export class BarFeeds {
  readonly #ports: BarFeedPorts
  readonly #sources: Map<string, Source<unknown>>
  readonly #uses = new Set<() => void>()

  constructor(ports: BarFeedPorts) {
    const { venue } = ports.account
    this.#ports = ports
    this.#sources = connections.get(venue) ?? new Map()
    connections.set(venue, this.#sources)
  }

  /** Resolves when all has been asked for once. @param changed called whenever something of it was read */
  async watch(market: Market, reads: TaskReads, changed: () => void): Promise<ReadingsWatch> {
    const key = {}
    const { symbol } = market
    const { venue } = this.#ports.account
    let isReady = false
    const user: FeedUser = {
      changed: () => {
        if (isReady) changed()
      },
      problem: this.#ports.problem,
    }
    const frames = Object.keys(reads.bars) as CandleInterval[]
    const bars = frames.map((frame) => {
      const count = reads.bars[frame] ?? 1
      const { source, joined } = this.#bars(symbol, frame, key, user, { count, use: reads.isLive ? 'live' : 'judged' })
      return { frame, source, kept: keptFor(count), joined }
    })
    const summary = reads.summary
      ? this.#source(`summary ${symbol}`, () => new ValueSource(this.#ports, () => readSummary(venue, symbol)))
      : undefined
    const equity = reads.balances
      ? this.#source(
          `equity ${market.settle ?? market.quote}`,
          () => new ValueSource(this.#ports, () => readEquity(venue, market)),
        )
      : undefined
    const end = this.#use(key, [
      ...bars.map(({ source }) => source),
      ...(summary ? [summary] : []),
      ...(equity ? [equity] : []),
    ])
    await Promise.all([
      ...bars.map(({ joined }) => joined),
      summary?.join(key, user, () => summary.value !== undefined),
      equity?.join(key, user, () => equity.value !== undefined),
    ])
    isReady = true
    return {
      readings: () => ({
        bars: Object.fromEntries(
          bars.flatMap(({ frame, source, kept }) => (source.value ? [[frame, newest(source.value, kept)]] : [])),
        ),
        ...summary?.value,
        ...defined({ equity: equity?.value }),
      }),
      end,
    }
  }

  /** Bars to look at. */
  show({ symbol, frame, bars, everyMs }: BarsWanted, listener: ShownBarsListener): ShownBars {
    const key = {}
    const need: BarNeed = { count: bars - keptFor(0), use: 'shown', ...defined({ everyMs }) }
    const { source } = this.#bars(symbol, frame, key, listener, need)
    return {
      bars: () => source.shown && newest(source.shown, bars).bars,
      again: () => void source.again(),
      end: this.#use(key, [source]),
    }
  }

  /** Ends all that was begun here. */
  close(): void {
    for (const end of [...this.#uses]) end()
  }

  #bars(symbol: string, frame: Interval, key: object, user: FeedUser, need: BarNeed) {
    const source = this.#source(`${frame} ${symbol}`, () => new BarSource(this.#ports, symbol, frame))
    source.needs.set(key, need)
    return { source, joined: source.join(key, user, () => source.has(need.count)) }
  }

  #source<S extends Source<unknown>>(name: string, create: () => S): S {
    const known = this.#sources.get(name) as S | undefined
    if (known !== undefined) return known
    const source = create()
    this.#sources.set(name, source)
    return source
  }

  /** @returns ends it */
  #use(key: object, sources: readonly Source<unknown>[]): () => void {
    const end = () => {
      if (!this.#uses.delete(end)) return
      for (const source of sources) source.leave(key)
      for (const [name, source] of this.#sources) if (!source.isUsed) this.#sources.delete(name)
    }
    this.#uses.add(end)
    return end
  }
}

/** As many as one would have read alone: what others need decides nothing. */
function newest(read: ReadBars, count: number): ReadBars {
  return read.bars.length > count ? { ...read, bars: read.bars.slice(-count) } : read
}

/** For one look: what is not answered is not known. */
export async function readValuesOnce(
  venue: VenueView,
  market: Market,
  { summary, balances }: Pick<TaskReads, 'summary' | 'balances'>,
): Promise<Omit<TaskReadings, 'bars'>> {
  const [found, equity] = await Promise.all([
    summary ? readSummary(venue, market.symbol).catch(() => undefined) : undefined,
    balances ? readEquity(venue, market).catch(() => undefined) : undefined,
  ])
  return { ...found, ...defined({ equity }) }
}

async function readSummary(venue: VenueView, symbol: string) {
  const found = await venue.fetchMarketSummary?.(symbol)
  return defined({ mark: numberOf(found?.mark), funding: numberOf(found?.funding?.rate) })
}

/** As sizes of a share of it count it. */
async function readEquity(venue: VenueView, market: Market): Promise<number> {
  return Number(await fundsOnce(venue).equity(market))
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
