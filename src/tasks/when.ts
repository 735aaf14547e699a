// `when`: runs a line, or only reports, when a condition becomes true. It places no order itself: the line is a run of its own, with every limit
// of one that is typed. What is judged last is on the disk before the line runs, so that no bar is judged twice, and none late.
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { CANDLE_MS, type Candle, type CandleInterval, type MarketKind } from '../exchange/market.ts'
import type { Position } from '../exchange/order.ts'
import { unrealizedPnlAt } from '../trading/portfolio.ts'
import { type Condition, parseCondition, type TickValue } from '../triggers/condition.ts'
import {
  createEvaluator,
  type Evaluator,
  type EvaluatorState,
  type FramedBar,
  inOrderOfClose,
  stateFromJson,
  stateToJson,
  type TickValues,
} from '../triggers/evaluator.ts'
import type { Bar } from '../triggers/indicators.ts'
import type { TaskReads } from './bar-feed.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskSight, TaskStep } from './task-kind.ts'

const whenParams = z.object({
  condition: z.string().check(z.maxLength(2_000)),
  /** Absent: it only reports. */
  line: z.exactOptional(z.string().check(z.maxLength(8_192))),
  /** What the operator wants to be reminded of. */
  words: z.exactOptional(z.string()),
  /** Again and again; absent: once. */
  each: z.exactOptional(z.literal(true)),
})
export type WhenParams = z.output<typeof whenParams>

const whenState = z.object({
  /** Of the evaluator; null: nothing was judged yet. */
  judged: z.unknown(),
  /** When the line that runs was begun, ms since the epoch; null: none runs. */
  firedAt: z.nullable(z.number()),
  fires: z.number(),
})
type WhenState = z.output<typeof whenState>

/** What closed longer ago is reported, and runs nothing. */
const LATE_MS = 30_000
/** How long a bar waits for those of coarser frames that closed with it. */
const COARSER_WITHIN_MS = 20_000

export const when: TaskKind<WhenParams, WhenState> = {
  name: 'when',
  params: whenParams,
  state: whenState,
  // It goes on under a halt and after a restart; its line is stopped by whatever stops a line.
  effect: () => 'protects',
  sendsNothing: true,
  endsAt: () => undefined,
  amount: () => undefined,
  initial: () => ({ judged: null, firedAt: null, fires: 0 }),
  reads: ({ condition }) => readsOf(evaluatorOf(condition).condition),
  reduce,
  see,
  keepsWhilePaused: [],
}

const evaluators = new Map<string, Evaluator>()
const MAX_EVALUATORS = 500

/** @throws {LanguageError} */
export function evaluatorOf(condition: string): Evaluator {
  const known = evaluators.get(condition)
  if (known !== undefined) return known
  const evaluator = createEvaluator(parseCondition([{ text: condition, column: 1 }]))
  if (evaluators.size >= MAX_EVALUATORS) evaluators.clear()
  evaluators.set(condition, evaluator)
  return evaluator
}

export function readsOf({ reads, ticks, isLive }: Condition): TaskReads {
  return {
    bars: reads,
    summary: ticks.includes('mark') || ticks.includes('funding'),
    balances: ticks.includes('equity'),
    isLive,
  }
}

function reduce(params: WhenParams, state: WhenState, event: TaskEvent, facts: TaskFacts): TaskStep<WhenState> {
  if (event.type === 'ran') return afterRun(params, state, event)
  const evaluator = evaluatorOf(params.condition)
  const memory = stateFromJson(evaluator, state.judged) ?? evaluator.initial()
  const isResumed = event.type === 'begun' || event.type === 'resumed'
  const effects: TaskEffect[] = []
  const isOrphaned = event.type === 'resumed' && state.firedAt !== null && facts.isLineRunning !== true
  if (isOrphaned && state.firedAt !== null) {
    const text = lostTrackLine(state.firedAt)
    if (params.each !== true) return { state, effects: [{ type: 'end', status: 'failed', reason: text }] }
    effects.push({ type: 'line', level: 'warn', text })
  }
  const firedAt = isOrphaned ? null : state.firedAt
  const judged = judgeAll(evaluator, memory, facts, isResumed)
  effects.push(...judged.lines.map((text) => ({ type: 'line', level: 'warn', text }) as const))
  const next = withJudged({ ...state, firedAt }, memory)
  if (judged.judgeAgainAt !== undefined) effects.push({ type: 'wake', at: judged.judgeAgainAt })
  if (judged.edgeAt === undefined) return { state: next, effects }
  if (firedAt !== null) {
    const text = `the condition became true at ${clockOf(judged.edgeAt)}, while its line ran: missed`
    return { state: next, effects: [...effects, { type: 'line', level: 'warn', text }] }
  }
  return fire(params, next, judged.edgeAt, effects, facts)
}

