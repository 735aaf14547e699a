// Judges a condition: bars and prices go in, and out comes whether it is so. Nothing here knows a clock, a venue or a file. What is remembered
// is numbers, and can be written down between any two bars: after that the judgements are the same bit for bit.
import { CANDLE_MS, type CandleInterval } from '../exchange/market.ts'
import {
  type BooleanNode,
  type Condition,
  calculate,
  type NumberNode,
  type Series,
  type TickValue,
} from './condition.ts'
import { type Bar, INDICATORS } from './indicators.ts'

/** What is known besides bars; NaN, or absent: it is not known. */
export type TickValues = Readonly<Partial<Record<TickValue, number>>>

interface SeriesMemory {
  /** Of its indicator. */
  memory: number[]
  /** The last values, newest first; NaN where there was none yet. */
  values: number[]
}

/** Advanced in place by the functions of an {@link Evaluator}. */
export interface EvaluatorState {
  /** Of each frame of the condition; null: none came. */
  readonly lastBars: (Bar | null)[]
  readonly series: SeriesMemory[]
  /** Of each crossing: left minus right when it was judged last; NaN: not known. */
  readonly differences: number[]
  /** As it was judged last; undefined: not known. */
  was: boolean | undefined
  /** With `for`: since when it has been so, ms since the epoch; undefined: it is not, or is spent. */
  since: number | undefined
}

/**
 * What becomes of a bar. `repeated`: it was taken before, or is older than one that was. `corrected`: the last one came again with other prices.
 * Both change nothing. `gap`: it is taken, and bars before it are missing.
 */
type BarOutcome = 'taken' | 'repeated' | 'corrected' | 'gap'

/** `edge`: it has become so. */
interface Judgement {
  readonly holds: boolean | undefined
  readonly isEdge: boolean
  /** With `for`: when it is to be judged again, ms since the epoch. */
  readonly judgeAgainAt?: number
}

export interface Evaluator {
  readonly condition: Condition
  initial(): EvaluatorState
  /** Takes a closed bar of a frame. Bars of one frame come in their order. */
  take(state: EvaluatorState, frame: CandleInterval, bar: Bar): BarOutcome
  /**
   * Judges what is known. Of a condition of closed bars: once for each bar of its finest frame, after all bars that closed by then.
   * @param forming with `live`: the bar of each frame that has not closed
   */
  judge(
    state: EvaluatorState,
    ticks: TickValues,
    now: number,
    forming?: Readonly<Partial<Record<CandleInterval, Bar>>>,
  ): Judgement
  /** What is judged next begins anew: it is not an edge, and nothing has been so for any time. */
  forget(state: EvaluatorState): void
  /** The values of its series and prices as judged last, for people: `rsi(14, 1h)` → 58.2. */
  values(state: EvaluatorState, ticks: TickValues): ReadonlyMap<string, number>
  /** What it compares, as far as both sides are known: how far it is from being so. */
  comparisons(state: EvaluatorState, ticks: TickValues): readonly Comparison[]
}

export interface Comparison {
  /** `rsi(14, 1h) < 60`. */
  readonly text: string
  readonly left: number
  readonly right: number
}

type Read = (state: EvaluatorState, ticks: TickValues) => number
type Test = (state: EvaluatorState, ticks: TickValues) => boolean | undefined

