// What a page may ask of a task, and what it warns of first.
import type { TaskRow } from '../../../protocol/frames.ts'

export interface TaskAction {
  /** Of `tasks <verb> <id>`. */
  readonly verb: 'cancel' | 'pause' | 'resume'
  readonly title: string
}

const CANCEL: TaskAction = { verb: 'cancel', title: 'Cancel' }
const PAUSE: TaskAction = { verb: 'pause', title: 'Pause' }
const RESUME: TaskAction = { verb: 'resume', title: 'Resume' }

/** A status that is not known here offers nothing. */
export function actionsOf({ status, paused }: Pick<TaskRow, 'status' | 'paused'>): readonly TaskAction[] {
  if (status === 'interrupted' || (status === 'running' && paused === true)) return [RESUME, CANCEL]
  return status === 'running' ? [PAUSE, CANCEL] : []
}

/** Asked before it is done; undefined: it is done at once. */
export function warningOf({ protective, kind }: Pick<TaskRow, 'protective' | 'kind'>, { verb }: TaskAction) {
  if (verb !== 'cancel') return undefined
  return protective === true
    ? `Its orders are taken back: what the ${kind} protected has no stop of it any more.`
    : 'Its orders are taken back. What has filled stays.'
}
