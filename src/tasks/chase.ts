// `chase`: one post-only order at the best price of its own side, moved when the market moves away from it, until it has filled, its time is
// over, or nothing can be placed any more.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { canEdit } from '../exchange/exchange.ts'
import { isGuardCode } from '../exchange/exchange-error.ts'
import type { OrderStatus } from '../exchange/order.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import { showPrice, showUnits } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { pauseAfter, refusalOf, whyRefused } from './refusals.ts'
import { isOver, isPending, isPositionGone, remainderOf, smallestOrder, upToLargest } from './remainder.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskOrder, TaskSight, TaskStep } from './task-kind.ts'

const decimal = z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal'))
const whole = z.int().check(z.nonnegative())

const chaseParams = z.object({
  side: z.enum(['buy', 'sell']),
  amount: decimal,
  reduce: z.boolean(),
  /** It follows the market up to here, on the grid, and rests there. */
  limit: z.exactOptional(decimal),
  lastsMs: z.int().check(z.positive()),
  /** What becomes of the rest when its time is over. */
  rest: z.enum(['market', 'cancel']),
})

const chaseState = z.object({
  /** ms since the epoch; 0: it has not begun. */
  endsAt: whole,
  /** Orders with a lower step are over, and that was taken into account. */
  seen: whole,
  /** When it last placed or moved an order; ms since the epoch, 0: never. */
  movedAt: whole,
  /** Since when its order is larger than the position that it reduces; 0: it is not. */
  largerSince: whole,
  /** Nothing is sent before. */
  notBefore: whole,
  /** Post-only refusals in a row. */
  refusals: whole,
  /** Failures in a row that may pass. */
  failures: whole,
  /** What is left goes to the market. */
  toMarket: z.boolean(),
  /** What was asked for its order last, and when; without a price it was to be taken back. Absent once it is done. */
  askedAt: whole,
  asked: z.exactOptional(z.object({ step: whole, price: z.exactOptional(decimal), amount: z.exactOptional(decimal) })),
  /** What it rests at or waits for, as reported last. */
  reported: z._default(z.string(), ''),
  /** The wake that it asked for; 0: none. */
  wakeAt: whole,
  ending: z.exactOptional(
    z.object({
      status: z.enum(['done', 'failed', 'cancelled']),
      reason: z.string(),
      by: z.exactOptional(z.string()),
    }),
  ),
})

export type ChaseParams = z.output<typeof chaseParams>
type ChaseState = z.output<typeof chaseState>

// What became of the orders of a chase, and what that means for it.

