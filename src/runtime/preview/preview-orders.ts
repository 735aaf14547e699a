// What was looked at, as a preview tells it: each order with its consequences, in the order in which they would be sent.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AnyForm } from '../../commands/kit/command.ts'
import { ordersTable, positionLines, printWould, takenLine } from '../../commands/kit/preview.ts'
import type { LimitUse } from '../../exchange/exchange.ts'
import { type Market, type Ticker, unitOf } from '../../exchange/market.ts'
import type { Order, OrderRef } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import type { Argument, Chain } from '../../language/chain.ts'
import type {
  PreviewCancel,
  PreviewChange,
  PreviewLimit,
  PreviewOrder,
  PreviewPosition,
  PreviewTask,
} from '../../protocol/preview.ts'
import type { Connect, TradingAccount } from '../../trading/order-desk.ts'
import type { OrderPlan } from '../../trading/order-plan.ts'
import {
  type AccountFacts,
  type Consequences,
  consequencesOf,
  createFacts,
  type Held,
  heldAfter,
  rests,
} from '../../trading/preview/order-consequences.ts'
import { type Looked, nothingLooked, PreviewDesk } from '../../trading/preview/preview-desk.ts'
import { createTrialAccount } from '../../trading/preview/trial-account.ts'
import { type LiveRun, RunContext, type RunEnvironment } from '../run-context.ts'
import { errorOf } from './preview-run.ts'

// Accounts on which everything is looked at and nothing is sent.

/** @param looked is told what would be sent */
export function lookingOnly(connect: Connect, looked: Looked): Connect {
  const accounts = new Map<string, Promise<TradingAccount>>()
  return (name) => {
    const known = accounts.get(name) ?? connect(name).then((account) => looking(account, looked))
    accounts.set(name, known)
    return known
  }
}

async function looking(account: TradingAccount, looked: Looked): Promise<TradingAccount> {
  const { name, priceBand } = account
  const trial = await createTrialAccount(account.venue)
  return { name, venue: trial.venue, orders: new PreviewDesk(account, trial, looked), ...defined({ priceBand }) }
}

// How much of its limits each account would have used, from what its guard said of each order of the line.

/** Of these, what an order uses is added to what the orders before it do. */
const ADDED_UP: ReadonlySet<string> = new Set(['day', 'rate'])

export function previewLimits({ orders }: Looked): PreviewLimit[] {
  const previewed = new Map<string, PreviewLimit>()
  for (const { account, uses } of orders)
    for (const use of uses) {
      const key = `${account.name} ${use.limit}`
      previewed.set(key, { account: account.name, ...together(previewed.get(key), use) })
    }
  return [...previewed.values()]
}

/** The guard judges each order as if it were alone. */
function together(known: PreviewLimit | undefined, use: LimitUse): LimitUse {
  if (known?.after === undefined || use.after === undefined) return use
  if (!ADDED_UP.has(use.limit)) return { ...use, after: Decimal.max(known.after, use.after).toFixed() }
  const own = new Decimal(use.after).minus(use.before ?? 0)
  return { ...use, after: own.plus(known.after).toFixed() }
}

/** More than a person reads; the first are kept. */
export const MAX_LISTED = 200

interface Position {
  readonly market: Market
  readonly before: Decimal
  held: Held
  /** What rests has not filled there. */
  taken: Decimal
}

export interface PreviewedOrders {
  readonly orders: PreviewOrder[]
  readonly changes: PreviewChange[]
  readonly tasks: PreviewTask[]
  readonly positions: PreviewPosition[]
}

interface BegunTasks {
  readonly tasks: readonly PreviewTask[]
  readonly connect: Connect
}

/** @param note is told what is not known, and why @param begun the tasks of the line */
export async function previewOrders(
  { orders, changes }: Looked,
  note: (text: string) => void,
  begun?: BegunTasks,
): Promise<PreviewedOrders> {
  const positions = new Positions(createFacts(note), note)
  const previewed: PreviewedOrders = { orders: [], changes: [], tasks: [], positions: [] }
  // A change that goes through the market is a fill among the others.
  const all = [...orders.slice(0, MAX_LISTED), ...changes.slice(0, MAX_LISTED)].sort((a, b) => a.seq - b.seq)
  for (const each of all) {
    if ('plan' in each) previewed.orders.push(await orderRow(each, positions))
    else previewed.changes.push(await changeRow(each, positions))
  }
  for (const task of begun?.tasks ?? []) previewed.tasks.push(await taskRow(task, begun?.connect, positions))
  return { ...previewed, positions: positions.rows() }
}

