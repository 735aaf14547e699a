// The end of a protective task that cannot wait for its stop: reduce-only at the market, until what it covered is closed.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import { exitMemory, exitOrders, isLive, keepExit } from './exit-order.ts'
import { exitSide, type HeldSide } from './held-position.ts'
import type { PausedStep, TaskEffect, TaskFacts, TaskOrder, TaskStep } from './task-kind.ts'

const CLOSE_TAG = 'close'

/** A book that was too thin to close all is looked at again after so long, in ms. */
const THIN_BOOK_MS = 1_000

/** What is remembered of it, as JSON. */
export const marketExit = z.object({
  /** It is over when the task has filled so much, in all. */
  until: z.string(),
  /** One line, for its end. */
  why: z.string(),
  memory: exitMemory,
})
export type MarketExit = z.output<typeof marketExit>

interface MarketExitStep {
  readonly exit: MarketExit
  readonly effects: readonly TaskEffect[]
  readonly wakeAt?: number
  readonly isDone: boolean
  readonly refusal?: { readonly code: string; readonly why: string }
}

/** @param held what of the position is left, where that is known */
export function keepClosing(
  exit: MarketExit,
  side: HeldSide,
  held: string | undefined,
  facts: TaskFacts,
): MarketExitStep {
  const { market, now } = facts
  const left = new Decimal(exit.until).minus(facts.filled)
  const least = Decimal.min(left, held ?? left, market.marketMaxAmount ?? market.maxAmount ?? left)
  const amount = amountOnLot(least, market)
  if (left.lte(0) || amount.lte(0)) return { exit, effects: [], isDone: true }
  const { newest } = exitOrders(facts, CLOSE_TAG)
  if (newest !== undefined && isLive(newest)) return { exit, effects: [], isDone: false }
  const again = newest === undefined ? 0 : (exit.memory.at ?? 0) + THIN_BOOK_MS
  if (now < again) return { exit, effects: [], isDone: false, wakeAt: again }
  const plan = { symbol: market.symbol, side: exitSide(side), type: 'market', reduceOnly: true } as const
  const want = { tag: CLOSE_TAG, plan: { ...plan, amount: amount.toFixed() }, isNewFirst: true }
  // What has ended is no longer there: the next one is placed as the first was.
  const { memory, ...step } = keepExit(want, { ...exit.memory, ...ofEnded(newest) }, facts)
  return { ...step, exit: { ...exit, memory }, isDone: false }
}

function ofEnded(newest: TaskOrder | undefined): { withdrawn?: number } {
  return defined({ withdrawn: newest?.step })
}

/** @param amount what is to be closed besides all that has filled */
export function beginClosing(amount: Decimal.Value, why: string, facts: TaskFacts): MarketExit {
  return { until: new Decimal(facts.filled).plus(amount).toFixed(), why, memory: {} }
}

/** What a stop that has fired could not fill; undefined: a process before this one saw its end, and nobody knows any more how large it was. */
export function unfilledOf({ order, plan, filled }: TaskOrder): Decimal | undefined {
  const left = new Decimal(order?.amount ?? plan.amount).minus(filled)
  if (left.lte(0)) return new Decimal(0)
  return order === undefined ? undefined : left
}

/** It has fired, and nothing of it is left to be closed. */
export function hasClosed(stop: TaskOrder | undefined): boolean {
  return stop?.status === 'ended' && hasFired(stop) && unfilledOf(stop)?.gt(0) !== true
}

/** Of what was decided while it is paused, what may be done: nothing is sent, nor remembered as if it had been. */
export function endOf<State>(before: State, { state, effects }: TaskStep<State>): PausedStep<State> {
  const end = effects.find((effect) => effect.type === 'end')
  if (end !== undefined) return { state, end }
  return {
    state: effects.some(({ type }) => type === 'place' || type === 'amend' || type === 'cancel') ? before : state,
  }
}

/** Its price was reached: it is a market order now, or has begun to fill. */
export function hasFired({ order, filled }: TaskOrder): boolean {
  return order?.type === 'market' || new Decimal(filled).gt(0)
}
