// A ladder: orders at several prices, at most one for each rung. `dca` and `grid` climb it. What a rung has filled is counted from its newest
// order alone, so that a crash between any two steps counts nothing twice.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { isGuardCode } from '../exchange/exchange-error.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { pauseAfter, refusalOf, takenBackBy, whyRefused } from './refusals.ts'
import { isOver, isPending } from './remainder.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskOrder, TaskStep } from './task-kind.ts'

export const decimal = z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal'))
export const whole = z.int().check(z.nonnegative())

/** A ladder has at most so many rungs: the journal always keeps the last order of each. */
export const MAX_RUNGS = 40
/** A rung whose orders were refused so often in a row is left out. */
const MAX_REFUSALS = 5
const GUARD_PAUSE_MS = 60_000
/** An order that the market has passed goes no further through the book than this share of the touch, so that no price band refuses it. */
const REACH = '0.005'

/** What is remembered of a rung, as JSON. */
export const rungMemory = z.object({
  /** How many orders it has had. */
  orders: whole,
  /** Its newest order is not known to be over. */
  isPlaced: z.boolean(),
  /** Of the newest order: what of its fill is counted. */
  counted: decimal,
  /** In a row, and until when it waits because of them, ms since the epoch. */
  refusals: whole,
  notBefore: whole,
  /** It has no more orders: a person or the venue took its order back, or the venue refuses it. */
  leftOut: z.exactOptional(z.enum(['withdrawn', 'refused'])),
})
export type Rung = z.output<typeof rungMemory>

export const NEW_RUNG: Rung = { orders: 0, isPlaced: false, counted: '0', refusals: 0, notBefore: 0 }

/** What became of a rung since the last look. */
export interface RungNews {
  readonly rung: Rung
  /** What it has filled since, in the market's amount unit. */
  readonly filled: Decimal
  /** Its newest order, while it lives. */
  readonly live?: TaskOrder
  /** Its newest order has filled whole. */
  readonly isWhole?: true
  /** Why its newest order is no more, where it did not fill whole. */
  readonly lost?: { readonly why: string; readonly isLasting: boolean; readonly isFirst: boolean }
}

function tagOf(name: string, { orders }: Rung): string {
  return `${name}.${orders}`
}

/**
 * @param isResumed what ended meanwhile was taken back by the pause, as far as anyone can tell: it is placed again. Refusals are forgiven
 */
export function lookAtRung(name: string, before: Rung, facts: TaskFacts, isResumed: boolean): RungNews {
  const rung = isResumed ? forgiven(before) : before
  const tag = tagOf(name, rung)
  const order = rung.orders === 0 ? undefined : facts.orders.findLast((each) => each.tag === tag)
  if (order === undefined) return rung.isPlaced ? missing(rung) : { rung, filled: new Decimal(0) }
  const filled = Decimal.max(0, new Decimal(order.filled).minus(rung.counted))
  const counted: Rung = filled.isZero() ? rung : { ...rung, counted: order.filled }
  if (!isOver(order)) return { rung: { ...counted, isPlaced: true }, filled, live: order }
  if (!counted.isPlaced) return { rung: counted, filled }
  const amount = order.order?.amount ?? order.plan.amount
  if (order.status === 'ended' && new Decimal(order.filled).gte(amount)) {
    return { rung: { ...counted, isPlaced: false, refusals: 0, notBefore: 0 }, filled, isWhole: true }
  }
  if (isResumed) return { rung: { ...counted, isPlaced: false }, filled }
  if (order.status === 'refused' || order.order?.status === 'rejected') return refused(counted, filled, order, facts)
  // Of what a pause takes back nothing is shown: a price is seen again once nothing holds the task.
  if (facts.ticker === undefined) return { rung: counted, filled }
  // An order that takes at once, and found too little.
  if (order.plan.type === 'market') return { rung: { ...counted, isPlaced: false }, filled }
  const lost = { why: `was ${takenBackBy(order)}`, isLasting: false, isFirst: true }
  return { rung: { ...counted, isPlaced: false, leftOut: 'withdrawn' }, filled, lost }
}

/** Its order is in no list: what it has filled is not known, so nothing more is sent. */
function missing(rung: Rung): RungNews {
  const lost = { why: 'is in no list of orders', isLasting: false, isFirst: true }
  return { rung: { ...rung, isPlaced: false, leftOut: 'withdrawn' }, filled: new Decimal(0), lost }
}

function forgiven(rung: Rung): Rung {
  const { leftOut, ...rest } = { ...rung, refusals: 0, notBefore: 0 }
  return leftOut === 'withdrawn' ? { ...rest, leftOut } : rest
}

