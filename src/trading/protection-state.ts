// The protection of one entry as a table (behaviour 38): for each phase of a leg and each event, what it is then and what is to be done. Nothing here
// waits, asks or sends. A leg comes to rest in one of four ways: an order rests for all that is held, nothing is held, a person took the order
// back, or the operator has been alarmed, and is again until one of the others is true.

import { Decimal } from 'decimal.js'
import { backoffMs } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import { type Capabilities, canEdit } from '../exchange/exchange.ts'
import type { MarketKind } from '../exchange/market.ts'
import { type AttachedOrder, isNothingLeft, type Order } from '../exchange/order.ts'
import type { EndOutcome } from './order-event.ts'
import type { Intent, Protector } from './order-journal-lines.ts'
import {
  MAX_ATTEMPTS,
  type OrderPlan,
  type ProtectionPlan,
  type ProtectiveRole,
  protectiveOrderId,
} from './order-plan.ts'

/** After a crash: with the orders that the process before had begun to send for it, and the fills and fees that it had written down. */
export type ProtectedEntry = Intent & {
  readonly protectors?: readonly Protector[]
  readonly filledBefore?: string
  readonly feesBefore?: Readonly<Record<string, string>>
}

export type Phase =
  /** Nothing has filled yet. */
  | 'idle'
  /** What it covered is closed, by one of its orders, by the other leg, or elsewhere. */
  | 'covered'
  /** A person took its order back. */
  | 'waived'
  /** What was sent and not answered, by this process or one before it, or what the entry carried, is asked for. */
  | 'finding'
  /** Last is asked, so that a price that has passed closes at once. */
  | 'pricing'
  | 'placing'
  /** Its order waits at the venue. */
  | 'resting'
  /** An order at the market works. */
  | 'closing'
  | 'amending'
  | 'withdrawing'
  /** Its order ended by itself, or was refused: position and last are asked. */
  | 'looking'
  /** It is tried again after a pause. */
  | 'waiting'
  /** The venue keeps refusing it: the operator is alarmed, and it is tried now and then. */
  | 'given-up'

export const PHASES: readonly Phase[] = [
  'idle',
  'covered',
  'waived',
  'finding',
  'pricing',
  'placing',
  'resting',
  'closing',
  'amending',
  'withdrawing',
  'looking',
  'waiting',
  'given-up',
]

/** Why an order is not there. `code`: of the venue or of hookline; `ended` where it was there. */
export interface Reason {
  readonly code: string
  readonly why: string
  /** For how long the venue wants to be left alone. */
  readonly retryAfterMs?: number
}

/** An order that may be there. */
interface Sought extends Pick<Protector, 'id' | 'isWithdrawn'> {
  /** The legs that were found to cover too much while it was not known: what it has filled is why. */
  readonly explains?: readonly ProtectiveRole[]
  /** The entry carried it, and the venue is to place it: how often it was not there yet. */
  readonly looks?: number
}

type Carried = Pick<Sought, 'id' | 'explains'>

export interface Leg {
  readonly role: ProtectiveRole
  readonly phase: Phase
  /** At the venue now. While it is replaced: the one before. */
  readonly order?: Order
  /** Orders that the one at the venue has replaced, and that are still to be canceled. */
  readonly leftOver: readonly Order[]
  /** Ids of orders that are canceled by us: their end needs no look. */
  readonly withdrawn: ReadonlySet<string>
  /** Of those left over, the ones whose cancel is under way. */
  readonly canceling: ReadonlySet<string>
  /** Orders that may be there. The first is the next to be asked for. */
  readonly toFind: readonly Sought[]
  /** Why the last question for one of them has failed. */
  readonly unfound?: Reason
  /** What the entry carries, until the venue is to have placed it. */
  readonly attached?: Carried
  /** That, where it was not found in time. */
  readonly missed?: Carried
  /** Ended by itself, and not yet explained. */
  readonly ended?: Order
  /** Why it is looked into. */
  readonly reason?: Reason
  /** How many orders were begun to be sent. */
  readonly sent: number
  /** Whether the last of them was at the market. */
  readonly isMarket: boolean
  /** What orders that are over have filled. */
  readonly closed: Decimal
  /** The id of its order, where last had passed the price as it arrived: it may wait for last to come back. */
  readonly lateId?: string
  /** What it need not cover: a person took its order back, or it is held no longer. */
  readonly waived: Decimal
  readonly isWaived: boolean
  /** In a row; `noes`: for a reason that lasts. */
  readonly refusals: number
  readonly noes: number
  /** How many of its orders ended unfilled, and neither by us nor by a known hand. */
  readonly ends: number
  /** When the operator was last alarmed about what is missing now, ms since the epoch. */
  readonly alarmedAt?: number
  readonly isPassedStated: boolean
  /** Only the newest pause counts. */
  readonly pause: number
}

export interface ProtectionState {
  readonly entry: ProtectedEntry
  readonly plan: ProtectionPlan
  readonly isSpot: boolean
  readonly canEdit: boolean
  /** Whether the venue takes stop and take-profit as one order. */
  readonly isOneOrder: boolean
  /** Whether the venue places what an entry carried only where that has filled whole. */
  readonly needsWhole: boolean
  /** Of the entry; on spot what a fee has left of it. */
  readonly filled: Decimal
  /** What the entry has filled besides: it only reduced a position of the other side. */
  readonly offset: Decimal
  /** On spot: the smallest order of the market. What is less stays, once there has been an order. */
  readonly least: Decimal
  /** When the last of it is known to have filled, ms since the epoch. */
  readonly filledAt: number
  readonly isEntryOver: boolean
  /** What has filled by now is no longer held. */
  readonly isFlat: boolean
  readonly isReleased: boolean
  /** The stop comes first. */
  readonly legs: readonly Leg[]
}

interface At {
  /** ms since the epoch. */
  readonly at: number
}

interface OfLeg extends At {
  readonly role: ProtectiveRole
}

/** `flat`: it has been flat, and what is held now is of another trade. `recent`: the list of positions may be older than the last of the fills. */
export type SinceEntry = 'flat' | 'recent'

