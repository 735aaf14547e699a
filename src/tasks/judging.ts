// Judges a condition by what feeds know now: which of its bars have closed, in their order, and what of that is an edge that may still be acted
// on. A bar that is found late, or came while no one judged, is an edge that is lost: it is reported, and acted on never.
import { defined } from '../base/defined.ts'
import { remembering } from '../base/remembering.ts'
import { CANDLE_MS, type CandleInterval, type Market, type MarketKind } from '../exchange/market.ts'
import type { Position } from '../exchange/order.ts'
import { showAmount } from '../trading/figures.ts'
import { unrealizedPnlAt } from '../trading/portfolio.ts'
import { type Condition, parseCondition, type TickValue } from '../triggers/condition.ts'
import {
  type Comparison,
  createEvaluator,
  type Evaluator,
  type EvaluatorState,
  type FramedBar,
  inOrderOfClose,
  type TickValues,
} from '../triggers/evaluator.ts'
import { type Bar, barOf } from '../triggers/indicators.ts'
import type { TaskReads } from './bar-feed.ts'
import type { TaskFacts } from './task-kind.ts'

/** What closed longer ago is reported, and runs nothing. */
const LATE_MS = 30_000
/** How long a bar waits for those of coarser frames that closed with it. */
const COARSER_WITHIN_MS = 20_000

/** What is known at this moment; `market` may be absent where neither price nor position is judged. */
export interface JudgedFacts extends Pick<TaskFacts, 'now' | 'ticker' | 'position' | 'isPositionKnown' | 'readings'> {
  readonly market?: Pick<Market, 'kind'>
}

/** @throws {LanguageError} */
export const evaluatorOf = remembering(
  (condition): Evaluator => createEvaluator(parseCondition([{ text: condition, column: 1 }])),
  500,
)

export function readsOf({ reads, ticks, isLive }: Condition): TaskReads {
  return {
    bars: reads,
    summary: ticks.includes('mark') || ticks.includes('funding'),
    balances: ticks.includes('equity'),
    isLive,
  }
}

interface Judged {
  /** When it became true, where that is now; ms since the epoch. */
  readonly edgeAt: number | undefined
  /** When it became true and may not be acted on any more; `lines` has them too. */
  readonly missed: readonly number[]
  readonly lines: readonly string[]
  readonly judgeAgainAt?: number
}

interface JudgedBefore {
  /** What became true before is missed, and reported. */
  readonly isResumed: boolean
  /** Until when it was judged, where `memory` does not have that, ms since the epoch. */
  readonly until?: number
}

/** @param memory advanced in place */
export function judgeAll(
  evaluator: Evaluator,
  memory: EvaluatorState,
  facts: JudgedFacts,
  before: JudgedBefore,
): Judged {
  const { condition } = evaluator
  if (condition.frames.length > 0 && !condition.isLive) return judgeBars(evaluator, memory, facts, before)
  const lines: string[] = []
  let forming: Partial<Record<CandleInterval, Bar>> | undefined
  if (condition.frames.length > 0) {
    for (const { frame, bar } of closedBars(condition, memory, facts)) evaluator.take(memory, frame, bar)
    forming = formingBars(condition, facts)
  }
  const ticks = ticksOf(facts)
  if (before.isResumed || !isKnown(condition, ticks) || (forming !== undefined && hasMissing(condition, forming))) {
    evaluator.forget(memory)
    if (!isKnown(condition, ticks)) return { edgeAt: undefined, missed: [], lines }
  }
  const { isEdge, judgeAgainAt } = evaluator.judge(memory, ticks, facts.now, forming)
  return { edgeAt: isEdge ? facts.now : undefined, missed: [], lines, ...defined({ judgeAgainAt }) }
}

function judgeBars(
  evaluator: Evaluator,
  memory: EvaluatorState,
  facts: JudgedFacts,
  { isResumed, until }: JudgedBefore,
): Judged {
  const { condition } = evaluator
  const [finest] = condition.frames
  const isFirst = memory.lastBars.every((bar) => bar === null)
  const lines: string[] = []
  const edges: number[] = []
  const ticks = ticksOf(facts)
  for (const { frame, bar } of closedBars(condition, memory, facts)) {
    const closedAt = bar.at + CANDLE_MS[frame]
    if (frame === finest && !hasCoarser(condition, memory, closedAt, facts.now)) break
    const outcome = evaluator.take(memory, frame, bar)
    if (outcome === 'corrected')
      lines.push(`the bar of ${clockOf(bar.at)} (${frame}) was corrected after it was judged`)
    if (outcome === 'gap') {
      evaluator.forget(memory)
      lines.push(`bars of ${frame} are missing before ${clockOf(bar.at)}`)
    }
    const isJudged = frame === finest && (outcome === 'taken' || outcome === 'gap')
    if (isJudged && evaluator.judge(memory, ticks, facts.now).isEdge) edges.push(closedAt)
  }
  // What was so before the first judgement was not missed.
  if (isFirst && until === undefined) return { edgeAt: undefined, missed: [], lines }
  const fresh = isFirst ? edges.filter((closedAt) => closedAt > (until ?? 0)) : edges
  const isOnTime = (closedAt: number) => !isResumed && facts.now - closedAt <= LATE_MS
  const missed = fresh.filter((closedAt) => !isOnTime(closedAt))
  return { edgeAt: fresh.findLast(isOnTime), missed, lines: [...lines, ...missedLines(missed)] }
}

