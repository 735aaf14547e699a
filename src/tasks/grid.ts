// `grid`: the range between two prices in equal steps. Each step buys at its lower price and sells what it has bought at its upper one, again and
// again. It holds no more than one amount for each step, and never sells what it has not bought.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import { amountOnLot, priceOnGrid } from '../exchange/price-grid.ts'
import { showMoney, showPrice, showUnits } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { heldMemory, lookAtHeld } from './exit.ts'
import {
  decimal,
  isInDoubt,
  LadderStep,
  ladderState,
  lookAtRung,
  MAX_RUNGS,
  NEW_RUNG,
  type RungNews,
  rungMemory,
  rungPrice,
  whole,
  withOrder,
} from './ladder.ts'
import { smallestOrder, upToLargest } from './remainder.ts'
import type { TaskFacts, TaskKind, TaskOrder, TaskSight } from './task-kind.ts'

const gridParams = z.object({
  /** Of each step, in base, on the lot. */
  amount: decimal,
  /** Ascending, on the grid of prices: each is the upper price of the step before it. */
  prices: z.array(decimal).check(z.minLength(2), z.maxLength(MAX_RUNGS + 1)),
  /** What it does once last is a whole step outside of the range: it ends and sells, or ends and keeps. Absent: it waits. */
  leaves: z.exactOptional(z.enum(['close', 'keep'])),
  /** Of an order that rests, as a share; absent: the venue does not report it. */
  feeRate: z.exactOptional(decimal),
})

const cellState = z.object({
  rung: rungMemory,
  /** What its newest order is. */
  side: z.enum(['buy', 'sell']),
  /** Bought and not sold. */
  held: decimal,
})
type Cell = z.output<typeof cellState>

const gridState = z.object({
  cells: z.array(cellState),
  /** How often a step has bought and sold, and what all sales have made, in quote: after fees where these are known. */
  rounds: whole,
  made: z.string().check(z.regex(/^-?\d{1,30}(\.\d{1,30})?$/, 'must be a decimal')),
  position: heldMemory,
  /** It sells what it holds at the market; its own orders are taken back first. */
  closing: z.exactOptional(z.object({ why: z.string(), rung: rungMemory, cancelledAt: whole })),
  ...ladderState,
})

export type GridParams = z.output<typeof gridParams>
type GridState = z.output<typeof gridState>

/** After so long an order that was asked to be taken back, and still rests, is asked for again. */
const CANCEL_AGAIN_MS = 2_000
const CLOSE = 'close'

/** `count` steps of equal size between both prices, which are on the grid with all between. */
export function gridPrices(from: Decimal.Value, to: Decimal.Value, count: number, market: Market): readonly string[] {
  const step = new Decimal(to).minus(from).div(count)
  return Array.from({ length: count + 1 }, (_, index) => priceOnGrid(step.times(index).plus(from), market, 'nearest'))
}

/** What a step makes each time, in quote: its amount from its lower to its upper price, less what both orders pay. @param feeRate a share */
export function stepProfit(amount: Decimal.Value, lower: string, upper: string, feeRate: Decimal.Value): Decimal {
  const [low, high] = [new Decimal(lower), new Decimal(upper)]
  return high.minus(low).minus(high.plus(low).times(feeRate)).times(amount)
}

