// What tasks tell the operator, one line each (behaviour 34): `[chase a1b2c3d4] …`.

import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { fillLine } from '../commands/kit/lines.ts'
import { filledOf, restsOf, shortTaskId, stateOf, taskName } from '../commands/tasks/task-words.ts'
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import type { Task } from '../stores/tasks.ts'
import type { TaskReport } from '../tasks/task-report.ts'
import type { AppEvents } from './app-events.ts'
import type { Log } from './log.ts'
import type { Notice } from './notice.ts'

export function taskNotice(told: TaskReport): Notice {
  const [kind, text] = lineOf(told)
  return { kind, text: `[${taskName(told.task)}] ${printable(text, 300)}` }
}

function lineOf(told: TaskReport): readonly [OutputKind, string] {
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
  const id = shortTaskId(task)
  if (status === 'running' && paused !== true) return ['info', 'goes on']
  if (status === 'running') {
    // It goes on by itself.
    if (task.pausedFor === 'simulation') return ['warn', `paused${why}`]
    const end = task.pausedFor === 'source' ? ` or \`tasks cancel ${id}\`` : ''
    return ['warn', `paused${why}; \`tasks resume ${id}\`${end}`]
  }
  if (status === 'interrupted') {
    return [
      'warn',
      `interrupted${why}; ${filledOf(task)}, ${restsOf(task)}; \`tasks resume ${id}\` or \`tasks cancel ${id}\``,
    ]
  }
  // Who canceled it says so.
  const end = status === 'cancelled' && reason?.startsWith('canceled') === true ? reason : `${stateOf(task)}${why}`
  return [status === 'done' ? 'success' : 'warn', `${end}; ${filledOf(task)}`]
}

/** Nobody waits for it: a refusal is told in words, anything else is a bug of ours. */
export function tellTaskProblem(
  error: unknown,
  { warn, log }: { readonly warn: AppEvents['warn']; readonly log: Pick<Log, 'bug'> },
): void {
  if (isRefusal(error)) warn(`tasks: ${describeRefusal(error)}`)
  else log.bug(error)
}
