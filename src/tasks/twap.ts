// `twap`: trade an amount in equal market orders over a period. What a slice has missed goes to those that follow.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import { amountOnLot, priceOnGrid } from '../exchange/price-grid.ts'
import { showPrice, showTime, showUnits } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { bracketOf, heldMemory, lookBehind } from './exit.ts'
import { refusalOf, whyRefused } from './refusals.ts'
import { isOver, isPending, isPositionGone, remainderOf, smallestOrder, upToLargest } from './remainder.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskKind, TaskOrder, TaskSight, TaskStep } from './task-kind.ts'

const decimal = z.string().check(z.regex(/^\d{1,30}(\.\d{1,30})?$/, 'must be a decimal'))
const whole = z.int().check(z.nonnegative())

const twapParams = z.object({
  side: z.enum(['buy', 'sell']),
  amount: decimal,
  reduce: z.boolean(),
  slices: z.int().check(z.gte(2), z.lte(1000)),
  durationMs: z.int().check(z.positive()),
  /** By how much sizes and times vary, in percent. */
  random: z.exactOptional(decimal),
  /** While the market is beyond it, slices are left out; on the grid. */
  limit: z.exactOptional(decimal),
  /** Every slice has them. */
  stop: z.exactOptional(decimal),
  takeProfit: z.exactOptional(decimal),
  /** Where chance comes from. */
  seed: z.string(),
})

const twapState = z.object({
  /** ms since the epoch; 0: it has not begun. */
  startsAt: whole,
  /** The slice that comes next, from 0. */
  next: whole,
  /** Orders with a lower step are over, and that was told. */
  seen: whole,
  /** The wake that it asked for; 0: none. */
  wakeAt: whole,
  /** Absent: it has not looked. */
  held: z.exactOptional(heldMemory),
  ending: z.exactOptional(z.object({ status: z.enum(['done', 'failed', 'cancelled']), reason: z.string() })),
})

export type TwapParams = z.output<typeof twapParams>
type TwapState = z.output<typeof twapState>

// When the slices of a twap come and how large each is. Chance comes from a seed, so that the same task always has the same plan.

interface TwapShape {
  readonly amount: string
  readonly slices: number
  readonly durationMs: number
  /** By how much sizes and times vary, in percent; at most 50. */
  readonly random?: string
  readonly seed: string
}

/** A slice is never more than so many planned ones, however much was missed. */
const MOST_PLANNED = 3
const GRAIN = 1000

/** When the slice is due, in ms from the start. The first is due at once; the others move by at most half of what may vary. */
function slotOffset(shape: TwapShape, slice: number): number {
  const spacing = shape.durationMs / shape.slices
  if (slice === 0 || shape.random === undefined) return Math.round(slice * spacing)
  const moved = (Number(shape.random) / 100) * (chance(shape.seed, slice, 'time') / GRAIN)
  return Math.round((slice + moved * 0.98) * spacing)
}

/**
 * How much the slice is, in whole lots: its part of what is left, and no more than three planned ones. The last takes what is left.
 * @param left what has not filled yet @param slice counts from 0
 */
function sliceAmount(shape: TwapShape, slice: number, left: Decimal, market: Market): Decimal {
  const cap = amountOnLot(new Decimal(shape.amount).div(shape.slices).times(MOST_PLANNED), market)
  const most = Decimal.min(left, Decimal.max(cap, market.lotSize))
  if (slice + 1 >= shape.slices) return amountOnLot(most, market)
  let weights = 0
  for (let each = slice; each < shape.slices; each += 1) weights += weightOf(shape, each)
  return amountOnLot(Decimal.min(left.times(weightOf(shape, slice)).div(weights), most), market)
}

/** How much of it a slice is beside the others, as a whole number, so that sums are exact. */
function weightOf({ random, seed }: TwapShape, slice: number): number {
  return random === undefined ? 1 : 100 * GRAIN + Math.round(Number(random) * chance(seed, slice, 'size'))
}

