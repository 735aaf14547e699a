// Which tasks are meant.
import type { Argument } from '../../language/chain.ts'
import { findByIdPrefix } from '../../stores/rows.ts'
import type { Task } from '../../stores/tasks.ts'
import type { TasksUnderWay } from '../../tasks/task-port.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, requireText } from '../kit/read-arguments.ts'
import { taskName } from './task-words.ts'

/** @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
export function findTask(tasks: readonly Task[], prefix: string): Task {
  return findByIdPrefix(tasks, { prefix, idOf: ({ id }) => id, noun: 'task' })
}

/**
 * Ids, one after the other or with commas between them, or all that are under way. A hook has a say on the account it runs on alone.
 * @returns with why there may be others, where all are meant
 * @throws {StoreError} as `findTask` @throws {CommandError} `not-allowed-here`
 */
export async function tasksMeant(context: CommandContext<'tasks'>, args: readonly Argument[]): Promise<TasksUnderWay> {
  const { source, accountName, ports } = context
  const mayTouch = ({ account }: Task) => source !== 'hook' || account === accountName
  const { tasks: underWay, doubt } = await ports.tasks.underWay()
  const first = requireText(args, 0, 'an id or --all')
  if (args.length === 1 && (first === '--all' || first === 'all')) {
    const tasks = underWay.filter(mayTouch)
    return doubt === undefined ? { tasks } : { tasks, doubt }
  }
  const listed = ports.tasks.list()
  const known = new Set(listed.map(({ id }) => id))
  const tasks = [...listed, ...underWay.filter(({ id }) => !known.has(id))]
  const prefixes = args.flatMap((argument) => readText(argument).split(',')).filter((text) => text !== '')
  const meant = [...new Set(prefixes.map((prefix) => findTask(tasks, prefix)))]
  const stranger = meant.find((task) => !mayTouch(task))
  if (stranger === undefined) return { tasks: meant }
  throw new CommandError('not-allowed-here', `${taskName(stranger)} is on another account than this hook`, {
    hint: 'type it in the terminal, or pin the hook to that account',
  })
}
