// What the protective tasks (`oco`, `trail`) share: how much of the position they protect, the order that rests for it, the exit at the market,
// and where the stop of a trail belongs.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { canEdit } from '../exchange/exchange.ts'
import type { ExchangeErrorCode } from '../exchange/exchange-error.ts'
import type { Market } from '../exchange/market.ts'
import type { Order, OrderChange } from '../exchange/order.ts'
import { amountOnLot, priceOnGrid, stepAt } from '../exchange/price-grid.ts'
import { printable } from '../language/printable.ts'
import { awayFrom, coverLine, coverOf } from '../trading/cover.ts'
import { showAmount, showAverageOf, showPrice, showUnits } from '../trading/figures.ts'
import type { OrderPlan, ProtectionPlan } from '../trading/order-plan.ts'
import { pauseAfter } from './refusals.ts'
import type { PausedStep, TaskEffect, TaskFacts, TaskOrder, TaskStep } from './task-kind.ts'

// A list of positions may come a moment later than a fill, and an order's own end a moment later than the position: that something is gone, or
// less, counts when it has lasted for a while.

export type HeldSide = 'long' | 'short'

/** How long less must have lasted before it counts, in ms. */
export const SETTLE_MS = 1_500

/** What is remembered of it, as JSON. */
export const heldMemory = z.object({
  /** As it last counted; absent: never seen. */
  amount: z.exactOptional(z.string()),
  /** Since when there has been less, ms since the epoch. */
  lessSince: z.exactOptional(z.number()),
})
type HeldMemory = z.output<typeof heldMemory>

export type Held =
  /** It has not been asked since the last doubt: what covers it stays as it is. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'held'; readonly amount: string }
  /** @param turned there is one on the other side now */
  | { readonly kind: 'gone'; readonly turned: boolean }

interface HeldLook {
  readonly held: Held
  readonly memory: HeldMemory
  /** When to look again, ms since the epoch. */
  readonly wakeAt?: number
}

/** The order side that ends a position of this side. */
export function exitSide(side: HeldSide): 'buy' | 'sell' {
  return side === 'long' ? 'sell' : 'buy'
}

export function lookAtHeld(side: HeldSide, memory: HeldMemory, facts: TaskFacts): HeldLook {
  const { position, isPositionKnown, now } = facts
  if (!isPositionKnown) return { held: { kind: 'unknown' }, memory }
  const amount = position?.side === side ? position.amount : '0'
  const before = memory.amount
  const isLess = new Decimal(amount).lt(before ?? 0) || (before === undefined && new Decimal(amount).isZero())
  if (!isLess) return { held: { kind: 'held', amount }, memory: { amount } }
  const lessSince = memory.lessSince ?? now
  if (now - lessSince < SETTLE_MS) {
    const held: Held = before === undefined ? { kind: 'unknown' } : { kind: 'held', amount: before }
    return { held, memory: { ...memory, lessSince }, wakeAt: lessSince + SETTLE_MS }
  }
  if (new Decimal(amount).gt(0)) return { held: { kind: 'held', amount }, memory: { amount } }
  return { held: { kind: 'gone', turned: position !== undefined }, memory: { ...memory, lessSince } }
}

// What each order of a task that adds takes with it: a stop and a take-profit of its own, all of them at one price.

interface Bracket {
  readonly side: 'buy' | 'sell'
  readonly stop?: string
  readonly takeProfit?: string
}

/** undefined: they have none. */
export function bracketOf({ side, stop, takeProfit }: Bracket): ProtectionPlan | undefined {
  if (stop === undefined && takeProfit === undefined) return undefined
  const fires = side === 'buy' ? 'at-or-below' : 'at-or-above'
  return { fires, ...defined({ triggerPrice: stop, takeProfitPrice: takeProfit }) }
}

interface BracketLook {
  /** What the task was there for is gone. */
  readonly gone?: string
  readonly memory: HeldMemory
  /** When to look again, ms since the epoch. */
  readonly wakeAt?: number
}

