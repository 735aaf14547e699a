// One step of a chase: what happened to its orders is taken into account, then at most one thing is asked for.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { canEdit } from '../exchange/exchange.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import { showPrice } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { judgeChaseOrders, UNANSWERED_MS } from './chase-orders.ts'
import type { ChaseParams, ChaseState } from './chase-shape.ts'
import { isOver, isPending, isPositionGone, remainderOf, showUnits, smallestOrder, upToLargest } from './remainder.ts'
import type { TaskEffect, TaskEvent, TaskFacts, TaskOrder, TaskStep } from './task-kind.ts'

/** Placing and moving are at least so far apart. */
const MIN_MOVE_MS = 250
/** After its time is over, so long for what cannot be done at once: no current price, a market order that is not over. */
const GRACE_MS = 60_000
/** An order that is larger than the position it reduces is made smaller after so long. */
const LARGER_MS = 1000

export class ChaseStep {
  readonly #params: ChaseParams
  readonly #facts: TaskFacts
  readonly #state: { -readonly [field in keyof ChaseState]: ChaseState[field] }
  readonly #effects: TaskEffect[] = []
  /** When it is to be looked at again, besides at its end. */
  #again: number | undefined

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
    if (event.type === 'time') this.#state.wakeAt = 0
    if (event.type === 'begun' || this.#state.endsAt === 0) this.#state.endsAt = this.#facts.now + this.#params.lastsMs
    if (event.type === 'resumed') this.#resume()
    const ending = judgeChaseOrders(this.#state, this.#facts, (text) => this.#say('warn', text))
    if (ending === undefined) this.#act()
    else this.#end(ending.status, ending.reason, ending.by)
    if (this.#state.ending === undefined) this.#wake()
    return { state: this.#state, effects: this.#effects }
  }

  /** Everything has just been asked: what ended meanwhile ended for reasons that nobody can tell any more. */
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
      this.#say('info', 'goes on: its time was over, and begins anew')
    }
  }

  #act(): void {
    const { now, isPositionKnown } = this.#facts
    const left = remainderOf(this.#params, this.#facts)
    const live = this.#facts.orders.findLast((order) => isPending(order) || order.status === 'open')
    if (live !== undefined && (isPending(live) || this.#isUnanswered(live))) return
    if (new Decimal(this.#facts.filled).gte(this.#params.amount)) return this.#end('done', 'all filled')
    if (isPositionGone(this.#params, this.#facts)) return this.#end('done', 'the position is gone')
    if (now >= this.#state.endsAt && this.#params.rest === 'cancel')
      return this.#end('done', `expired: its time is over, ${showUnits(left, this.#facts.market)} missing`)
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
    this.#state.movedAt = this.#facts.now
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
      const why = live === undefined ? 'nothing current is known of the market' : 'the market order is not over'
      return this.#end('failed', `its time is over, and ${why}`)
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
    this.#state.movedAt = this.#facts.now
  }

  #tooSmall(left: Decimal): void {
    if (this.#params.rest === 'market' && !this.#state.toMarket && this.#isTakenAtMarket(left)) {
      this.#state.toMarket = true
      return this.#toMarket(
        this.#facts.orders.findLast(({ status }) => status === 'open'),
        left,
      )
    }
    this.#end('done', `${showUnits(left, this.#facts.market)} is left, which is less than the smallest order`)
  }

  #isTakenAtMarket(left: Decimal): boolean {
    const { market, ticker } = this.#facts
    const touch = this.#params.side === 'buy' ? ticker?.ask : ticker?.bid
    return (
      touch !== undefined && new Decimal(touch).gt(0) && left.gte(smallestOrder(market, touch, this.#params.reduce))
    )
  }

  /** The best price of its own side, as far as it goes; undefined while nobody knows it. */
  #pegPrice(): string | undefined {
    const { ticker, market } = this.#facts
    const { side, limit } = this.#params
    const touch = side === 'buy' ? ticker?.bid : ticker?.ask
    if (touch === undefined || !new Decimal(touch).gt(0)) return undefined
    const best = priceOnGrid(touch, market, side === 'buy' ? 'down' : 'up')
    if (limit === undefined || !this.#isBetter(best, limit)) {
      this.#tell('', 'follows the market again')
      return best
    }
    const name = side === 'buy' ? 'bid' : 'ask'
    this.#tell('limit', `the ${name} ${showPrice(best)} is past ${showPrice(limit)}: rests there until it comes back`)
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
    this.#again = Math.min(at, this.#again ?? at)
    return false
  }

  #tell(situation: string, text: string): void {
    if (this.#state.told === situation) return
    this.#state.told = situation
    // Where its first order rests was told when it began.
    if (this.#state.movedAt > 0) this.#say('info', text)
  }

  #say(level: 'info' | 'warn', text: string): void {
    this.#effects.push({ type: 'say', level, text })
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
