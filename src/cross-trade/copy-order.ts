// One order of a copier: what it looks like, and what its answer means for the copier. It is sent once, by the desk of its account.
import { defined } from '../base/defined.ts'
import type { Capabilities } from '../exchange/exchange.ts'
import { ExchangeError, isGuardCode } from '../exchange/exchange-error.ts'
import type { Market } from '../exchange/market.ts'
import type { Order } from '../exchange/order.ts'
import { Simulated } from '../exchange/simulated.ts'
import type { Source } from '../runs/run.ts'
import type { CrossTradeCopier } from '../stores/cross-trade.ts'
import type { Task } from '../stores/tasks.ts'
import type { ChaseParams } from '../tasks/chase.ts'
import { TaskError, type TaskErrorCode, type TaskPort } from '../tasks/task-port.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { OrderedBy, OrderPlan } from '../trading/order-plan.ts'
import { TradingError } from '../trading/trading-error.ts'
import { hasCode, messageOf } from './account-link.ts'
import { type Copy, slippedPrice } from './plan.ts'
import { slippageOf } from './rows-check.ts'
import type { CopyIntent } from './state-journal.ts'

export type DueOrder = Extract<Copy, { readonly kind: 'order' }>

/** @param last needed for `LimitSlippage` @returns the order, or why there can be none */
export function planCopy(
  due: DueOrder,
  copier: CrossTradeCopier,
  {
    market,
    capabilities,
    last,
  }: { readonly market: Market; readonly capabilities: Capabilities; readonly last: string },
): OrderPlan | { readonly why: string } {
  const { side, amount, reduceOnly } = due
  if (reduceOnly && !capabilities.reduceOnly) return { why: 'its venue takes no reduce-only orders' }
  const order = { symbol: market.symbol, side, amount: amount.toFixed(), ...(reduceOnly ? { reduceOnly } : {}) }
  if (copier.mode === 'Market') return { ...order, type: 'market' }
  if (copier.mode !== 'LimitSlippage') return { why: `this hookline has no mode ${copier.mode}` }
  const slippage = slippageOf(copier)
  if (slippage === undefined) return { why: 'its slippage is not a percentage between 0 and 50' }
  if (!capabilities.timeInForce.includes('ioc')) return { why: 'its venue takes no limit orders that end at once' }
  return { ...order, type: 'limit', price: slippedPrice(side, last, slippage, market), timeInForce: 'ioc' }
}

export type CopyResult =
  /** The venue has it; it may be over. */
  | { readonly kind: 'placed'; readonly order: Order }
  /** Nothing definite is known of it. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** Nothing was placed, and the same would be refused again. `counts`: as one of five failures in a row. */
  | { readonly kind: 'refused'; readonly why: string; readonly counts: boolean }
  /** Nothing was placed; it may be tried again, after so long at the earliest. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number; readonly counts: boolean }

const SOON_MS = 1_000
const LATER_MS = 30_000

/** Refusals of a moment. */
const PASSING: ReadonlySet<string> = new Set(['rate-limited', 'unavailable', 'clock', 'network'])

interface CopyListener {
  /** No answer came, and the venue is being asked. */
  readonly onUnknown: (why: string) => void
  /** Something became of an order that was not over when it was placed. */
  readonly onNews: () => void
}

export async function placeCopy(
  { orders }: TradingAccount,
  plan: OrderPlan,
  by: OrderedBy,
  { onUnknown, onNews }: CopyListener,
): Promise<CopyResult> {
  let wasUnknown = false
  const report = (event: OrderEvent): void => {
    if (event.type === 'filled-later' || event.type === 'ended' || event.type === 'settled') onNews()
    if (event.type !== 'unknown') return
    wasUnknown = true
    onUnknown(event.error.message)
  }
  try {
    return { kind: 'placed', order: await orders.place(plan, by, report) }
  } catch (error) {
    return resultOf(error, wasUnknown)
  }
}

/** What is not known to have been refused, or never sent, may have been placed. */
function resultOf(error: unknown, wasUnknown: boolean): CopyResult {
  if (error instanceof Simulated) {
    return { kind: 'refused', why: 'its orders are simulated, and not sent', counts: false }
  }
  if (error instanceof ExchangeError) return resultOfRefusal(error)
  if (error instanceof TradingError) {
    const { code, message: why } = error
    if (code === 'unsettled-order') return { kind: 'later', why, afterMs: 5 * SOON_MS, counts: false }
    if (code !== 'order-rejected') return { kind: 'unknown', why }
    // It never arrived: another one, under another id, is not the same one twice.
    return wasUnknown ? { kind: 'later', why, afterMs: SOON_MS, counts: true } : { kind: 'refused', why, counts: true }
  }
  if (hasCode(error) && error.code.startsWith('store-')) {
    return { kind: 'later', why: error.message, afterMs: LATER_MS, counts: false }
  }
  throw error
}

function resultOfRefusal({ code, message: why, retryAfterMs = SOON_MS }: ExchangeError): CopyResult {
  if (code === 'outcome-unknown') return { kind: 'unknown', why }
  if (PASSING.has(code)) return { kind: 'later', why, afterMs: retryAfterMs, counts: false }
  return { kind: 'refused', why, counts: !isGuardCode(code) }
}

