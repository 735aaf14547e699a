// An exit at the market, sent in as many orders as the venue wants for it, and told to be whole or not.
import { Decimal } from 'decimal.js'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order, Position } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { Simulated } from '../../exchange/simulated.ts'
import type { CommandCall } from '../../language/chain.ts'
import { callsIn } from '../../language/expansion.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseChain } from '../../language/parse.ts'
import { printable } from '../../language/printable.ts'
import type { Size } from '../../language/size.ts'
import type { Task } from '../../stores/tasks.ts'
import { showAmount } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderListener } from '../../trading/order-event.ts'
import type { OrderedBy, OrderPlan } from '../../trading/order-plan.ts'
import type { Cut } from '../../trading/sizing.ts'
import { type CommandContext, questionOf } from '../kit/command.ts'
import { effectOf } from '../kit/effects.ts'
import { CommandError } from '../kit/errors.ts'
import { cutLine, orderReporter } from '../kit/lines.ts'
import { addsByItself, filledOf, shortTaskId, taskName } from '../tasks/task-words.ts'
import { warnOfLargeTargets } from './protective-stop.ts'

/** Of an exit that names no size. */
export const WHOLE: Size = { kind: 'percent', percent: '100', of: 'position' }

export interface PlannedExit {
  readonly market: Market
  readonly plan: OrderPlan
  readonly cutFrom?: Cut
  /** All that is held of the symbol. */
  readonly isWhole?: boolean
  /** As of `orderReporter`. */
  readonly leg?: string
}

/** At the market, of all of it. */
export function exitOf({ symbol, side, amount }: Position): OrderPlan {
  return { symbol, side: side === 'long' ? 'sell' : 'buy', type: 'market', amount, reduceOnly: true }
}

/** An order that only reduces is not an entry, nor is a sale on spot. */
export function isEntry({ kind }: Pick<VenueView, 'kind'>, { reduceOnly, closesPosition, side }: Order): boolean {
  return kind === 'spot' ? side === 'buy' : !reduceOnly && closesPosition !== true
}

/** Tasks that end by themselves once all of their orders are canceled: where one does not, it places others. */
const MAY_END_WITH_ORDERS: ReadonlySet<string> = new Set(['dca', 'grid', 'chase'])
/** How long such an end is waited for. */
const TASK_ENDS_MS = 2_000
const TASK_LOOK_MS = 50

/** What may place entries again after orders were canceled: tasks that add, and do not end with these orders. */
export async function warnOfTasks(
  context: CommandContext<'tasks'>,
  of: readonly string[] | 'all',
  canceled: readonly Order[],
): Promise<void> {
  if (context.isDry) return
  const { clock } = context
  const ids = new Set(canceled.map(({ id }) => id))
  const mayEnd = () =>
    addingTasks(context, of).some(({ kind, orderIds = [] }) => {
      return MAY_END_WITH_ORDERS.has(kind) && orderIds.every((id) => ids.has(id))
    })
  const until = clock.now() + TASK_ENDS_MS
  while (ids.size > 0 && mayEnd() && clock.now() < until && !context.isAborted) {
    await clock.delay(TASK_LOOK_MS, context.signal)
  }
  for (const task of openingTasks(context, of)) warnOfTask(context, task)
}

/** Before a position is turned round: what goes on trading its symbol. */
export function warnOfOpening(context: CommandContext<'tasks'>, symbol: string): void {
  if (context.isDry) return
  for (const task of openingTasks(context, [symbol])) warnOfTask(context, task)
}

/** Those that may open again what is closed. */
function openingTasks(context: CommandContext<'tasks'>, of: readonly string[] | 'all'): readonly Task[] {
  return [...addingTasks(context, of), ...openingLines(context, of)]
}

function addingTasks({ ports, accountName }: CommandContext<'tasks'>, of: readonly string[] | 'all'): readonly Task[] {
  return ports.tasks.list().filter((task) => {
    const isMeant = of === 'all' || of.includes(task.symbol)
    return addsByItself(task) && task.paused !== true && task.account === accountName && isMeant
  })
}

/** `every`, `at` and `when`: those whose line may open a position again. The one that runs this line is not among them. */
function openingLines({ ports, accountName, by }: CommandContext<'tasks'>, of: readonly string[] | 'all') {
  return ports.tasks.list().filter((task) => {
    if (task.status !== 'running' || task.paused === true || task.account !== accountName) return false
    return LINE_TASKS.has(task.kind) && by.origin !== taskName(task) && mayOpen(task, of)
  })
}

