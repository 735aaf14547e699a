// When a trigger fires, candle by candle. Each decision is made of what was known by then: candles come one after another, and nothing here sees
// the next one.
import { CANDLE_MS, type CandleInterval } from '../exchange/market.ts'
import type { Condition } from '../triggers/condition.ts'
import { createEvaluator, type Evaluator, type TickValues } from '../triggers/evaluator.ts'
import type { Bar } from '../triggers/indicators.ts'
import { nextTime, type Schedule } from '../triggers/schedule.ts'
import type { Trigger } from '../triggers/trigger.ts'

export interface Decisions {
  /** Whether prices and the account are judged, not only closed bars. */
  readonly judgesPrices: boolean
  /** Edges that nothing was fired for: their bar closed within a gap. */
  readonly lost: number
  /** A candle begins. @returns whether the trigger fires at its open */
  opens(bar: Bar, ticks: () => TickValues): boolean
  /** A candle has closed. @returns whether the trigger fires at its close */
  closes(bar: Bar, ticks: () => TickValues): boolean
}

/** @param frame of the candles, which divides each frame of the condition */
export function decide(trigger: Trigger, frame: CandleInterval): Decisions {
  if (trigger.kind === 'schedule') return new ScheduleDecisions(trigger, CANDLE_MS[frame])
  const evaluator = createEvaluator(trigger.condition)
  const { frames, isLive } = trigger.condition
  return frames.length > 0 && !isLive ? new BarDecisions(evaluator, frame) : new PriceDecisions(evaluator, frame)
}

/** A bar of a longer frame, made of candles. */
interface Forming {
  readonly frame: CandleInterval
  readonly ms: number
  at: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  /** Its first candle was there: a bar that begins before the candles do is none. */
  isWhole: boolean
}

class FormingBars {
  /** The longest first: that of a coarser frame closes before a finer one that ends with it. */
  readonly all: readonly Forming[]
  readonly #stepMs: number

  constructor({ frames }: Condition, frame: CandleInterval) {
    this.#stepMs = CANDLE_MS[frame]
    this.all = [...frames].reverse().map((each) => ({
      frame: each,
      ms: CANDLE_MS[each],
      at: Number.NaN,
      open: 0,
      high: 0,
      low: 0,
      close: 0,
      volume: 0,
      isWhole: false,
    }))
  }

  begin(forming: Forming, { at, open }: Bar): void {
    forming.at = Math.floor(at / forming.ms) * forming.ms
    forming.isWhole = forming.at === at
    forming.open = open
    forming.high = open
    forming.low = open
    forming.close = open
    forming.volume = 0
  }

  /** @returns whether it closes with the candle */
  add(forming: Forming, bar: Bar): boolean {
    if (bar.high > forming.high) forming.high = bar.high
    if (bar.low < forming.low) forming.low = bar.low
    forming.close = bar.close
    forming.volume += bar.volume
    return bar.at + this.#stepMs === forming.at + forming.ms
  }

  /** Whether the candle is of a later bar. */
  isOver({ at, ms }: Forming, bar: Bar): boolean {
    return !(bar.at < at + ms)
  }
}

function barOf({ at, open, high, low, close, volume }: Forming): Bar {
  return { at, open, high, low, close, volume }
}

/** Of closed bars: once for each bar of the finest frame. */
class BarDecisions implements Decisions {
  readonly judgesPrices: boolean
  lost = 0
  readonly #evaluator: Evaluator
  readonly #state
  readonly #forming: FormingBars

  constructor(evaluator: Evaluator, frame: CandleInterval) {
    this.judgesPrices = evaluator.condition.ticks.length > 0
    this.#evaluator = evaluator
    this.#state = evaluator.initial()
    this.#forming = new FormingBars(evaluator.condition, frame)
  }