class GridStep extends LadderStep<GridParams, GridState> {
  protected look(isResumed: boolean): readonly RungNews[] {
    const news = this.state.cells.map(({ rung }, at) => lookAtRung(nameOf(at), rung, this.facts, isResumed))
    this.state.cells = this.state.cells.map((cell, at) => this.#counted(cell, at, news[at]))
    // What it takes back itself is nobody else's doing.
    if (this.state.closing !== undefined) return news
    for (const [at, { lost, rung }] of news.entries()) {
      if (lost === undefined) continue
      if (lost.isLasting) this.end('failed', `${lost.why}${this.#heldLine()}`)
      else if (rung.leftOut === 'withdrawn') {
        this.addLine('warn', `the ${this.#orderName(at)} ${lost.why}: its step is skipped`)
      } else if (lost.isFirst) {
        const next = rung.leftOut === undefined ? 'it is tried again' : 'its step is skipped'
        this.addLine('warn', `the ${this.#orderName(at)} was refused: ${lost.why}; ${next}`)
      }
    }
    return news
  }

  #counted(cell: Cell, at: number, news: RungNews | undefined): Cell {
    if (news === undefined) return cell
    const { rung, filled } = news
    if (cell.side === 'buy') return { ...cell, rung, held: filled.plus(cell.held).toFixed() }
    const [lower = '0', upper = '0'] = this.params.prices.slice(at)
    const made = stepProfit(filled, lower, upper, this.params.feeRate ?? '0')
    this.state.made = made.plus(this.state.made).toFixed()
    if (news.isWhole === true) this.state.rounds += 1
    const left = Decimal.max(0, new Decimal(cell.held).minus(filled)).toFixed()
    return { ...cell, rung, held: news.isWhole === true ? this.#withoutFee(left) : left }
  }

  protected act(news: readonly RungNews[]): void {
    if (this.state.closing !== undefined) return this.#close(news, this.state.closing)
    if (this.#isPositionGone()) return this.end('done', 'the position is closed')
    const left = this.#whereItLeft()
    if (left !== undefined) return this.#leave(news, left)
    if (this.state.cells.every(({ rung }, at) => rung.leftOut !== undefined && news[at]?.live === undefined)) {
      return this.end('cancelled', `all of its orders were canceled or refused${this.#heldLine()}`)
    }
    if (this.facts.ticker === undefined) return
    const isDoubtful = news.some(isInDoubt)
    for (const at of this.#nearestFirst()) {
      if (news[at]?.live !== undefined) continue
      // What only sells what it holds waits for nothing; a buy waits until the fate of all others is known.
      const [side, amount] = this.#wanted(at)
      if (side === undefined || (side === 'buy' && (isDoubtful || this.effects.some(({ type }) => type === 'place'))))
        continue
      this.#place(at, side, amount)
    }
  }

  /** The order that the step is without, if it is to have one. */
  #wanted(at: number): readonly ['buy' | 'sell' | undefined, Decimal] {
    const nothing = [undefined, new Decimal(0)] as const
    const cell = this.state.cells[at]
    const [lower, upper] = this.params.prices.slice(at)
    if (cell === undefined || lower === undefined || upper === undefined) return nothing
    if (cell.rung.leftOut !== undefined || !this.isTime(cell.rung)) return nothing
    const { market } = this.facts
    const missing = amountOnLot(new Decimal(this.params.amount).minus(cell.held), market)
    const sellable = this.#sellable(cell.held)
    const canBuy = missing.gte(smallestOrder(market, lower, false))
    const canSell = sellable.gt(0) && sellable.gte(smallestOrder(market, upper, market.kind !== 'spot'))
    // A buy goes on until it is whole, a sale until nothing is left of it.
    if (cell.side === 'buy' ? canBuy : canBuy && !canSell) return ['buy', upToLargest(missing, market, 'limit')]
    return canSell ? ['sell', upToLargest(sellable, market, 'limit')] : nothing
  }

  /** On spot a fee may have been taken from the coins. */
  #sellable(held: Decimal.Value): Decimal {
    const { market } = this.facts
    const kept = market.kind === 'spot' ? new Decimal(1).minus(market.takerFee ?? 0) : new Decimal(1)
    return amountOnLot(kept.times(held), market)
  }

  #place(at: number, side: 'buy' | 'sell', amount: Decimal): void {
    const [lower = '0', upper = '0'] = this.params.prices.slice(at)
    const cell = this.state.cells[at]
    if (cell === undefined) return
    const { rung, tag } = withOrder(nameOf(at), cell.rung)
    this.#setCell(at, { rung, side, held: cell.held })
    const price = rungPrice(side, side === 'buy' ? lower : upper, this.facts)
    this.effects.push({ type: 'place', tag, plan: this.#planOf(side, amount, price) })
  }

  /** On spot the fee of a buy was taken from its coins: what is left of a step once it is sold is not there. */
  #withoutFee(held: string): string {
    const { market } = this.facts
    if (market.kind !== 'spot') return held
    const fee = new Decimal(this.params.amount).times(market.takerFee ?? 0)
    return fee.plus(market.lotSize).gte(held) ? '0' : held
  }