/** Whether what a task has bought was closed again, by its stop, its take-profit or somebody else: nothing more is bought behind it. */
export function lookBehind({ side, stop, takeProfit }: Bracket, memory: HeldMemory, facts: TaskFacts): BracketLook {
  const { ticker, market, filled, position, isPositionKnown } = facts
  if (new Decimal(filled).isZero()) return { memory }
  const heldSide = side === 'buy' ? 'long' : 'short'
  if (ticker !== undefined) {
    if (stop !== undefined && hasPassed(heldSide, ticker.last, stop))
      return { gone: `the stop at ${showPrice(stop, market)} was reached`, memory }
    // What takes the profit waits on the other side of the market.
    const exit = side === 'buy' ? 'short' : 'long'
    if (takeProfit !== undefined && hasPassed(exit, ticker.last, takeProfit))
      return { gone: `the take-profit at ${showPrice(takeProfit, market)} was reached`, memory }
  }
  if (market.kind === 'spot') return { memory }
  const isSeen = memory.amount !== undefined && new Decimal(memory.amount).gt(0)
  if (!isSeen && (!isPositionKnown || position?.side !== heldSide)) return { memory }
  const look = lookAtHeld(heldSide, memory, facts)
  const gone = look.held.kind === 'gone' ? 'the position is closed' : undefined
  return { memory: look.memory, ...defined({ gone, wakeAt: look.wakeAt }) }
}

/** What a protective task that is cancelled leaves, and what of it other stops end. */
export function leavesBare(
  { side }: { readonly side: HeldSide },
  { position, market }: Pick<TaskFacts, 'position' | 'market'>,
  others: readonly Order[] | undefined,
): string | undefined {
  if (position?.side !== side) return undefined
  const { symbol } = market
  const whole = `this task no longer protects the position on ${symbol}, ${side} ${showUnits(position.amount, market)}`
  if (others === undefined) return `${whole}: \`orders ${symbol}\` shows whether another stop does`
  const { stops, uncovered } = coverOf(position, others)
  const [first] = stops
  if (first === undefined) return `${whole}: \`stop ${symbol} ${awayFrom(side)}\` places a stop`
  const [named, covers] =
    stops.length === 1 ? [`order ${printable(first.id, 40)}`, 'covers'] : [`${stops.length} other stops`, 'cover']
  const bare = new Decimal(uncovered)
  if (bare.isZero()) return `${whole}; ${named} ${covers} it`
  const covered = showUnits(bare.neg().plus(position.amount), market)
  return `${whole}; ${named} ${covers} ${covered} of it: \`${coverLine(market, uncovered, awayFrom(side))}\` covers the rest`
}

// One order of a protective task that is to rest, kept as it should be: placed, changed in place, or replaced by another. What is to be done
// follows from the orders that there are, and not from what was meant: a crash between any two steps leaves nothing to be remembered.

/** Between two requests for the same order, in ms: venues count them. */
const PACE_MS = 250

const change = z.object({
  amount: z.exactOptional(z.string()),
  price: z.exactOptional(z.string()),
  triggerPrice: z.exactOptional(z.string()),
})

/** What is remembered of it, as JSON. */
export const exitMemory = z.object({
  /** When it was last asked for, ms since the epoch. */
  at: z.exactOptional(z.number()),
  /** The change that was asked for last, until it is known to be made or not. */
  asked: z.exactOptional(z.object({ step: z.number(), change })),
  /** The order that it takes back before it places another. */
  withdrawn: z.exactOptional(z.number()),
  /** The order that was last asked to be taken back, and when, ms since the epoch. */
  cancel: z.exactOptional(z.object({ step: z.number(), at: z.number() })),
  /** The last refused order that was counted. */
  refusedStep: z.exactOptional(z.number()),
  /** How often in a row the venue has said no, and until when nothing is asked because of that. */
  refusals: z.exactOptional(z.number()),
  /** The order whose last change the venue has refused. */
  unchanged: z.exactOptional(z.number()),
  notBefore: z.exactOptional(z.number()),
})
export type ExitMemory = z.output<typeof exitMemory>