  opens(bar: Bar, ticks: () => TickValues): boolean {
    for (const forming of this.#forming.all) {
      if (!this.#forming.isOver(forming, bar)) continue
      // Its last candles are missing.
      if (forming.isWhole && this.#close(forming, ticks)) this.lost += 1
      this.#forming.begin(forming, bar)
    }
    return false
  }

  closes(bar: Bar, ticks: () => TickValues): boolean {
    let isEdge = false
    for (const forming of this.#forming.all) {
      if (this.#forming.add(forming, bar) && forming.isWhole && this.#close(forming, ticks)) isEdge = true
    }
    return isEdge
  }

  /** @returns whether it has become so with it */
  #close(forming: Forming, ticks: () => TickValues): boolean {
    const outcome = this.#evaluator.take(this.#state, forming.frame, barOf(forming))
    // A bar is closed once: behind a gap its next candle begins another.
    forming.isWhole = false
    if (outcome === 'gap') this.#evaluator.forget(this.#state)
    if (forming.frame !== this.#evaluator.condition.frames[0]) return false
    const values = this.judgesPrices ? ticks() : NO_TICKS
    return this.#evaluator.judge(this.#state, values, forming.at + forming.ms).isEdge
  }
}

const NO_TICKS: TickValues = {}

/** Of prices, and of bars that form: at the open and the close of each candle. */
class PriceDecisions implements Decisions {
  readonly judgesPrices = true
  readonly lost = 0
  readonly #evaluator: Evaluator
  readonly #state
  readonly #forming: FormingBars
  readonly #stepMs: number

  constructor(evaluator: Evaluator, frame: CandleInterval) {
    this.#evaluator = evaluator
    this.#state = evaluator.initial()
    this.#forming = new FormingBars(evaluator.condition, frame)
    this.#stepMs = CANDLE_MS[frame]
  }

  opens(bar: Bar, ticks: () => TickValues): boolean {
    for (const forming of this.#forming.all) {
      if (!this.#forming.isOver(forming, bar)) continue
      if (forming.isWhole) this.#take(forming)
      this.#forming.begin(forming, bar)
    }
    return this.#judge(bar.at, ticks)
  }

  closes(bar: Bar, ticks: () => TickValues): boolean {
    const closed = this.#forming.all.filter((forming) => this.#forming.add(forming, bar))
    const isEdge = this.#judge(bar.at + this.#stepMs, ticks)
    for (const forming of closed) if (forming.isWhole) this.#take(forming)
    return isEdge
  }

  #take(forming: Forming): void {
    const outcome = this.#evaluator.take(this.#state, forming.frame, barOf(forming))
    forming.isWhole = false
    if (outcome === 'gap') this.#evaluator.forget(this.#state)
  }

  #judge(now: number, ticks: () => TickValues): boolean {
    if (this.#forming.all.length === 0) return this.#evaluator.judge(this.#state, ticks(), now).isEdge
    const forming = Object.fromEntries(this.#forming.all.map((each) => [each.frame, barOf(each)]))
    return this.#evaluator.judge(this.#state, ticks(), now, forming).isEdge
  }
}

/** At the first candle that begins at its time, or less than one candle later, or as late as it may be. */
class ScheduleDecisions implements Decisions {
  readonly judgesPrices = false
  /** Times within a gap. */
  lost = 0
  readonly #schedule: Schedule
  readonly #withinMs: number
  #next: number | undefined
  #hasBegun = false

  constructor({ schedule, lateMs = 0 }: Extract<Trigger, { kind: 'schedule' }>, stepMs: number) {
    this.#schedule = schedule
    this.#withinMs = Math.max(stepMs, lateMs + 1)
  }

  opens({ at }: Bar): boolean {
    if (!this.#hasBegun) this.#next = nextTime(this.#schedule, at - 1)
    this.#hasBegun = true
    let isDue = false
    while (this.#next !== undefined && this.#next <= at) {
      if (at - this.#next < this.#withinMs) isDue = true
      else this.lost += 1
      this.#next = this.#schedule.kind === 'once' ? undefined : nextTime(this.#schedule, this.#next)
    }
    return isDue
  }

  closes(): boolean {
    return false
  }
}
