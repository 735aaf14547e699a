// `tasks cancel`, `pause` and `resume`, and `kill`: asked of whichever process drives the task. What was paused or interrupted goes on only by
// the terminal; the rest is for anybody.
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { scrubTask, type Task } from '../../stores/tasks.ts'
import type { TaskRequest } from '../../tasks/task-port.ts'
import type { CommandContext, CommandForm, CompletionContext, SingleCommand } from '../kit/command.ts'
import { forEachItem } from '../kit/each-item.ts'
import { askedBy } from './asked-by.ts'
import { tasksMeant } from './find-tasks.ts'
import { filledOf, restsOf, stateOf, taskName } from './task-words.ts'

const complete = ({ words, tasks }: CompletionContext) => (words.length === 0 ? ['--all', ...tasks] : tasks)

export const cancelTasks: CommandForm<'tasks'> = {
  name: 'cancel',
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
  const meant = tasksMeant(context, args)
  if (meant.length === 0) return context.out.info('no task runs', { type: 'tasks', tasks: [] })
  const by = askedBy(context)
  const byName = new Map(meant.map((task) => [taskName(task), task.id]))
  await forEachItem(context, [...byName.keys()], async (name) => {
    const id = byName.get(name) ?? ''
    tell(context, await context.ports.tasks.ask(id, what, by), what)
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
