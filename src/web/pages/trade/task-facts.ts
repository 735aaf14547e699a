// What there is to know of a task besides its figures, each with a title: what it does or why it stopped, and when.
import type { TaskRow } from '../../../protocol/frames.ts'
import { showFigure, showTime } from '../../figures.ts'

export type Task = TaskRow

export interface Fact {
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
  const { status, startedAt, updatedAt, endsAt, protective } = task
  const isRunning = status === 'running'
  return [
    ...stepOf(task),
    ...(isRunning ? restsOf(task) : []),
    { title: 'Begun', text: showTime(startedAt, now) },
    ...(isRunning ? [] : [{ title: 'Ended', text: showTime(updatedAt, now) }]),
    ...(isRunning && endsAt !== undefined ? [{ title: 'Ends at the latest', text: showTime(endsAt, now) }] : []),
    ...(isRunning ? [{ title: 'After a restart', text: restartText(protective === true) }] : []),
    ...(status === 'interrupted' ? [{ title: 'To go on', text: 'Resume places what is left.' }] : []),
  ]
}

function stepOf({ status, paused, doing, reason }: Task): readonly Fact[] {
  if (status !== 'running') return reason === undefined ? [] : [{ title: STOPPED.get(status) ?? 'Why', text: reason }]
  if (paused === true) return [{ title: 'Why it waits', text: reason ?? 'paused' }]
  const now = doing ?? reason
  return now === undefined ? [] : [{ title: 'Now', text: now }]
}

function restsOf({ price, orderIds = [] }: Task): readonly Fact[] {
  if (orderIds.length === 0 && price === undefined) return []
  const where = price === undefined ? '' : ` at ${showFigure(price)}`
  if (orderIds.length === 0) return [{ title: 'Stop', text: showFigure(price ?? '') }]
  return [{ title: 'Rests', text: `order ${orderIds.join(', ')}${where}` }]
}

function restartText(isProtective: boolean): string {
  return isProtective ? 'it lowers risk, and goes on by itself' : 'it waits for Resume'
}
