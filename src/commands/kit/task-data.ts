// What commands about tasks answer to programs.
import type { TaskRow } from '../../protocol/rows.ts'
import type { TaskLine } from '../../tasks/task-port.ts'
import type { RunOrder } from '../../trading/history/journal-history.ts'
import type { TaskPlanData } from './task-plan-data.ts'

export type TasksData = { readonly type: 'tasks'; readonly tasks: readonly TaskRow[] } | TaskData | TaskPlanData

/** One task, with what it said and what it ordered. */
interface TaskData {
  readonly type: 'task'
  readonly task: TaskRow
  /** Oldest first. */
  readonly history: readonly TaskLine[]
  readonly orders: readonly RunOrder[]
}
