// Bars of one symbol for a task that judges them: read again a moment after each has closed, until the venue has it. A venue that does not answer
// is asked again; what is missing meanwhile is read then.
import { defined } from '../base/defined.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../exchange/market.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'

/** What a kind judges besides the price. */
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

/** After the close, by our clock. */
const AFTER_CLOSE_MS = 150
const ASK_AGAIN_MS = 1_000
const VALUES_EVERY_MS = 5_000
const LONGEST_WAIT_MS = 15_000
/** Bars that are asked for again each time: what came late or was corrected is seen. */
const OVERLAP = 3

export class BarFeed {
  readonly #account: TradingAccount
  readonly #symbol: string
  readonly #reads: TaskReads
  readonly #clock: Clock
  readonly #closing = new AbortController()
  readonly #bars: Partial<Record<CandleInterval, ReadBars>> = {}
  readonly #due = new Map<CandleInterval, number>()
  #values: Omit<TaskReadings, 'bars'> = {}
  #valuesDue = 0

  constructor(account: TradingAccount, symbol: string, reads: TaskReads, clock: Clock) {
    this.#account = account
    this.#symbol = symbol
    this.#reads = reads
    this.#clock = clock
  }

  get readings(): TaskReadings {
    return { bars: { ...this.#bars }, ...this.#values }
  }

  /** Resolves when all has been asked for once. @param changed called whenever something was read */
  async start(changed: () => void): Promise<void> {
    await this.#readDue()
    void this.#goOn(changed)
  }

  end(): void {
    this.#closing.abort()
  }

  async #goOn(changed: () => void): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const now = this.#clock.now()
      const next = Math.min(...this.#due.values(), this.#needsValues ? this.#valuesDue : Number.POSITIVE_INFINITY)
      // In parts: a machine that slept has another time than its timers.
      await this.#clock.delay(Math.min(Math.max(next - now, 20), LONGEST_WAIT_MS), signal)
      if (signal.aborted || this.#clock.now() < next) continue
      if (await this.#readDue()) changed()
    }
  }

  get #needsValues(): boolean {
    return this.#reads.summary || this.#reads.balances
  }

  /** @returns whether anything was read */
  async #readDue(): Promise<boolean> {
    const now = this.#clock.now()
    const frames = (Object.keys(this.#reads.bars) as CandleInterval[]).filter(
      (frame) => (this.#due.get(frame) ?? 0) <= now,
    )
    const reading = frames.map((frame) => this.#readBars(frame, now))
    if (this.#needsValues && this.#valuesDue <= now) reading.push(this.#readValues(now))
    return (await Promise.all(reading)).includes(true)
  }

  async #readBars(frame: CandleInterval, now: number): Promise<boolean> {
    const frameMs = CANDLE_MS[frame]
    const last = this.#bars[frame]?.bars.at(-1)?.at
    const missing = last === undefined ? (this.#reads.bars[frame] ?? 1) + 1 : Math.ceil((now - last) / frameMs)
    // What cannot be read comes as no bar, and is asked for again.
    const bars = await this.#account.venue
      .fetchCandles?.(this.#symbol, frame, Math.min(1_000, missing + OVERLAP))
      .catch(() => undefined)
    const closedAt = Math.floor(now / frameMs) * frameMs
    const isCurrent = bars?.some(({ at }) => at + frameMs === closedAt || at === closedAt) === true
    const next = closedAt + frameMs + AFTER_CLOSE_MS
    this.#due.set(frame, this.#reads.isLive || !isCurrent ? Math.min(next, now + ASK_AGAIN_MS) : next)
    if (bars === undefined || bars.length === 0) return false
    this.#bars[frame] = { bars, askedAt: now }
    return true
  }

  async #readValues(now: number): Promise<boolean> {
    const { venue } = this.#account
    const { summary, balances } = this.#reads
    this.#valuesDue = now + VALUES_EVERY_MS
    const [found, equity] = await Promise.all([
      summary ? venue.fetchMarketSummary?.(this.#symbol).catch(() => undefined) : undefined,
      balances ? this.#equity().catch(() => undefined) : undefined,
    ])
    // What was not answered is not known any more.
    this.#values = defined({
      mark: numberOf(found?.mark),
      funding: numberOf(found?.funding?.rate),
      equity,
    })
    return true
  }

  /** In the currency in which the market settles: its balance, which has the profit of open positions in it. */
  async #equity(): Promise<number | undefined> {
    const { venue } = this.#account
    const [balances, markets] = await Promise.all([venue.fetchBalances(), venue.loadMarkets()])
    const settle = markets.find(({ symbol }) => symbol === this.#symbol)?.settle
    const balance = balances.find(({ currency }) => currency === settle)
    return numberOf(balance?.total)
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
