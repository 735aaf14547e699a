// `when`: runs a line, or only reports, when a condition becomes true. It places no order itself: the line is a run of its own, with every limit
// of one that is typed. What is judged last is on the disk before the line runs, so that no bar is judged twice, and none late.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { CANDLE_MS } from '../exchange/market.ts'
import { levelOf, showCondition } from '../triggers/condition.ts'
import { type EvaluatorState, stateFromJson, stateToJson } from '../triggers/evaluator.ts'
import { clockOf, evaluatorOf, figure, judgeAll, readsOf, ticksOf } from './judging.ts'
import type { PausedStep, TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskSight, TaskStep } from './task-kind.ts'

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
  /** When a price made it true while it was paused, first; ms since the epoch. */
  missedAt: z.exactOptional(z.number()),
})
type WhenState = z.output<typeof whenState>

export const when: TaskKind<WhenParams, WhenState> = {
  name: 'when',
  shownAs: ({ line }) => (line === undefined ? 'alert' : 'when'),
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
  whilePaused,
  keepsWhilePaused: [],
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
    effects.push(newsLine(text))
  }
  const { missedAt, ...rest } = state
  if (missedAt !== undefined) effects.push(newsLine(missedLine(missedAt)))
  const firedAt = isOrphaned ? null : state.firedAt
  const judged = judgeAll(evaluator, memory, facts, { isResumed })
  const lostLine = judged.missed.length > 0 ? judged.lines.at(-1) : undefined
  for (const text of judged.lines) {
    effects.push(text === lostLine ? newsLine(text) : { type: 'line', level: 'warn', text })
  }
  const next = withJudged({ ...rest, firedAt }, memory)
  if (judged.judgeAgainAt !== undefined) effects.push({ type: 'wake', at: judged.judgeAgainAt })
  if (judged.edgeAt === undefined) return { state: next, effects }
  if (firedAt !== null) {
    const text = `the condition became true at ${clockOf(judged.edgeAt)}, while its line ran: missed`
    return { state: next, effects: [...effects, newsLine(text)] }
  }
  return fire(params, next, judged.edgeAt, effects, facts)
}

/** Prices are judged on: nothing runs, and what became true is reported when it is resumed. Bars are judged then. */
function whilePaused({ condition }: WhenParams, state: WhenState, facts: TaskFacts): PausedStep<WhenState> {
  const evaluator = evaluatorOf(condition)
  const { frames, isLive } = evaluator.condition
  if (frames.length > 0 && !isLive) return { state }
  const memory = stateFromJson(evaluator, state.judged) ?? evaluator.initial()
  const { edgeAt } = judgeAll(evaluator, memory, facts, { isResumed: false })
  const next = withJudged(state, memory)
  return { state: edgeAt === undefined || next.missedAt !== undefined ? next : { ...next, missedAt: edgeAt } }
}

function missedLine(at: number): string {
  return `the condition became true at ${clockOf(at)}, while it was paused: missed`
}

function fire(
  { line, words, each, condition }: WhenParams,
  state: WhenState,
  at: number,
  effects: readonly TaskEffect[],
  { market }: TaskFacts,
): TaskStep<WhenState> {
  const reason = `${market.symbol}: ${showCondition(condition)}, at ${clockOf(at)}${words === undefined ? '' : `: ${words}`}`
  const fired = { ...state, fires: state.fires + 1 }
  if (line !== undefined) {
    const begun = { type: 'line', level: 'info', text: `${reason}; runs ${line}` } as const
    return { state: { ...fired, firedAt: at }, effects: [...effects, begun, { type: 'run', line }] }
  }
  if (each === true) return { state: fired, effects: [...effects, newsLine(reason)] }
  return { state: fired, effects: [...effects, { type: 'end', status: 'done', reason }] }
}

/** For the operator wherever they are. */
export function newsLine(text: string): TaskEffect {
  return { type: 'line', level: 'warn', text, isNews: true }
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
    return { state: next, effects: [newsLine(text)] }
  }
  const text =
    error === undefined
      ? `its line ran${at}${outcome === undefined ? '' : `: ${outcome}`}`
      : `its line failed${at}: ${error}`
  const level = error === undefined ? 'info' : 'warn'
  // The run has printed what it did: a fill that is reported twice reads as two.
  const kept = { type: 'line', level, text, isKeptOnly: true } as const
  if (each === true) return { state: next, effects: [error === undefined ? kept : { ...kept, isNews: true }] }
  if (error !== undefined) return { state: next, effects: [{ type: 'end', status: 'failed', reason: text }] }
  return { state: next, effects: [kept, { type: 'end', status: 'done', reason: `its line ran${at}` }] }
}

/** The same object where nothing has changed: nothing is written then. */
function withJudged(state: WhenState, memory: EvaluatorState): WhenState {
  const judged = stateToJson(memory)
  return JSON.stringify(judged) === JSON.stringify(state.judged) ? state : { ...state, judged }
}

function see(params: WhenParams, state: WhenState, facts: TaskFacts): TaskSight {
  const evaluator = evaluatorOf(params.condition)
  const memory = stateFromJson(evaluator, state.judged) ?? evaluator.initial()
  const values = [...evaluator.values(memory, ticksOf(facts))].map(([name, value]) => `${name} ${figure(value)}`)
  const last = memory.lastBars[0]
  const [finest] = evaluator.condition.frames
  const bar = last && finest ? `, judged last at ${clockOf(last.at + CANDLE_MS[finest])}` : ''
  const times = params.each === true ? `, ${state.fires} fires` : ''
  const doing = state.firedAt === null ? `waits for ${showCondition(params.condition)}` : 'runs its line'
  const missed = state.missedAt === undefined ? '' : `; ${missedLine(state.missedAt)}`
  const level = levelOf(evaluator.condition)
  return {
    progress: 0,
    doing: `${doing}; now ${values.join(', ')}${bar}${times}${missed}`,
    ...defined({
      price: level === undefined ? undefined : new Decimal(level).toFixed(),
      words: params.line ?? params.words,
    }),
  }
}
