// `tasks.json` (behaviour 25): work that outlives its command, for pages to show. hookline only reads it here.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { pick, type RowOf, TASK_STATUSES, type TaskRow, taskRow } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'
import { rowsUnder } from './row-file.ts'

const shape = {
  ...taskRow.shape,
  id: z.string().check(z.minLength(1, 'must not be empty')),
  status: z.enum(TASK_STATUSES, 'is not a status of a task'),
}

/** A row of `tasks.json` (behaviour 25). */
export type Task = Readonly<RowOf<typeof shape>>

export interface TaskStore extends FileState {
  /** Newest start first. The same reference as long as the file stays. */
  list(): readonly Task[]
}

interface TasksFile {
  readonly tasks: readonly Task[]
}

export function openTasks(directory: string): TaskStore {
  const file = createJsonFile<TasksFile>({
    path: join(directory, 'tasks.json'),
    ...rowsUnder<'tasks', Task, TasksFile>('tasks', () => z.looseObject(shape)),
    defaults: { tasks: [] },
  })
  const newestFirst = latestDerived(({ tasks }: TasksFile) => tasks.toSorted((a, b) => b.startedAt - a.startedAt))
  return { list: () => newestFirst(file.read()), ...stateOf(file) }
}

export function scrubTask(task: Task): TaskRow {
  return pick(taskRow, task)
}