export type ProtectionEvent =
  /** The entry has filled so far, and is over or not. */
  | (At & {
      readonly type: 'filled'
      readonly filled: Decimal
      readonly isOver: boolean
      readonly least?: string
      readonly offset?: Decimal
    })
  /** The venue lists no position. */
  | (At & { readonly type: 'flat' })
  /** The venue has taken a part of the position by force, and lists so much of it. */
  | (At & { readonly type: 'reduced'; readonly held: Decimal })
  /** Of the order that was asked for. */
  | (OfLeg & { readonly type: 'found'; readonly order: Order; readonly isTakenBack: boolean })
  | (OfLeg & { readonly type: 'not-found' })
  | (OfLeg & { readonly type: 'not-answered' } & Reason)
  /** Absent: not known so soon. */
  | (OfLeg & { readonly type: 'priced'; readonly last?: string })
  | (OfLeg & { readonly type: 'placed'; readonly order: Order })
  /** Of the order that waits: last, asked after it was there. Absent: not known so soon. */
  | (OfLeg & { readonly type: 'checked'; readonly id: string; readonly last?: string })
  | (OfLeg & { readonly type: 'refused' } & Reason)
  | (OfLeg & { readonly type: 'unknown'; readonly id: string } & Reason)
  | (OfLeg & { readonly type: 'changed'; readonly order: Order })
  | (OfLeg & { readonly type: 'unchanged' } & Reason)
  /** It has filled so far. */
  | (OfLeg & { readonly type: 'reported'; readonly order: Order })
  | (OfLeg & { readonly type: 'ended'; readonly order: Order })
  /** `isOurs`: it ended by this cancel. */
  | (OfLeg & { readonly type: 'canceled'; readonly order: Order; readonly isOurs: boolean })
  | (OfLeg & { readonly type: 'not-canceled'; readonly order: Order } & Reason)
  /**
   * `held`: of the position, on the side of the entry; absent: not known. `against`: on the other side, which the entry only reduced.
   * `isTakenBack`: a hookline canceled the order for a person. `since`: what the fills since the entry say of the position.
   */
  | (OfLeg & {
      readonly type: 'looked'
      readonly held?: Decimal
      readonly against?: Decimal
      readonly last?: string
      readonly isTakenBack: boolean
      readonly since?: SinceEntry
    })
  | (OfLeg & { readonly type: 'other-filled' })
  /** The pause of this number is over. */
  | (OfLeg & { readonly type: 'due'; readonly pause: number })

export type EventType = ProtectionEvent['type']

/** `short`: its order covers a part. `waived`: it was canceled twice. `rests`: nothing is held, and it cannot be canceled. */
type Alarm = 'missing' | 'short' | 'given-up' | 'waived' | 'rests'

export type Effect =
  /** `isAttached`: the venue placed it, if it is there, because the entry carried it. `afterMs`: not before. */
  | {
      readonly type: 'find'
      readonly role: ProtectiveRole
      readonly id: string
      readonly isAttached?: true
      readonly afterMs?: number
    }
  | { readonly type: 'price'; readonly role: ProtectiveRole }
  /** It waits now: last may have passed its price before it arrived. */
  | { readonly type: 'check'; readonly role: ProtectiveRole; readonly id: string }
  | { readonly type: 'send'; readonly role: ProtectiveRole; readonly id: string; readonly order: OrderPlan }
  | { readonly type: 'amend'; readonly role: ProtectiveRole; readonly order: Order; readonly amount: string }
  | { readonly type: 'cancel'; readonly role: ProtectiveRole; readonly order: Order }
  | { readonly type: 'ask'; readonly role: ProtectiveRole; readonly order: Order }
  /** `other`: the order of the other leg, whose fills may be heard of later than this end. */
  | { readonly type: 'look'; readonly role: ProtectiveRole; readonly ended?: Order; readonly other?: Order }
  | { readonly type: 'wait'; readonly role: ProtectiveRole; readonly ms: number; readonly pause: number }
  | { readonly type: 'alarm'; readonly role: ProtectiveRole; readonly alarm: Alarm; readonly reason: Reason }
  | { readonly type: 'passed'; readonly role: ProtectiveRole; readonly price: string }
  | { readonly type: 'covers'; readonly order: Order; readonly isChange: boolean }
  | { readonly type: 'ended'; readonly order: Order; readonly outcome: EndOutcome }
  | { readonly type: 'withdrawn'; readonly order: Order; readonly isFlat: boolean }
  /** What the entry filled has only reduced the other side. */
  | { readonly type: 'offset' }
  | { readonly type: 'release' }

/** A venue may list positions so much later than fills. */
export const LAG_MS = 5_000
/** A hookline that canceled an order writes that down after the venue has said so. */
const EXPLAINED_MS = 500
const LOOK_AGAIN_MS = 1_000
const LEFT_OVER_MS = 5_000
/** How often an order at the market is asked for while it works. */
const ASK_MS = 1_000
/** When a book that was too thin to close a position is looked at again. */
const THIN_BOOK_MS = 1_000
/** Pauses between tries: the first, then twice as long, up to the most. */
const FIRST_PAUSE_MS = 1_000
const FIRST_RACE_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** How often what a venue refuses for a reason that lasts is tried before it is given up: about two minutes. */
const MOST_REFUSALS = 8
/** How often the operator is alarmed about the same gap. */
const REMIND_MS = 300_000

/** Before each question but the first for an order that the entry carried: then there is another instead. */
const ATTACHED_MS = [50, 100, 200, 400, 800]
/** When one that was not there in time is asked for once more: there must not be two. */
const MISSED_MS = [5_000, 30_000]

/** Reasons that pass, however often they are met. */
const PASSING: ReadonlySet<string> = new Set([
  'network',
  'outcome-unknown',
  'unavailable',
  'rate-limited',
  'clock',
  'guarded',
  'halted',
  'panic',
  'journal',
  'would-trigger',
  'reduce-only-rejected',
])
/** Refusals that say more about the price or the position than about the order. */
const RACES: ReadonlySet<string> = new Set([
  'would-trigger',
  'invalid-order',
  'reduce-only-rejected',
  'order-rejected',
  'order-immediately-fillable',
])

const ZERO = new Decimal(0)

interface Terms {
  readonly kind: MarketKind
  readonly capabilities: Pick<Capabilities, 'oco' | 'editOrder' | 'editTypes' | 'attached'>
}

/** As it begins, or begins again after a crash. @param at ms since the epoch */
export function beginProtection(
  entry: ProtectedEntry,
  plan: ProtectionPlan,
  { kind, capabilities }: Terms,
  at: number,
): ProtectionState {
  const { protectors = [] } = entry
  // What was begun as two orders goes on as two: a hookline before this one may have known no other way.
  const isOneOrder = capabilities.oco === true && !protectors.some(({ role, isAlone }) => role === 'take' || isAlone)
  return {
    entry,
    plan,
    isOneOrder,
    needsWhole: capabilities.attached === 'when-filled',
    isSpot: kind === 'spot',
    canEdit: canEdit(capabilities, 'stop') && canEdit(capabilities, 'take-profit'),
    filled: ZERO,
    offset: ZERO,
    least: ZERO,
    filledAt: at,
    isEntryOver: false,
    isFlat: false,
    isReleased: false,
    legs: rolesOf(plan, isOneOrder).map((role) => beginLeg(role, entry, plan)),
  }
}

