// What goes on by itself under the name of an account, and what holds for that name: an account that is added under it later must inherit none of it.
import { isPaper, isStricter, LIVE_DEFAULTS, PAPER_DEFAULTS } from '../../guards/rules.ts'
import { printable } from '../../language/printable.ts'
import type { CrossTradeConfig, CrossTradeStore } from '../../stores/cross-trade.ts'
import { type GuardStore, LIMITS, type LimitName } from '../../stores/guards.ts'
import { shortId } from '../cross-trade/row-words.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { cancelTasks, liveTasks, nameOf } from '../trading/nuke-tasks.ts'

type Context = CommandContext<'tasks' | 'crossTrade' | 'guards'>

/** `task 3f9c2a71 (twap on BTCUSDT)`, `cross-trade row 1f9c2a71`. */
export async function usersOf(context: Context, name: string): Promise<readonly string[]> {
  const { tasks, doubts } = await tasksOf(context, name)
  return [
    ...tasks.map(nameOf),
    ...doubts,
    ...rowsOf(context.ports, name).map(({ id }) => `cross-trade row ${shortId(id)}`),
  ]
}

/** Those that may place an entry first. */
async function tasksOf(context: Context, name: string) {
  const { adding, protective, doubts } = await liveTasks(context, name)
  return { tasks: [...adding, ...protective], doubts }
}

/** Rows that are on and have the account as master or copier. */
export function rowsOf(
  { crossTrade }: { readonly crossTrade: Pick<CrossTradeStore, 'list'> },
  name: string,
): readonly CrossTradeConfig[] {
  return crossTrade.list().filter(({ enabled, masterAccount, copiers }) => {
    return enabled && (masterAccount === name || copiers.some(({ account }) => account === name))
  })
}

/** @throws {CommandError} `not-canceled`: a task goes on, and the account must stay */
export async function endUsers(context: Context, name: string): Promise<void> {
  const { tasks, doubts } = await tasksOf(context, name)
  const left = [...(await cancelTasks(context, tasks)), ...doubts]
  for (const line of left) context.out.error(line)
  if (left.length > 0) {
    throw new CommandError('not-canceled', `account ${printable(name, 40)} stays: not all of its tasks have ended`, {
      hint: '`tasks` lists them',
    })
  }
  for (const row of rowsOf(context.ports, name)) await leaveRow(context, row, name)
}

/** The other copiers of the row go on. */
async function leaveRow({ ports, out }: Context, row: CrossTradeConfig, name: string): Promise<void> {
  const { updatedAt: _, ...edit } = row
  const copiers = row.copiers.filter(({ account }) => account !== name)
  const isOver = row.masterAccount === name || copiers.length === 0
  await ports.crossTrade.merge(isOver ? { ...edit, enabled: false } : { ...edit, copiers })
  out.info(
    isOver
      ? `cross-trade row ${shortId(row.id)} is off`
      : `cross-trade row ${shortId(row.id)} no longer copies onto it`,
  )
}

/** Halts stay: a stop is ended by `resume` alone. */
export async function forgetLimits({ ports, out }: Context, name: string): Promise<void> {
  const limits = ports.guards.list().find(({ account }) => account === name)?.limits ?? {}
  const kept = LIMITS.flatMap((limit) => (limits[limit] === undefined ? [] : [`${limit} ${limits[limit]}`]))
  if (kept.length === 0 && limits.lossWithOpen === undefined) return
  await ports.guards.setLimits(name, { ...forgotten(LIMITS), lossWithOpen: undefined })
  out.info(`its limits are gone: ${kept.join(', ')}`)
}

function forgotten(limits: readonly LimitName[]): Readonly<Partial<Record<LimitName, undefined>>> {
  return Object.fromEntries(limits.map((limit) => [limit, undefined]))
}

/** Of limits that were set for an earlier account of that name, a new one keeps those that are stricter than the defaults of its kind. */
export async function dropLooserLimits(
  guards: Pick<GuardStore, 'list' | 'setLimits'>,
  name: string,
  exchange: string,
): Promise<void> {
  const limits = guards.list().find(({ account }) => account === name)?.limits
  if (limits === undefined) return
  const defaults = isPaper(exchange) ? PAPER_DEFAULTS : LIVE_DEFAULTS
  const looser = LIMITS.filter((limit) => {
    const [value, usual] = [limits[limit], defaults[limit]]
    return value !== undefined && !isStricter(value === 'off' ? undefined : value, usual)
  })
  if (looser.length === 0 && limits.lossWithOpen !== false) return
  await guards.setLimits(name, { ...forgotten(looser), lossWithOpen: undefined })
}
