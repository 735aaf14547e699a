// What tasks tell: the app makes lines of it for the operator.
import type { Trade } from '../exchange/order.ts'
import type { Task } from '../stores/tasks.ts'

export type TaskReport =
  /** Its kind, or its driver, has something to say. */
  | { readonly type: 'said'; readonly task: Task; readonly level: 'info' | 'warn'; readonly text: string }
  | { readonly type: 'filled'; readonly task: Task; readonly trades: readonly Trade[] }
  /** It is another one than before: over, interrupted, paused, or goes on. */
  | { readonly type: 'status'; readonly task: Task }

export type ReportTask = (told: TaskReport) => void
