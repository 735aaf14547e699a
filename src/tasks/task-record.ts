// What is known of a task from its journal alone: all that a process needs to go on with it after another one has died.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Task } from '../stores/tasks.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import type { AskedBy, TaskLine, TaskRequest, TaskSeed } from './task-port.ts'

type TaskStatus = Task['status']
type TaskEndStatus = 'done' | 'failed' | 'cancelled'

/** Decimals in text; `base` is the amount in base, which for contracts that count dollars is another one than `filled`. */
export interface Filled {
  readonly filled: string
  /** In quote: the sum of price × amount in base. */
  readonly cost: string
  readonly base: string
}

export const NOTHING_FILLED: Filled = { filled: '0', cost: '0', base: '0' }

/** How an order of the task ended. `refused`: nothing of it ever lived. */
export interface OrderSettlement extends Filled {
  readonly status: 'ended' | 'refused'
  /** The venue's own id. */
  readonly orderId?: string
  readonly code?: string
  readonly why?: string
}

/** An order that the task was about to send. Without `settled` it may live. */
export interface RecordedOrder {
  readonly step: number
  readonly tag: string
  readonly plan: OrderPlan
  /** When it was decided, ms since the epoch, as all times here. */
  readonly at: number
  readonly settled?: OrderSettlement
}

/** It is to end so; what rests is taken back first, but for orders of these tags. */
export interface TaskEnding {
  readonly status: TaskEndStatus
  readonly reason: string
  readonly keeps: readonly string[]
  /** The run that asked for it, or `panic`; absent: it came to its end by itself. */
  readonly by?: string
}

/** What simulation paused goes on by itself after it; all else waits for `tasks resume`. */
export type PauseCause = 'request' | 'halt' | 'simulation' | 'source' | 'files'

/** Something asked of it that no one has done yet. */
interface OpenAsk {
  readonly ask: string
  readonly what: TaskRequest
  readonly at: number
  readonly by: AskedBy
}

export interface TaskRecord {
  readonly id: string
  readonly seed: TaskSeed
  /** The person who let it go on after what had begun it had ended: its orders are theirs. Absent: it is its seed's. */
  readonly resumedBy?: AskedBy
  readonly startedAt: number
  /** When it last went on after a pause or an interruption; absent: it never did. */
  readonly wentOnAt?: number
  readonly updatedAt: number
  /** The number of the last line that a driver wrote of it; 0: none has taken it up. */
  readonly lastLine: number
  readonly status: TaskStatus
  readonly isPaused: boolean
  /** Absent while it is not paused, and of lines that do not say: a person asked. */
  readonly pausedFor?: PauseCause
  /** Why it is as it is. */
  readonly reason?: string
  /** Absent: its kind has not decided anything yet. */
  readonly state?: unknown
  /** Oldest first. Of those that ended without a fill only the last are kept. */
  readonly orders: readonly RecordedOrder[]
  /** What those that are no longer kept have filled. */
  readonly before: Filled
  /** No order has had this number, nor a higher one. */
  readonly nextStep: number
  /** As `nextStep`, of changes of orders. */
  readonly nextChange: number
  readonly ending?: TaskEnding
  /** The last so many, oldest first. */
  readonly history: readonly TaskLine[]
  readonly asks: readonly OpenAsk[]
}

/** Whose orders are its own now. */
export function causeOf({ seed, resumedBy }: TaskRecord): AskedBy {
  return resumedBy ?? seed.by
}