function rolesOf({ triggerPrice, takeProfitPrice }: ProtectionPlan, isOneOrder: boolean): readonly ProtectiveRole[] {
  const roles: ProtectiveRole[] = []
  if (triggerPrice !== undefined) roles.push('stop')
  if (takeProfitPrice !== undefined && !(isOneOrder && triggerPrice !== undefined)) roles.push('take')
  return roles
}

/** What the entry carries where the venue takes it with it: the first order of each leg. */
export function attachedOrders(
  entryId: string,
  plan: ProtectionPlan | undefined,
  { oco = false }: Pick<Capabilities, 'oco'>,
): readonly AttachedOrder[] | undefined {
  if (plan?.isAttached !== true) return undefined
  return rolesOf(plan, oco).map((role) => ({
    clientOrderId: protectiveOrderId(entryId, role, 0),
    ...waitingOrder(plan, role, oco),
  }))
}

function beginLeg(role: ProtectiveRole, entry: ProtectedEntry, { isAttached }: ProtectionPlan): Leg {
  const before = (entry.protectors ?? []).filter((each) => each.role === role)
  const toFind = before.filter(({ isRefused }) => !isRefused)
  const attached = isAttached === true ? protectiveOrderId(entry.id, role, 0) : undefined
  const isKnown = before.some(({ id }) => id === attached)
  return {
    role,
    phase: toFind.length > 0 ? 'finding' : 'idle',
    toFind,
    ...(attached === undefined || isKnown ? {} : { attached: { id: attached } }),
    leftOver: [],
    withdrawn: new Set(),
    canceling: new Set(),
    sent: Math.max(attemptsIn(before, role, entry.id), attached === undefined ? 0 : 1),
    isMarket: false,
    closed: ZERO,
    waived: ZERO,
    isWaived: false,
    refusals: 0,
    noes: 0,
    ends: 0,
    isPassedStated: false,
    pause: 0,
  }
}

/** One that could not be written down has left a gap: no id is taken twice. */
function attemptsIn(before: readonly Protector[], role: ProtectiveRole, entryId: string): number {
  const ids = new Set(before.map(({ id }) => id))
  let attempt = 0
  for (; ids.size > 0 && attempt <= MAX_ATTEMPTS; attempt += 1) ids.delete(protectiveOrderId(entryId, role, attempt))
  return attempt
}

interface Step {
  readonly leg: Leg
  readonly effects: readonly Effect[]
}

type Handler<Type extends EventType> = (
  state: ProtectionState,
  leg: Leg,
  event: Extract<ProtectionEvent, { readonly type: Type }>,
) => Step

type Row = { readonly [Type in EventType]: Handler<Type> }

/** One event. What one leg has filled, the other covers no longer. */
export function stepProtection(
  before: ProtectionState,
  event: ProtectionEvent,
): { readonly state: ProtectionState; readonly effects: readonly Effect[] } {
  let state = learn(before, event)
  const effects: Effect[] = []
  const apply = (role: ProtectiveRole, each: ProtectionEvent) => {
    const leg = state.legs.find((one) => one.role === role)
    if (leg === undefined) return
    const handler = TABLE[leg.phase][each.type] as Handler<EventType>
    const next = handler(state, leg, each)
    const legs = state.legs.map((one) => (one === leg ? next.leg : one))
    state = balance({
      ...state,
      legs: next.leg.waived.gt(leg.waived) ? legs.map((one) => explain(state, one, role)) : legs,
    })
    effects.push(...next.effects)
  }
  const { at } = event
  for (const { role } of before.legs) if (!('role' in event) || event.role === role) apply(role, event)
  for (const leg of before.legs) {
    const now = state.legs.find(({ role }) => role === leg.role) ?? leg
    if (takenBy(now).eq(takenBy(leg))) continue
    for (const other of before.legs)
      if (other !== leg) apply(other.role, { type: 'other-filled', role: other.role, at })
  }
  for (const { role } of before.legs) if (isFoundOut(state, role)) apply(role, { type: 'other-filled', role, at })
  if (!state.isReleased && isDone(state)) {
    state = { ...state, isReleased: true }
    effects.push({ type: 'release' })
  }
  return { state, effects }
}

function learn(state: ProtectionState, event: ProtectionEvent): ProtectionState {
  if (event.type === 'filled') {
    const isMore = event.filled.gt(state.filled)
    return {
      ...state,
      // On spot a fee that is heard of later makes it less.
      filled: state.isSpot ? event.filled : Decimal.max(state.filled, event.filled),
      offset: event.offset ?? state.offset,
      least: state.isSpot ? new Decimal(event.least ?? state.least) : ZERO,
      filledAt: isMore ? event.at : state.filledAt,
      isFlat: state.isFlat && !isMore,
      isEntryOver: state.isEntryOver || event.isOver,
    }
  }
  if (event.type === 'found') {
    const { missed, toFind = [] } = state.legs.find(({ role }) => role === event.role) ?? {}
    const { explains: explained = [] } = (isMissed(missed, event.order) ? missed : toFind[0]) ?? {}
    const lessWaived = (leg: Leg): Leg => ({ ...leg, waived: Decimal.max(0, leg.waived.minus(event.order.filled)) })
    return { ...state, legs: state.legs.map((leg) => (explained.includes(leg.role) ? lessWaived(leg) : leg)) }
  }
  if (event.type !== 'flat' && event.type !== 'reduced') return state
  const legs = state.legs.map((leg) => letGo(state, leg, event.type === 'flat' ? ZERO : event.held))
  return {
    ...state,
    isFlat: state.isFlat || event.type === 'flat',
    legs: state.legs.reduce((all, { role }) => all.map((leg) => explain(state, leg, role)), legs),
  }
}

/** What the leg of this role no longer covers may have been closed by an order that is not known yet. */
function explain({ isEntryOver }: ProtectionState, leg: Leg, role: ProtectiveRole): Leg {
  const { toFind, attached, missed } = leg
  const explains = <Order extends Carried>(each: Order): Order => ({
    ...each,
    explains: [...(each.explains ?? []), role],
  })
  return {
    ...leg,
    toFind: toFind.map(explains),
    ...(attached === undefined || !isEntryOver ? {} : { attached: explains(attached) }),
    ...defined({ missed: missed && explains(missed) }),
  }
}

function isMissed(missed: Carried | undefined, { clientOrderId }: Order): boolean {
  return missed !== undefined && missed.id === clientOrderId
}

/** What has been closed after all, or only now is known to be, was let go of by mistake, or is held no longer: it counts once. */
function balance(state: ProtectionState): ProtectionState {
  const counted = (leg: Leg): Leg => {
    const over = neededOf(state, leg)
      .minus(leg.order?.filled ?? 0)
      .neg()
    if (over.lte(0) || leg.waived.isZero()) return leg
    const waived = Decimal.max(0, leg.waived.minus(over))
    return { ...leg, waived, isWaived: leg.isWaived && waived.gt(0) }
  }
  return { ...state, legs: state.legs.map(counted) }
}

