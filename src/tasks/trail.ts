// `trail`: a reduce-only stop that rests at the venue and follows the best price there was, at a distance. It moves on fresh prices only, and
// only towards them; what is too little, or too soon, to be worth a request is saved up.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import { showAmount, showPrice } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import {
  beginClosing,
  endOf,
  exitLine,
  exitMemory,
  exitOrders,
  exitSide,
  forgiven,
  type Held,
  hasClosed,
  hasFired,
  hasPassed,
  heldMemory,
  isBetter,
  isHopeless,
  isLive,
  isSettled,
  keepClosing,
  keepExit,
  leavesBare,
  lengthOf,
  lookAtHeld,
  type MarketExit,
  marketExit,
  moveDueAt,
  refusalLine,
  SETTLE_MS,
  stopOf,
  termsOf,
  unfilledOf,
} from './exit.ts'
import { takenBackBy } from './refusals.ts'
import type {
  PausedStep,
  TaskEffect,
  TaskEvent,
  TaskFacts,
  TaskKind,
  TaskOrder,
  TaskSight,
  TaskStep,
} from './task-kind.ts'

const STOP_TAG = 'stop'

const trailParams = z.object({
  side: z.enum(['long', 'short']),
  distance: z.object({ kind: z.enum(['percent', 'amount']), value: z.string() }),
  /** In the market's amount unit; absent: the whole position, also as it grows. */
  amount: z.exactOptional(z.string()),
  /** Last, when it was asked for. */
  mark: z.string(),
  /** No stop is placed before last has come to this price. */
  after: z.exactOptional(z.string()),
})
export type TrailParams = z.output<typeof trailParams>

const trailState = z.object({
  /** The best price since it is armed; absent: it is not armed. */
  mark: z.exactOptional(z.string()),
  held: heldMemory,
  stop: exitMemory,
  /** Its stop cannot be waited for. */
  closing: z.exactOptional(marketExit),
  /** When all that it covered was found to be closed, ms since the epoch. */
  closedAt: z.exactOptional(z.number()),
  /** When its stop was found to be gone, unfilled and not by the task, ms since the epoch. */
  lostAt: z.exactOptional(z.number()),
  /** It has said that there is no price to act on. */
  isStale: z.exactOptional(z.boolean()),
})
type TrailState = z.output<typeof trailState>

export const trail: TaskKind<TrailParams, TrailState> = {
  name: 'trail',
  params: trailParams,
  state: trailState,
  effect: () => 'protects',
  endsAt: () => undefined,
  amount: ({ amount }) => amount,
  initial: ({ mark, after }) => ({ held: {}, stop: {}, ...(after === undefined ? { mark } : {}) }),
  reduce,
  see,
  leaves: (params, _state, facts, others) => leavesBare(params, facts, others),
  keepsWhilePaused: [STOP_TAG],
  whilePaused,
}

function reduce(params: TrailParams, before: TrailState, event: TaskEvent, facts: TaskFacts): TaskStep<TrailState> {
  const look = lookAtHeld(params.side, before.held, facts)
  const stop = event.type === 'resumed' ? forgiven(before.stop) : before.stop
  const followed = followPrice(params, { ...before, stop, held: look.memory }, event, facts)
  const decided = decide(params, followed.state, look.held, facts)
  const wakes = [look.wakeAt, decided.wakeAt].filter((at) => at !== undefined)
  const wake = { type: 'wake', at: wakes.length === 0 ? undefined : Math.min(...wakes) } as const
  return { state: decided.state, effects: [...followed.effects, ...decided.effects, wake] }
}

function whilePaused(params: TrailParams, before: TrailState, facts: TaskFacts): PausedStep<TrailState> {
  const { held, memory } = lookAtHeld(params.side, before.held, facts)
  const state = { ...before, held: memory }
  const isOver = held.kind === 'gone' || hasClosed(exitOrders(facts, STOP_TAG).newest)
  return isOver ? endOf(state, decide(params, state, held, facts)) : { state }
}

interface Decision extends TaskStep<TrailState> {
  readonly wakeAt?: number
}

/** The mark, and whether it is armed. */
function followPrice(
  params: TrailParams,
  state: TrailState,
  event: TaskEvent,
  { ticker, market }: TaskFacts,
): TaskStep<TrailState> {
  const { side, after } = params
  if (ticker === undefined) {
    if (event.type !== 'ticker' || state.isStale === true) return { state, effects: [] }
    const text = `nothing moves for now: prices of ${market.symbol} are stale`
    return { state: { ...state, isStale: true }, effects: [lineEffect('warn', text)] }
  }
  const { isStale: _, ...fresh } = state
  const { mark } = fresh
  const { last } = ticker
  if (mark !== undefined) {
    return { state: { ...fresh, mark: isBetter(side, last, mark) ? last : mark }, effects: [] }
  }
  if (after === undefined || !hasPassed(side === 'long' ? 'short' : 'long', last, after)) {
    return { state: fresh, effects: [] }
  }
  return {
    state: { ...fresh, mark: last },
    effects: [lineEffect('info', `armed: ${market.symbol} is at ${showPrice(last)}`)],
  }
}

