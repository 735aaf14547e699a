// One order of a protective task that is to rest, kept as it should be: placed, changed in place, or replaced by another. What is to be done
// follows from the orders that there are, and not from what was meant: a crash between any two steps leaves nothing to be remembered.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { canEdit } from '../exchange/exchange.ts'
import type { OrderChange } from '../exchange/order.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { pauseAfter } from './refusals.ts'
import type { TaskEffect, TaskFacts, TaskOrder } from './task-kind.ts'

/** Between two requests for the same order, in ms: venues count them. */
export const PACE_MS = 250

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
    const said = { code: refused.code ?? 'unknown', why: refused.why ?? 'no reason was given' }
    return { memory: { ...later(memory, now), refusedStep: refused.step }, refusal: said }
  }
  if (asked === undefined) {
    // That it rests says nothing of its change.
    const isTaken = refused === undefined && newest?.status === 'open' && newest.step !== memory.unchanged
    return { memory: isTaken ? calm(memory) : memory }
  }
  if (newest === undefined || newest.step !== asked.step || newest.status === 'ended') return { memory: rest }
  if (!isSettled(newest)) return { memory }
  if (isMade(asked.change, newest)) return { memory: calm(rest) }
  const said = newest.changeRefused ?? { code: 'unchanged', why: 'the venue has not changed the order' }
  return { memory: { ...later(rest, now), unchanged: asked.step }, refusal: said }
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