interface ExitWant {
  readonly tag: string
  /** Its amount is what it is still to fill. */
  readonly plan: OrderPlan
  /**
   * Where the venue changes nothing in place: a stop has its successor before it is taken back, a limit is taken back before it has one.
   */
  readonly isNewFirst: boolean
}

interface ExitOrders {
  /** The last that was not refused. */
  readonly newest: TaskOrder | undefined
  /** Those before it that still rest. */
  readonly older: readonly TaskOrder[]
  /** The last one, where it was refused. */
  readonly refused: TaskOrder | undefined
}

interface ExitStep {
  readonly memory: ExitMemory
  readonly effects: readonly TaskEffect[]
  readonly wakeAt?: number
  /** The venue has just said no to it. */
  readonly refusal?: { readonly code: string; readonly why: string }
}

export function exitOrders(facts: TaskFacts, tag: string): ExitOrders {
  const all = facts.orders.filter((each) => each.tag === tag).toSorted((a, b) => a.step - b.step)
  const newest = all.findLast(({ status }) => status !== 'refused')
  const last = all.at(-1)
  return {
    newest,
    older: all.filter((each) => each !== newest && isLive(each)),
    refused: last?.status === 'refused' ? last : undefined,
  }
}

export function isLive({ status }: TaskOrder): boolean {
  return status === 'open' || status === 'sending' || status === 'unknown'
}

/** Whether it is at the venue, and nothing about it is under way. */
export function isSettled(order: TaskOrder): boolean {
  return order.status === 'open' && !order.isChanging
}

/** As it is at the venue; where it has not answered yet, as it was sent. */
export function termsOf({ order, plan }: TaskOrder): Pick<OrderPlan, 'amount' | 'price' | 'triggerPrice'> {
  return order ?? plan
}

/** What to do so that it rests as it should. It is not called for an order that has ended by itself. */
export function keepExit(want: ExitWant, before: ExitMemory, facts: TaskFacts): ExitStep {
  const orders = exitOrders(facts, want.tag)
  const { memory, refusal } = countRefusals(orders, before, facts.now)
  const step = nextStep(want, orders, memory, facts)
  return { ...step, ...defined({ refusal }) }
}

function nextStep(want: ExitWant, { newest, older }: ExitOrders, memory: ExitMemory, facts: TaskFacts): ExitStep {
  const isWithdrawn = newest?.step === memory.withdrawn
  if (newest === undefined || (newest.status === 'ended' && isWithdrawn)) return place(want, memory, facts)
  if (!isSettled(newest)) return { memory, effects: [] }
  const rest = isWithdrawn ? [newest] : older
  if (rest.length > 0) return takeBack(rest.filter(isSettled), memory, facts)
  const needed = changeTo(want.plan, newest)
  return needed === undefined ? { memory, effects: [] } : alter(want, newest, needed, memory, facts)
}

/** Again and again, where the venue says no. */
function takeBack(orders: readonly TaskOrder[], memory: ExitMemory, { now }: TaskFacts): ExitStep {
  const [first] = orders
  if (first === undefined) return { memory, effects: [] }
  const { step } = first
  const from = memory.cancel?.step === step ? memory.cancel.at + pauseAfter(1) : 0
  if (now < from) return { memory, effects: [], wakeAt: from }
  return { memory: { ...memory, cancel: { step, at: now } }, effects: [{ type: 'cancel', step }] }
}

/** What of it is not as it should be. */
function changeTo({ amount, price, triggerPrice }: OrderPlan, order: TaskOrder): OrderChange | undefined {
  const now = termsOf(order)
  const whole = new Decimal(amount).plus(order.filled)
  const isOff = (wanted: string | undefined, is: string | undefined) =>
    wanted !== undefined && (is === undefined || !new Decimal(wanted).eq(is))
  const needed = {
    ...(whole.eq(now.amount) ? {} : { amount: whole.toFixed() }),
    ...(isOff(price, now.price) ? { price } : {}),
    ...(isOff(triggerPrice, now.triggerPrice) ? { triggerPrice } : {}),
  } as OrderChange
  return Object.keys(needed).length === 0 ? undefined : needed
}