export function createEvaluator(condition: Condition): Evaluator {
  const { series, frames, crossings, holdMs } = condition
  const depths = series.map(() => 1)
  const crossed: { readonly left: Read; readonly right: Read }[] = []
  const compared: { readonly text: string; readonly left: Read; readonly right: Read }[] = []
  const test = compileTest(condition.root)
  const placesOf = new Map(
    frames.map((frame) => [frame, series.flatMap((each, at) => (each.frame === frame ? [at] : []))]),
  )

  function compileNumber(node: NumberNode): Read {
    switch (node.kind) {
      case 'number':
        return () => node.value
      case 'tick':
        return (_state, ticks) => ticks[node.name] ?? Number.NaN
      case 'series': {
        const { series: at, back } = node
        depths[at] = Math.max(depths[at] ?? 1, back + 1)
        return (state) => state.series[at]?.values[back] ?? Number.NaN
      }
      case 'arithmetic': {
        const [left, right] = [compileNumber(node.left), compileNumber(node.right)]
        return (state, ticks) => calculate(node.operator, left(state, ticks), right(state, ticks))
      }
    }
  }

  function compileTest(node: BooleanNode): Test {
    switch (node.kind) {
      case 'compare': {
        const [left, right] = [compileNumber(node.left), compileNumber(node.right)]
        const compare = COMPARE[node.comparison]
        compared.push({ text: textOf(node, series), left, right })
        return (state, ticks) => {
          const [a, b] = [left(state, ticks), right(state, ticks)]
          // Nothing divided by nothing, and what has too few bars, is not known; an infinite value is none either.
          return Number.isFinite(a) && Number.isFinite(b) ? compare(a, b) : undefined
        }
      }
      case 'crosses': {
        const [left, right] = [compileNumber(node.left), compileNumber(node.right)]
        crossed[node.cross] = { left, right }
        compared.push({ text: textOf(node, series), left, right })
        const { way, cross } = node
        return (state, ticks) => {
          const before = state.differences[cross] ?? Number.NaN
          const now = left(state, ticks) - right(state, ticks)
          if (!Number.isFinite(now)) return undefined
          // NaN is on neither side: of what was not known before, no crossing is seen.
          const above = before <= 0 && now > 0
          const below = before >= 0 && now < 0
          return way === 'above' ? above : way === 'below' ? below : above || below
        }
      }
      case 'not': {
        const of = compileTest(node.of)
        return (state, ticks) => {
          const found = of(state, ticks)
          return found === undefined ? undefined : !found
        }
      }
      case 'and':
      case 'or': {
        const [left, right] = [compileTest(node.left), compileTest(node.right)]
        // What decides alone decides, though the other side is not known.
        const decides = node.kind === 'or'
        return (state, ticks) => {
          const [a, b] = [left(state, ticks), right(state, ticks)]
          if (a === decides || b === decides) return decides
          return a === undefined || b === undefined ? undefined : !decides
        }
      }
    }
  }

  function remember(state: EvaluatorState, ticks: TickValues): void {
    for (let cross = 0; cross < crossings; cross += 1) {
      const sides = crossed[cross]
      if (sides !== undefined) state.differences[cross] = sides.left(state, ticks) - sides.right(state, ticks)
    }
  }

  function conclude(state: EvaluatorState, holds: boolean | undefined, now: number): Judgement {
    const { was } = state
    state.was = holds
    if (holdMs === undefined) return { holds, isEdge: holds === true && was === false }
    // Only what began to be so counts its time.
    if (holds !== true) state.since = undefined
    else if (was === false) state.since = now
    const { since } = state
    if (since === undefined) return { holds, isEdge: false }
    if (now - since < holdMs) return { holds, isEdge: false, judgeAgainAt: since + holdMs }
    state.since = undefined
    return { holds, isEdge: true }
  }

  function advance(state: EvaluatorState, at: number, bar: Bar): void {
    const kept = state.series[at]
    const what = series[at]
    if (kept === undefined || what === undefined) return
    const { values } = kept
    for (let index = values.length - 1; index > 0; index -= 1) values[index] = values[index - 1] as number
    values[0] = nextValue(what, kept.memory, bar)
  }

  /** As if the forming bars closed now; the state stays as it is. */
  function withForming(state: EvaluatorState, forming: Readonly<Partial<Record<CandleInterval, Bar>>>): EvaluatorState {
    const seen = {
      ...state,
      series: state.series.map(({ memory, values }) => ({ memory: [...memory], values: [...values] })),
    }
    for (const frame of frames) {
      const bar = forming[frame]
      if (bar !== undefined) for (const at of placesOf.get(frame) ?? []) advance(seen, at, bar)
    }
    return seen
  }

  return {
    condition,
    initial: () => ({
      lastBars: frames.map(() => null),
      series: series.map((each, at) => ({
        memory: initialOf(each),
        values: new Array<number>(depths[at] ?? 1).fill(Number.NaN),
      })),
      differences: new Array<number>(crossings).fill(Number.NaN),
      was: undefined,
      since: undefined,
    }),
    take(state, frame, bar) {
      const index = frames.indexOf(frame)
      const last = state.lastBars[index] ?? undefined
      if (index === -1 || (last !== undefined && bar.at < last.at)) return 'repeated'
      if (bar.at === last?.at) return hasSamePrices(bar, last) ? 'repeated' : 'corrected'
      state.lastBars[index] = bar
      for (const at of placesOf.get(frame) ?? []) advance(state, at, bar)
      return last !== undefined && bar.at - last.at > CANDLE_MS[frame] ? 'gap' : 'taken'
    },
    judge(state, ticks, now, forming) {
      if (forming === undefined) {
        const holds = test(state, ticks)
        remember(state, ticks)
        return conclude(state, holds, now)
      }
      const seen = withForming(state, forming)
      const holds = test(seen, ticks)
      // Prices that come within one bar cross what the last price was on the other side of.
      remember(seen, ticks)
      return conclude(state, holds, now)
    },
    forget(state) {
      state.was = undefined
      state.since = undefined
      state.differences.fill(Number.NaN)
    },
    values(state, ticks) {
      const named = series.map((each, at) => [nameOf(each), state.series[at]?.values[0] ?? Number.NaN] as const)
      return new Map<string, number>([
        ...named,
        ...condition.ticks.map((name) => [name, ticks[name] ?? Number.NaN] as const),
      ])
    },
    comparisons: (state, ticks) =>
      compared.flatMap(({ text, left, right }) => {
        const sides = { left: left(state, ticks), right: right(state, ticks) }
        return Number.isFinite(sides.left) && Number.isFinite(sides.right) ? [{ text, ...sides }] : []
      }),
  }
}