/** From -1000 to 1000, spread evenly. */
function chance(seed: string, slice: number, what: string): number {
  let hash = 0x811c9dc5
  for (const unit of `${seed}/${slice}/${what}`) {
    hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  }
  // Texts that differ in their last letters alone leave alike sums.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) % (2 * GRAIN + 1)) - GRAIN
}

export interface PlannedSlice {
  readonly afterMs: number
  readonly amount: string
}

/** The whole plan, as it goes when every slice fills. */
export function planSlices(shape: TwapShape, market: Market): readonly PlannedSlice[] {
  let left = new Decimal(shape.amount)
  return Array.from({ length: shape.slices }, (_, slice) => {
    const amount = sliceAmount(shape, slice, left, market)
    left = left.minus(amount)
    return { afterMs: slotOffset(shape, slice), amount: amount.toFixed() }
  })
}

// One step of a twap: what became of its slices is told, then at most one slice is sent.

/** A slice with a limit goes no further through the book than this, so that no price band refuses it: a share of the touch. */
const REACH = '0.005'

class TwapStep {
  readonly #params: TwapParams
  readonly #facts: TaskFacts
  readonly #state: { -readonly [field in keyof TwapState]: TwapState[field] }
  readonly #effects: TaskEffect[] = []
  /** When what it has bought is to be looked at again. */
  #lookAt: number | undefined

  constructor(params: TwapParams, state: TwapState, facts: TaskFacts) {
    this.#params = params
    this.#facts = facts
    this.#state = { ...state }
  }

