// `tasks.json` (behaviour 25): work that outlives its command, for pages to show. hookline only reads it here.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { checkedBy } from './json-fault.ts'
import { createJsonFile } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'
import type { StoreProblem } from './store-error.ts'

/** A row of `tasks.json` (behaviour 25). */
export interface Task {
  readonly id: string
  readonly kind: string
  readonly account: string
  readonly symbol: string
  readonly command: string
  readonly runId: string
  readonly status: 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted'
  readonly progress: number
  /** ms since the epoch, as all times here. */
  readonly startedAt: number
  readonly updatedAt: number
}

export interface TaskStore {
  /** Newest start first. The same reference as long as the file stays. */
  list(): readonly Task[]
  problem(): StoreProblem | undefined
  watch(handler: () => void): () => void
}

const time = z.int().check(z.nonnegative('must not be negative'))

const fileSchema = z.looseObject({
  version: z.literal(1, 'must be 1'),
  tasks: z.array(
    z.looseObject({
      id: z.string().check(z.minLength(1, 'must not be empty')),
      kind: z.string(),
      account: z.string(),
      symbol: z.string(),
      command: z.string(),
      runId: z.string(),
      status: z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted'], 'is not a status of a task'),
      progress: z.number(),
      startedAt: time,
      updatedAt: time,
    }),
  ),
})

interface TasksFile {
  readonly version: 1
  readonly tasks: readonly Task[]
}

export function openTasks(directory: string): TaskStore {
  const file = createJsonFile<TasksFile>({
    path: join(directory, 'tasks.json'),
    parse: checkedBy<TasksFile>(fileSchema),
    defaults: { version: 1, tasks: [] },
  })
  const newestFirst = latestDerived(({ tasks }: TasksFile) => tasks.toSorted((a, b) => b.startedAt - a.startedAt))
  return { list: () => newestFirst(file.read()), problem: file.problem, watch: file.watch }
}

/** Field by field, so that nothing unknown in the file leaves. */
export function scrubTask(task: Task): Task {
  const { id, kind, account, symbol, command, runId, status, progress, startedAt, updatedAt } = task
  return { id, kind, account, symbol, command, runId, status, progress, startedAt, updatedAt }
}
