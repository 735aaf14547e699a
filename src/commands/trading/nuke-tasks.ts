// The tasks of an account, cancelled by `nuke`: those that could place an entry before anything is closed, those that protect a position once it is.
import { printable } from '../../language/printable.ts'
import type { Task } from '../../stores/tasks.ts'
import type { CommandContext } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { askedBy } from '../tasks/begin-task.ts'

type Context = CommandContext<'tasks'>

/** What may still place something: an interrupted one may be resumed. */
interface LiveTasks {
  readonly adding: readonly Task[]
  readonly protective: readonly Task[]
  /** Why there may be others, a line; at most one. */
  readonly doubts: readonly string[]
}

export const NO_TASKS: LiveTasks = { adding: [], protective: [], doubts: [] }

export async function liveTasks({ ports }: Context, account: string): Promise<LiveTasks> {
  const { tasks, doubt } = await ports.tasks.underWay()
  const own = tasks.filter((task) => task.account === account)
  return {
    adding: own.filter(({ protective }) => protective !== true),
    protective: own.filter(({ protective }) => protective === true),
    doubts:
      doubt === undefined
        ? []
        : [`account ${printable(account, 40)}: there may be tasks that were not canceled: ${printable(doubt, 200)}`],
  }
}

/** All at the same time: none waits for one that is slow to end. @returns what is not done, one line each */
export async function cancelTasks(context: Context, tasks: readonly Task[]): Promise<readonly string[]> {
  const by = await askedBy(context)
  const left = await Promise.all(
    tasks.map(async (task) => {
      try {
        const { account } = await context.ports.tasks.ask(task.id, 'cancel', by, true)
        context.out.success(`account ${printable(account, 40)}: ${nameOf(task)} is canceled`)
        return []
      } catch (error) {
        if (!isRefusal(error)) throw error
        return [`account ${printable(task.account, 40)}: ${nameOf(task)} was not canceled: ${describeRefusal(error)}`]
      }
    }),
  )
  return left.flat()
}

/** In simulation and with `--dry` (behaviour 40). */
export function printTasks({ out }: Context, tasks: readonly Task[]): void {
  for (const task of tasks) {
    out.info(`account ${printable(task.account, 40)}: simulated: would cancel ${nameOf(task)}`)
  }
}

/** `task 5d0e4b7a (chase on BTCUSDT)`. */
export function nameOf({ id, kind, symbol }: Pick<Task, 'id' | 'kind' | 'symbol'>): string {
  return `task ${printable(id.slice(0, 8), 20)} (${printable(kind, 20)} on ${printable(symbol, 40)})`
}