/** They wait for a price: their order is one of then. The others enter or end at their own pace, from now. */
const WAIT_FOR_PRICE: ReadonlySet<string> = new Set(['trail', 'oco'])

async function taskRow(task: PreviewTask, connect: Connect | undefined, positions: Positions): Promise<PreviewTask> {
  const { account, symbol, kind, side, amount, reduceOnly } = task
  const price = task.average ?? task.price
  if (connect === undefined || WAIT_FOR_PRICE.has(kind) || (side !== 'buy' && side !== 'sell')) return task
  const whole: OrderPlan = { symbol, side, amount, type: 'market', ...(reduceOnly ? { reduceOnly } : {}) }
  const plan: OrderPlan = price === undefined ? whole : { ...whole, type: 'limit', price, postOnly: true }
  const { unit, at, notional, quote, fee, margin, pnl, net } = await positions.fill(await connect(account), plan, true)
  return { ...task, unit, ...defined({ at, notional, quote, fee, margin, pnl, net }) }
}

type LookedOrder = Looked['orders'][number]
type LookedChange = Looked['changes'][number]

async function orderRow(looked: LookedOrder, positions: Positions): Promise<PreviewOrder> {
  const { account, plan, ticker, refused, liquidationPrice, fills } = looked
  const { protection: _, asked: __, crosses: ___, ...request } = plan
  const { offsets, ...consequences } = await positions.fill(
    account,
    fills === undefined ? plan : part(plan, fills),
    refused === undefined,
    ticker,
  )
  if (offsets && refused === undefined) {
    positions.note(`the ${plan.side} reduces a ${plan.side === 'buy' ? 'short' : 'long'}: nothing to protect`)
  }
  return {
    account: account.name,
    ...request,
    ...consequences,
    ...defined({ fills, liquidationPrice }),
    ...(refused === undefined ? {} : { refused: errorOf(refused) }),
  }
}

function part({ asked: _, ...plan }: OrderPlan, amount: string): OrderPlan {
  return { ...plan, amount }
}

async function changeRow(looked: LookedChange, positions: Positions): Promise<PreviewChange> {
  const { on, taken, resting, isNew } = looked
  if (taken !== undefined) {
    const { unit, at, notional, quote, fee, ...then } = await positions.fill(on, taken, !isNew)
    const { margin, stop, takeProfit } = then
    const figures = defined({ at, notional, quote, fee, margin, stop, takeProfit })
    return { ...bareChange(looked), fills: taken.amount, unit, ...figures }
  }
  if (resting === undefined) return bareChange(looked)
  const { margin, stop, takeProfit } = await positions.figures(on, resting)
  return { ...bareChange(looked), ...defined({ margin, stop, takeProfit }) }
}

/** Without what would fill at once: nothing is asked for it. */
export function bareChange({ account, order, change, exit, refused }: LookedChange): PreviewChange {
  return {
    account,
    symbol: order.symbol,
    id: order.id,
    ...change,
    ...exit,
    ...(refused === undefined ? {} : { refused: errorOf(refused) }),
  }
}

/** What is held of each account and symbol as the line goes on. */
class Positions {
  readonly #factsOf: ReturnType<typeof createFacts>
  readonly #all = new Map<string, Position & { readonly account: string }>()

  /** Notified of what a person should know. */
  readonly note: (text: string) => void

  constructor(factsOf: ReturnType<typeof createFacts>, note: (text: string) => void) {
    this.#factsOf = factsOf
    this.note = note
  }