function missedLines([first, ...more]: readonly number[]): readonly string[] {
  if (first === undefined) return []
  const others = more.length > 0 ? ` and ${more.length === 1 ? 'once' : `${more.length} times`} more` : ''
  return [`the condition became true at ${clockOf(first)}${others}, while it was not checked: missed`]
}

/** From the last that was taken on: that one may have been corrected. */
function closedBars({ frames }: Condition, { lastBars }: EvaluatorState, { readings }: JudgedFacts): FramedBar[] {
  const bars = frames.flatMap((frame, index) => {
    const { bars: read = [], askedAt = 0 } = readings?.bars[frame] ?? {}
    const from = lastBars[index]?.at ?? Number.NEGATIVE_INFINITY
    const found: FramedBar[] = []
    for (let at = read.length - 1; at >= 0; at -= 1) {
      const candle = read[at]
      if (candle === undefined || candle.at < from) break
      if (candle.at + CANDLE_MS[frame] <= askedAt) found.push({ frame, bar: barOf(candle) })
    }
    return found.reverse()
  })
  return frames.length === 1 ? bars : inOrderOfClose(bars)
}

/** Whether all coarser bars that have closed by then have come. */
function hasCoarser({ frames }: Condition, memory: EvaluatorState, closedAt: number, now: number): boolean {
  if (now - closedAt > COARSER_WITHIN_MS) return true
  return frames.slice(1).every((frame, index) => {
    const last = memory.lastBars[index + 1]
    return last !== null && last !== undefined && last.at + 2 * CANDLE_MS[frame] > closedAt
  })
}

function formingBars(
  { frames }: Condition,
  { readings, ticker, now }: JudgedFacts,
): Partial<Record<CandleInterval, Bar>> {
  const forming: Partial<Record<CandleInterval, Bar>> = {}
  if (ticker === undefined) return forming
  const last = Number(ticker.last)
  for (const frame of frames) {
    const at = Math.floor(now / CANDLE_MS[frame]) * CANDLE_MS[frame]
    const candle = readings?.bars[frame]?.bars.findLast((each) => each.at === at)
    const bar = candle === undefined ? { at, open: last, high: last, low: last, volume: 0 } : barOf(candle)
    forming[frame] = { ...bar, close: last, high: Math.max(bar.high, last), low: Math.min(bar.low, last) }
  }
  return forming
}

function hasMissing({ frames }: Condition, forming: Partial<Record<CandleInterval, Bar>>): boolean {
  return frames.some((frame) => forming[frame] === undefined)
}

/** Nothing that may be stale is in it. */
export function ticksOf({ market, ticker, position, isPositionKnown, readings }: JudgedFacts): TickValues {
  const sign = position?.side === 'short' ? -1 : 1
  const own = {
    position: sign * Number(position?.amount ?? 0),
    pnl: position ? pnlOf(position, market?.kind ?? 'linear', ticker) : 0,
  }
  return {
    ...(ticker === undefined ? {} : { last: Number(ticker.last), bid: Number(ticker.bid), ask: Number(ticker.ask) }),
    ...(isPositionKnown ? own : {}),
    ...defined({ mark: readings?.mark, funding: readings?.funding, equity: readings?.equity }),
  }
}

function pnlOf(position: Position, kind: MarketKind, ticker: JudgedFacts['ticker']): number {
  // As of when it was read, where no price of now is known.
  const pnl = ticker === undefined ? position.unrealizedPnl : unrealizedPnlAt(ticker.last, position, kind)
  return pnl === undefined ? Number.NaN : Number(pnl)
}

function isKnown({ ticks }: Condition, values: TickValues): boolean {
  return ticks.every((name: TickValue) => values[name] !== undefined)
}

/** The close of the bar that was judged, or the last price. */
export function priceAt(
  { frames, isLive }: Condition,
  at: number,
  { readings, ticker }: JudgedFacts,
): string | undefined {
  const [finest] = frames
  if (finest === undefined || isLive) return ticker?.last
  return readings?.bars[finest]?.bars.findLast((bar) => bar.at + CANDLE_MS[finest] === at)?.close
}

/** What of a condition is known now. */
export interface ConditionSight {
  /** As judged last, by `rsi(14, 1h)`; null: not known. */
  readonly values: Readonly<Record<string, number | null>>
  /** Those of which both sides are known. */
  readonly comparisons: Comparison[]
  /** As judged last; absent: not known. */
  readonly holds?: boolean
  /** When the bar closed that was judged last, ms since the epoch. */
  readonly judgedAt?: number
}

export function sightOf(evaluator: Evaluator, memory: EvaluatorState, ticks: TickValues): ConditionSight {
  const values = [...evaluator.values(memory, ticks)].map(
    ([name, value]) => [name, Number.isFinite(value) ? value : null] as const,
  )
  const [bar] = memory.lastBars
  const [finest] = evaluator.condition.frames
  return {
    values: Object.fromEntries(values),
    comparisons: [...evaluator.comparisons(memory, ticks)],
    ...defined({ holds: memory.was, judgedAt: bar && finest ? bar.at + CANDLE_MS[finest] : undefined }),
  }
}

/** One look, without a memory. */
export function lookNow(condition: string, facts: JudgedFacts): ConditionSight {
  const evaluator = evaluatorOf(condition)
  const memory = evaluator.initial()
  judgeAll(evaluator, memory, facts, { isResumed: false })
  return sightOf(evaluator, memory, ticksOf(facts))
}

/** `14:00:05 UTC`, as all times of reports. */
export function clockOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function figure(value: number): string {
  return Number.isFinite(value) ? showAmount(value.toPrecision(8)) : 'unknown'
}
