// `oco`: a limit order that takes the profit of a position, and a stop that ends its loss, both reduce-only. What one of them has closed the
// other no longer covers. Where a venue holds both in one order there is no task.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { amountOnLot } from '../exchange/price-grid.ts'
import { showPrice } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import {
  beginClosing,
  type ExitMemory,
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
  isHopeless,
  isLive,
  keepClosing,
  keepExit,
  leavesBare,
  lookAtHeld,
  type MarketExit,
  marketExit,
  refusalLine,
  SETTLE_MS,
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

const LEGS = ['stop', 'take'] as const
type Leg = (typeof LEGS)[number]
const NAMES: Record<Leg, string> = { stop: 'stop', take: 'take-profit' }

const ocoParams = z.object({
  side: z.enum(['long', 'short']),
  /** Both cover it; in the market's amount unit. */
  amount: z.string(),
  take: z.string(),
  stop: z.string(),
})
export type OcoParams = z.output<typeof ocoParams>

const legState = z.object({
  memory: exitMemory,
  /** When its order was found to be gone, not by the task, ms since the epoch. */
  lostAt: z.exactOptional(z.number()),
  /** Someone took it back: it is not placed again. */
  isDropped: z.exactOptional(z.boolean()),
})
type LegState = z.output<typeof legState>

const ocoState = z.object({
  held: heldMemory,
  stop: legState,
  take: legState,
  /** Its stop cannot be waited for. */
  closing: z.exactOptional(marketExit),
})
type OcoState = z.output<typeof ocoState>

export const oco: TaskKind<OcoParams, OcoState> = {
  name: 'oco',
  params: ocoParams,
  state: ocoState,
  effect: () => 'protects',
  endsAt: () => undefined,
  amount: ({ amount }) => amount,
  initial: () => ({ held: {}, stop: { memory: {} }, take: { memory: {} } }),
  reduce,
  see,
  leaves: (params, _state, facts, others) => leavesBare(params, facts, others),
  keepsWhilePaused: LEGS,
  whilePaused,
}

interface Draft {
  readonly params: OcoParams
  readonly facts: TaskFacts
  readonly held: Held
  state: OcoState
  readonly effects: TaskEffect[]
  readonly wakes: number[]
}

function reduce(params: OcoParams, before: OcoState, event: TaskEvent, facts: TaskFacts): TaskStep<OcoState> {
  const { held, memory, wakeAt } = lookAtHeld(params.side, before.held, facts)
  const draft: Draft = { params, facts, held, state: { ...before, held: memory }, effects: [], wakes: [] }
  wake(draft, wakeAt)
  if (event.type === 'resumed') {
    for (const leg of LEGS) setLeg(draft, leg, { ...draft.state[leg], memory: forgiven(draft.state[leg].memory) })
  }
  decide(draft)
  const { state, effects, wakes } = draft
  return { state, effects: [...effects, { type: 'wake', at: wakes.length === 0 ? undefined : Math.min(...wakes) }] }
}

function whilePaused(params: OcoParams, before: OcoState, facts: TaskFacts): PausedStep<OcoState> {
  const { held, memory } = lookAtHeld(params.side, before.held, facts)
  const state = { ...before, held: memory }
  const draft: Draft = { params, facts, held, state, effects: [], wakes: [] }
  const [stop, take] = LEGS.map((leg) => exitOrders(facts, leg).newest)
  if (held.kind === 'gone' || hasClosed(stop) || isWhole(take)) decide(draft)
  return endOf(state, draft)
}

function decide(draft: Draft): void {
  const { params, facts, held, state } = draft
  if (state.closing !== undefined) return close(draft, state.closing)
  const left = new Decimal(params.amount).minus(facts.filled)
  if (left.lte(0) || held.kind === 'gone') return finish(draft)
  const stop = exitOrders(facts, 'stop').newest
  if (stop?.status === 'ended' && hasFired(stop)) {
    return fired(draft, stop)
  }
  const take = exitOrders(facts, 'take').newest
  // All that it covered: what has been added since is no longer this task's.
  if (isWhole(take)) return finish(draft)
  for (const leg of LEGS) lookAtLeg(draft, leg)
  if (LEGS.every((leg) => draft.state[leg].isDropped === true)) return bothDropped(draft)
  const known = held.kind === 'held' ? Decimal.min(left, held.amount) : left
  const amount = amountOnLot(Decimal.min(known, facts.market.maxAmount ?? known), facts.market)
  if (amount.lte(0) || (held.kind === 'unknown' && stop === undefined)) return
  if (isPassedUncovered(draft, stop)) return passed(draft, amount)
  for (const leg of LEGS) {
    if (!draft.effects.some(({ type }) => type === 'end')) keepLeg(draft, leg, amount.toFixed())
  }
}

function isWhole(take: TaskOrder | undefined): boolean {
  return take?.status === 'ended' && unfilledOf(take)?.isZero() === true
}

function fired(draft: Draft, stop: TaskOrder): void {
  const { params, facts } = draft
  const why = `the stop at ${showPrice(params.stop)} was reached`
  const left = unfilledOf(stop)
  if (left !== undefined) return close(draft, beginClosing(left, why, facts))
  end(draft, 'done', `${why}: ${exitLine(facts, params.side)}; the rest of the position has no stop`)
}

function close(draft: Draft, exit: MarketExit): void {
  const { params, facts, held } = draft
  const step = keepClosing(exit, params.side, held.kind === 'held' ? held.amount : undefined, facts)
  draft.state = { ...draft.state, closing: step.exit }
  if (step.isDone || held.kind === 'gone') return finish(draft, exit.why)
  if (step.refusal !== undefined) addLine(draft, 'warn', refusalLine('the close', step.refusal))
  draft.effects.push(...step.effects)
  wake(draft, step.wakeAt)
}

/** @param why where it is known what closed it */
function finish(draft: Draft, why?: string): void {
  const { params, facts, held } = draft
  const line = exitLine(facts, params.side)
  if (why !== undefined) return end(draft, 'done', line === undefined ? why : `${why}: ${line}`)
  if (line !== undefined) return end(draft, 'done', `${filledLegs(draft)}: ${line}`)
  const other = params.side === 'long' ? 'short' : 'long'
  const isTurned = held.kind === 'gone' && held.turned
  const now = isTurned ? `, and ${facts.market.symbol} is ${other} now` : ''
  end(draft, 'done', `the position is closed${now}`)
}

/** `the take-profit at 67,600 was reached`. */
function filledLegs({ params, facts }: Draft): string {
  const filled = LEGS.filter((leg) => facts.orders.some((each) => each.tag === leg && new Decimal(each.filled).gt(0)))
  const names = filled.map((leg) => `the ${NAMES[leg]} at ${showPrice(params[leg])}`)
  return `${names.join(' and ')} ${names.length === 2 ? 'were' : 'was'} reached`
}

/** An order that ended unfilled, and not by the task: by the venue where the position is gone, by someone else where it is there. */
function lookAtLeg(draft: Draft, leg: Leg): void {
  const { facts, held, state } = draft
  const { newest } = exitOrders(facts, leg)
  const mine = state[leg]
  if (newest?.status !== 'ended' || newest.step === mine.memory.withdrawn || mine.isDropped === true) return
  const lostAt = mine.lostAt ?? facts.now
  const isYoung = facts.now - lostAt < SETTLE_MS
  setLeg(draft, leg, { ...mine, lostAt })
  if (isYoung) wake(draft, lostAt + SETTLE_MS)
  if (isYoung || held.kind !== 'held' || state.held.lessSince !== undefined) return
  setLeg(draft, leg, { ...mine, isDropped: true })
  const other: Leg = leg === 'stop' ? 'take' : 'stop'
  if (draft.state[other].isDropped === true) return
  addLine(draft, 'warn', `the ${NAMES[leg]} was ${takenBackBy(newest)}: only the ${NAMES[other]} rests now`)
}

function bothDropped(draft: Draft): void {
  const { symbol } = draft.facts.market
  const areReplaced = LEGS.every((leg) => exitOrders(draft.facts, leg).newest?.isReplaced === true)
  end(
    draft,
    'cancelled',
    `its stop and its take-profit were ${areReplaced ? 'replaced' : 'canceled'}; this task no longer protects the position on ${symbol}`,
  )
}

/** Last is behind the stop, and none rests there that would fire. */
function isPassedUncovered({ params, facts, state }: Draft, stop: TaskOrder | undefined): boolean {
  if (facts.ticker === undefined || state.stop.isDropped === true || state.stop.lostAt !== undefined) return false
  return (stop === undefined || !isLive(stop)) && hasPassed(params.side, facts.ticker.last, params.stop)
}

function passed(draft: Draft, amount: Decimal): void {
  const { params, facts } = draft
  const price = showPrice(params.stop)
  addLine(draft, 'warn', `${facts.market.symbol} has passed the stop at ${price}: closing now`)
  close(draft, beginClosing(amount, `the price passed the stop at ${price}`, facts))
}

function keepLeg(draft: Draft, leg: Leg, amount: string): void {
  const { facts, state } = draft
  const mine = state[leg]
  if (mine.isDropped === true || mine.lostAt !== undefined) return
  const { newest } = exitOrders(facts, leg)
  // A stop that is filling is no longer to be changed.
  if (leg === 'stop' && newest !== undefined && isLive(newest) && hasFired(newest)) return
  const plan = planOf(draft, leg, amount)
  const { memory, effects, wakeAt, refusal } = keepExit(
    { tag: leg, plan, isNewFirst: leg === 'stop' },
    mine.memory,
    facts,
  )
  setLeg(draft, leg, { ...mine, memory })
  if (refusal !== undefined) refused(draft, leg, memory, refusal, newest)
  draft.effects.push(...effects)
  wake(draft, wakeAt)
}

/** A take-profit that cannot be leaves the stop; without its stop the position is told to have none. */
function refused(
  draft: Draft,
  leg: Leg,
  memory: ExitMemory,
  refusal: { readonly code: string; readonly why: string },
  newest: TaskOrder | undefined,
): void {
  const line = refusalLine(`the ${NAMES[leg]}`, refusal)
  if (newest === undefined && isHopeless(refusal, memory)) {
    if (leg === 'stop') return end(draft, 'failed', `${line}: the position on ${draft.facts.market.symbol} has no stop`)
    setLeg(draft, leg, { ...draft.state.take, isDropped: true })
    return addLine(draft, 'warn', `${line}: only the stop rests`)
  }
  if (memory.refusals === 1) addLine(draft, 'warn', `${line}; it is tried again`)
}

function planOf({ params, facts }: Draft, leg: Leg, amount: string): OrderPlan {
  const plan = { symbol: facts.market.symbol, side: exitSide(params.side), amount, reduceOnly: true } as const
  return leg === 'stop'
    ? { ...plan, type: 'stop', triggerPrice: params.stop }
    : { ...plan, type: 'limit', price: params.take }
}

function see(params: OcoParams, state: OcoState, facts: TaskFacts): TaskSight {
  const progress = Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  return { progress, doing: doingNow(params, state, facts), price: params.stop }
}

function doingNow(params: OcoParams, { closing }: OcoState, facts: TaskFacts): string {
  if (closing !== undefined) return `${closing.why}: closing at the market`
  const rests = LEGS.filter((leg) => {
    const { newest } = exitOrders(facts, leg)
    return newest !== undefined && isLive(newest)
  })
  if (rests.length === 0) return 'neither stop nor take-profit rests yet'
  return rests.map((leg) => `${NAMES[leg]} at ${showPrice(params[leg])}`).join(', ')
}

function setLeg(draft: Draft, leg: Leg, to: LegState): void {
  draft.state = { ...draft.state, [leg]: to }
}

function addLine(draft: Draft, level: 'info' | 'warn', text: string): void {
  draft.effects.push({ type: 'line', level, text })
}

function end(draft: Draft, status: 'done' | 'failed' | 'cancelled', reason: string): void {
  draft.effects.push({ type: 'end', status, reason })
}

function wake(draft: Draft, at: number | undefined): void {
  if (at !== undefined) draft.wakes.push(at)
}
