// How tasks read, for people.
import type { Market } from '../../exchange/market.ts'
import { printable } from '../../language/printable.ts'
import { ORDERLESS_TASKS } from '../../protocol/rows.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import type { Task } from '../../stores/tasks.ts'
import { showAmount, showAverageOf, showDuration, showPrice } from '../../trading/figures.ts'

export const NOT_DRIVEN = 'not driven by any process: start `hookline` or `hookline listen`'

export function shortTaskId({ id }: Pick<Task, 'id'>): string {
  return printable(id.slice(0, MIN_PREFIX_LENGTH), MIN_PREFIX_LENGTH)
}

/** `chase a1b2c3d4`. */
export function taskName(task: Pick<Task, 'id' | 'kind'>): string {
  return `${printable(task.kind, 20)} ${shortTaskId(task)}`
}

/** It may still place orders, now or after `tasks resume`. */
export function isUnderWay({ status }: Pick<Task, 'status'>): boolean {
  return status === 'running' || status === 'interrupted'
}

/** `running`, `paused`, `interrupted`, `done`, `canceled`. */
export function stateOf({ status, paused }: Task): string {
  if (status === 'cancelled') return 'canceled'
  return paused === true && status === 'running' ? 'paused' : status
}

/** What a task has traded and what of it rests, behind a `; `; empty for one that orders nothing. */
export function tradedOf(task: Task, market: Market | undefined): string {
  return isAlert(task) ? '' : `; ${filledOf(task, market)}, ${restsOf(task)}`
}

/** It works now, on orders of its own that may add to a position. */
export function addsByItself(task: Task): boolean {
  return task.status === 'running' && task.protective !== true && !isAlert(task)
}

/** It keeps a stop or an exit of a position now. */
export function isProtecting(task: Task): boolean {
  return task.status === 'running' && task.paused !== true && task.protective === true && !isAlert(task)
}

/** It orders nothing itself. */
export function isAlert({ kind }: Pick<Task, 'kind'>): boolean {
  return ORDERLESS_TASKS.has(kind)
}

/** `filled 0.003 of 0.01 at 64,001.5`. */
export function filledOf({ filled, amount, average }: Task, market: Market | undefined): string {
  if (filled === undefined) return 'nothing filled'
  const whole = amount === undefined ? '' : ` of ${showAmount(amount)}`
  const at = average === undefined ? '' : ` at ${showAverageOf(average, market)}`
  return `filled ${showAmount(filled)}${whole}${at}`
}

/** What ends the position of a task, behind its plan: `, stop 60,000, tp 66,000`; empty where nothing does. */
export function endsOf(
  { stop, takeProfit }: { readonly stop?: string; readonly takeProfit?: string },
  market: Market,
): string {
  return [
    stop === undefined ? '' : `, stop ${showPrice(stop, market)}`,
    takeProfit === undefined ? '' : `, tp ${showPrice(takeProfit, market)}`,
  ].join('')
}

/** `orders p1, p2 rest`. */
export function restsOf({ orderIds = [] }: Task): string {
  if (orderIds.length === 0) return 'nothing rests'
  const ids = orderIds.slice(0, 5).map((id) => printable(id, 40))
  const more = orderIds.length > ids.length ? ` and ${orderIds.length - ids.length} more` : ''
  return `${orderIds.length === 1 ? 'order' : 'orders'} ${ids.join(', ')}${more} ${orderIds.length === 1 ? 'rests' : 'rest'}`
}

const BAR_CELLS = 8

/** `████▌··· 56%`; empty of a task that has no progress. */
export function progressBar({ progress, amount }: Pick<Task, 'progress' | 'amount'>): string {
  // What follows a position, or orders nothing, has no whole of which it has done a part.
  if (progress === 0 && amount === undefined) return ''
  const share = Math.min(1, Math.max(0, progress))
  const full = Math.floor(share * BAR_CELLS)
  return `${'█'.repeat(full)}${'·'.repeat(BAR_CELLS - full)} ${Math.floor(share * 100)}%`
}

/** `12m, ends in 3m`; of one that is over, how long it took. */
export function ageOf(task: Task, now: number): string {
  const { startedAt, updatedAt, endsAt } = task
  const age = showDuration(Math.max(0, (isUnderWay(task) ? now : updatedAt) - startedAt))
  if (endsAt === undefined || !isUnderWay(task) || endsAt <= now) return age
  return `${age}, ends in ${showDuration(endsAt - now)}`
}
