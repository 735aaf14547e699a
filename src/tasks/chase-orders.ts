// What became of the orders of a chase, and what that means for it.
import { Decimal } from 'decimal.js'
import type { OrderStatus } from '../exchange/order.ts'
import type { ChaseState } from './chase-shape.ts'
import { pauseAfter, refusalOf, whyRefused } from './refusals.ts'
import { isOver, isPending } from './remainder.ts'
import type { TaskFacts, TaskOrder } from './task-kind.ts'

/** So many post-only refusals in a row end it. */
const MAX_REFUSALS = 5
/** So many failures in a row that might have passed end it. */
const MAX_FAILURES = 8
/** An order that has rested so long was taken. */
const RESTED_MS = 2000
/** A change that neither shows nor was refused for so long was not made. */
export const UNANSWERED_MS = 5000

/** Who took its order back is not known: a person, here or at the venue. */
const ORDER_TAKEN_BACK = 'a cancel of its order'

interface Ending {
  readonly status: 'done' | 'failed' | 'cancelled'
  readonly reason: string
  /** Who ended it, where it did not come to its end by itself. */
  readonly by?: string
}

type Memory = { -readonly [field in keyof ChaseState]: ChaseState[field] }

/** What is known, and where to tell what went wrong. */
interface Sight extends TaskFacts {
  readonly warn: (text: string) => void
}

/** Takes into account what has become of its orders since the last step. @returns why it is over, where it is */
export function judgeChaseOrders(state: Memory, known: TaskFacts, warn: (text: string) => void): Ending | undefined {
  const facts: Sight = { ...known, warn }
  const since = facts.orders.filter(({ step }) => step >= state.seen)
  for (const order of since) {
    if (!isOver(order)) break
    const ending = judgeEnded(state, order, facts)
    state.seen = order.step + 1
    if (state.asked?.step === order.step) delete state.asked
    if (ending !== undefined) return ending
  }
  const live = facts.orders.findLast((order) => !isOver(order))
  if (live === undefined || isPending(live)) return undefined
  return judgeOpen(state, live, facts)
}

function judgeEnded(state: Memory, order: TaskOrder, facts: Sight): Ending | undefined {
  if (order.status === 'refused') return judgeRefused(state, order, facts)
  const isWhole = new Decimal(order.filled).gte(order.order?.amount ?? order.plan.amount)
  const asked = state.asked?.step === order.step ? state.asked : undefined
  if (isWhole || (asked !== undefined && asked.price === undefined)) {
    state.failures = 0
    if (new Decimal(order.filled).gt(0)) state.refusals = 0
    return undefined
  }
  const why = order.why ?? order.order?.status ?? 'the venue no longer knows it'
  // Moved to where it would have taken liquidity, some venues end it.
  if (asked !== undefined) return refuse(state, why)
  if (order.tag === 'market') return fail(state, `the market order ended before it had filled: ${why}`, facts)
  if (order.order === undefined) return fail(state, why, facts)
  if (isPostOnlyEnd(order, order.order.status, facts.now - state.movedAt)) return refuse(state, why)
  // The venue takes back what has nothing left to reduce, often before it says that the position is gone.
  if (order.plan.reduceOnly === true && order.why !== undefined) return fail(state, why, facts)
  // With a cause of the venue's own, no person did it.
  const isTakenBack = order.order.status === 'canceled' && order.why === undefined
  const reason = `its order ended, and not by the chase: ${why}`
  return { status: 'cancelled', reason, ...(isTakenBack ? { by: ORDER_TAKEN_BACK } : {}) }
}

/** Some venues take a post-only order, and end it a moment later because it would have taken liquidity. */
function isPostOnlyEnd({ filled, why, plan }: TaskOrder, status: OrderStatus, afterMs: number): boolean {
  if (plan.postOnly !== true || !new Decimal(filled).isZero()) return false
  return status === 'rejected' || status === 'expired' || (why !== undefined && afterMs < RESTED_MS)
}

function judgeRefused(state: Memory, order: TaskOrder, facts: Sight): Ending | undefined {
  const why = whyRefused(order)
  switch (refusalOf(order.code, order.plan)) {
    case 'post-only':
      return refuse(state, why)
    case 'passing':
      return fail(state, why, facts)
    default:
      return { status: 'failed', reason: why }
  }
}

/** It rests. What was asked of it may have been answered. */
function judgeOpen(state: Memory, live: TaskOrder, facts: Sight): Ending | undefined {
  const { asked } = state
  if (asked === undefined || asked.step !== live.step) {
    if (facts.now - state.movedAt >= RESTED_MS) Object.assign(state, { refusals: 0, failures: 0 })
    return undefined
  }
  if (isMade(asked, live)) {
    delete state.asked
    Object.assign(state, { refusals: 0, failures: 0 })
    return undefined
  }
  const { changeRefused } = live
  if (changeRefused === undefined && facts.now < state.askedAt + UNANSWERED_MS) return undefined
  delete state.asked
  const why = changeRefused?.why ?? 'a change of its order got no answer'
  const refusal = refusalOf(changeRefused?.code, live.plan)
  if (refusal === 'post-only') return refuse(state, why)
  // What is to be taken back is asked for again, whatever the venue says. Of the limits that a move breaks, that of orders a minute passes.
  const mayPass = refusal === 'passing' || asked.price === undefined || changeRefused?.code === 'guarded'
  if (mayPass) return fail(state, why, facts)
  return { status: 'failed', reason: why }
}

function isMade({ price, amount }: NonNullable<ChaseState['asked']>, live: TaskOrder): boolean {
  const now = live.order ?? live.plan
  if (price === undefined || now.price === undefined) return false
  return new Decimal(now.price).eq(price) && (amount === undefined || new Decimal(now.amount).eq(amount))
}

function refuse(state: Memory, why: string): Ending | undefined {
  state.refusals += 1
  if (state.refusals < MAX_REFUSALS) return undefined
  return { status: 'failed', reason: `the venue refused ${MAX_REFUSALS} times in a row to let it rest: ${why}` }
}

function fail(state: Memory, why: string, { now, warn }: Sight): Ending | undefined {
  state.failures += 1
  state.notBefore = now + pauseAfter(state.failures)
  if (state.failures < MAX_FAILURES) {
    warn(`${why}; tries again in ${pauseAfter(state.failures) / 1000} s`)
    return undefined
  }
  return { status: 'failed', reason: `${MAX_FAILURES} failures in a row: ${why}` }
}
