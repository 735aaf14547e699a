// What a page may ask of a task, and what it warns of first.
import { typedLine } from '../../../language/print.ts'
import type { TaskRow } from '../../../protocol/frames.ts'
import { showAverage, showFigure, showPrice } from '../../figures.ts'
import type { Consequence } from '../../preview/consequences.ts'

export interface TaskAction {
  /** Of `tasks <verb> <id>`. */
  readonly verb: 'cancel' | 'pause'
  readonly title: string
}

const CANCEL: TaskAction = { verb: 'cancel', title: 'Cancel' }
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
  if (verb !== 'cancel') return undefined
  return protective === true
    ? `Its orders are taken back: what the ${kind} protected has no stop of it any more.`
    : 'Its orders are taken back. What has filled stays.'
}

/** What has been done of a task, and what its end takes back. */
export function lossOf({ filled, amount, average, price, orderIds = [] }: TaskRow): readonly Consequence[] {
  const of = amount === undefined ? '' : ` of ${showFigure(amount)}`
  const at = average === undefined ? '' : ` at ${showAverage(average, price ?? average)}`
  const where = price === undefined ? '' : ` at ${showPrice(price)}`
  return [
    ...(filled === undefined ? [] : [{ title: 'Has filled', value: `${showFigure(filled)}${of}${at}` }]),
    ...orderIds.map((id) => ({ title: 'Cancels', value: `order ${id}${where}` })),
  ]
}
