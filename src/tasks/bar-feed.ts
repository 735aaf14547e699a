// Bars of an account's symbols, and its mark price, funding and equity, for whatever judges conditions: one feed of each, shared by all that use
// it. Bars are read again a moment after each has closed, until the venue has them. A venue that does not answer is asked less and less often.
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import { CANDLE_MS, type Candle, type CandleInterval, type Market } from '../exchange/market.ts'
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

export interface BarFeedPorts {
  readonly account: TradingAccount
  readonly clock: Clock
  readonly wakes: TaskWakes
  /** Called once for what cannot be read, until it can be again. */
  readonly problem: (error: unknown) => void
}

/** After the close, by our clock. */
const AFTER_CLOSE_MS = 150
const ASK_AGAIN_MS = 1_000
const VALUES_EVERY_MS = 5_000
const LONGEST_WAIT_MS = 15_000
/** A bar that has not come by then fires nothing any more. */
const URGENT_MS = 30_000
/** Bars that are asked for again each time: what came late or was corrected is seen. */
const OVERLAP = 3
/** Of one question. */
const MOST_BARS = 1_000
/** A question that failed is mostly answered the second time. */
const REPORTED_FAILURE = 2

/** One question that is asked again and again, for all that use its answer. */
abstract class Source<T> {
  readonly #users = new Map<object, () => void>()
  readonly #ports: BarFeedPorts
  #reading: Promise<void> | undefined
  #failures = 0
  #isClosed = false
  value: T | undefined

  constructor(ports: BarFeedPorts) {
    this.#ports = ports
  }

  get isUsed(): boolean {
    return this.#users.size > 0
  }

  /** Resolves when what this user needs was asked for once. @param isEnough of what is there, or is being read */
  async join(user: object, changed: () => void, isEnough: () => boolean): Promise<void> {
    this.#users.set(user, changed)
    await this.#reading
    if (!isEnough()) await this.#read()
  }

  leave(user: object): void {
    this.#users.delete(user)
    if (!this.isUsed) this.close()
  }

  close(): void {
    this.#isClosed = true
    this.#users.clear()
    this.#ports.wakes.set(this, undefined, () => {})
  }

  /** @returns undefined: nothing came @throws what keeps it from being read */
  protected abstract ask(now: number): Promise<T | undefined>
  /** When it is asked for next, after an answer. */
  protected abstract dueAfter(now: number): number
  /** Without an answer what was known is not known any more. */
  protected abstract readonly fades: boolean