function refused(rung: Rung, filled: Decimal, order: TaskOrder, { now }: TaskFacts): RungNews {
  const refusal = refusalOf(order.code, order.plan)
  const refusals = rung.refusals + 1
  const isLeftOut = refusal !== 'passing' && refusals >= MAX_REFUSALS
  const lost = { why: whyRefused(order), isLasting: refusal === 'lasting', isFirst: refusals === 1 || isLeftOut }
  return {
    rung: {
      ...rung,
      isPlaced: false,
      refusals,
      // A limit of orders a minute passes in a minute.
      notBefore: now + (isGuardCode(order.code) ? GUARD_PAUSE_MS : pauseAfter(refusals)),
      ...defined({ leftOut: isLeftOut ? ('refused' as const) : undefined }),
    },
    filled,
    lost,
  }
}

/** The rung with one more order, and the tag of that. */
export function withOrder(name: string, rung: Rung): { readonly rung: Rung; readonly tag: string } {
  const next: Rung = { ...rung, orders: rung.orders + 1, isPlaced: true, counted: '0' }
  return { rung: next, tag: tagOf(name, next) }
}

/** Its outcome, or that of a change of it, is not known yet. */
export function isInDoubt({ live }: RungNews): boolean {
  return live !== undefined && isPending(live)
}

/** Where the order of a rung goes: at the rung, or, where the market has passed it, just through the touch. */
export function rungPrice(
  side: OrderPlan['side'],
  at: string,
  { ticker, market }: Pick<TaskFacts, 'ticker' | 'market'>,
): string {
  const touch = new Decimal((side === 'buy' ? ticker?.ask : ticker?.bid) ?? 0)
  if (!touch.gt(0)) return at
  if (side === 'buy') {
    return new Decimal(at).lte(touch)
      ? at
      : priceOnGrid(Decimal.min(at, touch.times(new Decimal(1).plus(REACH))), market, 'down')
  }
  return new Decimal(at).gte(touch)
    ? at
    : priceOnGrid(Decimal.max(at, touch.times(new Decimal(1).minus(REACH))), market, 'up')
}

/** What the state of every ladder has besides its rungs. */
export const ladderState = {
  /** The wake that it asked for, ms since the epoch; 0: none. */
  wakeAt: whole,
  ending: z.exactOptional(z.object({ status: z.enum(['done', 'failed', 'cancelled']), reason: z.string() })),
} as const

const someState = z.object(ladderState)
type LadderState = z.output<typeof someState>
type Ending = NonNullable<LadderState['ending']>

/** One step of a ladder's reducer: looks at its rungs, acts, and asks for its next wake; once it has ended, nothing more. */
export abstract class LadderStep<Params, State extends LadderState> {
  protected readonly params: Params
  protected readonly facts: TaskFacts
  protected readonly state: { -readonly [field in keyof State]: State[field] }
  protected readonly effects: TaskEffect[] = []
  /** When it wants to be woken, ms since the epoch: the earliest counts. */
  protected readonly again: number[] = []

  constructor(params: Params, state: State, facts: TaskFacts) {
    this.params = params
    this.facts = facts
    this.state = { ...state }
  }

  protected abstract look(isResumed: boolean): readonly RungNews[]
  protected abstract act(news: readonly RungNews[]): void

  run(event: TaskEvent): TaskStep<State> {
    const { state, effects } = this
    const isResumed = event.type === 'resumed'
    if (state.ending !== undefined) {
      // A process was to end it, and died before it did.
      return { state, effects: isResumed ? [{ type: 'end', ...state.ending }] : [] }
    }
    if (event.type === 'time') state.wakeAt = 0
    const news = this.look(isResumed)
    if (!this.isEnding) this.act(news)
    if (!this.isEnding) this.#wake()
    return { state, effects }
  }

  protected get isEnding(): boolean {
    return this.state.ending !== undefined
  }

  /** Whether the rung waits for nothing, or when it is to be looked at again. */
  protected isTime({ notBefore }: Rung): boolean {
    if (this.facts.now >= notBefore) return true
    this.again.push(notBefore)
    return false
  }

  protected addLine(level: 'info' | 'warn', text: string): void {
    this.effects.push({ type: 'line', level, text })
  }

  protected end(status: Ending['status'], reason: string): void {
    if (this.isEnding) return
    this.state.ending = { status, reason }
    this.effects.push({ type: 'end', status, reason })
  }

  #wake(): void {
    const at = this.again.length === 0 ? 0 : Math.min(...this.again)
    if (at === this.state.wakeAt) return
    this.state.wakeAt = at
    this.effects.push({ type: 'wake', at: at === 0 ? undefined : at })
  }
}