const LINE_TASKS: ReadonlySet<string> = new Set(['every', 'at', 'when'])
/** What of a line opens nothing, though `effectOf` does not say so. Any other name may be an alias, and that may stand for anything. */
const OPENS_NOTHING: ReadonlySet<string> = new Set(
  'stop sl take tp trail oco c notify note alert set symbol leverage lev margin bal pos depth'.split(' '),
)

function mayOpen({ command, symbol }: Task, of: readonly string[] | 'all'): boolean {
  const opening = callsOfLine(command)?.filter(({ name, args }) => {
    const effect = effectOf(name.toLowerCase(), args)
    return (effect === 'adds' || effect === 'changes') && !OPENS_NOTHING.has(name.toLowerCase())
  })
  if (opening === undefined || opening.length === 0) return opening === undefined
  if (of === 'all' || of.includes(symbol)) return true
  const words = opening.flatMap(({ args }) =>
    args.flatMap((each) => (each.kind === 'word' ? each.text.split(',') : [])),
  )
  return words.some((word) => of.includes(word.toUpperCase()))
}

/** undefined: another hookline has written it. */
function callsOfLine(command: string): readonly CommandCall[] | undefined {
  try {
    const [task] = callsIn(parseChain(command))
    return task?.args.flatMap((each) => (each.kind === 'group' ? callsIn(each.chain) : []))
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return undefined
  }
}

/**
 * Tasks that add would open again what is closed: a person is asked, and anyone else reads of them before.
 * @param isOpen whether there is anything to close
 * @throws {CommandError} `cancelled`
 */
export async function requireClosed(
  context: CommandContext<'tasks'>,
  of: readonly string[] | 'all',
  isOpen: boolean,
): Promise<void> {
  const { confirm, isDry } = context
  const tasks = openingTasks(context, of)
  const [first] = tasks
  if (first === undefined) return
  if (confirm === undefined || isDry || !isOpen) {
    for (const task of tasks) warnOfTask(context, task)
    return
  }
  const names = tasks.map((task) =>
    LINE_TASKS.has(task.kind)
      ? `${taskName(task)} (${printable(task.words ?? task.command, 120)})`
      : `${taskName(task)} on ${printable(task.symbol, 40)} (${filledOf(task)})`,
  )
  const [run, ends] = tasks.length === 1 ? ['still runs', shortTaskId(first)] : ['still run', '--all']
  // What they fill meanwhile is closed too.
  const holdsFor = tasks.map(({ id }) => id)
  if (await confirm(questionOf(`${names.join(', ')} ${run}`, 'close anyway?'), { holdsFor })) return
  throw new CommandError('cancelled', 'canceled: nothing was closed', {
    hint: `type \`tasks cancel ${ends}\` first, or \`nuke\``,
  })
}

function warnOfTask({ out }: CommandContext, task: Task): void {
  const id = shortTaskId(task)
  const where = LINE_TASKS.has(task.kind)
    ? `(${printable(task.words ?? task.command, 120)}) still runs`
    : `still runs on ${printable(task.symbol, 40)}`
  out.warn(`${taskName(task)} ${where}: \`tasks cancel ${id}\` ends it`)
}

/** Entries that rest may open a position again that a person has closed. */
export async function warnOfEntries(
  context: CommandContext<'tasks'>,
  { venue }: TradingAccount,
  of: readonly string[] | 'all',
): Promise<void> {
  const { out } = context
  const isMeant = (symbol: string) => of === 'all' || of.includes(symbol)
  const theirs = new Set(addingTasks(context, of).flatMap(({ orderIds = [] }) => orderIds))
  const resting = await venue.fetchOpenOrders().catch((error: unknown) => {
    if (!(error instanceof ExchangeError)) throw error
    return []
  })
  const entries = resting.filter((order) => isMeant(order.symbol) && isEntry(venue, order) && !theirs.has(order.id))
  for (const symbol of new Set(entries.map((order) => order.symbol))) {
    const count = entries.filter((order) => order.symbol === symbol).length
    const [what, them] = count === 1 ? ['1 entry still rests', 'it'] : [`${count} entries still rest`, 'them']
    out.warn(`${what} on ${symbol}: \`cancel entries ${symbol}\` cancels ${them}`)
  }
}