  #read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNow(): Promise<void> {
    const { clock, problem, wakes } = this.#ports
    const now = clock.now()
    let next: number
    try {
      const value = await this.ask(now)
      if (this.#isClosed) return
      this.#failures = 0
      if (value !== undefined || this.fades) this.value = value
      next = this.dueAfter(now)
      if (value !== undefined || this.fades) for (const changed of [...this.#users.values()]) changed()
    } catch (error) {
      if (this.#isClosed) return
      this.#failures += 1
      if (this.#failures === REPORTED_FAILURE) problem(error)
      next = clock.now() + Math.min(ASK_AGAIN_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS)
      if (this.fades && this.value !== undefined) {
        this.value = undefined
        for (const changed of [...this.#users.values()]) changed()
      }
    }
    wakes.set(this, next, () => void this.#read(), now)
  }
}

class BarSource extends Source<ReadBars> {
  readonly #ports: BarFeedPorts
  readonly #symbol: string
  readonly #frame: CandleInterval
  /** How many bars each user needs, and whether it wants the forming one each second. */
  readonly needs = new Map<object, { readonly count: number; readonly isLive: boolean }>()
  protected readonly fades = false
  /** The most bars that were asked for at once: a venue may have fewer. */
  #wholeFor = 0

  constructor(ports: BarFeedPorts, symbol: string, frame: CandleInterval) {
    super(ports)
    this.#ports = ports
    this.#symbol = symbol
    this.#frame = frame
  }

  override leave(user: object): void {
    this.needs.delete(user)
    super.leave(user)
  }

  has(count: number): boolean {
    const { askedAt = 0 } = this.value ?? {}
    const isCurrent = this.#ports.clock.now() - askedAt < CANDLE_MS[this.#frame] + AFTER_CLOSE_MS
    return isCurrent && count <= this.#wholeFor
  }

  protected async ask(now: number): Promise<ReadBars | undefined> {
    const frameMs = CANDLE_MS[this.#frame]
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
    if (isWhole) this.#wholeFor = need
    const before = known.filter(({ at }) => at < first.at)
    return { bars: [...before, ...read].slice(-(need + 1 + OVERLAP)), askedAt: now }
  }

  protected dueAfter(now: number): number {
    const frameMs = CANDLE_MS[this.#frame]
    const closedAt = Math.floor(now / frameMs) * frameMs
    const next = closedAt + frameMs + AFTER_CLOSE_MS
    const isLive = [...this.needs.values()].some((need) => need.isLive)
    const isCurrent = this.value?.bars.some(({ at }) => at + frameMs === closedAt || at === closedAt) === true
    if (isLive) return Math.min(next, now + ASK_AGAIN_MS)
    if (isCurrent) return next
    return Math.min(next, now + (now - closedAt < URGENT_MS ? ASK_AGAIN_MS : LONGEST_WAIT_MS))
  }
}

/** Values that are asked for every few seconds. */
class ValueSource<T> extends Source<T> {
  protected readonly ask: () => Promise<T>
  protected readonly fades = true

  constructor(ports: BarFeedPorts, ask: () => Promise<T>) {
    super(ports)
    this.ask = ask
  }

  protected dueAfter(now: number): number {
    return now + VALUES_EVERY_MS
  }
}

/** All feeds of one account, as it is connected now. */
export class BarFeeds {
  readonly #ports: BarFeedPorts
  readonly #sources = new Map<string, Source<unknown>>()

  constructor(ports: BarFeedPorts) {
    this.#ports = ports
  }

  /** Resolves when all has been asked for once. @param changed called whenever something of it was read */
  async watch(market: Market, reads: TaskReads, changed: () => void): Promise<ReadingsWatch> {
    const user = {}
    const { symbol } = market
    const { account } = this.#ports
    let isReady = false
    const notify = () => {
      if (isReady) changed()
    }
    const frames = Object.keys(reads.bars) as CandleInterval[]
    const bars = frames.map((frame) => {
      const source = this.#source(`${frame} ${symbol}`, () => new BarSource(this.#ports, symbol, frame))
      const count = reads.bars[frame] ?? 1
      source.needs.set(user, { count, isLive: reads.isLive })
      return { frame, source, joined: source.join(user, notify, () => source.has(count)) }
    })
    const summary = reads.summary
      ? this.#source(`summary ${symbol}`, () => new ValueSource(this.#ports, () => readSummary(account.venue, symbol)))
      : undefined
    const equity = reads.balances
      ? this.#source(
          `equity ${market.settle ?? market.quote}`,
          () => new ValueSource(this.#ports, () => readEquity(account.venue, market)),
        )
      : undefined
    await Promise.all([
      ...bars.map(({ joined }) => joined),
      summary?.join(user, notify, () => summary.value !== undefined),
      equity?.join(user, notify, () => equity.value !== undefined),
    ])
    isReady = true
    return {
      readings: () => ({
        bars: Object.fromEntries(bars.flatMap(({ frame, source }) => (source.value ? [[frame, source.value]] : []))),
        ...summary?.value,
        ...defined({ equity: equity?.value }),
      }),
      end: () => {
        for (const source of [...bars.map((each) => each.source), summary, equity]) source?.leave(user)
        for (const [key, source] of this.#sources) if (!source.isUsed) this.#sources.delete(key)
      },
    }
  }

  close(): void {
    for (const source of this.#sources.values()) source.close()
    this.#sources.clear()
  }

  #source<S extends Source<unknown>>(key: string, create: () => S): S {
    const known = this.#sources.get(key) as S | undefined
    if (known !== undefined) return known
    const source = create()
    this.#sources.set(key, source)
    return source
  }
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