  /** @param isSent what is refused changes nothing @param ticker that the plan was made with; absent: of now */
  async fill(account: TradingAccount, plan: OrderPlan, isSent: boolean, ticker?: Ticker): Promise<Consequences> {
    const facts = { ...(await this.#factsOf(account, plan.symbol)), ...defined({ ticker }) }
    const key = `${account.name} ${plan.symbol}`
    const position = this.#all.get(key) ?? { account: account.name, ...beginning(facts) }
    if (position.market.kind !== 'spot') this.#all.set(key, position)
    const { held, taken } = position
    if (isSent) {
      const after = heldAfter({ plan, held })
      position.held = after.eq(held.amount) ? held : { ...held, amount: after }
      if (!rests(plan, facts.ticker)) position.taken = heldAfter({ plan, held: { amount: taken } })
    }
    return consequencesOf({ plan, held, taken, ...facts })
  }

  /** Of an order that rests: it changes nothing that is held. */
  async figures(account: TradingAccount, plan: OrderPlan): Promise<Consequences> {
    const facts = await this.#factsOf(account, plan.symbol)
    const { held, taken } = this.#all.get(`${account.name} ${plan.symbol}`) ?? beginning(facts)
    return consequencesOf({ plan, held, taken, ...facts })
  }

  rows(): PreviewPosition[] {
    return [...this.#all.values()].map(positionRow)
  }
}

function beginning({ market, position }: AccountFacts): Position {
  const size = new Decimal(position?.amount ?? 0)
  const before = position?.side === 'short' ? size.neg() : size
  const held = position === undefined ? { amount: before } : { amount: before, entryPrice: position.entryPrice }
  return { market, before, held, taken: before }
}

function positionRow({ account, market, before, held }: Position & { readonly account: string }): PreviewPosition {
  const figures = { before: before.toFixed(), after: held.amount.toFixed() }
  return { account, symbol: market.symbol, unit: unitOf(market), ...figures }
}

export function previewCancels({ cancels }: Looked): PreviewCancel[] {
  const rows = cancels.slice(0, MAX_LISTED).map(({ account, order }) => cancelRow(account, order))
  return [...new Map(rows.map((row) => [`${row.account} ${row.symbol} ${row.id}`, row])).values()]
}

function cancelRow(account: string, order: Order | OrderRef): PreviewCancel {
  const { symbol, id, clientOrderId } = order
  const known = 'side' in order ? order : undefined
  return {
    account,
    symbol,
    id: id ?? clientOrderId ?? '',
    ...(known === undefined ? {} : { side: known.side, type: known.type, amount: known.amount }),
    ...(known?.price === undefined ? {} : { price: known.price }),
    ...(known?.triggerPrice === undefined ? {} : { triggerPrice: known.triggerPrice }),
  }
}

/** A step with `--dry`. */
export interface DryStep {
  readonly form: AnyForm
  readonly args: readonly Argument[]
  readonly isNear: boolean
  readonly isFar: boolean
  readonly run: LiveRun
  readonly environment: RunEnvironment
  readonly runChain: (chain: Chain) => Promise<boolean>
}

/**
 * Works the step out behind the desk of a preview and prints it as it goes, then its orders with what they would cost. Rejects as the form does,
 * but for what was only simulated: the step has succeeded with that.
 */
export async function runDry({ form, args, isNear, isFar, run, environment, runChain }: DryStep): Promise<void> {
  const looked = nothingLooked()
  const { ports } = environment
  const { marketsOf } = ports
  const connect = lookingOnly(environment.connect, looked)
  const quiet: RunEnvironment = { ...environment, connect, ports: { ...ports, connect } }
  try {
    await form.run(new RunContext(run, quiet, runChain, { form, args, isDry: true, isNear, isFar }), args)
  } catch (error) {
    if (!(error instanceof Simulated)) throw error
    printWould(error.would, (text, data) => run.emit('info', text, data), marketsOf(run.accountName))
  }
  const { orders, changes, positions } = await previewOrders(looked, (text) => run.emit('info', text))
  if (orders.length > 0) run.emit('print', ordersTable(orders, run.accountName, marketsOf))
  const taken = changes
    .map((change) => takenLine(change, marketsOf(run.accountName)))
    .filter((line) => line !== undefined)
  for (const line of taken) run.emit('info', line)
  if (taken.length > 0) for (const line of positionLines(positions, run.accountName)) run.emit('info', line)
}