function decide(params: TrailParams, state: TrailState, held: Held, facts: TaskFacts): Decision {
  const { newest } = exitOrders(facts, STOP_TAG)
  if (state.closing === undefined && newest?.status === 'ended' && hasFired(newest)) {
    return fired(params, state, newest, held, facts)
  }
  if (state.closing !== undefined) return close(params, state, state.closing, held, facts)
  if (held.kind === 'gone') return gone(params, state, held, facts)
  if (leftOf(params, facts)?.lte(0)) return end(state, 'done', `the stop was reached: ${exitLine(facts, params.side)}`)
  if (newest?.status === 'ended') return lost(state, newest, held, facts)
  if (state.mark === undefined) return { state, effects: [] }
  return keepStop(params, state, state.mark, held, facts)
}

/** What a stop that has fired could not fill is still to be closed. */
function fired(params: TrailParams, state: TrailState, stop: TaskOrder, held: Held, facts: TaskFacts): Decision {
  const why = `the stop at ${showPrice(termsOf(stop).triggerPrice ?? '0')} was reached`
  const left = unfilledOf(stop)
  if (left !== undefined) return close(params, state, beginClosing(left, why, facts), held, facts)
  return end(state, 'done', `${why}: ${exitLine(facts, params.side)}; the rest of the position has no stop`)
}

function close(params: TrailParams, state: TrailState, exit: MarketExit, held: Held, facts: TaskFacts): Decision {
  const amount = held.kind === 'held' ? held.amount : undefined
  const step = keepClosing(exit, params.side, amount, facts)
  if (step.isDone || held.kind === 'gone') return closed(params, { ...state, closing: exit }, exit.why, facts)
  const lines = step.refusal === undefined ? [] : [lineEffect('warn', refusalLine('the close', step.refusal))]
  const { exit: closing, effects, wakeAt } = step
  return { state: { ...state, closing }, effects: [...lines, ...effects], ...defined({ wakeAt }) }
}

/** All that it covered is closed. What was added in that very moment is told: it has no stop. */
function closed(params: TrailParams, state: TrailState, why: string, facts: TaskFacts): Decision {
  const { position, isPositionKnown, now, market } = facts
  const line = exitLine(facts, params.side)
  const text = line === undefined ? why : `${why}: ${line}`
  const rest = position?.side === params.side ? position.amount : undefined
  if (params.amount !== undefined || (isPositionKnown && rest === undefined)) return end(state, 'done', text)
  const closedAt = state.closedAt ?? now
  const waiting = { ...state, closedAt }
  // A list of positions may be a moment late.
  if (now - closedAt < SETTLE_MS) return { state: waiting, effects: [], wakeAt: closedAt + SETTLE_MS }
  if (!isPositionKnown) return { state: waiting, effects: [] }
  return end(
    waiting,
    'done',
    `${text}; ${showAmount(rest ?? 0)} ${market.symbol} is still held, without a stop from this task`,
  )
}

function gone(params: TrailParams, state: TrailState, held: Held & { kind: 'gone' }, { market }: TaskFacts): Decision {
  const other = params.side === 'long' ? 'short' : 'long'
  const now = held.turned ? `, and ${market.symbol} is ${other} now` : ''
  return end(state, 'done', `the position is closed${now}`)
}

/** Some venues take a stop back themselves once its position is gone: only where it is still there someone else did. */
function lost(state: TrailState, stop: TaskOrder, held: Held, { now, market }: TaskFacts): Decision {
  const lostAt = state.lostAt ?? now
  const isYoung = now - lostAt < SETTLE_MS
  if (isYoung || held.kind !== 'held' || state.held.lessSince !== undefined) {
    return { state: { ...state, lostAt }, effects: [], ...(isYoung ? { wakeAt: lostAt + SETTLE_MS } : {}) }
  }
  return end(
    state,
    'cancelled',
    `its stop was ${takenBackBy(stop)}; this task no longer protects the position on ${market.symbol}`,
  )
}