/** How far the clock of a venue may be behind ours, in ms. */
const CLOCKS_APART_MS = 120_000

/** Whether the order is the one that was intended: where the state was lost, an id may have been used before. */
export function isIntended(order: Order, { side, amount, at }: CopyIntent): boolean {
  // A venue may cut what only reduces.
  return order.side === side && Number(order.amount) <= Number(amount) && order.timestamp >= at - CLOCKS_APART_MS
}

// A copier that chases lets a task do it (behaviour 41): the task places and moves the orders, and what has filled of it counts as the
// copier's. The task is found again by what its copier calls it.

export interface ChaseOrder extends Pick<Order, 'symbol' | 'side' | 'amount' | 'reduceOnly'> {
  /** One of a kind: the copier and its step. */
  readonly ref: string
  readonly account: string
}

export interface FoundChase {
  readonly id: string
  readonly isOver: boolean
  /** Its process died, and nothing drives it: only what it has filled by now counts. */
  readonly isInterrupted: boolean
  /** A person has paused it, or taken it back: the copier begins no other. */
  readonly isHeldByPerson: boolean
  readonly filled: string
  readonly average?: string
  /** What it does, or why it ended. */
  readonly why: string
}

export interface ChasePort {
  /** @returns why it was not begun; undefined: it was */
  begin(order: ChaseOrder): Promise<Exclude<CopyResult, { kind: 'placed' }> | undefined>
  /** Undefined: there is none, as far as is known yet. */
  find(ref: string): FoundChase | undefined
  /** Of one that `find` does not know: why there may be one all the same. Undefined: it was never begun. */
  whyUnsure(ref: string): Promise<string | undefined>
  /** It is over when `find` says so. @param ref of its order: no one else takes it back by that name */
  cancel(id: string, ref: string): Promise<void>
}

/** A copy is not worth waiting for longer. */
const ADDING_MS = 300_000
/** What closes goes out whole, to the market at last. */
const REDUCING_MS = 60_000
const NO_DRIVER_RETRY_MS = 5_000
const LATER: ReadonlySet<TaskErrorCode> = new Set(['no-driver', 'too-many-tasks', 'unreadable'])

export function chaseThrough(tasks: TaskPort, source: Source): ChasePort {
  return {
    async begin({ ref, account, symbol, side, amount, reduceOnly }) {
      const params: ChaseParams = {
        side,
        amount,
        reduce: reduceOnly,
        ...(reduceOnly ? { lastsMs: REDUCING_MS, rest: 'market' } : { lastsMs: ADDING_MS, rest: 'cancel' }),
      }
      const command = `chase ${side} ${amount} ${symbol}${reduceOnly ? ' reduce' : ''}`
      try {
        await tasks.begin({ kind: 'chase', account, symbol, command, params, by: { source, runId: ref } })
        return undefined
      } catch (error) {
        return resultOfTaskError(error)
      }
    },
    find(ref) {
      const task = tasks.list().find(({ kind, runId }) => kind === 'chase' && runId === ref)
      if (task === undefined) return undefined
      const { id, status, filled = '0', average, doing, reason, paused } = task
      const isOver = status !== 'running' && status !== 'interrupted'
      const why = (isOver || paused === true ? reason : doing) ?? status
      const isInterrupted = status === 'interrupted'
      const isHeldByPerson = isPausedByPerson(task) || isTakenBackByPerson(task, ref)
      return { id, isOver, isInterrupted, isHeldByPerson, filled, why, ...defined({ average }) }
    },
    async whyUnsure(ref) {
      const fault = tasks.listFault()
      if (fault !== undefined) return fault
      const { tasks: all, doubt } = await tasks.underWay()
      return all.some(({ runId }) => runId === ref) ? 'tasks.json does not list it yet' : doubt
    },
    async cancel(id, ref) {
      try {
        await tasks.ask(id, 'cancel', { source, runId: ref })
      } catch (error) {
        // It is looked at again, and asked again.
        if (!(error instanceof TaskError)) throw error
      }
    },
  }
}

function isPausedByPerson({ status, paused, pausedFor = 'request' }: Task): boolean {
  return status === 'running' && paused === true && pausedFor === 'request'
}

/** What panic took back may be tried again after it. */
function isTakenBackByPerson(task: Task, ref: string): boolean {
  const { status, canceledBy } = task
  return status === 'cancelled' && canceledBy !== undefined && canceledBy !== ref && canceledBy !== 'panic'
}

/** What is not known not to have begun may have. */
function resultOfTaskError(error: unknown): Exclude<CopyResult, { kind: 'placed' }> {
  if (!(error instanceof TaskError)) {
    return { kind: 'unknown', why: messageOf(error) }
  }
  const { code, message: why } = error
  if (LATER.has(code)) return { kind: 'later', why, afterMs: NO_DRIVER_RETRY_MS, counts: false }
  return code === 'unanswered' ? { kind: 'unknown', why } : { kind: 'refused', why, counts: code === 'bad-params' }
}
