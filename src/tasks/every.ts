// `every` and `at`: run a line at their times. A time that was missed is told, and never made up for later than `lateMs`.
import * as z from 'zod/mini'
import { showDuration } from '../trading/figures.ts'
import { describeSchedule, nextTime, type Schedule, timesDue } from '../triggers/schedule.ts'
import { clockOf } from './judging.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskSight, TaskStep } from './task-kind.ts'
import { afterRun, lostTrackLine, newsLine } from './when.ts'

const ofDay = {
  hour: z.int().check(z.gte(0), z.lte(23)),
  minute: z.int().check(z.gte(0), z.lte(59)),
  zone: z.string(),
}
const schedule = z.union([
  z.object({ kind: z.literal('weekly'), days: z.array(z.int()), ...ofDay }),
  z.object({ kind: z.literal('interval'), everyMs: z.int().check(z.gte(60_000)) }),
  z.object({ kind: z.literal('once'), date: z.exactOptional(z.string()), ...ofDay }),
])

const everyParams = z.object({
  schedule,
  line: z.string().check(z.maxLength(8_192)),
  /** How late it may still run. */
  lateMs: z.exactOptional(z.number()),
})
export interface EveryParams {
  readonly schedule: Schedule
  readonly line: string
  readonly lateMs?: number
}

const everyState = z.object({
  /** ms since the epoch; null: not worked out yet, or there is none. */
  next: z.nullable(z.number()),
  /** When the line that runs was begun; null: none runs. */
  firedAt: z.nullable(z.number()),
  fires: z.number(),
})
type EveryState = z.output<typeof everyState>

/** A timer is a moment late. */
export const TIME_LATE_MS = 5_000

export const every: TaskKind<EveryParams, EveryState> = {
  name: 'every',
  params: everyParams as unknown as z.ZodMiniType<EveryParams>,
  state: everyState,
  // It goes on under a halt and after a restart; its line is stopped by whatever stops a line.
  effect: () => 'protects',
  sendsNothing: true,
  endsAt: () => undefined,
  amount: () => undefined,
  initial: () => ({ next: null, firedAt: null, fires: 0 }),
  reduce,
  see,
  keepsWhilePaused: [],
}

/** A schedule of one time. */
export const at: TaskKind<EveryParams, EveryState> = { ...every, name: 'at' }

function reduce(params: EveryParams, state: EveryState, event: TaskEvent, facts: TaskFacts): TaskStep<EveryState> {
  if (event.type === 'ran') return ended(params, state, event)
  if (event.type === 'begun') return waitFor({ ...state, next: nextTime(params.schedule, facts.now) ?? null }, [])
  if (event.type !== 'resumed' || state.firedAt === null || facts.isLineRunning === true) {
    return look(params, state, facts, [])
  }
  const text = lostTrackLine(state.firedAt)
  if (isOnce(params)) return { state, effects: [{ type: 'end', status: 'failed', reason: text }] }
  return look(params, { ...state, firedAt: null }, facts, [newsLine(text)])
}

function isOnce({ schedule }: EveryParams): boolean {
  return schedule.kind === 'once'
}

function ended(
  params: EveryParams,
  state: EveryState,
  event: Extract<TaskEvent, { type: 'ran' }>,
): TaskStep<EveryState> {
  const { state: next, effects } = afterRun(isOnce(params) ? {} : { each: true }, state, event)
  // Its only time was lost.
  if (!isOnce(params) || event.lost === undefined) return { state: next, effects }
  const reason = `its line was due and did not run: ${event.lost}`
  return { state: next, effects: [{ type: 'end', status: 'failed', reason }] }
}

function look(
  params: EveryParams,
  state: EveryState,
  { now }: TaskFacts,
  effects: readonly TaskEffect[],
): TaskStep<EveryState> {
  const { next: due, firedAt } = state
  // A clock that was set back brings no time again.
  if (due === null || now < due) return waitFor(state, effects)
  const after = (at: number) => (at < due ? due : isOnce(params) ? undefined : nextTime(params.schedule, at))
  const times = timesDue(after, due - 1, now, Math.max(TIME_LATE_MS, params.lateMs ?? 0))
  const missed = missedText(times, firedAt !== null, now)
  const waiting = { ...state, next: times.next ?? null }
  if (missed !== undefined && isOnce(params)) {
    return { state: waiting, effects: [{ type: 'end', status: 'failed', reason: missed }] }
  }
  const known = missed === undefined ? effects : [...effects, newsLine(missed)]
  if (times.now === undefined || firedAt !== null) return waitFor(waiting, known)
  const fired = { ...waiting, firedAt: times.now, fires: state.fires + 1 }
  const lateMs = now - times.now
  const late = lateMs > TIME_LATE_MS ? `, ${showDuration(lateMs)} after ${clockOf(times.now)}` : ''
  const begun = { type: 'line', level: 'info', text: `runs ${params.line}${late}` } as const
  return waitFor(fired, [...known, begun, { type: 'run', line: params.line }])
}

function missedText(
  { missed, now: due }: ReturnType<typeof timesDue>,
  isLineRunning: boolean,
  now: number,
): string | undefined {
  const first = missed?.first ?? (isLineRunning ? due : undefined)
  if (first === undefined) return undefined
  const count = (missed?.count ?? 0) + (isLineRunning && due !== undefined ? 1 : 0)
  const others = count > 1 ? ` and ${count - 1} later` : ''
  return `missed ${clockOf(first)}${others}: ${isLineRunning ? 'its line still ran' : `${showDuration(now - first)} late`}`
}

function waitFor(state: EveryState, effects: readonly TaskEffect[]): TaskStep<EveryState> {
  return { state, effects: [...effects, { type: 'wake', at: state.next ?? undefined }] }
}

function see(
  { schedule: times, line }: EveryParams,
  { next, firedAt, fires }: EveryState,
  { now }: TaskFacts,
): TaskSight {
  const ran = fires === 0 || times.kind === 'once' ? '' : `; ran ${fires === 1 ? 'once' : `${fires} times`}`
  const doing =
    firedAt !== null ? `runs ${line}` : next === null ? describeSchedule(times) : `next ${soonOf(next, now)}: ${line}`
  return { progress: 0, doing: `${doing}${ran}`, words: line }
}

/** `14:30:00 UTC` within the day of now. */
function soonOf(next: number, now: number): string {
  const isToday = Math.floor(next / DAY_MS) === Math.floor(now / DAY_MS)
  return isToday ? clockOf(next).slice('2026-01-01 '.length) : clockOf(next)
}

const DAY_MS = 86_400_000