/** No more than this is still held of what the leg covers. */
function letGo(state: ProtectionState, leg: Leg, held: Decimal): Leg {
  const left = neededOf(state, leg).minus(leg.order?.filled ?? 0)
  return left.lte(held) ? leg : { ...leg, waived: leg.waived.plus(left).minus(held) }
}

/** What the orders of a leg have filled, by what is known of them. */
function takenBy({ closed, order }: Leg): Decimal {
  return order === undefined ? closed : closed.plus(order.filled)
}

/** What the order of a leg should be for, as a whole amount: with what it has filled by now. */
export function neededOf({ filled, legs, least }: ProtectionState, leg: Leg): Decimal {
  const byOthers = Decimal.sum(0, ...legs.filter(({ role }) => role !== leg.role).map(takenBy))
  const needed = filled.minus(leg.closed).minus(byOthers).minus(leg.waived)
  const done = new Decimal(leg.order?.filled ?? 0)
  const isDust = leg.sent > 0 && needed.gt(done) && needed.minus(done).lt(least)
  return isDust ? done : needed
}

/** Whether nothing of it is at the venue, and nothing is to be found out or done. */
function isQuiet({ phase, order, leftOver }: Leg): boolean {
  return (phase === 'idle' || phase === 'covered' || phase === 'waived') && order === undefined && leftOver.length === 0
}

function isDone(state: ProtectionState): boolean {
  return state.isEntryOver && state.legs.every((leg) => isQuiet(leg) && neededOf(state, leg).lte(0))
}

/** All its orders have been asked for, and those of the other leg as well, or that one has to be waited for too long. */
function isFoundOut({ legs }: ProtectionState, role: ProtectiveRole): boolean {
  const isBusy = ({ phase, toFind, unfound }: Leg) => phase === 'finding' && toFind.length > 0 && unfound === undefined
  const leg = legs.find((each) => each.role === role)
  if (leg?.phase !== 'finding' || leg.toFind.length > 0) return false
  return !legs.some((each) => each !== leg && isBusy(each))
}

function without<Key extends keyof Leg>(leg: Leg, ...keys: readonly Key[]): Leg {
  const left = { ...leg }
  for (const key of keys) delete left[key]
  return left
}

function step(leg: Leg, ...effects: readonly Effect[]): Step {
  return { leg, effects }
}

/** While it works at the market. */
function askLater({ leg, effects }: Step): Step {
  const paused = pauseFor(leg, ASK_MS)
  return step(paused.leg, ...effects, ...paused.effects)
}

function reasonOf({ code, why, retryAfterMs }: Reason): Reason {
  return { code, why, ...defined({ retryAfterMs }) }
}

const stay = (_state: ProtectionState, leg: Leg): Step => step(leg)

/** Nothing is under way: what follows from what is needed and what is there. */
function decide(state: ProtectionState, leg: Leg): Step {
  if (leg.toFind.length > 0) return findNext(leg)
  const attached = dueWith(state, leg)
  if (attached !== undefined && state.needsWhole && state.filled.lt(state.entry.order.amount)) {
    const next = decide(state, { ...without(leg, 'attached'), missed: attached })
    return step(next.leg, ...findLater(leg.role, attached), ...next.effects)
  }
  if (attached !== undefined) {
    return findNext({ ...without(leg, 'attached'), toFind: [{ ...attached, isWithdrawn: false, looks: 0 }] })
  }
  const tidy = cancelLeftOver(leg)
  const next = decideOrder(state, tidy.leg)
  return step(next.leg, ...tidy.effects, ...next.effects)
}

/** What the entry carried is placed when it has filled, or has ended with a part filled. */
function dueWith({ isEntryOver, filled }: ProtectionState, { attached }: Leg): Carried | undefined {
  return isEntryOver && filled.gt(0) ? attached : undefined
}

function decideOrder(state: ProtectionState, leg: Leg): Step {
  const { role, order } = leg
  const needed = neededOf(state, leg)
  if (order === undefined) {
    if (needed.lte(0)) return comeToRest(state, leg)
    if (leg.ended !== undefined) return lookInto(state, leg)
    return step({ ...leg, phase: 'pricing' }, { type: 'price', role })
  }
  const rests: Leg = { ...leg, phase: order.type === 'market' ? 'closing' : 'resting' }
  if (new Decimal(order.filled).gte(order.amount) || order.type === 'market') return step(rests)
  if (needed.lte(order.filled) || order.id === leg.lateId) return withdraw(leg, order)
  if (needed.eq(order.amount)) return step(rests)
  if (state.canEdit) {
    return step({ ...leg, phase: 'amending' }, { type: 'amend', role, order, amount: needed.toFixed() })
  }
  // The new one first, so that the position is never without; on spot the coins are locked by the old one.
  if (state.isSpot || needed.lt(order.amount)) return withdraw(leg, order)
  return step({ ...leg, phase: 'pricing' }, { type: 'price', role })
}

/** Nothing is to be covered. */
function comeToRest(state: ProtectionState, leg: Leg): Step {
  const { ended, isWaived } = leg
  const carried = state.plan.isAttached === true ? 1 : 0
  const hadSome = state.filled.gt(0) || leg.sent > carried
  const phase: Phase = isWaived ? 'waived' : hadSome ? 'covered' : 'idle'
  const rest: Leg = {
    ...without(leg, 'ended', 'reason', 'alarmedAt'),
    phase,
    refusals: 0,
    noes: 0,
    isPassedStated: false,
  }
  if (ended === undefined) return step(rest)
  const byOther = state.legs.some((each) => each.role !== leg.role && takenBy(each).gt(0)) && !state.isFlat
  if (byOther) return step(rest, { type: 'withdrawn', order: ended, isFlat: false })
  return step(rest, { type: 'ended', order: ended, outcome: 'flat' })
}

function withdraw(leg: Leg, order: Order): Step {
  const { role } = leg
  const withdrawn = new Set([...leg.withdrawn, order.id])
  return step({ ...leg, withdrawn, phase: 'withdrawing' }, { type: 'cancel', role, order })
}

function cancelLeftOver(leg: Leg): Step {
  const { role } = leg
  const begun = leg.leftOver.filter(({ id }) => !leg.canceling.has(id))
  if (begun.length === 0) return step(leg)
  const ids = begun.map(({ id }) => id)
  const marked: Leg = {
    ...leg,
    canceling: new Set([...leg.canceling, ...ids]),
    withdrawn: new Set([...leg.withdrawn, ...ids]),
  }
  return step(marked, ...begun.map((order): Effect => ({ type: 'cancel', role, order })))
}

