// `tasks cancel`, `pause` and `resume`, and `kill`: asked of whichever process drives the task. What was paused or interrupted goes on only by
// the terminal; the rest is for anybody.
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { scrubTask, type Task } from '../../stores/tasks.ts'
import type { TaskRequest } from '../../tasks/task-port.ts'
import type { CommandContext, CommandForm, CompletionContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { forEachItem } from '../kit/running.ts'
import { askedBy } from './asked-by.ts'
import { tasksMeant } from './find-tasks.ts'
import { filledOf, restsOf, stateOf, taskName } from './task-words.ts'

const complete = ({ words, tasks }: CompletionContext) => (words.length === 0 ? ['--all', ...tasks] : tasks)

export const cancelTasks: CommandForm<'tasks'> = {
  name: 'cancel',
  neverGuessed: true,
  usage: '<id… | --all>',
  summary: 'end tasks, and take their orders back; what has filled stays filled',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'tasks cancel 3f9c2a71', says: 'one task, as `tasks` shows it' },
    { line: 'tasks cancel --all', says: 'every task, on every account' },
  ],
  complete,
  run: (context, args) => askAll(context, args, 'cancel'),
}

export const pauseTasks: CommandForm<'tasks'> = {
  name: 'pause',
  usage: '<id… | --all>',
  summary: 'take the orders of tasks back, and place nothing until they are resumed; a protective stop stays',
  where: 'anywhere',
  immediate: true,
  examples: [{ line: 'tasks pause 3f9c2a71', says: '`tasks resume 3f9c2a71` goes on' }],
  complete,
  run: (context, args) => askAll(context, args, 'pause'),
}

export const resumeTasks: CommandForm<'tasks'> = {
  name: 'resume',
  neverGuessed: true,
  usage: '<id… | --all>',
  summary: 'go on with the rest of tasks that were paused or interrupted',
  where: 'trusted',
  examples: [{ line: 'tasks resume 3f9c2a71', says: 'what has filled is not done again' }],
  complete,
  run: (context, args) => askAll(context, args, 'resume'),
}

export const kill: SingleCommand<'tasks'> = {
  ...cancelTasks,
  name: 'kill',
  group: 'tasks',
  usage: '<id… | all>',
  summary: 'end tasks, as `tasks cancel` does',
  examples: [{ line: 'kill all', says: 'every task, on every account' }],
  complete: ({ words, tasks }) => (words.length === 0 ? ['all', ...tasks] : tasks),
}

async function askAll(context: CommandContext<'tasks'>, args: readonly Argument[], what: TaskRequest): Promise<void> {
  const { tasks: meant, doubt } = await tasksMeant(context, args)
  if (meant.length === 0 && doubt === undefined) {
    return context.out.info('no task runs', { type: 'tasks', tasks: [] })
  }
  const by = askedBy(context)
  // All at the same time: none waits for one that is slow.
  const asked = new Map(meant.map((task) => [taskName(task), context.ports.tasks.ask(task.id, what, by)]))
  for (const answer of asked.values()) answer.catch(() => {})
  await forEachItem(context, [...asked.keys()], async (name) => {
    const task = await asked.get(name)
    if (task !== undefined) tell(context, task, what)
  })
  if (doubt !== undefined) throw notAllKnown(doubt)
}

function notAllKnown(doubt: string): CommandError {
  return new CommandError('tasks-not-known', `there may be other tasks: ${printable(doubt, 200)}`, {
    hint: 'fix the file, and say it again',
  })
}

function tell({ out }: CommandContext, task: Task, what: TaskRequest): void {
  const data = { type: 'tasks', tasks: [scrubTask(task)] } as const
  const state = stateOf(task)
  const text = `${taskName(task)} is ${state}; ${filledOf(task)}, ${restsOf(task)}`
  const isDone =
    what === 'cancel' ? task.status === 'cancelled' : what === 'pause' ? state === 'paused' : state === 'running'
  if (isDone) out.success(text, data)
  // What protected a position no longer does.
  if (isDone && what === 'cancel' && task.protective === true) out.warn(printable(task.reason ?? '', 200))
  if (isDone) return
  out.info(`${text}${task.reason === undefined ? '' : `: ${printable(task.reason, 200)}`}`, data)
}
