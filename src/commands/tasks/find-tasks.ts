// Which tasks are meant.
import type { Argument } from '../../language/chain.ts'
import { findByIdPrefix } from '../../stores/id-prefix.ts'
import type { Task } from '../../stores/tasks.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/command-error.ts'
import { readText, requireText } from '../kit/read-arguments.ts'
import { isUnderWay, taskName } from './task-words.ts'

/** @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
export function findTask(tasks: readonly Task[], prefix: string): Task {
  return findByIdPrefix(tasks, { prefix, idOf: ({ id }) => id, noun: 'task' })
}

/**
 * Ids, one after the other or with commas between them, or all that are under way. A hook has a say on the account it runs on alone.
 * @throws {StoreError} as `findTask` @throws {CommandError} `not-allowed-here`
 */
export function tasksMeant(context: CommandContext<'tasks'>, args: readonly Argument[]): readonly Task[] {
  const { source, accountName, ports } = context
  const mayTouch = ({ account }: Task) => source !== 'hook' || account === accountName
  const tasks = ports.tasks.list()
  const first = requireText(args, 0, 'an id or --all')
  if (args.length === 1 && (first === '--all' || first === 'all')) {
    return tasks.filter((task) => isUnderWay(task) && mayTouch(task))
  }
  const prefixes = args.flatMap((argument) => readText(argument).split(',')).filter((text) => text !== '')
  const meant = [...new Set(prefixes.map((prefix) => findTask(tasks, prefix)))]
  const stranger = meant.find((task) => !mayTouch(task))
  if (stranger === undefined) return meant
  throw new CommandError('not-allowed-here', `${taskName(stranger)} is on another account than this hook`, {
    hint: 'type it in the terminal, or pin the hook to that account',
  })
}