function findNext(leg: Leg): Step {
  const [next] = leg.toFind
  const finding: Leg = { ...without(leg, 'unfound'), phase: 'finding' }
  if (next === undefined) return step(finding)
  const { id, looks } = next
  return step(finding, { type: 'find', role: leg.role, id, ...(looks === undefined ? {} : { isAttached: true }) })
}

function lookInto(state: ProtectionState, leg: Leg): Step {
  const other = state.legs.find(({ role }) => role !== leg.role)?.order
  const look: Effect = { type: 'look', role: leg.role, ...defined({ ended: leg.ended, other }) }
  return step({ ...leg, phase: 'looking' }, look)
}

function pauseFor(leg: Leg, ms: number): Step {
  const pause = leg.pause + 1
  return step({ ...leg, pause }, { type: 'wait', role: leg.role, ms, pause })
}

/** It is not there, or not as large as it should be, and is tried again: after a pause that grows, and not without the operator knowing. */
function tryLater(given: Leg, reason: Reason, at: number, alarm: Alarm = 'missing'): Step {
  const refusals = given.refusals + 1
  const noes = PASSING.has(reason.code) ? given.noes : given.noes + 1
  const isGivenUp = reason.code === 'attempts' || (noes > given.noes && noes > MOST_REFUSALS)
  const firstMs = RACES.has(reason.code) ? FIRST_RACE_PAUSE_MS : FIRST_PAUSE_MS
  const grown = backoffMs(refusals, { firstMs, mostMs: LONGEST_PAUSE_MS })
  const ms = isGivenUp ? REMIND_MS : Math.max(grown, reason.retryAfterMs ?? 0)
  const isNewlyGivenUp = isGivenUp && noes === MOST_REFUSALS + 1
  const isAlarmDue = given.alarmedAt === undefined || isNewlyGivenUp || at - given.alarmedAt >= REMIND_MS
  const absent: Phase = isGivenUp ? 'given-up' : 'waiting'
  const phase: Phase = given.order === undefined ? absent : given.order.type === 'market' ? 'closing' : 'resting'
  const leg: Leg = { ...without(given, 'reason'), phase, refusals, noes, ...(isAlarmDue ? { alarmedAt: at } : {}) }
  const paused = pauseFor(leg, ms)
  if (!isAlarmDue) return paused
  const covers = leg.order !== undefined && leg.order.id !== leg.lateId
  const missing = covers ? 'short' : isGivenUp ? 'given-up' : alarm
  const what = alarm === 'rests' ? alarm : missing
  return step(paused.leg, { type: 'alarm', role: leg.role, alarm: what, reason }, ...paused.effects)
}

/** @param passed the price that last has passed: it closes at the market; undefined: it waits for its price */
function send(state: ProtectionState, leg: Leg, amount: Decimal, passed: Passed | undefined, at: number): Step {
  const { role, sent } = leg
  if (sent > MAX_ATTEMPTS) {
    return tryLater(leg, { code: 'attempts', why: `it was placed ${sent} times already` }, at)
  }
  const id = protectiveOrderId(state.entry.id, role, sent)
  const waiting = passed === undefined ? waitingOrder(state.plan, role, state.isOneOrder) : undefined
  const order = protectiveOrder(state.entry.order, amount, !state.isSpot, waiting)
  const placing: Leg = {
    ...without(leg, 'ended', 'reason'),
    phase: 'placing',
    sent: sent + 1,
    isMarket: passed !== undefined,
    isPassedStated: leg.isPassedStated || passed !== undefined,
  }
  const isStated = passed === undefined || leg.isPassedStated
  const stated: readonly Effect[] = isStated ? [] : [{ type: 'passed', role: passed.role, price: passed.price }]
  return step(placing, ...stated, { type: 'send', role, id, order })
}

/** An order of the leg is over: by its event, because it was over as it was placed, or as it was found. */
function end(state: ProtectionState, given: Leg, order: Order, at: number): Step {
  const closed = given.closed.plus(order.filled)
  if (given.leftOver.some(({ id }) => id === order.id)) {
    return step({ ...given, closed, leftOver: given.leftOver.filter(({ id }) => id !== order.id) })
  }
  if (given.order?.id !== order.id) return step(given)
  const leg: Leg = { ...without(given, 'order'), closed }
  if (given.withdrawn.has(order.id)) return decide(state, leg)
  const filled = new Decimal(order.filled)
  if (filled.gte(order.amount)) return decide(state, calm(leg))
  if (order.type === 'market' || filled.gt(0)) return endInPart(state, leg, order, at)
  const ended = { ...leg, ended: order, reason: { code: 'ended', why: `the venue reports ${order.status}` } }
  // With a reason of the venue's own, no person did it.
  const counted: Leg = { ...ended, ends: isNothingLeft(order.cause) ? leg.ends : leg.ends + 1 }
  if (order.status !== 'canceled' || order.cause !== undefined) return lookInto(state, counted)
  return pauseFor({ ...counted, phase: 'looking' }, EXPLAINED_MS)
}

/** A book that was too thin left a rest to be closed. */
function endInPart(state: ProtectionState, leg: Leg, order: Order, at: number): Step {
  if (neededOf(state, leg).lte(0)) return decide(state, leg)
  if (new Decimal(order.filled).isZero()) {
    return tryLater(leg, { code: 'unfilled', why: 'the order at the market found nothing to fill it' }, at)
  }
  const paused = pauseFor({ ...leg, phase: 'waiting', refusals: 0, noes: 0 }, THIN_BOOK_MS)
  const stated: readonly Effect[] = order.status === 'closed' ? [] : [{ type: 'ended', order, outcome: 'rest-follows' }]
  return step(paused.leg, ...stated, ...paused.effects)
}

/** The venue did not take it. */
function refuse(state: ProtectionState, leg: Leg, reason: Reason, at: number): Step {
  const isRace = RACES.has(reason.code) || (state.isSpot && reason.code === 'insufficient-funds')
  return isRace ? lookInto(state, { ...leg, reason }) : tryLater(leg, reason, at)
}

type Looked = Extract<ProtectionEvent, { readonly type: 'looked' }>

/** Position and last are known, as far as the venue says so. */
function judge(state: ProtectionState, given: Leg, event: Looked): Step {
  const { ended, reason } = given
  const { held, against, isTakenBack, at } = event
  const needed = neededOf(state, given)
  if (needed.lte(0)) return decide(state, given)
  if (ended !== undefined && isTakenBack) return waive(state, given, ended, 'taken-back')
  const later = judgeSince(state, given, event)
  if (later !== undefined) return later
  const isYoung = at - state.filledAt < LAG_MS
  const isListed = held === undefined || held.gt(0)
  if (!isListed) {
    const isGone = !isYoung || ended?.cause === 'position-closed'
    const unheld = judgeUnheld(state, given, { against: against ?? ZERO, isGone })
    if (unheld !== undefined) return unheld
  }
  // What is listed may be older than what has filled.
  if (!isListed && ended !== undefined) return pauseFor(given, LOOK_AGAIN_MS)
  // Part of it was closed elsewhere.
  const leg = held === undefined || isYoung ? given : letGo(state, given, held)
  if (ended !== undefined) return judgeEnd(state, leg, ended, event)
  const passed = passedBy(state, leg, event.last)
  if (passed !== undefined && !leg.isMarket) return send(state, leg, neededOf(state, leg), passed, at)
  if (reason === undefined || reason.code === 'reminded') return decide(state, without(leg, 'reason'))
  return tryLater(leg, reason, at)
}