/** @throws {CommandError} `partly-closed` */
export async function sendExit(
  context: CommandContext,
  account: TradingAccount,
  { market, plan, cutFrom, isWhole = false, leg }: PlannedExit,
): Promise<void> {
  const { symbol, amount, side } = plan
  const by = () => ({ ...context.orderedBy(), closes: true }) as const
  const { filled, status, isLooked } = await exitInParts(account, {
    plan,
    market,
    by,
    report: orderReporter(context, leg),
  })
  if (cutFrom !== undefined) context.out.info(cutLine(cutFrom, market))
  if (filled.gte(amount)) {
    if (!isWhole) return warnOfLargeTargets(context, account, market)
    return account.orders.leftovers.exited({ symbol, side }, orderReporter(context))
  }
  const done = isLooked === true ? 'would be closed' : 'closed'
  throw new CommandError('partly-closed', `${showAmount(filled)} of ${showAmount(amount)} ${symbol} ${done}`, {
    hint: status === 'open' ? '`orders` shows the rest: it is still open' : '`close` again: the book was empty',
  })
}

/** So often a refused amount is halved: to a sixty-fourth. */
const MAX_HALVINGS = 6
/** So many orders one exit may take. */
const MAX_PARTS = 200

interface PartedExit {
  readonly plan: OrderPlan
  /** Absent: not known, and the amount is not cut. */
  readonly market: Market | undefined
  /** For one order each. */
  readonly by: () => OrderedBy
  readonly report: OrderListener
}

interface Exited {
  readonly filled: Decimal
  /** Of the last order; `open` where its end is not known. */
  readonly status: Order['status']
  /** It was worked out and not sent, and would not fill whole. */
  readonly isLooked?: true
}

/**
 * Of some venues the largest order is known only by its refusal: what is refused as invalid is sent again in halves. It only reduces.
 * @throws as `OrderDesk.place`: the refusal of the amount that was asked for, where no part of it is taken either
 */
export async function exitInParts(account: TradingAccount, exit: PartedExit): Promise<Exited> {
  const { plan, market, by, report } = exit
  let size = new Decimal(market?.marketMaxAmount ?? market?.maxAmount ?? plan.amount)
  let [rest, filled] = [new Decimal(plan.amount), new Decimal(0)]
  let status: Order['status'] = 'closed'
  let [halvings, refusal, simulated]: [number, unknown, Simulated | undefined] = [0, undefined, undefined]
  for (let count = 0; rest.gt(0) && count < MAX_PARTS; ) {
    const part = Decimal.min(rest, size)
    const order = await account.orders.place(partOf(plan, part), by(), report).catch(
      orSimulated((error) => {
        refusal ??= error
        size = halvings < MAX_HALVINGS ? halfOf(part, market, error) : new Decimal(0)
        if (size.isZero()) throw refusal
        halvings += 1
      }),
    )
    if (order === undefined) continue
    if (order instanceof Simulated) {
      if (order.fills !== undefined) return { filled: filled.plus(order.fills), status: 'canceled', isLooked: true }
      simulated ??= order
      filled = filled.plus(part)
    } else {
      filled = filled.plus(order.filled)
      status = order.status
      // The book held no more, or the end is not known.
      if (part.gt(order.filled)) break
    }
    rest = rest.minus(part)
    count += 1
  }
  if (simulated !== undefined) throw asWhole(simulated, plan)
  return { filled, status }
}

/** What was only worked out is an answer; anything else is for `refused` to say. */
function orSimulated(refused: (error: unknown) => void): (error: unknown) => Simulated | undefined {
  return (error) => {
    if (error instanceof Simulated) return error
    refused(error)
    return undefined
  }
}

function partOf(plan: OrderPlan, part: Decimal): OrderPlan {
  if (part.eq(plan.amount)) return plan
  const { asked: _, ...bare } = plan
  return { ...bare, amount: part.toFixed() }
}

/** Venues have one code for all that they find wrong with an order. @returns zero where less would be refused too */
function halfOf(amount: Decimal, market: Market | undefined, error: unknown): Decimal {
  const isTooLarge = error instanceof ExchangeError && error.code === 'invalid-order'
  const half = isTooLarge && market !== undefined ? amountOnLot(amount.div(2).toFixed(), market) : new Decimal(0)
  return half.gte(market?.minAmount ?? 0) ? half : new Decimal(0)
}

function asWhole({ would }: Simulated, { amount }: OrderPlan): Simulated {
  return new Simulated(would.kind === 'place' ? { ...would, order: { ...would.order, amount } } : would)
}