/** Before it begins. @returns undefined: not known */
export function holdsNow(condition: string, facts: JudgedFacts): boolean | undefined {
  const evaluator = evaluatorOf(condition)
  const memory = evaluator.initial()
  judgeAll(evaluator, memory, facts, false)
  return memory.was
}

function fire(
  { line, words, each, condition }: WhenParams,
  state: WhenState,
  at: number,
  effects: readonly TaskEffect[],
  { market }: TaskFacts,
): TaskStep<WhenState> {
  const reason = `${market.symbol}: ${condition}, at ${clockOf(at)}${words === undefined ? '' : `: ${words}`}`
  const fired = { ...state, fires: state.fires + 1 }
  if (line !== undefined) {
    const begun = { type: 'line', level: 'info', text: `${reason}; runs ${line}` } as const
    return { state: { ...fired, firedAt: at }, effects: [...effects, begun, { type: 'run', line }] }
  }
  if (each === true) return { state: fired, effects: [...effects, { type: 'line', level: 'warn', text: reason }] }
  return { state: fired, effects: [...effects, { type: 'end', status: 'done', reason }] }
}

/** After a crash. */
export function lostTrackLine(firedAt: number): string {
  return `its line began at ${clockOf(firedAt)}, and whether it ended is not known: \`runs\` shows it`
}

export function afterRun<State extends { readonly firedAt: number | null }>(
  { each }: { readonly each?: true },
  state: State,
  { lost, error, outcome }: Extract<TaskEvent, { type: 'ran' }>,
): TaskStep<State> {
  const at = state.firedAt === null ? '' : ` at ${clockOf(state.firedAt)}`
  const next = { ...state, firedAt: null }
  if (lost !== undefined) {
    const text = `its line was due${at} and did not run: ${lost}`
    return { state: next, effects: [{ type: 'line', level: 'warn', text }] }
  }
  const text =
    error === undefined
      ? `its line ran${at}${outcome === undefined ? '' : `: ${outcome}`}`
      : `its line failed${at}: ${error}`
  const level = error === undefined ? 'info' : 'warn'
  // The run has printed what it did: a fill that is reported twice reads as two.
  const kept = { type: 'line', level, text, isKeptOnly: true } as const
  if (each === true) return { state: next, effects: [kept] }
  if (error !== undefined) return { state: next, effects: [{ type: 'end', status: 'failed', reason: text }] }
  return { state: next, effects: [kept, { type: 'end', status: 'done', reason: `its line ran${at}` }] }
}

type JudgedFacts = Pick<TaskFacts, 'now' | 'market' | 'ticker' | 'position' | 'isPositionKnown' | 'readings'>

interface Judged {
  /** When it became true, where that is now; ms since the epoch. */
  readonly edgeAt: number | undefined
  readonly lines: readonly string[]
  readonly judgeAgainAt?: number
}