export function isOver({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status !== 'running' && status !== 'interrupted'
}

function isLive({ settled }: RecordedOrder): boolean {
  return settled === undefined
}

// The lines of `tasks.jsonl`. Each is whole or not there: what must be true together is in one line.

/** An order about to be sent. */
export interface PlannedStep {
  readonly step: number
  readonly tag: string
  readonly plan: OrderPlan
}

/** What its driver writes: `n` counts up, so that a line that is there twice counts once. */
interface Driven {
  readonly id: string
  readonly n: number
  /** ms since the epoch. */
  readonly at: number
}

/** The kind has decided: its state, and what it is about to do. On the disk before any order of it leaves. */
interface StepLine extends Driven {
  readonly t: 'step'
  readonly state: unknown
  readonly places?: readonly PlannedStep[]
  /** Changes of orders up to this number, it left out, are used up. */
  readonly nextChange?: number
  readonly said?: readonly TaskLine[]
  readonly ending?: TaskEnding
}

export type JournalledTask =
  | { readonly t: 'begun'; readonly id: string; readonly at: number; readonly seed: TaskSeed }
  | StepLine
  | (Driven & { readonly t: 'settled'; readonly step: number; readonly as: OrderSettlement })
  | (Driven & {
      readonly t: 'status'
      readonly status: 'running' | 'interrupted'
      readonly isPaused: boolean
      readonly reason?: string
      readonly pausedFor?: PauseCause
      /** Absent: as before. */
      readonly resumedBy?: AskedBy
    })
  | (Driven & { readonly t: 'ending'; readonly ending: TaskEnding })
  | (Driven & { readonly t: 'ended'; readonly status: TaskEndStatus; readonly reason: string })
  | (Driven & { readonly t: 'said'; readonly line: TaskLine })
  | {
      readonly t: 'asked'
      readonly id: string
      readonly at: number
      readonly ask: string
      readonly what: TaskRequest
      readonly by: AskedBy
    }
  | {
      readonly t: 'answered'
      readonly id: string
      readonly at: number
      readonly ask: string
      /** As it is then. */
      readonly task?: Task
      readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
    }
  /** All that the lines before it add up to. */
  | { readonly t: 'kept'; readonly id: string; readonly record: TaskRecord }

const TYPES: ReadonlySet<unknown> = new Set([
  'begun',
  'step',
  'settled',
  'status',
  'ending',
  'ended',
  'said',
  'asked',
  'answered',
  'kept',
])
const UNNUMBERED: ReadonlySet<unknown> = new Set(['begun', 'asked', 'answered', 'kept'])

export function encodeTaskLine(line: JournalledTask): string {
  return JSON.stringify(line)
}

/** A line torn by a crash, or written by a person, is skipped: nothing was done after a line that was not whole. */
export function decodeTaskLine(text: string): JournalledTask | undefined {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isFields(line) || !TYPES.has(line.t) || typeof line.id !== 'string') return undefined
  if (!UNNUMBERED.has(line.t) && !Number.isInteger(line.n)) return undefined
  return isWhole(line) ? (line as unknown as JournalledTask) : undefined
}

type Fields = Readonly<Record<string, unknown>>

function isWhole(line: Fields): boolean {
  switch (line.t) {
    case 'begun':
      return typeof line.at === 'number' && isFields(line.seed) && isSeed(line.seed)
    case 'kept':
      return isFields(line.record) && line.record.id === line.id && Array.isArray(line.record.orders)
    case 'step':
      return line.places === undefined || (Array.isArray(line.places) && line.places.every(isPlanned))
    case 'settled':
      return Number.isInteger(line.step) && isFields(line.as)
    case 'asked':
    case 'answered':
      return typeof line.ask === 'string'
    default:
      return true
  }
}

function isSeed({ kind, account, symbol, command, by }: Fields): boolean {
  return [kind, account, symbol, command].every((text) => typeof text === 'string') && isFields(by)
}