  #planOf(side: 'buy' | 'sell', amount: Decimal, price: string | undefined): OrderPlan {
    const { market } = this.facts
    return {
      symbol: market.symbol,
      side,
      amount: amount.toFixed(),
      ...(price === undefined ? { type: 'market' } : { type: 'limit', price }),
      ...(side === 'sell' && market.kind !== 'spot' ? { reduceOnly: true } : {}),
    }
  }

  /** Those whose price the market comes to first. */
  #nearestFirst(): readonly number[] {
    const last = new Decimal(this.facts.ticker?.last ?? 0)
    const away = (at: number) => last.minus(this.params.prices[at] ?? 0).abs()
    return this.state.cells.map((_, at) => at).toSorted((a, b) => away(a).cmp(away(b)) || a - b)
  }

  /** What it holds was sold by somebody else. */
  #isPositionGone(): boolean {
    const { market, position, isPositionKnown } = this.facts
    if (market.kind === 'spot') return false
    if (this.#held().isZero()) {
      this.state.position = {}
      return false
    }
    if (this.state.position.amount === undefined && (!isPositionKnown || position?.side !== 'long')) return false
    const { held, memory, wakeAt } = lookAtHeld('long', this.state.position, this.facts)
    this.state.position = memory
    if (wakeAt !== undefined) this.again.push(wakeAt)
    return held.kind === 'gone'
  }

  #whereItLeft(): string | undefined {
    const { ticker } = this.facts
    if (this.params.leaves === undefined || ticker === undefined) return undefined
    const [below, above] = stepOutside(this.params)
    if (below.gte(ticker.last)) return `${showPrice(ticker.last)} is a step below its range`
    return above.lte(ticker.last) ? `${showPrice(ticker.last)} is a step above its range` : undefined
  }

  #leave(news: readonly RungNews[], why: string): void {
    if (this.params.leaves === 'keep') return this.end('done', `${why}${this.#heldLine()}`)
    this.addLine('info', `${why}: it sells what it holds`)
    const closing = { why, rung: NEW_RUNG, cancelledAt: 0 }
    this.state.closing = closing
    this.#close(news, closing)
  }

  /** Takes back what rests, then sells at the market until nothing is left. */
  #close(news: readonly RungNews[], { why, rung, cancelledAt }: NonNullable<GridState['closing']>): void {
    const { market, now, ticker } = this.facts
    const live = news.flatMap((each) => (each.live === undefined ? [] : [each.live]))
    if (live.length > 0) {
      if (now < cancelledAt + CANCEL_AGAIN_MS) {
        this.again.push(cancelledAt + CANCEL_AGAIN_MS)
        return
      }
      const resting = live.filter(({ status, isChanging }) => status === 'open' && !isChanging)
      for (const { step } of resting) this.effects.push({ type: 'cancel', step })
      this.state.closing = { why, rung, cancelledAt: now }
      this.again.push(now + CANCEL_AGAIN_MS)
      return
    }
    const seen = lookAtRung(CLOSE, rung, this.facts, false)
    this.state.closing = { why, rung: seen.rung, cancelledAt }
    this.#sellOff(seen.filled)
    if (seen.live !== undefined) return
    const amount = this.#sellable(this.#held())
    if (amount.lte(0) || this.#isPositionGone()) return this.end('done', `${why}: it has sold what it held`)
    if (seen.rung.leftOut !== undefined) {
      return this.end('failed', `${seen.lost?.why ?? 'its sale was refused'}${this.#heldLine()}`)
    }
    if (ticker === undefined || !this.isTime(seen.rung)) return
    const next = withOrder(CLOSE, seen.rung)
    this.state.closing = { why, rung: next.rung, cancelledAt }
    this.effects.push({
      type: 'place',
      tag: next.tag,
      plan: this.#planOf('sell', upToLargest(amount, market, 'market'), undefined),
    })
  }

  #sellOff(amount: Decimal): void {
    let left = amount
    this.state.cells = this.state.cells.map((cell) => {
      const part = Decimal.min(left, cell.held)
      left = left.minus(part)
      return part.isZero() ? cell : { ...cell, held: new Decimal(cell.held).minus(part).toFixed() }
    })
  }

  #held(): Decimal {
    return heldOf(this.state)
  }

  /** `; it holds 0.01 BTC`. */
  #heldLine(): string {
    const held = this.#held()
    return held.isZero() ? '' : `; it holds ${showUnits(held, this.facts.market)}`
  }

  #setCell(at: number, cell: Cell): void {
    this.state.cells = this.state.cells.map((each, index) => (index === at ? cell : each))
  }

  #orderName(at: number): string {
    const [lower = '0', upper = '0'] = this.params.prices.slice(at)
    return this.state.cells[at]?.side === 'sell' ? `sell at ${showPrice(upper)}` : `buy at ${showPrice(lower)}`
  }
}

