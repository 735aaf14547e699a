// `alert`: reports once that the last price has come to a price. It places no order, and judges no price that may be stale.

import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import { showPrice } from '../trading/figures.ts'
import type { TaskEvent, TaskFacts, TaskKind, TaskSight, TaskStep } from './task-kind.ts'

const alertParams = z.object({
  comparator: z.enum(['>', '>=', '<', '<=']),
  /** On the market's grid. */
  price: z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal')),
  /** What the operator wants to be reminded of. */
  words: z.exactOptional(z.string()),
})
export type AlertParams = z.output<typeof alertParams>

const alertState = z.object({})
type AlertState = z.output<typeof alertState>

export const alert: TaskKind<AlertParams, AlertState> = {
  name: 'alert',
  params: alertParams,
  state: alertState,
  // As one that protects: it goes on under a halt and after a restart.
  effect: () => 'protects',
  sendsNothing: true,
  endsAt: () => undefined,
  amount: () => undefined,
  initial: () => ({}),
  reduce,
  see,
  keepsWhilePaused: [],
}

/** Whether a price is where the alert waits for it. */
export function hasCome(
  { comparator, price }: Pick<AlertParams, 'comparator' | 'price'>,
  last: Decimal.Value,
): boolean {
  const order = new Decimal(last).cmp(price)
  if (order === 0) return comparator.endsWith('=')
  return comparator.startsWith('>') === order > 0
}

/** Where last is once the price has come. */
export function sideOf(
  { comparator, price }: Pick<AlertParams, 'comparator' | 'price'>,
  last: Decimal.Value,
): 'at' | 'above' | 'below' {
  if (new Decimal(last).eq(price)) return 'at'
  return comparator.startsWith('>') ? 'above' : 'below'
}

/** `BTCUSDT is at 70,010.5, above 70,000: look at the chart`. */
function alertLine(market: Market, last: string, params: AlertParams): string {
  const { price, words } = params
  const text = words === undefined ? '' : `: ${words}`
  const side = sideOf(params, last)
  return `${market.symbol} is at ${showPrice(last, market)}${side === 'at' ? '' : `, ${side} ${showPrice(price, market)}`}${text}`
}

function reduce(params: AlertParams, state: AlertState, _event: TaskEvent, facts: TaskFacts): TaskStep<AlertState> {
  const { ticker, market } = facts
  if (ticker === undefined || !hasCome(params, ticker.last)) return { state, effects: [] }
  return { state, effects: [{ type: 'end', status: 'done', reason: alertLine(market, ticker.last, params) }] }
}

function see({ comparator, price, words }: AlertParams, _state: AlertState, { ticker, market }: TaskFacts): TaskSight {
  const away = ticker === undefined ? undefined : new Decimal(price).div(ticker.last).minus(1).mul(100).toFixed(2)
  const how = away === undefined ? 'no current price' : `${away.startsWith('-') ? '' : '+'}${away}% from here`
  const text = words === undefined ? '' : `: ${words}`
  const doing = `waits for last ${comparator} ${showPrice(price, market)}, ${how}${text}`
  return { progress: 0, doing, price, ...defined({ words }) }
}