function keepStop(params: TrailParams, state: TrailState, mark: string, held: Held, facts: TaskFacts): Decision {
  const { side, distance } = params
  const { market, ticker, now } = facts
  const { newest } = exitOrders(facts, STOP_TAG)
  if (newest !== undefined && isLive(newest) && hasFired(newest)) return { state, effects: [] }
  const target = stopOf(side, mark, distance, market)
  const current = newest === undefined ? undefined : termsOf(newest).triggerPrice
  const cover = coverOf(params, held, newest, facts)
  if (cover === undefined) return { state, effects: [] }
  if (ticker !== undefined && isMissed(params, target, ticker.last, newest)) {
    const why = `the price passed the stop at ${showPrice(target)}`
    const lines = lineEffect('warn', `${market.symbol} has passed the stop at ${showPrice(target)}: closing now`)
    const closed = close(params, state, beginClosing(cover, why, facts), held, facts)
    return { ...closed, effects: [lines, ...closed.effects] }
  }
  const length = lengthOf(distance, mark)
  const dueAt =
    current === undefined ? now : moveDueAt(current, target, { side, length, market, movedAt: state.stop.at })
  const isDue = dueAt !== undefined && now >= dueAt
  const triggerPrice = current === undefined || isDue ? target : current
  const plan = stopPlan(params, facts, cover, triggerPrice)
  const { memory, effects, wakeAt, refusal } = keepExit({ tag: STOP_TAG, plan, isNewFirst: true }, state.stop, facts)
  const next = { ...state, stop: memory }
  if (refusal !== undefined && newest === undefined && isHopeless(refusal, memory)) {
    return end(next, 'failed', `${refusalLine('the stop', refusal)}: the position on ${market.symbol} has no stop`)
  }
  const isFirstNo = refusal !== undefined && memory.refusals === 1
  const stays = current === undefined ? 'no stop rests yet' : `it stays at ${showPrice(current)}`
  const warned = isFirstNo ? [lineEffect('warn', `${refusalLine('the stop', refusal)}; ${stays}`)] : []
  const isFirst = newest === undefined && effects.some(({ type }) => type === 'place')
  const text = `stop for ${showAmount(cover)} ${market.symbol} at ${showPrice(target)}, ${describe(params, mark)}`
  // The command has reported a stop that is placed at once.
  const isReported = params.after === undefined
  const first: TaskEffect = { type: 'line', level: 'info', text, ...(isReported ? { isKeptOnly: true } : {}) }
  const lines = isFirst ? [first] : []
  const wakes = [wakeAt, isDue ? undefined : dueAt].filter((at) => at !== undefined)
  return {
    state: next,
    effects: [...warned, ...lines, ...effects],
    ...(wakes.length === 0 ? {} : { wakeAt: Math.min(...wakes) }),
  }
}

/** The price is behind the stop that belongs there, and none rests there that would fire. */
function isMissed({ side }: TrailParams, target: string, last: string, newest: TaskOrder | undefined): boolean {
  if (!hasPassed(side, last, target)) return false
  if (newest === undefined) return true
  if (!isSettled(newest)) return false
  const { triggerPrice } = termsOf(newest)
  return triggerPrice !== undefined && !hasPassed(side, last, triggerPrice)
}

/** In the market's unit, a multiple of the lot; undefined: the position is not known yet. */
function coverOf(params: TrailParams, held: Held, newest: TaskOrder | undefined, facts: TaskFacts): string | undefined {
  const { market } = facts
  const known = held.kind === 'held' ? held.amount : newest === undefined ? undefined : termsOf(newest).amount
  if (known === undefined) return undefined
  const cover = amountOnLot(Decimal.min(known, leftOf(params, facts) ?? known, market.maxAmount ?? known), market)
  return cover.gt(0) ? cover.toFixed() : undefined
}

/** Of an amount that was asked for, what has not filled yet. */
function leftOf({ amount }: TrailParams, facts: TaskFacts): Decimal | undefined {
  return amount === undefined ? undefined : new Decimal(amount).minus(facts.filled)
}

function stopPlan({ side }: TrailParams, { market }: TaskFacts, amount: string, triggerPrice: string): OrderPlan {
  return { symbol: market.symbol, side: exitSide(side), type: 'stop', amount, triggerPrice, reduceOnly: true }
}

function see(params: TrailParams, state: TrailState, facts: TaskFacts): TaskSight {
  const { newest } = exitOrders(facts, STOP_TAG)
  const price = newest !== undefined && isLive(newest) ? termsOf(newest).triggerPrice : undefined
  const progress =
    params.amount === undefined ? 0 : Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  const isLost = newest !== undefined && !isLive(newest)
  return { progress, doing: doingNow(params, state, price, isLost), ...defined({ price }) }
}

function doingNow(params: TrailParams, { closing, mark }: TrailState, price: string | undefined, isLost: boolean) {
  if (closing !== undefined) return `${closing.why}: closing at the market`
  if (mark === undefined) return `places its stop once last reaches ${showPrice(params.after ?? params.mark)}`
  if (price === undefined) return isLost ? 'its stop ended: checking the position' : 'no stop rests yet'
  return `stop at ${showPrice(price)}, ${describe(params, mark)}`
}

/** `1% below 65,000`. */
function describe({ side, distance }: TrailParams, mark: string): string {
  const length = distance.kind === 'percent' ? `${distance.value}%` : showPrice(distance.value)
  return `${length} ${side === 'long' ? 'below' : 'above'} ${showPrice(mark)}`
}

function lineEffect(level: 'info' | 'warn', text: string): TaskEffect {
  return { type: 'line', level, text }
}

function end(state: TrailState, status: 'done' | 'failed' | 'cancelled', reason: string): Decision {
  return { state, effects: [{ type: 'end', status, reason }] }
}
