// What tasks tell the operator, one line each (behaviour 34): `[chase a1b2c3d4] …`.
import { fillLine } from '../commands/kit/order-lines.ts'
import { describeRefusal, isRefusal } from '../commands/kit/refusal.ts'
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import { MIN_PREFIX_LENGTH } from '../stores/id-prefix.ts'
import type { Task } from '../stores/tasks.ts'
import type { TaskTold } from '../tasks/task-told.ts'
import { showAmount, showPrice } from '../trading/figures.ts'
import type { AppEvents } from './app-events.ts'
import type { Log } from './log.ts'
import type { Notice } from './notice.ts'

export function taskNotice(told: TaskTold): Notice {
  const { id, kind } = told.task
  const [level, text] = lineOf(told)
  return { kind: level, text: `[${printable(kind, 20)} ${id.slice(0, MIN_PREFIX_LENGTH)}] ${printable(text, 300)}` }
}

function lineOf(told: TaskTold): readonly [OutputKind, string] {
  switch (told.type) {
    case 'said':
      return [told.level, told.text]
    case 'filled':
      return ['success', fillLine(told.trades)]
    case 'status':
      return statusLine(told.task)
  }
}

function statusLine(task: Task): readonly [OutputKind, string] {
  const { status, paused, reason } = task
  const why = reason === undefined ? '' : `: ${reason}`
  const id = task.id.slice(0, MIN_PREFIX_LENGTH)
  if (status === 'running')
    return paused === true ? ['warn', `paused${why}; \`tasks resume ${id}\``] : ['info', 'goes on']
  if (status === 'interrupted') {
    const rests = restsOf(task)
    return ['warn', `interrupted${why}; ${filledOf(task)}, ${rests}; \`tasks resume ${id}\` or \`tasks cancel ${id}\``]
  }
  return [status === 'done' ? 'success' : 'warn', `${status}${why}; ${filledOf(task)}`]
}

/** `filled 0.003 of 0.01 at 64,001.5`. */
export function filledOf({ filled, amount, average }: Task): string {
  if (filled === undefined) return 'nothing filled'
  const whole = amount === undefined ? '' : ` of ${showAmount(amount)}`
  const at = average === undefined ? '' : ` at ${showPrice(average)}`
  return `filled ${showAmount(filled)}${whole}${at}`
}

function restsOf({ orderIds = [] }: Task): string {
  if (orderIds.length === 0) return 'nothing rests'
  const ids = orderIds.slice(0, 5).map((id) => printable(id, 40))
  const more = orderIds.length > ids.length ? ` and ${orderIds.length - ids.length} more` : ''
  return `${orderIds.length === 1 ? 'order' : 'orders'} ${ids.join(', ')}${more} ${orderIds.length === 1 ? 'rests' : 'rest'}`
}

/** Nobody waits for it: a refusal is told in words, anything else is a bug of ours. */
export function tellTaskProblem(
  error: unknown,
  { warn, log }: { readonly warn: AppEvents['warn']; readonly log: Pick<Log, 'bug'> },
): void {
  if (isRefusal(error)) warn(`tasks: ${describeRefusal(error)}`)
  else log.bug(error)
}