/** An order has ended: what is held now may be of another trade. */
function judgeSince(state: ProtectionState, leg: Leg, { held, since }: Looked): Step | undefined {
  const isListed = held === undefined || held.gt(0)
  if (leg.ended === undefined) return undefined
  if (since === 'flat') return decide(state, letGo(state, leg, ZERO))
  // The venue found nothing left to reduce: what is listed may have been opened since.
  return since === 'recent' && isListed && isNothingLeft(leg.ended.cause) ? pauseFor(leg, LOOK_AGAIN_MS) : undefined
}

/** Nothing is held of the side of the entry, by a list that may be older than what has filled. */
function judgeUnheld(
  state: ProtectionState,
  leg: Leg,
  { against, isGone }: { readonly against: Decimal; readonly isGone: boolean },
): Step | undefined {
  const isOffset = against.gt(0) && leg.ended === undefined
  // However old the list is: the entry cannot have turned that round.
  if (isGone || against.gte(state.filled.plus(state.offset))) {
    const next = decide(state, letGo(state, leg, ZERO))
    return step(next.leg, ...(isOffset ? [{ type: 'offset' } as const] : []), ...next.effects)
  }
  // The venue takes nothing that reduces, and lists the other side: the entry is likely to have opened nothing.
  if (!isOffset || leg.reason?.code !== 'reduce-only-rejected') return undefined
  return pauseFor({ ...without(leg, 'reason'), phase: 'waiting' }, LOOK_AGAIN_MS)
}

/** The venue has ended an order by itself, or somebody has there, and what it covered is still held. */
function judgeEnd(state: ProtectionState, leg: Leg, ended: Order, { last, at }: Looked): Step {
  const passed = passedBy(state, leg, last)
  const left = neededOf(state, leg)
  const report = (outcome: EndOutcome, next: Step): Step =>
    step(next.leg, { type: 'ended', order: ended, outcome }, ...next.effects)
  if (passed !== undefined) return report('closing', send(state, leg, left, passed, at))
  if (leg.ends <= 1) return report('placed-again', send(state, leg, left, undefined, at))
  if (ended.status === 'canceled' && ended.cause === undefined) return waive(state, leg, ended, 'waived')
  // What the venue ends again and again it gets at growing distances.
  const often = { ...without(leg, 'ended'), refusals: leg.ends - 2, noes: leg.ends - 2 }
  return report('placed-again', tryLater(often, { code: 'ended', why: `the venue reports ${ended.status}` }, at))
}

function passedBy({ plan, isOneOrder }: ProtectionState, { role }: Leg, last: string | undefined): Passed | undefined {
  return last === undefined ? undefined : passedPrice(plan, waitingOrder(plan, role, isOneOrder), last)
}

/** What the order covered is not covered again. */
function waive(state: ProtectionState, given: Leg, order: Order, outcome: 'taken-back' | 'waived'): Step {
  const amount = Decimal.min(order.amount, neededOf(state, given))
  const leg: Leg = { ...without(given, 'ended', 'reason'), waived: given.waived.plus(amount), isWaived: true }
  const stated: readonly Effect[] =
    outcome === 'taken-back'
      ? [{ type: 'ended', order, outcome }]
      : [
          { type: 'ended', order, outcome },
          {
            type: 'alarm',
            role: leg.role,
            alarm: 'waived',
            reason: { code: 'ended', why: 'it was canceled twice at the venue and is not placed again' },
          },
        ]
  const next = decide(state, leg)
  return step(next.leg, ...stated, ...next.effects)
}

/** An order of before is there, or was. The last that is open stays. */
function adopt(state: ProtectionState, given: Leg, order: Order, isTakenBack: boolean): Step {
  const [asked, ...toFind] = given.toFind
  const isWithdrawn = asked?.isWithdrawn === true
  const leg: Leg = {
    ...without(given, 'unfound'),
    toFind,
    isMarket: order.type === 'market',
    withdrawn: isWithdrawn ? new Set([...given.withdrawn, order.id]) : given.withdrawn,
  }
  if (order.status === 'open') {
    const leftOver = leg.order === undefined ? leg.leftOver : [...leg.leftOver, leg.order]
    const next = findMore({ ...without(leg, 'ended', 'reason'), order, leftOver })
    return step(next.leg, ...next.effects, ...checkOf(leg.role, order))
  }
  const known: Leg = { ...leg, closed: leg.closed.plus(order.filled) }
  const isExplained = isWithdrawn || order.type === 'market' || new Decimal(order.filled).gt(0)
  if (isExplained) return findMore(known)
  if (isTakenBack) {
    const amount = Decimal.max(0, Decimal.min(order.amount, neededOf(state, known)))
    const next = findMore({ ...known, waived: known.waived.plus(amount), isWaived: true })
    return step(next.leg, { type: 'ended', order, outcome: 'taken-back' }, ...next.effects)
  }
  const ends = isNothingLeft(order.cause) ? known.ends : known.ends + 1
  const counted: Leg = { ...known, ends }
  if (leg.order !== undefined) return findMore(counted)
  return findMore({ ...counted, ended: order, reason: { code: 'ended', why: `the venue reports ${order.status}` } })
}

/**
 * What the entry carried is there. One that might open a position when nothing is left to reduce is taken back, and there is another instead.
 */
function adoptAttached(state: ProtectionState, leg: Leg, order: Order, isTakenBack: boolean): Step {
  if (order.status !== 'open') return adopt(state, leg, order, isTakenBack)
  if (!order.reduceOnly) {
    const [, ...toFind] = leg.toFind
    return findMore({ ...without(leg, 'unfound'), toFind, leftOver: [...leg.leftOver, order] })
  }
  const next = adopt(state, leg, order, isTakenBack)
  return step(next.leg, { type: 'covers', order, isChange: false }, ...next.effects)
}

/** What the entry carried is not there: the venue may be about to place it. */
function notAttached(leg: Leg, asked: Sought): Step {
  const { role } = leg
  const { id, looks = 0, explains } = asked
  const [, ...toFind] = leg.toFind
  const ms = ATTACHED_MS[looks]
  if (ms !== undefined) {
    return pauseFor({ ...without(leg, 'unfound'), toFind: [{ ...asked, looks: looks + 1 }, ...toFind] }, ms)
  }
  const later = findLater(role, asked)
  const next = findMore({ ...without(leg, 'unfound'), toFind, missed: { id, ...defined({ explains }) } })
  return step(next.leg, ...later, ...next.effects)
}