/** A whole step below the range, and one above it. */
function stepOutside({ prices }: GridParams): readonly [below: Decimal, above: Decimal] {
  const [lowest = '0', next = '0'] = prices
  const step = new Decimal(next).minus(lowest)
  return [new Decimal(lowest).minus(step), step.plus(prices.at(-1) ?? 0)]
}

function nameOf(at: number): string {
  return `step-${at + 1}`
}

function heldOf({ cells }: GridState): Decimal {
  return Decimal.sum(0, ...cells.map(({ held }) => held))
}

export const grid: TaskKind<GridParams, GridState> = {
  name: 'grid',
  params: gridParams,
  state: gridState,
  effect: () => 'adds',
  endsAt: () => undefined,
  // What it trades has no end.
  amount: () => undefined,
  initial: ({ prices }) => ({
    cells: prices.slice(1).map(() => ({ rung: NEW_RUNG, side: 'buy', held: '0' })),
    rounds: 0,
    made: '0',
    position: {},
    wakeAt: 0,
  }),
  reduce: (params, state, event, facts) => new GridStep(params, state, facts).run(event),
  see,
  decidesAt: (params) => (params.leaves === undefined ? [] : stepOutside(params).map((price) => price.toFixed())),
  leaves: (_params, state, { market }) => {
    const held = heldOf(state)
    return held.isZero() ? undefined : `it holds ${showUnits(held, market)}, without a stop of its own`
  },
  keepsWhilePaused: [],
}

function see(params: GridParams, state: GridState, facts: TaskFacts): TaskSight {
  const whole = new Decimal(params.amount).times(state.cells.length)
  const price = nearestPrice(facts)
  return {
    progress: Decimal.min(1, heldOf(state).div(whole)).toNumber(),
    doing: doingOf(params, state, facts),
    ...defined({ price }),
  }
}

/** Of what rests. */
function nearestPrice({ orders, ticker }: TaskFacts): string | undefined {
  const prices = orders.flatMap((order) => (order.status === 'open' ? [priceOf(order)] : []))
  const last = ticker?.last ?? prices[0] ?? '0'
  const away = (price: string) => new Decimal(price).minus(last).abs()
  return prices.toSorted((a, b) => away(a).cmp(away(b)))[0]
}

function priceOf({ order, plan }: TaskOrder): string {
  return order?.price ?? plan.price ?? '0'
}

/** `3 buys and 2 sells rest, holds 0.01 BTC, 4 rounds made $12.40 after fees`. */
function doingOf({ feeRate }: GridParams, state: GridState, { orders, market, ticker }: TaskFacts): string {
  if (state.ending !== undefined) return state.ending.reason
  if (state.closing !== undefined) return `${state.closing.why}: it sells what it holds`
  const resting = (side: 'buy' | 'sell') =>
    orders.filter(({ status, plan }) => status === 'open' && plan.side === side).length
  const [buys, sells, held] = [resting('buy'), resting('sell'), heldOf(state)]
  const rests =
    buys + sells === 0 && ticker === undefined
      ? 'waits for a current price'
      : `${count(buys, 'buy')} and ${count(sells, 'sell')} rest`
  const holds = held.isZero() ? 'holds nothing' : `holds ${showUnits(held, market)}`
  const made =
    state.rounds === 0
      ? ''
      : `, ${count(state.rounds, 'round')} made ${showMoney(new Decimal(state.made))} ${feeRate === undefined ? 'before' : 'after'} fees`
  return `${rests}, ${holds}${made}`
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`
}
