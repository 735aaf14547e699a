// What is known of a task from its journal alone: all that a process needs to go on with it after another one has died.
import type { Task } from '../stores/tasks.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import type { AskedBy, TaskLine, TaskRequest, TaskSeed } from './task-port.ts'

type TaskStatus = Task['status']
export type TaskEndStatus = 'done' | 'failed' | 'cancelled'

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

/** Something asked of it that nobody has done yet. */
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

export function isLive({ settled }: RecordedOrder): boolean {
  return settled === undefined
}