function findLater(role: ProtectiveRole, { id }: Carried): readonly Effect[] {
  return MISSED_MS.map((afterMs) => ({ type: 'find', role, id, isAttached: true, afterMs }))
}

/** With nothing left to ask, `stepProtection` goes on once the other leg knows as much. */
function findMore(leg: Leg): Step {
  return leg.toFind.length > 0 ? findNext(leg) : step({ ...leg, phase: 'finding' })
}

/** The order is there as it should be: what was missing no longer is. */
function calm(leg: Leg): Leg {
  return { ...without(leg, 'alarmedAt', 'reason', 'ended'), refusals: 0, noes: 0 }
}

function checkOf(role: ProtectiveRole, { id, type }: Order): readonly Effect[] {
  return type === 'market' ? [] : [{ type: 'check', role, id }]
}

/** Some venues take from last, as an order arrives, from which side its price is to be reached. */
const onChecked: Handler<'checked'> = (state, leg, { id, last }) => {
  const isLate = leg.order?.id === id && passedBy(state, leg, last) !== undefined
  return step(isLate ? { ...leg, lateId: id } : leg)
}
const onDecide = (state: ProtectionState, leg: Leg): Step => decide(state, leg)
const onReported: Handler<'reported'> = (_state, leg, { order }) => {
  const { order: known } = leg
  if (known?.id !== order.id || new Decimal(order.filled).lte(known.filled)) return step(leg)
  return step({ ...leg, order: { ...known, filled: order.filled, remaining: order.remaining } })
}
const onEnded: Handler<'ended'> = (state, leg, { order, at }) => end(state, leg, order, at)
/** While something is under way, its answer decides what is next. */
const onEndedMeanwhile: Handler<'ended'> = (_state, leg, { order }) => {
  if (leg.order?.id !== order.id && !leg.leftOver.some(({ id }) => id === order.id)) return step(leg)
  const closed = leg.closed.plus(order.filled)
  const leftOver = leg.leftOver.filter(({ id }) => id !== order.id)
  const rest: Leg = { ...leg, closed, leftOver }
  return step(leg.order?.id === order.id ? without(rest, 'order') : rest)
}
/** Of an order that was left over. */
const onCanceled: Handler<'canceled'> = (state, leg, event) => onEndedMeanwhile(state, leg, { ...event, type: 'ended' })
/** Of an order that was left over. What is under way, or waited for, comes back to it. */
const onNotCanceled: Handler<'not-canceled'> = (_state, leg, { order }) => {
  return step({ ...leg, canceling: new Set([...leg.canceling].filter((id) => id !== order.id)) })
}
/** With nothing under way, that is a pause away. */
const onNotCanceledAlone: Handler<'not-canceled'> = (state, leg, event) => {
  const { at } = event
  const left = onNotCanceled(state, leg, event).leg
  if (!leg.leftOver.some(({ id }) => id === event.order.id)) return step(left)
  const isAlarmDue = left.alarmedAt === undefined || at - left.alarmedAt >= REMIND_MS
  const paused = pauseFor(isAlarmDue ? { ...left, alarmedAt: at } : left, LEFT_OVER_MS)
  const alarm: Effect = { type: 'alarm', role: leg.role, alarm: 'rests', reason: reasonOf(event) }
  return step(paused.leg, ...(isAlarmDue ? [alarm] : []), ...paused.effects)
}
const isDue = (leg: Leg, { pause }: { readonly pause: number }) => leg.pause === pause
const onDue: Handler<'due'> = (state, leg, event) => (isDue(leg, event) ? decide(state, leg) : step(leg))
/** Nothing is needed any more, or it goes on as it is. */
const onLess = (state: ProtectionState, leg: Leg): Step =>
  neededOf(state, leg).lte(0) ? decide(state, leg) : step(leg)
/** An answer that comes to nothing that was asked: an order that is there all the same is not forgotten. */
const onStrayOrder = (_state: ProtectionState, given: Leg, { order }: { readonly order: Order }): Step => {
  const isLate = isMissed(given.missed, order)
  const leg = isLate ? without(given, 'missed') : given
  if (isLate && order.status !== 'open') return step({ ...leg, closed: leg.closed.plus(order.filled) })
  if (order.status !== 'open' || leg.order?.id === order.id) return step(leg)
  if (leg.leftOver.some(({ id }) => id === order.id)) return step(leg)
  return step({ ...leg, leftOver: [...leg.leftOver, order] })
}

const BASE: Row = {
  filled: stay,
  flat: stay,
  reduced: stay,
  found: onStrayOrder,
  'not-found': stay,
  'not-answered': stay,
  priced: stay,
  placed: onStrayOrder,
  checked: onChecked,
  refused: stay,
  unknown: (_state, leg, { id }) => step({ ...leg, toFind: [...leg.toFind, { id, isWithdrawn: false }] }),
  changed: stay,
  unchanged: stay,
  reported: onReported,
  ended: onEndedMeanwhile,
  canceled: onCanceled,
  'not-canceled': onNotCanceled,
  looked: stay,
  'other-filled': stay,
  due: stay,
}

const QUIET: Row = {
  ...BASE,
  filled: onDecide,
  flat: onDecide,
  reduced: onDecide,
  found: (state, leg, event) => decide(state, onStrayOrder(state, leg, event).leg),
  placed: (state, leg, event) => decide(state, onStrayOrder(state, leg, event).leg),
  unknown: (state, leg, event) => decide(state, BASE.unknown(state, leg, event).leg),
  'not-canceled': onNotCanceledAlone,
  due: onDue,
}
const AT_VENUE: Row = {
  ...QUIET,
  ended: onEnded,
  'other-filled': onDecide,
  checked: (state, leg, event) => {
    const { leg: checked } = onChecked(state, leg, event)
    return checked === leg ? step(leg) : decide(state, checked)
  },
}