/** So many post-only refusals in a row end it. */
const MAX_REFUSALS = 5
/** So many failures in a row that might have passed end it. */
const MAX_FAILURES = 8
/** An order that has rested so long was taken. */
const RESTED_MS = 2000
/** A change that neither shows nor was refused for so long was not made. */
const UNANSWERED_MS = 5000

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
function judgeChaseOrders(state: Memory, known: TaskFacts, warn: (text: string) => void): Ending | undefined {
  const facts: Sight = { warn, ...known }
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
  const why = order.why ?? order.order?.status ?? 'the venue no longer lists it'
  // Moved to where it would have taken liquidity, some venues end it.
  if (asked !== undefined) return refuse(state, why)
  if (order.tag === 'market') return fail(state, `the market order ended before it had filled: ${why}`, facts)
  if (order.order === undefined) return fail(state, why, facts)
  if (isPostOnlyEnd(order, order.order.status, facts.now - state.movedAt)) return refuse(state, why)
  // The venue takes back what has nothing left to reduce, often before it says that the position is gone.
  if (order.plan.reduceOnly === true && order.why !== undefined) return fail(state, why, facts)
  // With a cause of the venue's own, no person did it.
  const isTakenBack = order.order.status === 'canceled' && order.why === undefined
  const reason = `its order ended outside the chase: ${why}`
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
  // What is to be taken back is asked for again, whatever the venue reports. Of the limits that a move breaks, that of orders a minute passes.
  const mayPass = refusal === 'passing' || asked.price === undefined || isGuardCode(changeRefused?.code)
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
  return { status: 'failed', reason: `the venue refused its post-only order ${MAX_REFUSALS} times in a row: ${why}` }
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

// One step of a chase: what happened to its orders is taken into account, then at most one thing is asked for.

/** Placing and moving are at least so far apart. */
const MIN_MOVE_MS = 250
/** Moves that have to wait go together, and what many chases send in one slot shares its writes. */
const SLOT_MS = 50
/** After its time is over, so long for what cannot be done at once: no current price, a market order that is not over. */
const GRACE_MS = 60_000
/** An order that is larger than the position it reduces is made smaller after so long. */
const LARGER_MS = 1000

class ChaseStep {
  readonly #params: ChaseParams
  readonly #facts: TaskFacts
  readonly #state: { -readonly [field in keyof ChaseState]: ChaseState[field] }
  readonly #effects: TaskEffect[] = []
  /** When it is to be looked at again, besides at its end. */
  #again: number | undefined
  /** The wake that it asked for, where that has come. */
  #wokenAt: number | undefined

  constructor(params: ChaseParams, state: ChaseState, facts: TaskFacts) {
    this.#params = params
    this.#facts = facts
    this.#state = { ...state }
  }

  run(event: TaskEvent): TaskStep<ChaseState> {
    if (this.#state.ending !== undefined) {
      // A process was to end it, and died before it did.
      return { state: this.#state, effects: event.type === 'resumed' ? [{ type: 'end', ...this.#state.ending }] : [] }
    }
    if (event.type === 'time') {
      this.#wokenAt = this.#state.wakeAt
      this.#state.wakeAt = 0
    }
    if (event.type === 'begun' || this.#state.endsAt === 0) this.#state.endsAt = this.#facts.now + this.#params.lastsMs
    if (event.type === 'resumed') this.#resume()
    const ending = judgeChaseOrders(this.#state, this.#facts, (text) => this.#addLine('warn', text))
    if (ending === undefined) this.#act()
    else this.#end(ending.status, ending.reason, ending.by)
    if (this.#state.ending === undefined) this.#wake()
    return { state: this.#state, effects: this.#effects }
  }

  /** Everything has just been asked: what ended meanwhile ended for reasons that no one can tell any more. */
  #resume(): void {
    const { now, orders } = this.#facts
    const state = this.#state
    const over = orders.findLast(isOver)
    state.seen = over === undefined ? state.seen : over.step + 1
    delete state.asked
    Object.assign(state, { wakeAt: 0, notBefore: 0, largerSince: 0, refusals: 0, failures: 0, movedAt: now })
    if (now >= state.endsAt && !this.#params.reduce) {
      // A person has asked for it to go on.
      state.endsAt = now + this.#params.lastsMs
      state.toMarket = false
      this.#addLine('info', 'continues: its time was up and starts again')
    }
  }

  #act(): void {
    const { now, isPositionKnown } = this.#facts
    const left = remainderOf(this.#params, this.#facts)
    const live = this.#facts.orders.findLast((order) => isPending(order) || order.status === 'open')
    if (live !== undefined && (isPending(live) || this.#isUnanswered(live))) return
    if (new Decimal(this.#facts.filled).gte(this.#params.amount)) return this.#end('done', 'all filled')
    if (isPositionGone(this.#params, this.#facts)) return this.#end('done', 'the position is closed')
    if (now >= this.#state.endsAt && this.#params.rest === 'cancel')
      return this.#end('done', `expired: its time is up, ${showUnits(left, this.#facts.market)} not filled`)
    if (left.isZero()) return this.#end('done', 'what is left is less than one lot')
    if (this.#state.toMarket || now >= this.#state.endsAt) return this.#toMarket(live, left)
    if (this.#params.reduce && !isPositionKnown) return
    this.#peg(live, left)
  }

  /** What was asked of it does not show yet. */
  #isUnanswered({ step }: TaskOrder): boolean {
    if (this.#state.asked?.step !== step) return false
    this.#again = this.#state.askedAt + UNANSWERED_MS
    return true
  }

  #peg(live: TaskOrder | undefined, left: Decimal): void {
    const price = this.#pegPrice()
    if (price === undefined) return
    if (live === undefined) return this.#place(price, left)
    const { price: now = price } = live.order ?? live.plan
    const isSmaller = this.#isTooLarge(live, left)
    const isBetter = this.#isBetter(price, now)
    if (!(isBetter || isSmaller) || !this.#isTime()) return
    // Neither changed nor placed anew would the venue take it.
    if (left.lt(smallestOrder(this.#facts.market, price, this.#params.reduce))) return this.#tooSmall(left)
    if (!canEdit(this.#facts.capabilities, 'limit')) return this.#cancel(live)
    this.#amend(live, isBetter ? price : now, isSmaller ? left : undefined)
  }

  /** A position is often told before the fills that made it smaller: what is larger for a moment only is left as it is. */
  #isTooLarge({ order, plan, filled }: TaskOrder, left: Decimal): boolean {
    const { now } = this.#facts
    const rests = new Decimal((order ?? plan).amount).minus(filled)
    if (!this.#params.reduce || left.gte(rests)) {
      this.#state.largerSince = 0
      return false
    }
    if (this.#state.largerSince === 0) this.#state.largerSince = now
    const at = this.#state.largerSince + LARGER_MS
    if (now < at) this.#again = at
    return now >= at
  }

  #place(price: string, left: Decimal): void {
    const { market } = this.#facts
    const { side, reduce } = this.#params
    if (left.lt(smallestOrder(market, price, reduce))) return this.#tooSmall(left)
    if (!this.#isTime()) return
    const amount = upToLargest(left, market, 'limit').toFixed()
    this.#order('peg', {
      symbol: market.symbol,
      side,
      type: 'limit',
      amount,
      price,
      postOnly: true,
      ...(reduce ? { reduceOnly: true } : {}),
    })
  }

  #amend({ step, filled }: TaskOrder, price: string, left: Decimal | undefined): void {
    const amount = defined({ amount: left?.plus(filled).toFixed() })
    this.#effects.push({ type: 'amend', step, change: { price, ...amount } })
    this.#ask({ step, price, ...amount })
    this.#noteMove()
  }

  #cancel({ step }: TaskOrder): void {
    this.#effects.push({ type: 'cancel', step })
    this.#ask({ step })
  }

  #ask(asked: NonNullable<ChaseState['asked']>): void {
    this.#state.asked = asked
    this.#state.askedAt = this.#facts.now
  }

  /** What is left goes to the market, once nothing of it rests. */
  #toMarket(live: TaskOrder | undefined, left: Decimal): void {
    const { market, now, ticker, isPositionKnown } = this.#facts
    const { side, reduce } = this.#params
    const isLate = now >= this.#state.endsAt + GRACE_MS
    this.#state.toMarket = true
    if (live !== undefined && live.tag === 'peg') {
      if (this.#isTime('pause')) this.#cancel(live)
      return
    }
    if (live !== undefined || ticker === undefined || (reduce && !isPositionKnown)) {
      if (!isLate) return
      const why = live === undefined ? 'the market data is stale' : 'the market order has not ended'
      return this.#end('failed', `its time is up, and ${why}`)
    }
    const touch = side === 'buy' ? ticker.ask : ticker.bid
    if (left.lt(smallestOrder(market, new Decimal(touch).gt(0) ? touch : ticker.last, reduce)))
      return this.#tooSmall(left)
    if (!this.#isTime()) return
    this.#order('market', {
      symbol: market.symbol,
      side,
      type: 'market',
      amount: upToLargest(left, market, 'market').toFixed(),
      ...(reduce ? { reduceOnly: true } : {}),
    })
  }

  #order(tag: string, plan: OrderPlan): void {
    this.#effects.push({ type: 'place', tag, plan })
    this.#noteMove()
  }

  /** What is late by less than a slot counts from its slot: four moves a second stay four. */
  #noteMove(): void {
    const { now } = this.#facts
    const wokenAt = this.#wokenAt ?? now
    this.#state.movedAt = now - wokenAt < SLOT_MS ? wokenAt : now
  }

  #tooSmall(left: Decimal): void {
    if (this.#params.rest === 'market' && !this.#state.toMarket && this.#isTakenAtMarket(left)) {
      this.#state.toMarket = true
      return this.#toMarket(
        this.#facts.orders.findLast(({ status }) => status === 'open'),
        left,
      )
    }
    this.#end('done', `${showUnits(left, this.#facts.market)} remains, less than the minimum order`)
  }

  #isTakenAtMarket(left: Decimal): boolean {
    const { market, ticker } = this.#facts
    const touch = this.#params.side === 'buy' ? ticker?.ask : ticker?.bid
    return (
      touch !== undefined && new Decimal(touch).gt(0) && left.gte(smallestOrder(market, touch, this.#params.reduce))
    )
  }

  /** The best price of its own side, as far as it goes; undefined while no one knows it. */
  #pegPrice(): string | undefined {
    const { ticker, market } = this.#facts
    const { side, limit } = this.#params
    const touch = side === 'buy' ? ticker?.bid : ticker?.ask
    if (touch === undefined || !new Decimal(touch).gt(0)) return undefined
    const best = priceOnGrid(touch, market, side === 'buy' ? 'down' : 'up')
    if (limit === undefined || !this.#isBetter(best, limit)) {
      this.#report('', 'follows the market again')
      return best
    }
    const name = side === 'buy' ? 'bid' : 'ask'
    this.#report(
      'limit',
      `the ${name} ${showPrice(best, market)} is past ${showPrice(limit, market)}: rests there until it comes back`,
    )
    return limit
  }

  /** Nearer to the other side of the book. */
  #isBetter(price: string, than: string): boolean {
    return this.#params.side === 'buy' ? new Decimal(price).gt(than) : new Decimal(price).lt(than)
  }

  /** Otherwise it is looked at again when it is. */
  #isTime(what: 'move' | 'pause' = 'move'): boolean {
    const { movedAt, notBefore } = this.#state
    const at = what === 'pause' || movedAt === 0 ? notBefore : Math.max(notBefore, movedAt + MIN_MOVE_MS)
    if (this.#facts.now >= at) return true
    const slot = Math.ceil(at / SLOT_MS) * SLOT_MS
    this.#again = Math.min(slot, this.#again ?? slot)
    return false
  }

  #report(situation: string, text: string): void {
    if (this.#state.reported === situation) return
    this.#state.reported = situation
    // The command has reported where its first order rests.
    if (this.#state.movedAt > 0) this.#addLine('info', text)
  }

  #addLine(level: 'info' | 'warn', text: string): void {
    this.#effects.push({ type: 'line', level, text })
  }

  #end(status: 'done' | 'failed' | 'cancelled', reason: string, by?: string): void {
    this.#state.ending = { status, reason, ...defined({ by }) }
    this.#effects.push({ type: 'end', ...this.#state.ending })
  }

  #wake(): void {
    const { now } = this.#facts
    const { endsAt } = this.#state
    const times = [this.#again, endsAt, endsAt + GRACE_MS].filter((at) => at !== undefined && at > now)
    const at = times.length === 0 ? 0 : Math.min(...(times as number[]))
    if (at === this.#state.wakeAt) return
    this.#state.wakeAt = at
    this.#effects.push({ type: 'wake', at: at === 0 ? undefined : at })
  }
}

export const chase: TaskKind<ChaseParams, ChaseState> = {
  name: 'chase',
  params: chaseParams,
  state: chaseState,
  effect: ({ reduce }) => (reduce ? 'reduces' : 'adds'),
  endsAt: ({ lastsMs }, startedAt) => startedAt + lastsMs,
  amount: ({ amount }) => amount,
  initial: () => ({
    endsAt: 0,
    seen: 0,
    movedAt: 0,
    largerSince: 0,
    askedAt: 0,
    notBefore: 0,
    refusals: 0,
    failures: 0,
    toMarket: false,
    reported: '',
    wakeAt: 0,
  }),
  reduce: (params, state, event, facts) => new ChaseStep(params, state, facts).run(event),
  see,
  keepsWhilePaused: [],
}

function see(params: ChaseParams, state: ChaseState, facts: TaskFacts): TaskSight {
  const progress = Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  const live = facts.orders.findLast((order) => order.status === 'open' || isPending(order))
  const price = live?.tag === 'peg' ? (live.order?.price ?? live.plan.price) : undefined
  return {
    progress,
    doing: doingOf(params, state, facts),
    ...(state.endsAt === 0 ? {} : { endsAt: state.endsAt }),
    ...defined({ price }),
  }
}

function doingOf(params: ChaseParams, state: ChaseState, facts: TaskFacts): string {
  const live = facts.orders.findLast((order) => order.status === 'open' || isPending(order))
  if (state.ending !== undefined) return state.ending.reason
  if (live?.status === 'unknown') return 'asks the venue what became of its order'
  if (live?.status === 'sending') return 'sends its order'
  if (live?.tag === 'market') return 'takes the rest at the market'
  const price = live?.order?.price ?? live?.plan.price
  if (price !== undefined) {
    const isAtLimit = params.limit !== undefined && new Decimal(params.limit).eq(price)
    return `rests at ${isAtLimit ? 'its limit ' : ''}${showPrice(price, facts.market)}`
  }
  if (facts.ticker === undefined) return 'waits for a current price'
  if (facts.now < state.notBefore) return `tries again in ${Math.ceil((state.notBefore - facts.now) / 1000)} s`
  return 'places its next order'
}
