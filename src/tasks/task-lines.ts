// The lines of `tasks.jsonl`. Each is whole or not there: what must be true together is in one line.
import type { Task } from '../stores/tasks.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import type { AskedBy, TaskLine, TaskRequest, TaskSeed } from './task-port.ts'
import type { OrderSettlement, PauseCause, TaskEnding, TaskEndStatus, TaskRecord } from './task-record.ts'

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
export interface StepLine extends Driven {
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