function alter(want: ExitWant, order: TaskOrder, needed: OrderChange, memory: ExitMemory, facts: TaskFacts): ExitStep {
  if (canEdit(facts.capabilities, order.plan.type)) {
    const { step } = order
    const asked = { step, change: needed as NonNullable<ExitMemory['asked']>['change'] }
    return paced(memory, facts, { type: 'amend', step, change: needed }, { asked })
  }
  if (want.isNewFirst) return place(want, memory, facts)
  const { step } = order
  return paced(memory, facts, { type: 'cancel', step }, { withdrawn: step, cancel: { step, at: facts.now } })
}

function place({ tag, plan }: ExitWant, memory: ExitMemory, facts: TaskFacts): ExitStep {
  return paced(memory, facts, { type: 'place', tag, plan }, {})
}

/** Now, or as soon as it may be. */
function paced(memory: ExitMemory, { now }: TaskFacts, effect: TaskEffect, noted: Partial<ExitMemory>): ExitStep {
  const from = Math.max(memory.notBefore ?? 0, memory.at === undefined ? 0 : memory.at + PACE_MS)
  if (now < from) return { memory, effects: [], wakeAt: from }
  return { memory: { ...memory, ...noted, at: now }, effects: [effect] }
}

/** Each no is counted once: of an order that was refused, and of a change that was not made. */
function countRefusals(
  { newest, refused }: ExitOrders,
  memory: ExitMemory,
  now: number,
): Pick<ExitStep, 'memory' | 'refusal'> {
  const { asked, ...rest } = memory
  if (refused !== undefined && refused.step !== memory.refusedStep) {
    const refusalReason = { code: refused.code ?? 'unknown', why: refused.why ?? 'no reason was given' }
    return { memory: { ...later(memory, now), refusedStep: refused.step }, refusal: refusalReason }
  }
  if (asked === undefined) {
    // That it rests says nothing of its change.
    const isTaken = refused === undefined && newest?.status === 'open' && newest.step !== memory.unchanged
    return { memory: isTaken ? calm(memory) : memory }
  }
  if (newest === undefined || newest.step !== asked.step || newest.status === 'ended') return { memory: rest }
  if (!isSettled(newest)) return { memory }
  if (isMade(asked.change, newest)) return { memory: calm(rest) }
  const refusalReason = newest.changeRefused ?? { code: 'unchanged', why: 'the venue has not changed the order' }
  return { memory: { ...later(rest, now), unchanged: asked.step }, refusal: refusalReason }
}

function isMade(asked: OrderChange, order: TaskOrder): boolean {
  const now = termsOf(order)
  const isAs = (wanted: string | undefined, is: string | undefined) =>
    wanted === undefined || (is !== undefined && new Decimal(wanted).eq(is))
  return isAs(asked.amount, now.amount) && isAs(asked.price, now.price) && isAs(asked.triggerPrice, now.triggerPrice)
}

function later(memory: ExitMemory, now: number): ExitMemory {
  const refusals = (memory.refusals ?? 0) + 1
  return { ...memory, refusals, notBefore: now + pauseAfter(refusals) }
}

/** What was in its way may be gone: it is asked for again at once. */
export function forgiven(memory: ExitMemory): ExitMemory {
  return calm(memory)
}

function calm({ refusals: _, notBefore: __, unchanged: ___, ...memory }: ExitMemory): ExitMemory {
  return memory
}

// What a venue's no to a protective order means: most pass, some never will.

interface Refusal {
  readonly code: string
  readonly why: string
}