function hasSamePrices(a: Bar, b: Bar): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close
}

const COMPARE = {
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
} as const

function initialOf({ indicator }: Series): number[] {
  return indicator === undefined ? [] : (INDICATORS.get(indicator.name)?.initial(indicator.params) ?? [])
}

function nextValue({ field, indicator }: Series, memory: number[], bar: Bar): number {
  const x = bar[field]
  if (indicator === undefined) return x
  return INDICATORS.get(indicator.name)?.next(memory, indicator.params, x, bar) ?? Number.NaN
}

/** `ema(50, 1h)`, `highest(high, 20, 4h)`, `close(1h)`. */
function nameOf({ frame, field, indicator }: Series): string {
  if (indicator === undefined) return `${field}(${frame})`
  const source = field === 'close' ? [] : [field]
  return `${indicator.name}(${[...source, ...indicator.params, frame].join(', ')})`
}

/** `rsi(14, 1h) < 60`, `close(1h) crosses above ema(50, 1h)`. */
function textOf(node: Extract<BooleanNode, { kind: 'compare' | 'crosses' }>, series: readonly Series[]): string {
  const way = node.kind === 'crosses' && node.way !== 'either' ? ` ${node.way}` : ''
  const operator = node.kind === 'compare' ? node.comparison : `crosses${way}`
  return `${numberText(node.left, series)} ${operator} ${numberText(node.right, series)}`
}

function numberText(node: NumberNode, series: readonly Series[]): string {
  switch (node.kind) {
    case 'number':
      return String(node.value)
    case 'tick':
      return node.name
    case 'series': {
      const of = series[node.series]
      return `${of === undefined ? '' : nameOf(of)}${node.back === 0 ? '' : `[${node.back}]`}`
    }
    case 'arithmetic':
      return `(${numberText(node.left, series)} ${node.operator} ${numberText(node.right, series)})`
  }
}

// Bars of several frames in the order in which they closed, the coarser first where they closed together.

export interface FramedBar {
  readonly frame: CandleInterval
  readonly bar: Bar
}

export function inOrderOfClose(bars: readonly FramedBar[]): FramedBar[] {
  const closeOf = ({ frame, bar }: FramedBar) => bar.at + CANDLE_MS[frame]
  return [...bars].sort((a, b) => closeOf(a) - closeOf(b) || CANDLE_MS[b.frame] - CANDLE_MS[a.frame])
}

// A state as JSON, which has no NaN.

export function stateToJson(state: EvaluatorState): unknown {
  return JSON.parse(JSON.stringify(state))
}

/** @returns undefined: it is none of this condition */
export function stateFromJson(evaluator: Evaluator, json: unknown): EvaluatorState | undefined {
  const fresh = evaluator.initial()
  const kept = json as { readonly [Key in keyof EvaluatorState]?: unknown } | null
  if (typeof kept !== 'object' || kept === null || !Array.isArray(kept.series)) return undefined
  const lastBars = barsOf(kept.lastBars, fresh.lastBars.length)
  const differences = numbersOf(kept.differences, fresh.differences.length)
  const series = fresh.series.map(({ memory, values }, at) => {
    const each = kept.series as readonly ({ readonly memory?: unknown; readonly values?: unknown } | null)[]
    return {
      memory: numbersOf(each[at]?.memory, memory.length),
      values: numbersOf(each[at]?.values, values.length),
    }
  })
  const isSound = series.length === kept.series.length && series.every(({ memory, values }) => memory && values)
  if (lastBars === undefined || differences === undefined || !isSound) return undefined
  return {
    lastBars,
    differences,
    series: series as SeriesMemory[],
    was: typeof kept.was === 'boolean' ? kept.was : undefined,
    since: typeof kept.since === 'number' ? kept.since : undefined,
  }
}

function barsOf(json: unknown, length: number): (Bar | null)[] | undefined {
  if (!Array.isArray(json) || json.length !== length) return undefined
  const bars = json.map((each: Partial<Bar> | null) => {
    if (each === null) return null
    const { at = Number.NaN, open = Number.NaN, high = Number.NaN, low = Number.NaN, close = Number.NaN } = each
    return { at, open, high, low, close, volume: each.volume ?? Number.NaN }
  })
  return bars.every((bar) => bar === null || Number.isFinite(bar.at)) ? bars : undefined
}

function numbersOf(json: unknown, length: number): number[] | undefined {
  if (!Array.isArray(json) || json.length !== length) return undefined
  return json.map((each) => (typeof each === 'number' ? each : Number.NaN))
}