export const TABLE: Readonly<Record<Phase, Row>> = {
  idle: QUIET,
  covered: QUIET,
  waived: QUIET,
  finding: {
    ...BASE,
    filled: onDecide,
    flat: onDecide,
    reduced: onDecide,
    due: onDue,
    found: (state, leg, { order, isTakenBack }) => {
      const isAttached = leg.toFind[0]?.looks !== undefined
      return isAttached ? adoptAttached(state, leg, order, isTakenBack) : adopt(state, leg, order, isTakenBack)
    },
    'not-found': (_state, leg) => {
      const [asked, ...toFind] = leg.toFind
      if (asked?.looks !== undefined) return notAttached(leg, asked)
      return findMore({ ...without(leg, 'unfound'), toFind })
    },
    'not-answered': (_state, leg, event) => {
      const reason = reasonOf(event)
      const later = tryLater(leg, reason, event.at)
      return step({ ...later.leg, phase: 'finding', unfound: reason }, ...later.effects)
    },
    // Sent by `stepProtection` when all is found.
    'other-filled': (state, leg) => (leg.toFind.length > 0 ? step(leg) : decide(state, leg)),
  },
  pricing: {
    ...BASE,
    priced: (state, leg, { last, at }) => {
      const needed = neededOf(state, leg)
      if (needed.lte(0)) return decide(state, leg)
      return send(state, leg, needed, passedBy(state, leg, last), at)
    },
  },
  placing: {
    ...BASE,
    placed: (state, given, { order, at }) => {
      const leftOver = given.order === undefined ? given.leftOver : [...given.leftOver, given.order]
      const leg: Leg = { ...given, order, leftOver }
      if (order.status !== 'open') {
        const over = end(state, leg, order, at)
        const tidy = cancelLeftOver(over.leg)
        return step(tidy.leg, ...over.effects, ...tidy.effects)
      }
      const next = decide(state, calm(leg))
      const { type } = order
      // Its end may come by no event.
      if (type === 'market') return askLater(next)
      const covers: Effect = { type: 'covers', order, isChange: false }
      return step(next.leg, covers, ...next.effects, ...checkOf(leg.role, order))
    },
    refused: (state, leg, event) => refuse(state, leg, reasonOf(event), event.at),
    unknown: (_state, leg, event) => {
      const { id, at } = event
      const reason = reasonOf(event)
      const later = tryLater({ ...leg, toFind: [...leg.toFind, { id, isWithdrawn: false }] }, reason, at)
      return step({ ...later.leg, phase: 'finding', unfound: reason }, ...later.effects)
    },
  },
  resting: AT_VENUE,
  closing: {
    ...AT_VENUE,
    due: (_state, leg, event) => {
      if (!isDue(leg, event) || leg.order === undefined) return step(leg)
      return askLater(step(leg, { type: 'ask', role: leg.role, order: leg.order }))
    },
  },
  amending: {
    ...BASE,
    ended: onEnded,
    changed: (state, leg, { order }) => {
      const next = decide(state, calm({ ...leg, order }))
      return step(next.leg, { type: 'covers', order, isChange: true }, ...next.effects)
    },
    unchanged: (state, leg, event) => {
      const { order } = leg
      if (order === undefined || neededOf(state, leg).eq(order.amount)) return decide(state, leg)
      return tryLater(leg, reasonOf(event), event.at, 'short')
    },
    reported: (state, leg, event) => {
      const reported = onReported(state, leg, event)
      // What was asked after a change that got no answer says whether it was made.
      const { order } = reported.leg
      if (order?.id !== event.order.id) return reported
      return step({
        ...reported.leg,
        order: { ...order, amount: event.order.amount, remaining: event.order.remaining },
      })
    },
  },
  withdrawing: {
    ...BASE,
    // The answer to the cancel says it too, and by whom.
    ended: (state, leg, event) => (leg.order?.id === event.order.id ? step(leg) : onEndedMeanwhile(state, leg, event)),
    canceled: (state, leg, event) => {
      const { order, isOurs } = event
      if (leg.order?.id !== order.id) return onCanceled(state, leg, event)
      const next = decide(state, { ...without(leg, 'order'), closed: leg.closed.plus(order.filled) })
      return step(next.leg, ...statedOfWithdrawal(state, next.leg, order, isOurs), ...next.effects)
    },
    'not-canceled': (state, leg, event) => {
      if (leg.order?.id !== event.order.id) return onNotCanceled(state, leg, event)
      return tryLater(leg, reasonOf(event), event.at, neededOf(state, leg).gt(0) ? 'missing' : 'rests')
    },
  },
  looking: {
    ...BASE,
    flat: onLess,
    'other-filled': onLess,
    looked: (state, leg, event) => (dueWith(state, leg) === undefined ? judge(state, leg, event) : decide(state, leg)),
    due: (state, leg, event) => (isDue(leg, event) ? lookInto(state, leg) : step(leg)),
  },
  waiting: { ...BASE, flat: onLess, 'other-filled': onLess, due: onDue },
  'given-up': {
    ...BASE,
    flat: onLess,
    'other-filled': onLess,
    // The position may be gone by now, or the price past the trigger.
    due: (state, leg, event) =>
      isDue(leg, event) ? lookInto(state, { ...leg, reason: { code: 'reminded', why: 'it was refused' } }) : step(leg),
  },
}

function statedOfWithdrawal(state: ProtectionState, leg: Leg, order: Order, isOurs: boolean): readonly Effect[] {
  const { isFlat } = state
  if (order.status !== 'canceled' || neededOf(state, leg).gt(0) || (isFlat && !isOurs)) return []
  return [{ type: 'withdrawn', order, isFlat }]
}

type Waiting = Omit<AttachedOrder, 'clientOrderId'>

interface Passed {
  readonly role: ProtectiveRole
  readonly price: string
}

/** The order that waits for its price. */
function waitingOrder(plan: ProtectionPlan, role: ProtectiveRole, asOne: boolean): Waiting {
  const { triggerPrice = '0', takeProfitPrice } = plan
  if (role === 'take') return { type: 'take-profit', triggerPrice: takeProfitPrice ?? '0' }
  const isPair = asOne && takeProfitPrice !== undefined
  return { type: 'stop', triggerPrice, ...(isPair ? { takeProfitPrice } : {}) }
}

/** Of the prices that the order waits for, the one that last has passed already. */
function passedPrice(
  { fires }: ProtectionPlan,
  { type, triggerPrice, takeProfitPrice }: Waiting,
  last: string,
): Passed | undefined {
  const price = new Decimal(last)
  const isPassed = (trigger: string, role: ProtectiveRole) => {
    const above = (fires === 'at-or-above') === (role === 'stop')
    return above ? price.gte(trigger) : price.lte(trigger)
  }
  const role = type === 'stop' ? 'stop' : 'take'
  if (isPassed(triggerPrice, role)) return { role, price: triggerPrice }
  if (takeProfitPrice === undefined || !isPassed(takeProfitPrice, 'take')) return undefined
  return { role: 'take', price: takeProfitPrice }
}

/** @param waiting undefined: at the market */
function protectiveOrder(
  { symbol, side }: OrderPlan,
  amount: Decimal,
  reduceOnly: boolean,
  waiting: Waiting | undefined,
): OrderPlan {
  return {
    symbol,
    side: side === 'buy' ? 'sell' : 'buy',
    amount: amount.toFixed(),
    ...(reduceOnly ? { reduceOnly } : {}),
    ...(waiting ?? { type: 'market' }),
  }
}
