import { typedLine } from '../../../language/print.ts'
import type { TaskRow } from '../../../protocol/frames.ts'
import { ORDERLESS_TASKS } from '../../../protocol/rows.ts'
import { showAverage, showFigure, showPrice, showTime } from '../../figures.ts'
import type { Consequence } from '../../preview/consequences.ts'

// The actions of a page on a task, and their warnings.

export interface TaskAction {
  /** Of `tasks <verb> <id>`. */
  readonly verb: 'cancel' | 'pause'
  readonly title: string
}

export const CANCEL: TaskAction = { verb: 'cancel', title: 'Cancel' }
const PAUSE: TaskAction = { verb: 'pause', title: 'Pause' }

/** A status that is not known here offers nothing. */
export function actionsOf(task: Pick<TaskRow, 'status' | 'paused'>): readonly TaskAction[] {
  if (isHeld(task)) return [CANCEL]
  return task.status === 'running' ? [PAUSE, CANCEL] : []
}

function isHeld({ status, paused }: Pick<TaskRow, 'status' | 'paused'>): boolean {
  return status === 'interrupted' || (status === 'running' && paused === true)
}

/** The line for the hookline terminal with which it goes on; undefined: it needs none. */
export function resumeLine(task: Pick<TaskRow, 'id' | 'status' | 'paused'>): string | undefined {
  return isHeld(task) ? typedLine`tasks resume ${task.id.slice(0, 8)}` : undefined
}

export function taskLine({ id }: Pick<TaskRow, 'id'>, { verb }: TaskAction): string | undefined {
  return verb === 'pause' ? typedLine`tasks pause ${id}` : typedLine`tasks cancel ${id}`
}

/** Asked before it is done; undefined: it is done at once. */
export function warningOf({ protective, kind }: Pick<TaskRow, 'protective' | 'kind'>, { verb }: TaskAction) {
  if (verb !== 'cancel' || kind === 'alert') return undefined
  if (ORDERLESS_TASKS.has(kind)) return 'Its line no longer runs by itself.'
  return protective === true
    ? `Its orders are canceled: this ${kind} no longer protects the position.`
    : 'Its orders are canceled. What has filled stays.'
}

/** What follows a position, or orders nothing, has no whole of which it has done a part. */
export function hasProgress({ progress, amount }: Pick<TaskRow, 'progress' | 'amount'>): boolean {
  return progress !== 0 || amount !== undefined
}

/** The fills of a task, and the orders that its end cancels. */
export function lossOf({ filled, amount, average, price, orderIds = [] }: TaskRow): readonly Consequence[] {
  const of = amount === undefined ? '' : ` of ${showFigure(amount)}`
  const at = average === undefined ? '' : ` at ${showAverage(average, price)}`
  const where = price === undefined ? '' : ` at ${showPrice(price)}`
  return [
    ...(filled === undefined ? [] : [{ title: 'Has filled', value: `${showFigure(filled)}${of}${at}` }]),
    ...orderIds.map((id) => ({ title: 'Cancels', value: `order ${id}${where}` })),
  ]
}

// Facts of a task besides its figures, each with a title: its state or the reason for its end, and times.

export type Task = TaskRow

interface Fact {
  readonly title: string
  readonly text: string
}

/** How a task that is not under way came to be so. */
const STOPPED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    done: 'Why it ended',
    failed: 'Why it failed',
    cancelled: 'Why it was canceled',
    interrupted: 'Why it was interrupted',
  }),
)

export function taskFacts(task: Task, now: number): readonly Fact[] {
  const { status, startedAt, updatedAt, endsAt } = task
  const isRunning = status === 'running'
  return [
    ...stepOf(task),
    ...(isRunning ? restsOf(task) : []),
    { title: 'Started', text: showTime(startedAt, now) },
    ...(isRunning ? [] : [{ title: 'Ended', text: showTime(updatedAt, now) }]),
    ...(isRunning && endsAt !== undefined ? [{ title: 'Ends at the latest', text: showTime(endsAt, now) }] : []),
    ...(isRunning ? [{ title: 'After a restart', text: restartText(task) }] : []),
    ...(status === 'interrupted'
      ? [{ title: 'To continue', text: '`tasks resume` in the hookline terminal places what is left.' }]
      : []),
  ]
}

function stepOf({ status, paused, doing, reason }: Task): readonly Fact[] {
  if (status !== 'running') return reason === undefined ? [] : [{ title: STOPPED.get(status) ?? 'Why', text: reason }]
  if (paused === true) return [{ title: 'Why it waits', text: reason ?? 'paused' }]
  const now = doing ?? reason
  return now === undefined ? [] : [{ title: 'Now', text: now }]
}

function restsOf({ kind, price, words, orderIds = [] }: Task): readonly Fact[] {
  if (ORDERLESS_TASKS.has(kind))
    return [
      ...(price === undefined ? [] : [{ title: 'At', text: showFigure(price) }]),
      ...(words === undefined ? [] : [{ title: kind === 'alert' ? 'Reports' : 'Runs', text: words }]),
    ]
  if (orderIds.length === 0 && price === undefined) return []
  const where = price === undefined ? '' : ` at ${showFigure(price)}`
  if (orderIds.length === 0) return [{ title: 'Stop', text: showFigure(price ?? '') }]
  return [{ title: 'Rests', text: `order ${orderIds.join(', ')}${where}` }]
}

function restartText({ kind, protective }: Task): string {
  if (ORDERLESS_TASKS.has(kind)) return 'it continues by itself'
  return protective === true
    ? 'it reduces risk, and resumes by itself'
    : 'it waits until `tasks resume` in the hookline terminal'
}
