// `tasks.json` (behaviour 25): work that outlives its command, for people and pages to see. The process that drives tasks writes it; what they
// are is in `tasks.jsonl`.
import { basename, join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { pick, type RowOf, TASK_STATUSES, type TaskRow, taskRow } from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './kernel-files.ts'
import { recordOf, rowsUnder } from './rows.ts'

const figure = z.exactOptional(z.string())
const shape = {
  ...taskRow.shape,
  // Figures of a file are not worth losing its tasks for: the wire looks at them.
  amount: figure,
  filled: figure,
  average: figure,
  price: figure,
  id: z.string().check(z.minLength(1, 'must not be empty')),
  status: z.enum(TASK_STATUSES, 'is not a status of a task'),
  /** The run that asked for its cancel, or `panic`; absent: it came to its end by itself. */
  canceledBy: z.exactOptional(z.string()),
  /** `request`, `halt`, `simulation`, `source` or `files`. */
  pausedFor: z.exactOptional(z.string()),
}

/** A row of `tasks.json` (behaviour 25). */
export type Task = Readonly<RowOf<typeof shape>>

export interface TaskStore extends FileState {
  /** Newest start first. The same reference as long as the file stays. */
  list(): readonly Task[]
  /** Puts these in place of their rows; others stay, but for the oldest of those that are over. @throws {StoreError} */
  put(tasks: readonly Task[]): Promise<void>
  /** How often the file was gone, or without its rows, where this process had seen some. */
  losses(): number
}

/** Why its rows may not be all that are kept, a line each. */
export function faultsOf(rows: Pick<TaskStore, 'list' | 'problems'>): readonly string[] {
  rows.list()
  return rows.problems().map(({ path, message }) => `${basename(path)}: ${message}`)
}

/** So many rows of tasks that are over are kept. */
const MAX_OVER = 300

interface TasksFile {
  readonly tasks: readonly Task[]
}

export function openTasks(directory: string): TaskStore {
  const none: TasksFile = { tasks: [] }
  const file = createJsonFile<TasksFile>({
    path: join(directory, 'tasks.json'),
    ...rowsUnder<'tasks', Task, TasksFile>('tasks', () => z.looseObject(shape), isSoundTask),
    defaults: none,
  })
  const newestFirst = latestDerived(({ tasks }: TasksFile) => tasks.toSorted((a, b) => b.startedAt - a.startedAt))
  let hasRows = false
  let losses = 0
  /** A write of another row must not hide that the others were gone. */
  function seen(content: TasksFile): TasksFile {
    if (hasRows && content.tasks.length === 0) losses += 1
    hasRows = content.tasks.length > 0
    return content
  }
  return {
    list: () => newestFirst(seen(file.read())),
    async put(tasks) {
      if (tasks.length > 0)
        await file.update((content) => ({ ...content, tasks: withRows(seen(content).tasks, tasks) }))
    },
    losses: () => losses,
    ...stateOf(file),
  }
}

const TEXTS = ['kind', 'account', 'symbol', 'command', 'runId'] as const
const MAYBE_TEXTS = [
  'doing',
  'reason',
  'amount',
  'filled',
  'average',
  'price',
  'words',
  'canceledBy',
  'pausedFor',
] as const
const TIMES = ['startedAt', 'updatedAt'] as const
const isText = (value: unknown) => typeof value === 'string'
const isTime = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 8.64e15
const isMaybe = (value: unknown, holds: (value: unknown) => boolean) => value === undefined || holds(value)

/** There may be hundreds, and every start reads them. The test holds it to the schema. */
export function isSoundTask(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const row = value as Readonly<Record<string, unknown>>
  return (
    typeof row.id === 'string' &&
    row.id !== '' &&
    TASK_STATUSES.includes(row.status as Task['status']) &&
    Number.isFinite(row.progress) &&
    TEXTS.every((field) => isText(row[field])) &&
    TIMES.every((field) => isTime(row[field])) &&
    MAYBE_TEXTS.every((field) => isMaybe(row[field], isText)) &&
    isMaybe(row.paused, (flag) => typeof flag === 'boolean') &&
    isMaybe(row.protective, (flag) => typeof flag === 'boolean') &&
    isMaybe(row.endsAt, isTime) &&
    isMaybe(row.orderIds, (ids) => Array.isArray(ids) && ids.every(isText))
  )
}

/** Fields that others have put into a row stay in it. */
function withRows(rows: readonly Task[], tasks: readonly Task[]): readonly Task[] {
  const next = new Map(tasks.map((task) => [task.id, task]))
  const known = new Set(rows.map(({ id }) => id))
  const all = [...rows.map((row) => merged(row, next.get(row.id))), ...tasks.filter(({ id }) => !known.has(id))]
  const over = all.filter(({ status }) => status !== 'running' && status !== 'interrupted')
  const dropped = new Set(
    over.toSorted((a, b) => a.updatedAt - b.updatedAt).slice(0, Math.max(0, over.length - MAX_OVER)),
  )
  return dropped.size === 0 ? all : all.filter((task) => !dropped.has(task))
}

function merged(row: Task, next: Task | undefined): Task {
  if (next === undefined) return row
  const foreign = Object.entries(row).filter(([field]) => !Object.hasOwn(shape, field))
  return { ...Object.fromEntries(foreign), ...next }
}

export function scrubTask(task: Task): TaskRow {
  return pick(taskRow, task)
}

// `tasks-driver.json` (behaviour 41): which process drives the tasks of this directory. One that has died holds nothing; one that lives is never
// pushed out, also where the machine slept.

const schema = z.looseObject({
  pid: z.exactOptional(z.int()),
  born: z.exactOptional(z.string()),
})

type DriverFile = z.infer<typeof schema>

export interface TasksDriverStore extends FileState {
  /** The living process that drives; undefined: none does. */
  holder(): ProcessIdentity | undefined
  /** Asked before each order: one stat in a turn of the event loop. What cannot be read is not ours. */
  isOurs(): boolean
  /** Takes it where no one living holds it. @returns whether it is ours now @throws {StoreError} */
  take(): Promise<boolean>
  /** @throws {StoreError} */
  letGo(): Promise<void>
}

interface TasksDriverOptions {
  readonly identity?: ProcessIdentity
  readonly isAlive?: (process: ProcessIdentity) => boolean
}

export function openTasksDriver(directory: string, options: TasksDriverOptions = {}): TasksDriverStore {
  const file = createJsonFile<DriverFile>({
    path: join(directory, 'tasks-driver.json'),
    parse: recordOf<DriverFile>(schema),
    defaults: {},
  })
  const lives = options.isAlive ?? isAlive
  const own = (): ProcessIdentity => options.identity ?? ownIdentity()
  const isOwn = ({ pid, born }: DriverFile) => pid === own().pid && born === own().born

  function holderIn(content: DriverFile): ProcessIdentity | undefined {
    const { pid, born } = content
    if (pid === undefined) return undefined
    const holder = { pid, ...defined({ born }) }
    return isOwn(content) || lives(holder) ? holder : undefined
  }

  return {
    holder: () => holderIn(file.read()),
    isOurs: () => isOwn(file.readOncePerTurn()) && file.problem() === undefined,
    async take() {
      const content = await file.update((content) => {
        if (holderIn(content) !== undefined) return content
        const { pid: _pid, born: _born, ...rest } = content
        return { ...rest, ...own() }
      })
      return isOwn(content)
    },
    async letGo() {
      await file.update((content) => {
        if (!isOwn(content)) return content
        const { pid: _pid, born: _born, ...rest } = content
        return rest
      })
    },
    ...stateOf(file),
  }
}