  run(event: TaskEvent): TaskStep<TwapState> {
    const state = this.#state
    if (state.ending !== undefined) {
      // A process was to end it, and died before it did.
      return { state, effects: event.type === 'resumed' ? [{ type: 'end', ...state.ending }] : [] }
    }
    if (event.type === 'time') state.wakeAt = 0
    if (event.type === 'begun' || state.startsAt === 0) state.startsAt = this.#facts.now
    if (event.type === 'resumed') this.#resume()
    this.#judgeOrders()
    if (state.ending === undefined) this.#act()
    if (state.ending === undefined) this.#wake()
    return { state, effects: this.#effects }
  }

  /** What is left goes over the time that is left; over the same spacing from now where that is over. */
  #resume(): void {
    const { now, orders } = this.#facts
    const state = this.#state
    // An order may be further than what was remembered.
    state.next = Math.max(state.next, ...orders.map((order) => sliceOf(order) + 1))
    state.seen = Math.max(state.seen, (orders.findLast(isOver)?.step ?? -1) + 1)
    state.wakeAt = 0
    if (now < this.#endsAt() || state.next >= this.#params.slices) return
    state.startsAt = now - slotOffset(this.#params, state.next)
    const left = this.#params.slices - state.next
    const slices =
      left === 1 ? 'the slice that is left goes out now' : `the ${left} slices left follow at the same spacing`
    this.#addLine('info', `its time was up: ${slices}, until ${showTime(this.#endsAt())} UTC`)
  }

  #judgeOrders(): void {
    const since = this.#facts.orders.filter(({ step }) => step >= this.#state.seen)
    for (const order of since) {
      if (!isOver(order)) return
      this.#state.seen = order.step + 1
      this.#judgeOrder(order)
      if (this.#state.ending !== undefined) return
    }
  }

  #judgeOrder(order: TaskOrder): void {
    const slice = `slice ${sliceOf(order) + 1} of ${this.#params.slices}`
    const rest = sliceOf(order) + 1 < this.#params.slices ? '; later slices take its amount' : ''
    if (order.status === 'refused') {
      const why = whyRefused(order)
      if (refusalOf(order.code, order.plan) === 'lasting') return this.#end('failed', why)
      return this.#addLine('warn', `${slice} was refused: ${why}${rest}`)
    }
    const missing = new Decimal(order.plan.amount).minus(order.filled)
    if (missing.lte(0)) return
    const what = `${showUnits(missing, this.#facts.market)} of ${slice} did not fill`
    this.#addLine('info', `${what}${order.why === undefined ? '' : `: ${order.why}`}${rest}`)
  }

  #act(): void {
    const { orders, filled, now } = this.#facts
    const live = orders.findLast((order) => isPending(order) || order.status === 'open')
    if (live !== undefined && isPending(live)) return
    if (new Decimal(filled).gte(this.#params.amount)) return this.#end('done', 'all filled')
    if (isPositionGone(this.#params, this.#facts)) return this.#end('done', 'the position is closed')
    const gone = this.#whyGone()
    if (gone !== undefined) return this.#end('done', gone)
    if (now >= this.#endsAt()) return this.#expire('its time is up')
    if (live !== undefined) return
    if (this.#state.next >= this.#params.slices) return this.#expire('no slice is left')
    if (now >= this.#dueAt(this.#state.next)) this.#slice()
  }

  #whyGone(): string | undefined {
    const protection = bracketOf(this.#params)
    if (protection === undefined) return undefined
    const { gone, memory, wakeAt } = lookBehind(this.#params, this.#state.held ?? {}, this.#facts)
    this.#state.held = memory
    this.#lookAt = wakeAt
    return gone
  }

  /** The slice whose time has come. What was missed is made up for by what follows. */
  #slice(): void {
    const { ticker, isPositionKnown, market } = this.#facts
    const { reduce, side } = this.#params
    if (ticker === undefined || (reduce && !isPositionKnown)) return
    const touch = side === 'buy' ? ticker.ask : ticker.bid
    if (!new Decimal(touch).gt(0)) return
    this.#catchUp()
    const slice = this.#state.next
    this.#state.next += 1
    const left = remainderOf(this.#params, this.#facts)
    const amount = upToLargest(sliceAmount(this.#params, slice, left, market), market, 'market')
    if (this.#isBeyond(touch)) return this.#leaveOut(slice, `the market is at ${showPrice(touch)}`)
    const least = smallestOrder(market, this.#boundOf(touch) ?? touch, reduce)
    if (amount.lt(least)) return this.#leaveOut(slice, `${showUnits(amount, market)} is below the minimum order`)
    this.#effects.push({ type: 'place', tag: `slice-${slice}`, plan: this.#planOf(touch, amount) })
  }

  #planOf(touch: string, amount: Decimal): OrderPlan {
    const { market, capabilities } = this.#facts
    const { side, reduce } = this.#params
    const price = capabilities.timeInForce.includes('ioc') ? this.#boundOf(touch) : undefined
    return {
      symbol: market.symbol,
      side,
      amount: amount.toFixed(),
      ...(price === undefined ? { type: 'market' } : { type: 'limit', price, timeInForce: 'ioc' }),
      ...(reduce ? { reduceOnly: true } : {}),
      ...defined({ protection: bracketOf(this.#params) }),
    }
  }

  /** Where there is a limit: the worst price that the slice may get. */
  #boundOf(touch: string): string | undefined {
    const { side, limit } = this.#params
    if (limit === undefined) return undefined
    const { market } = this.#facts
    if (side === 'buy') {
      return priceOnGrid(Decimal.min(limit, new Decimal(touch).times(new Decimal(1).plus(REACH))), market, 'down')
    }
    return priceOnGrid(Decimal.max(limit, new Decimal(touch).times(new Decimal(1).minus(REACH))), market, 'up')
  }

  #isBeyond(touch: string): boolean {
    const { side, limit } = this.#params
    if (limit === undefined) return false
    return side === 'buy' ? new Decimal(touch).gt(limit) : new Decimal(touch).lt(limit)
  }

  /** Slices whose time has passed while nothing could be sent are not sent in a row. */
  #catchUp(): void {
    const { now } = this.#facts
    const missed = this.#state.next
    while (this.#state.next + 1 < this.#params.slices && now >= this.#dueAt(this.#state.next + 1)) this.#state.next += 1
    const count = this.#state.next - missed
    if (count > 0) {
      this.#addLine(
        'warn',
        `${count === 1 ? 'a slice was' : `${count} slices were`} missed; later slices make up for it`,
      )
    }
  }

  #leaveOut(slice: number, why: string): void {
    const rest = slice + 1 < this.#params.slices ? '; later slices take its amount' : ''
    this.#addLine('info', `slice ${slice + 1} of ${this.#params.slices} is skipped: ${why}${rest}`)
    if (slice + 1 >= this.#params.slices) this.#expire('no slice is left')
  }

  #dueAt(slice: number): number {
    return this.#state.startsAt + slotOffset(this.#params, slice)
  }

  #endsAt(): number {
    return this.#state.startsAt + this.#params.durationMs
  }

  #expire(what: string): void {
    const left = remainderOf(this.#params, this.#facts)
    if (left.isZero()) return this.#end('done', 'what is left is less than one lot')
    this.#end('done', `expired: ${what}, ${showUnits(left, this.#facts.market)} not filled`)
  }

  #addLine(level: 'info' | 'warn', text: string): void {
    this.#effects.push({ type: 'line', level, text })
  }

  #end(status: 'done' | 'failed', reason: string): void {
    this.#state.ending = { status, reason }
    this.#effects.push({ type: 'end', status, reason })
  }

  #wake(): void {
    const { now } = this.#facts
    const due = this.#state.next < this.#params.slices ? this.#dueAt(this.#state.next) : this.#endsAt()
    const next = due > now ? due : this.#endsAt()
    const own = next > now ? next : 0
    const at = this.#lookAt === undefined ? own : own === 0 ? this.#lookAt : Math.min(own, this.#lookAt)
    if (at === this.#state.wakeAt) return
    this.#state.wakeAt = at
    this.#effects.push({ type: 'wake', at: at === 0 ? undefined : at })
  }
}

/** Which slice an order is; its tag says so. */
function sliceOf({ tag }: TaskOrder): number {
  const slice = Number(tag.slice('slice-'.length))
  return Number.isInteger(slice) ? slice : -1
}

export const twap: TaskKind<TwapParams, TwapState> = {
  name: 'twap',
  params: twapParams,
  state: twapState,
  effect: ({ reduce }) => (reduce ? 'reduces' : 'adds'),
  endsAt: ({ durationMs }, startedAt) => startedAt + durationMs,
  amount: ({ amount }) => amount,
  initial: () => ({ startsAt: 0, next: 0, seen: 0, wakeAt: 0 }),
  reduce: (params, state, event, facts) => new TwapStep(params, state, facts).run(event),
  see,
  decidesAt: ({ stop, takeProfit }) => [stop, takeProfit].flatMap((price) => price ?? []),
  keepsWhilePaused: [],
}

function see(params: TwapParams, state: TwapState, facts: TaskFacts): TaskSight {
  const progress = Decimal.min(1, new Decimal(facts.filled).div(params.amount)).toNumber()
  return {
    progress,
    doing: doingOf(params, state, facts),
    ...(state.startsAt === 0 ? {} : { endsAt: state.startsAt + params.durationMs }),
  }
}

function doingOf(params: TwapParams, { ending, next, startsAt }: TwapState, facts: TaskFacts): string {
  if (ending !== undefined) return ending.reason
  const live = facts.orders.findLast((order) => isPending(order) || order.status === 'open')
  const sent = `${next} of ${params.slices} slices`
  if (live?.status === 'unknown') return `${sent}, asks the venue what became of the last`
  if (live !== undefined) return `${sent}, the last is under way`
  if (next >= params.slices) return sent
  const wait = startsAt + slotOffset(params, next) - facts.now
  if (wait > 0) return `${sent}, next in ${showWait(wait)}`
  return facts.ticker === undefined ? `${sent}, waits for a current price` : `${sent}, the next is due`
}

function showWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
