// Tasks as commands, sessions and the app see them: the port, its errors and its reports.
import { CodedError } from '../base/coded-error.ts'
import type { Trade } from '../exchange/order.ts'
import type { Source } from '../runs/run.ts'
import type { Task } from '../stores/tasks.ts'
import type { TriggerSight } from './hook-triggers.ts'

export type TaskErrorCode =
  /** No process runs that could drive a task. */
  | 'no-driver'
  | 'unknown-task'
  | 'too-many-tasks'
  | 'bad-params'
  /** Simulation is on, or what began it is dry: a task would do nothing. */
  | 'simulated'
  /** Its account is halted, takes only what reduces, or panic is on. */
  | 'held'
  /** `tasks.json` or `tasks.jsonl` cannot be read: it could be neither steered nor seen. */
  | 'unreadable'
  /** It is over, or its kind cannot go on. */
  | 'not-resumable'
  /** The driver has not answered in time; what was asked stays asked. */
  | 'unanswered'

/** Why something was not done with a task. */
export class TaskError extends CodedError<TaskErrorCode> {
  override readonly name = 'TaskError'
}

// What commands and sessions may do with tasks, in whichever process they run: a task is begun and steered through its file, and driven by the
// one process that holds the lease (behaviour 41).

/** Who began it, or asked something of it. */
export interface AskedBy {
  readonly source: Source
  readonly runId: string
  /** Hook name or client label. */
  readonly origin?: string
  readonly hookId?: string
  readonly clientId?: string
  /** What it was let in by, as the authority keeps it; absent: it needs none. */
  readonly admission?: string
  /** Typed with the task: its orders have them. */
  readonly tags?: readonly string[]
  /** What it would send is only worked out (behaviour 40): no task begins so. */
  readonly isDry?: true
}

/** A task to begin. */
export interface TaskSeed {
  /** The name of a `TaskKind`. */
  readonly kind: string
  readonly account: string
  /** As the account's venue names it. */
  readonly symbol: string
  /** As it was typed. */
  readonly command: string
  readonly by: AskedBy
  /** As the kind's `params` has it. */
  readonly params: unknown
}

/** One thing that happened to a task, oldest first in a history. */
export interface TaskLine {
  /** ms since the epoch. */
  readonly at: number
  readonly level: 'info' | 'warn'
  readonly text: string
}

export type TaskRequest = 'cancel' | 'pause' | 'resume'

export interface TasksUnderWay {
  readonly tasks: readonly Task[]
  /** Why there may be others, one line; absent: there are none. */
  readonly doubt?: string
}

export interface TaskPort {
  /**
   * Resolves when the task is on the disk and a living process drives it.
   * @throws {TaskError} `no-driver`, `too-many-tasks`, `bad-params`, `simulated`, `held`, `unanswered` @throws {StoreError}
   */
  begin(seed: TaskSeed): Promise<Task>
  /** Newest start first; those that are over too, as far as they are kept. */
  list(): readonly Task[]
  /** Why `list` may lack some, one line; undefined: it has all that are kept. */
  listFault(): string | undefined
  /** Those that run or were interrupted, also where `tasks.json` does not say so. */
  underWay(): Promise<TasksUnderWay>
  /** The living process that drives them; undefined: none does. */
  driver(): number | undefined
  /** Of hooks that fire by themselves, as far as this process judges them. */
  triggers(): readonly TriggerSight[]
  /** What happened to it. @throws {StoreError} */
  history(id: string): Promise<readonly TaskLine[]>
  /**
   * Resolves with the task as it is once the driver has done it. Cancelling what is over, pausing what is paused, and resuming what runs change
   * nothing.
   * @param isAnswered the command prints the answer: where this process drives the task, its report is marked so
   * @throws {TaskError} `unknown-task`, `no-driver`, `not-resumable`, `unanswered` after 10 s: it is asked all the same
   */
  ask(id: string, what: TaskRequest, by: AskedBy, isAnswered?: boolean): Promise<Task>
}

// What tasks tell: the app makes lines of it for the operator.

export type TaskReport =
  /** Its kind, or its driver, has something to say. */
  | { readonly type: 'line'; readonly task: Task; readonly level: 'info' | 'warn'; readonly text: string }
  /** For who is away: the terminal has it already. */
  | { readonly type: 'news'; readonly task: Task; readonly text: string }
  | { readonly type: 'filled'; readonly task: Task; readonly trades: readonly Trade[] }
  /**
   * It is another one than before: over, interrupted, paused, or goes on. `isElsewhere`: the process that drives it has reported it too, and this one
   * has begun it. `isOwn`: the operator asks for that.
   */
  | {
      readonly type: 'status'
      readonly task: Task
      readonly isAnswered?: true
      readonly isElsewhere?: true
      readonly isOwn?: true
    }

export type ReportTask = (event: TaskReport) => void