/** @param isResumed what became true before is missed, and reported */
function judgeAll(evaluator: Evaluator, memory: EvaluatorState, facts: JudgedFacts, isResumed: boolean): Judged {
  const { condition } = evaluator
  if (condition.frames.length > 0 && !condition.isLive) return judgeBars(evaluator, memory, facts, isResumed)
  const lines: string[] = []
  let forming: Partial<Record<CandleInterval, Bar>> | undefined
  if (condition.frames.length > 0) {
    for (const { frame, bar } of closedBars(condition, facts)) evaluator.take(memory, frame, bar)
    forming = formingBars(condition, facts)
  }
  const ticks = ticksOf(facts)
  if (isResumed || !isKnown(condition, ticks) || (forming !== undefined && hasMissing(condition, forming))) {
    evaluator.forget(memory)
    if (!isKnown(condition, ticks)) return { edgeAt: undefined, lines }
  }
  const { isEdge, judgeAgainAt } = evaluator.judge(memory, ticks, facts.now, forming)
  return { edgeAt: isEdge ? facts.now : undefined, lines, ...defined({ judgeAgainAt }) }
}

function judgeBars(evaluator: Evaluator, memory: EvaluatorState, facts: JudgedFacts, isResumed: boolean): Judged {
  const { condition } = evaluator
  const [finest] = condition.frames
  const isFirst = memory.lastBars.every((bar) => bar === null)
  const lines: string[] = []
  const edges: number[] = []
  for (const { frame, bar } of closedBars(condition, facts)) {
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
    if (isJudged && evaluator.judge(memory, ticksOf(facts), facts.now).isEdge) edges.push(closedAt)
  }
  // What was so before the first judgement was no one's to miss.
  if (isFirst) return { edgeAt: undefined, lines }
  const isOnTime = (closedAt: number) => !isResumed && facts.now - closedAt <= LATE_MS
  const missed = edges.filter((closedAt) => !isOnTime(closedAt))
  return { edgeAt: edges.findLast(isOnTime), lines: [...lines, ...missedLines(missed)] }
}

function missedLines([first, ...more]: readonly number[]): readonly string[] {
  if (first === undefined) return []
  const others = more.length > 0 ? ` and ${more.length === 1 ? 'once' : `${more.length} times`} more` : ''
  return [`the condition became true at ${clockOf(first)}${others}, while it was not checked: missed`]
}

function closedBars({ frames }: Condition, { readings }: JudgedFacts): FramedBar[] {
  const bars = frames.flatMap((frame) => {
    const { bars: read = [], askedAt = 0 } = readings?.bars[frame] ?? {}
    const closed = read.filter(({ at }) => at + CANDLE_MS[frame] <= askedAt)
    return closed.map((candle) => ({ frame, bar: barOf(candle) }))
  })
  return inOrderOfClose(bars)
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

function barOf({ at, open, high, low, close, volume }: Candle): Bar {
  return {
    at,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: volume === undefined ? Number.NaN : Number(volume),
  }
}

/** Nothing that may be stale is in it. */
function ticksOf({ market, ticker, position, isPositionKnown, readings }: JudgedFacts): TickValues {
  const sign = position?.side === 'short' ? -1 : 1
  const own = {
    position: sign * Number(position?.amount ?? 0),
    pnl: position ? pnlOf(position, market.kind, ticker) : 0,
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

/** The same object where nothing has changed: nothing is written then. */
function withJudged(state: WhenState, memory: EvaluatorState): WhenState {
  const judged = stateToJson(memory)
  return JSON.stringify(judged) === JSON.stringify(state.judged) ? state : { ...state, judged }
}

/** `14:00:05 UTC`, as all times of reports. */
export function clockOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function see(params: WhenParams, state: WhenState, facts: TaskFacts): TaskSight {
  const evaluator = evaluatorOf(params.condition)
  const memory = stateFromJson(evaluator, state.judged) ?? evaluator.initial()
  const values = [...evaluator.values(memory, ticksOf(facts))].map(([name, value]) => `${name} ${figure(value)}`)
  const last = memory.lastBars[0]
  const [finest] = evaluator.condition.frames
  const bar = last && finest ? `, judged last at ${clockOf(last.at + CANDLE_MS[finest])}` : ''
  const times = params.each === true ? `, ${state.fires} fires` : ''
  const doing = state.firedAt === null ? `waits for ${params.condition}` : 'runs its line'
  return { progress: 0, doing: `${doing}; now ${values.join(', ')}${bar}${times}` }
}

function figure(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(8))) : 'unknown'
}