/** What asking again changes nothing about. */
const FINAL: ReadonlySet<string> = new Set<ExchangeErrorCode>([
  'not-supported',
  'bad-symbol',
  'permission',
  'authentication',
  'wrong-account-mode',
  'insufficient-funds',
])
/** A price that the venue has passed before us may come back. */
const MOST_INVALID = 5

/** Whether there is no sense in asking again. */
export function isHopeless({ code }: Refusal, { refusals = 0 }: ExitMemory): boolean {
  return FINAL.has(code) || (code === 'invalid-order' && refusals >= MOST_INVALID)
}

export function refusalLine(what: string, { why }: Refusal): string {
  return `${what} was refused: ${why}`
}

// The end of a protective task that cannot wait for its stop: reduce-only at the market, until what it covered is closed.

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

/** What a stop that has fired could not fill; undefined: a process before this one saw its end, and no one knows any more how large it was. */
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

// Where the stop of a trail belongs, and when it is worth a request to move it there.

interface TrailDistance {
  readonly kind: 'percent' | 'amount'
  /** Above zero. */
  readonly value: string
}

/** Of the distance: what is less waits for more, or for a quiet moment. */
const SMALL_SHARE = '0.01'
/** How long a small step waits, in ms. */
const QUIET_MS = 5_000

/** Further in the direction in which the position gains. */
export function isBetter(side: HeldSide, price: Decimal.Value, than: Decimal.Value): boolean {
  return side === 'long' ? new Decimal(price).gt(than) : new Decimal(price).lt(than)
}

/** Whether the market has come to a stop of this side. */
export function hasPassed(side: HeldSide, last: Decimal.Value, stop: Decimal.Value): boolean {
  return !isBetter(side, last, stop)
}

/** The stop that belongs to a mark, never nearer to it than the distance. */
export function stopOf(side: HeldSide, mark: Decimal.Value, distance: TrailDistance, market: Market): string {
  const away = lengthOf(distance, mark)
  const price = side === 'long' ? new Decimal(mark).minus(away) : new Decimal(mark).plus(away)
  return priceOnGrid(price, market, side === 'long' ? 'down' : 'up')
}

/** The distance as a difference of prices. */
/** The mark at which the stop is where it is: the best price that a trail begins with, where it must not move a stop away. */
export function markOf(side: HeldSide, stop: Decimal.Value, { kind, value }: TrailDistance): Decimal {
  const sign = side === 'long' ? -1 : 1
  if (kind === 'amount') return new Decimal(stop).minus(new Decimal(value).times(sign))
  return new Decimal(stop).div(new Decimal(value).div(100).times(sign).plus(1))
}

export function lengthOf({ kind, value }: TrailDistance, mark: Decimal.Value): Decimal {
  return kind === 'amount' ? new Decimal(value) : new Decimal(mark).times(value).div(100)
}

/** @returns from when the stop may be moved, ms since the epoch; undefined: there is nothing to move it to */
export function moveDueAt(
  from: string,
  to: string,
  { side, length, market, movedAt }: { side: HeldSide; length: Decimal; market: Market; movedAt: number | undefined },
): number | undefined {
  const gain = side === 'long' ? new Decimal(to).minus(from) : new Decimal(from).minus(to)
  if (gain.lt(stepAt(from, market.priceGrid))) return undefined
  return (movedAt ?? 0) + (gain.gte(length.times(SMALL_SHARE)) ? PACE_MS : QUIET_MS)
}

// What a protective task has closed, in one line.

/** `sold 0.5 BTCUSDT at 64,350`; undefined where nothing has filled. Without the price where the venue has not reported it. */
export function exitLine({ filled, cost, market }: TaskFacts, side: HeldSide): string | undefined {
  const amount = new Decimal(filled)
  if (amount.isZero()) return undefined
  const what = `${exitSide(side) === 'sell' ? 'sold' : 'bought'} ${showAmount(amount)} ${market.symbol}`
  if (market.amountUnit === 'quote' || new Decimal(cost).isZero()) return what
  const average = new Decimal(cost).div(amount)
  return `${what} at ${showAverageOf(average, market)}`
}
