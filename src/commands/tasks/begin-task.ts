// How a command begins a task: what can be refused is refused before anything begins, and the answer says how to watch and stop it.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Side } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { printArgument } from '../../language/print.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import type { AskedBy } from '../../tasks/task-port.ts'
import type { MarketView } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext } from '../kit/command.ts'
import type { TaskPlanData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'

/** A task with every figure worked out. */
export interface PlannedTask {
  readonly kind: string
  readonly symbol: string
  readonly params: unknown
  /** The first order that it would place, for the guards to judge. */
  readonly first: OrderPlan
  /** `buys 0.003 BTCUSDT, first at 64,999.9, for 1h`. */
  readonly text: string
  /** What else is to be known of it; with `--dry` the whole plan. */
  readonly more: (isDry: boolean) => readonly string[]
  readonly data: Omit<TaskPlanData, 'type' | 'account' | 'kind' | 'symbol' | 'id'>
}

type Context = CommandContext<'tasks'>

/**
 * Begins it; with `--dry` its plan is told, and nothing begins.
 * @returns its id; undefined: nothing has begun
 * @throws {TaskError} @throws {ExchangeError} `guarded`: its first order would be refused @throws {TradingError} `unsettled-order`
 */
export async function beginTask(
  context: Context,
  account: TradingAccount,
  task: PlannedTask,
  args: readonly Argument[],
): Promise<string | undefined> {
  const { out, accountName } = context
  const { kind, symbol, params, text, data } = task
  const isDry = await judgeFirst(context, account, task.first)
  const known = { type: 'task-plan', account: accountName, kind, symbol, ...data } as const
  if (isDry) {
    out.info(`simulated: would start a ${kind}: ${text}`, known)
    for (const line of task.more(true)) out.info(line)
    return undefined
  }
  const id = await startTask(context, { kind, symbol, params }, args)
  const short = shortId(id)
  out.success(`${kind} ${short}: ${text} (\`tasks show ${short}\`, \`tasks cancel ${short}\`)`, { ...known, id })
  for (const line of task.more(false)) out.info(line)
  return id
}

/** @param args as they were typed behind the verb, which is the kind's name if nothing else is given @returns its id @throws {TaskError} */
export async function startTask(
  context: Context,
  task: Pick<PlannedTask, 'kind' | 'symbol' | 'params'>,
  args: readonly Argument[],
  verb = task.kind,
): Promise<string> {
  const command = [verb, ...args.map(printArgument)].join(' ')
  const { accountName: account, ports } = context
  const by = await askedBy(context)
  const { id } = await ports.tasks.begin({ ...task, account, command, by })
  return id
}

/** As much of a task's id as is typed. */
export function shortId(id: string): string {
  return id.slice(0, MIN_PREFIX_LENGTH)
}

/** Works the order out and lets the guards judge it; nothing is sent. @returns whether nothing is to be sent at all */
async function judgeFirst(context: Context, account: TradingAccount, first: OrderPlan): Promise<boolean> {
  const by = context.orderedBy()
  // Its later orders are its own, and of no fire.
  if (by.budget !== undefined && first.reduceOnly !== true) throw notWithinMax()
  if (by.cap?.() !== undefined && first.reduceOnly !== true) throw notWithinGrant()
  await account.orders.judge(first, by)
  return by.isDry === true
}

function notWithinMax(): CommandError {
  return new CommandError('guarded', 'a hook with --max cannot begin a task that may add to a position', {
    hint: 'order at once, or take --max away in the terminal: `hook edit <name> --no-max`',
  })
}

function notWithinGrant(): CommandError {
  return new CommandError('not-granted', 'a client with a grant cannot begin a task that may add to a position', {
    hint: 'order at once, or begin the task in the terminal',
  })
}

// Who begins a task, or asks something of it: the one who typed, fired or sent the run.

/** @throws {CommandError} the run was stopped, or may send nothing more */
export async function askedBy(context: Pick<CommandContext, 'orderedBy'>): Promise<AskedBy> {
  const { source, runId, origin, hookId, clientId, isDry, admission, tags, asking } = context.orderedBy()
  if (asking !== undefined) await asking.begin()
  return { source, runId, ...defined({ origin, hookId, clientId, isDry, tags, admission: admission?.() }) }
}

// How much of a position a task may take away.

/** The amount, or as much as there is of the position. @throws {TradingError} `no-position` @throws {CommandError} `bad-argument` */
export function reducible(side: Side, amount: string, { market, position }: MarketView): string {
  if (position === undefined) throw noPosition(market.symbol)
  if ((position.side === 'long') === (side === 'sell')) {
    return amountOnLot(Decimal.min(amount, position.amount), market).toFixed()
  }
  throw new CommandError('bad-argument', `a ${side} adds to the ${market.symbol} ${position.side}`, {
    hint: `type ${side === 'buy' ? 'sell' : 'buy'}, or leave out reduce`,
  })
}
