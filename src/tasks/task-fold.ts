// What the lines of `tasks.jsonl` add up to. Any beginning of the file, as a crash leaves it, adds up to something safe: an order that may have
// been sent is never forgotten, and no number of an order is given twice.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { decodeTaskLine, encodeTaskLine, type JournalledTask, type StepLine } from './task-lines.ts'
import type { TaskLine } from './task-port.ts'
import { type Filled, isLive, isOver, NOTHING_FILLED, type RecordedOrder, type TaskRecord } from './task-record.ts'

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
      return { ...record, history: withSaid(record.history, [line.line]) }
  }
}

function stepped(record: TaskRecord, { at, state, places = [], nextChange, said = [], ending }: StepLine): TaskRecord {
  const orders = places.map((place): RecordedOrder => ({ ...place, at }))
  return {
    ...record,
    state,
    orders: [...record.orders, ...orders],
    nextStep: Math.max(record.nextStep, ...places.map(({ step }) => step + 1)),
    nextChange: Math.max(record.nextChange, nextChange ?? 0),
    history: withSaid(record.history, said),
    ...defined({ ending }),
  }
}

function withSaid(history: readonly TaskLine[], said: readonly TaskLine[]): readonly TaskLine[] {
  return said.length === 0 ? history : [...history, ...said].slice(-MAX_HISTORY)
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
  const sum = (one: string, other: string) => new Decimal(one).plus(other).toFixed()
  return { filled: sum(a.filled, b.filled), cost: sum(a.cost, b.cost), base: sum(a.base, b.base) }
}