function isPlanned(value: unknown): boolean {
  return isFields(value) && Number.isInteger(value.step) && typeof value.tag === 'string' && isFields(value.plan)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

// What the lines of `tasks.jsonl` add up to. Any beginning of the file, as a crash leaves it, adds up to something safe: an order that may have
// been sent is never forgotten, and no number of an order is given twice.

/** Of a task's history, and of its orders that ended without a fill, the last so many are kept. */
export const MAX_HISTORY = 100
const MAX_UNFILLED = 50
const MAX_ORDERS = 500
/** So many tasks that are over stay in the journal when it is begun anew. */
const MAX_OVER = 500

type Records = Map<string, TaskRecord>

/** By id, in the order in which they began. */
export function foldTasks(lines: Iterable<string>): ReadonlyMap<string, TaskRecord> {
  const records: Records = new Map()
  for (const text of lines) {
    const line = decodeTaskLine(text)
    if (line !== undefined) foldLine(records, line)
  }
  return records
}

/** Adds one line to what is known. */
export function foldLine(records: Records, line: JournalledTask): void {
  const known = records.get(line.id)
  if (line.t === 'begun') {
    if (known === undefined) records.set(line.id, begunRecord(line))
    return
  }
  if (line.t === 'kept') {
    if (known === undefined || known.lastLine < line.record.lastLine) records.set(line.id, line.record)
    return
  }
  if (known !== undefined) records.set(line.id, applied(known, line))
}

/** What one line makes of its task. */
export function withLine(record: TaskRecord, line: Applied): TaskRecord {
  return applied(record, line)
}

/** What must be findable when the file is begun anew. */
export function linesToKeep(lines: readonly string[]): readonly string[] {
  const records = [...foldTasks(lines).values()]
  const over = records.filter(isOver)
  const dropped = new Set(over.slice(0, Math.max(0, over.length - MAX_OVER)))
  return records
    .filter((record) => !dropped.has(record))
    .map((record) => encodeTaskLine({ t: 'kept', id: record.id, record }))
}

function begunRecord({ id, at, seed }: Extract<JournalledTask, { t: 'begun' }>): TaskRecord {
  return {
    id,
    seed,
    startedAt: at,
    updatedAt: at,
    lastLine: 0,
    status: 'running',
    isPaused: false,
    orders: [],
    before: NOTHING_FILLED,
    nextStep: 0,
    nextChange: 0,
    history: [],
    asks: [],
  }
}

export type Applied = Exclude<JournalledTask, { t: 'begun' | 'kept' }>

function applied(record: TaskRecord, line: Applied): TaskRecord {
  if (line.t === 'asked') {
    const { ask, what, at, by } = line
    return record.asks.some((open) => open.ask === ask)
      ? record
      : { ...record, asks: [...record.asks, { ask, what, at, by }] }
  }
  if (line.t === 'answered') return { ...record, asks: record.asks.filter(({ ask }) => ask !== line.ask) }
  if (line.n <= record.lastLine) return record
  return driven({ ...record, lastLine: line.n, updatedAt: line.at }, line)
}

function driven(record: TaskRecord, line: Exclude<Applied, { t: 'asked' | 'answered' }>): TaskRecord {
  switch (line.t) {
    case 'step':
      return stepped(record, line)
    case 'settled': {
      const orders = record.orders.map((order) =>
        order.step === line.step && isLive(order) ? { ...order, settled: line.as } : order,
      )
      return bounded({ ...record, orders })
    }
    case 'status': {
      const { reason: _, pausedFor: _cause, ...rest } = record
      const { status, isPaused, reason, pausedFor, resumedBy } = line
      return {
        ...rest,
        status,
        isPaused,
        ...(status === 'running' && !isPaused ? { wentOnAt: line.at } : {}),
        ...defined({ reason, pausedFor, resumedBy }),
      }
    }
    case 'ending':
      return { ...record, ending: line.ending }
    case 'ended':
      return { ...record, status: line.status, reason: line.reason, isPaused: false }
    case 'said':
      return { ...record, history: withLines(record.history, [line.line]) }
  }
}

function stepped(
  record: TaskRecord,
  { at, state, places = [], nextChange, said: lines = [], ending }: StepLine,
): TaskRecord {
  const orders = places.map((place): RecordedOrder => ({ ...place, at }))
  return {
    ...record,
    state,
    orders: [...record.orders, ...orders],
    nextStep: Math.max(record.nextStep, ...places.map(({ step }) => step + 1)),
    nextChange: Math.max(record.nextChange, nextChange ?? 0),
    history: withLines(record.history, lines),
    ...defined({ ending }),
  }
}

function withLines(history: readonly TaskLine[], lines: readonly TaskLine[]): readonly TaskLine[] {
  return lines.length === 0 ? history : [...history, ...lines].slice(-MAX_HISTORY)
}

/** Orders that are over and tell nothing any more are left out; what they filled stays counted. */
function bounded(record: TaskRecord): TaskRecord {
  const dropped = droppable(record.orders)
  if (dropped.size === 0) return record
  const filled = [...dropped].flatMap(({ settled }) => (settled === undefined ? [] : [settled]))
  return {
    ...record,
    orders: record.orders.filter((order) => !dropped.has(order)),
    before: [record.before, ...filled].reduce(plusFilled),
  }
}

interface MaybeSettled {
  readonly settled?: Filled | undefined
}

/** Those of which neither a person nor a kind asks any more. */
export function droppable<Each extends MaybeSettled>(orders: readonly Each[]): ReadonlySet<Each> {
  if (orders.length <= MAX_UNFILLED) return new Set()
  const over = orders.filter(({ settled }) => settled !== undefined)
  const unfilled = over.filter(({ settled }) => settled?.filled === '0')
  const filled = over.filter(({ settled }) => settled?.filled !== '0')
  return new Set([
    ...unfilled.slice(0, Math.max(0, unfilled.length - MAX_UNFILLED)),
    ...filled.slice(0, Math.max(0, filled.length - MAX_ORDERS)),
  ])
}

export function plusFilled(a: Filled, b: Filled): Filled {
  // Most orders have filled nothing, and are counted with every look.
  if (b === NOTHING_FILLED) return a
  if (a === NOTHING_FILLED) return b
  const sum = (one: string, other: string) => new Decimal(one).plus(other).toFixed()
  return { filled: sum(a.filled, b.filled), cost: sum(a.cost, b.cost), base: sum(a.base, b.base) }
}
