import { CodedError } from '../base/coded-error.ts'

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
