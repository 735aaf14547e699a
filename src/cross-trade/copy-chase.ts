// A copier that chases lets a task do it (behaviour 41): the task places and moves the orders, and what has filled of it counts as the
// copier's. The task is found again by what its copier calls it.
import { defined } from '../base/defined.ts'
import type { Side } from '../exchange/order.ts'
import type { Source } from '../runs/run.ts'
import type { Task } from '../stores/tasks.ts'
import type { ChaseParams } from '../tasks/chase-shape.ts'
import { TaskError, type TaskErrorCode } from '../tasks/task-error.ts'
import type { TaskPort } from '../tasks/task-port.ts'
import { messageOf } from './account-link.ts'
import type { CopyResult } from './copy-order.ts'

export interface ChaseOrder {
  /** One of a kind: the copier and its step. */
  readonly ref: string
  readonly account: string
  readonly symbol: string
  readonly side: Side
  readonly amount: string
  readonly reduceOnly: boolean
}

export interface FoundChase {
  readonly id: string
  readonly isOver: boolean
  /** Its process died, and nothing drives it: only what it has filled by now counts. */
  readonly isInterrupted: boolean
  /** A person has paused it, or taken it back: the copier begins no other. */
  readonly isHeldByPerson: boolean
  readonly filled: string
  readonly average?: string
  /** What it does, or why it ended. */
  readonly why: string
}

export interface ChasePort {
  /** @returns why it was not begun; undefined: it was */
  begin(order: ChaseOrder): Promise<Exclude<CopyResult, { kind: 'placed' }> | undefined>
  /** Undefined: there is none, as far as is known yet. */
  find(ref: string): FoundChase | undefined
  /** It is over when `find` says so. @param ref of its order: nobody else takes it back by that name */
  cancel(id: string, ref: string): Promise<void>
}

/** A copy is not worth waiting for longer. */
const ADDING_MS = 300_000
/** What closes goes out whole, to the market at last. */
const REDUCING_MS = 60_000
const LATER_MS = 5_000
const LATER: ReadonlySet<TaskErrorCode> = new Set(['no-driver', 'too-many-tasks', 'unreadable'])

export function chaseThrough(tasks: TaskPort, source: Source): ChasePort {
  return {
    async begin({ ref, account, symbol, side, amount, reduceOnly }) {
      const params: ChaseParams = {
        side,
        amount,
        reduce: reduceOnly,
        ...(reduceOnly ? { lastsMs: REDUCING_MS, rest: 'market' } : { lastsMs: ADDING_MS, rest: 'cancel' }),
      }
      const command = `chase ${side} ${amount} ${symbol}${reduceOnly ? ' reduce' : ''}`
      try {
        await tasks.begin({ kind: 'chase', account, symbol, command, params, by: { source, runId: ref } })
        return undefined
      } catch (error) {
        return resultOf(error)
      }
    },
    find(ref) {
      const task = tasks.list().find(({ kind, runId }) => kind === 'chase' && runId === ref)
      if (task === undefined) return undefined
      const { id, status, filled = '0', average, doing, reason, paused } = task
      const isOver = status !== 'running' && status !== 'interrupted'
      const why = (isOver || paused === true ? reason : doing) ?? status
      const isInterrupted = status === 'interrupted'
      const isHeldByPerson = isPausedByPerson(task) || isTakenBackByPerson(task, ref)
      return { id, isOver, isInterrupted, isHeldByPerson, filled, why, ...defined({ average }) }
    },
    async cancel(id, ref) {
      try {
        await tasks.ask(id, 'cancel', { source, runId: ref })
      } catch (error) {
        // It is looked at again, and asked again.
        if (!(error instanceof TaskError)) throw error
      }
    },
  }
}

function isPausedByPerson({ status, paused, pausedFor = 'request' }: Task): boolean {
  return status === 'running' && paused === true && pausedFor === 'request'
}

/** What panic took back may be tried again after it. */
function isTakenBackByPerson(task: Task, ref: string): boolean {
  const { status, canceledBy } = task
  return status === 'cancelled' && canceledBy !== undefined && canceledBy !== ref && canceledBy !== 'panic'
}

/** What is not known not to have begun may have. */
function resultOf(error: unknown): Exclude<CopyResult, { kind: 'placed' }> {
  if (!(error instanceof TaskError)) {
    return { kind: 'unknown', why: messageOf(error) }
  }
  const { code, message: why } = error
  if (LATER.has(code)) return { kind: 'later', why, afterMs: LATER_MS, counts: false }
  return code === 'unanswered' ? { kind: 'unknown', why } : { kind: 'refused', why, counts: code === 'bad-params' }
}
