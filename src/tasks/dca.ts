// `dca`: a first part now or at a price, and a part more at each step that the price goes against it. The steps count from the first fill, and
// are equally far apart. Parts rest as limit orders: what falls through a step in a second still fills there.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import type { Market } from '../exchange/market.ts'
import { amountOnLot, priceOnGrid } from '../exchange/price-grid.ts'
import { showAmount, showPrice, showUnits } from '../trading/figures.ts'
import type { OrderPlan } from '../trading/order-plan.ts'
import { bracketOf, heldMemory, lookBehind } from './exit.ts'
import {
  decimal,
  isInDoubt,
  LadderStep,
  ladderState,
  lookAtRung,
  MAX_RUNGS,
  NEW_RUNG,
  type Rung,
  type RungNews,
  rungMemory,
  rungPrice,
  withOrder,
} from './ladder.ts'
import { smallestOrder, upToLargest } from './remainder.ts'
import type { TaskFacts, TaskKind, TaskSight } from './task-kind.ts'

const dcaParams = z.object({
  side: z.enum(['buy', 'sell']),
  /** Of each part, in the market's amount unit, on its lot. */
  parts: z.array(decimal).check(z.minLength(2), z.maxLength(MAX_RUNGS)),
  /** How far the price goes against a part before the next: to the lower side of a buy, to the higher of a sell. */
  step: z.object({ kind: z.enum(['percent', 'amount']), value: decimal }),
  /** Of the first part, on the grid; absent: at the market. */
  at: z.exactOptional(decimal),
  /** All parts together cost no more, in quote. */
  budget: z.exactOptional(decimal),
  /** Every part has them. */
  stop: z.exactOptional(decimal),
  takeProfit: z.exactOptional(decimal),
})

const dcaState = z.object({
  /** Where the first part filled: all steps count from it. Absent: nothing has filled. */
  first: z.exactOptional(decimal),
  parts: z.array(z.object({ rung: rungMemory, filled: decimal })),
  held: heldMemory,
  ...ladderState,
})

export type DcaParams = z.output<typeof dcaParams>
type DcaState = z.output<typeof dcaState>

/** Where the part is bought or sold, counted from 0: the first, and each a step further. Zero or less: there is no such price. */
export function partPrice(
  { side, step }: Pick<DcaParams, 'side' | 'step'>,
  first: Decimal.Value,
  part: number,
  market: Market,
): string {
  const away = step.kind === 'amount' ? new Decimal(step.value) : new Decimal(first).times(step.value).div(100)
  const price = new Decimal(first).plus(away.times(side === 'buy' ? -part : part))
  if (part === 0 || price.lte(0)) return price.toFixed()
  return priceOnGrid(price, market, side === 'buy' ? 'down' : 'up')
}

/** In quote. */
function worthOf(amount: Decimal.Value, price: Decimal.Value, { amountUnit }: Market): Decimal {
  return amountUnit === 'quote' ? new Decimal(amount) : new Decimal(amount).times(price)
}

class DcaStep extends LadderStep<DcaParams, DcaState> {
  protected look(isResumed: boolean): readonly RungNews[] {
    const news = this.state.parts.map(({ rung }, part) => lookAtRung(nameOf(part), rung, this.facts, isResumed))
    this.state.parts = this.state.parts.map((part, index) => {
      const { rung, filled } = news[index] ?? { rung: part.rung, filled: new Decimal(0) }
      return { rung, filled: filled.plus(part.filled).toFixed() }
    })
    for (const [part, { lost, rung }] of news.entries()) {
      if (lost === undefined) continue
      if (lost.isLasting) this.end('failed', lost.why)
      else if (rung.leftOut === 'withdrawn') {
        this.addLine('warn', `${this.#partName(part)} ${lost.why}: it is skipped`)
      } else if (lost.isFirst) {
        const next = rung.leftOut === undefined ? 'it is tried again' : 'it is skipped'
        this.addLine('warn', `${this.#partName(part)} was refused: ${lost.why}; ${next}`)
      }
    }
    return news
  }

  protected act(news: readonly RungNews[]): void {
    const gone = this.#whyGone()
    if (gone !== undefined) return this.end('done', gone)
    const [first] = this.state.parts
    if (first === undefined) return
    if (news.some(isInDoubt)) return
    if (this.state.first === undefined) {
      if (new Decimal(first.filled).isZero()) return this.#begin(first.rung, news[0])
      // The rest of a first part that fills in pieces goes on resting, and the steps are known with its end.
      if (news[0]?.live !== undefined) return
      this.state.first = this.#firstPrice()
      const where = this.params.side === 'buy' ? 'below' : 'above'
      this.addLine('info', `the first part filled at ${showPrice(this.state.first)}; the others rest ${where} it`)
    }
    this.#placeNext(news)
  }

  #whyGone(): string | undefined {
    const { gone, memory, wakeAt } = lookBehind(this.params, this.state.held, this.facts)
    this.state.held = memory
    if (wakeAt !== undefined) this.again.push(wakeAt)
    return gone
  }

  #begin(rung: Rung, news: RungNews | undefined): void {
    if (news?.live !== undefined) return
    if (rung.leftOut !== undefined) {
      const reason = rung.leftOut === 'withdrawn' ? 'its first part was canceled' : 'its first part was refused'
      return this.end(rung.leftOut === 'withdrawn' ? 'cancelled' : 'failed', reason)
    }
    if (this.facts.ticker === undefined || !this.isTime(rung)) return
    this.#place(0, this.params.at)
  }

  /** One order at a time, so that nothing is sent while anything is in doubt: the nearest part first. */
  #placeNext(news: readonly RungNews[]): void {
    if (this.facts.ticker === undefined) return
    for (const [part, { rung }] of this.state.parts.entries()) {
      if (news[part]?.live !== undefined || rung.leftOut !== undefined || !this.#isWanted(part)) continue
      if (!this.isTime(rung)) continue
      if (this.#place(part, this.#priceOf(part))) return
    }
    const isWaiting = this.state.parts.some(
      ({ rung }, part) => news[part]?.live !== undefined || (rung.leftOut === undefined && this.#isWanted(part)),
    )
    if (!isWaiting) this.end('done', this.#sum())
  }

  /** @param price absent: at the market @returns whether it was */
  #place(part: number, price: string | undefined): boolean {
    const { market } = this.facts
    const { side } = this.params
    const known = this.state.parts[part]
    if (known === undefined) return false
    const { rung, tag } = withOrder(nameOf(part), known.rung)
    const type = price === undefined ? 'market' : 'limit'
    const amount = upToLargest(this.#amountOf(part), market, type).toFixed()
    const plan: OrderPlan = {
      symbol: market.symbol,
      side,
      amount,
      type,
      ...defined({
        price: price && rungPrice(side, price, this.facts),
        protection: bracketOf(this.params),
      }),
    }
    this.state.parts = this.state.parts.map((each, index) => (index === part ? { ...each, rung } : each))
    this.effects.push({ type: 'place', tag, plan })
    return true
  }

  /** What of the part is still to fill is more than the smallest order. */
  #isWanted(part: number): boolean {
    const price = this.#priceOf(part)
    if (price === undefined) return false
    return this.#amountOf(part).gte(smallestOrder(this.facts.market, price, false))
  }

  /** In whole lots: what is left of the part, of the whole, and of what all may cost. */
  #amountOf(part: number): Decimal {
    const { market, filled, orders, cost } = this.facts
    const { parts, budget } = this.params
    const live = orders.filter(({ status }) => status === 'open' || status === 'sending' || status === 'unknown')
    const resting = live.map((order) => ({
      amount: new Decimal(order.order?.amount ?? order.plan.amount).minus(order.filled),
      price: order.order?.price ?? order.plan.price ?? '0',
    }))
    const total = Decimal.sum(0, ...parts)
      .minus(filled)
      .minus(Decimal.sum(0, ...resting.map(({ amount }) => amount)))
    const own = new Decimal(parts[part] ?? 0).minus(this.state.parts[part]?.filled ?? 0)
    const wanted = Decimal.max(0, Decimal.min(own, total))
    const price = this.#priceOf(part)
    if (budget === undefined || price === undefined) return amountOnLot(wanted, market)
    const bound = Decimal.sum(cost, ...resting.map(({ amount, price: at }) => worthOf(amount, at, market)))
    const money = Decimal.max(0, new Decimal(budget).minus(bound))
    const affordable = market.amountUnit === 'quote' ? money : money.div(price)
    return amountOnLot(Decimal.min(wanted, affordable), market)
  }

  /** Undefined: it is not known, or so far away that there is none. */
  #priceOf(part: number): string | undefined {
    const { market, ticker } = this.facts
    const { first } = this.state
    const touch = this.params.side === 'buy' ? ticker?.ask : ticker?.bid
    const from = first ?? this.params.at ?? (touch !== undefined && new Decimal(touch).gt(0) ? touch : ticker?.last)
    if (from === undefined) return undefined
    const price = partPrice(this.params, from, part, market)
    return new Decimal(price).gt(0) ? price : undefined
  }

  /** Of the first part alone: nothing else has filled. */
  #firstPrice(): string {
    const { market, cost, filled, orders, ticker } = this.facts
    const order = orders.findLast(({ filled: some }) => new Decimal(some).gt(0))
    const average =
      market.amountUnit === 'base' && new Decimal(cost).gt(0)
        ? new Decimal(cost).div(filled)
        : (order?.order?.average ?? order?.plan.price ?? ticker?.last ?? '0')
    return priceOnGrid(average, market, 'nearest')
  }

  #sum(): string {
    const { length } = this.params.parts
    const count = this.state.parts.filter(({ filled: own }) => new Decimal(own).gt(0)).length
    return count === length ? 'all filled' : `${count} of ${length} parts filled`
  }

  #partName(part: number): string {
    return `part ${part + 1} of ${this.params.parts.length}`
  }
}

function nameOf(part: number): string {
  return `part-${part + 1}`
}

export const dca: TaskKind<DcaParams, DcaState> = {
  name: 'dca',
  params: dcaParams,
  state: dcaState,
  effect: () => 'adds',
  endsAt: () => undefined,
  amount: ({ parts }) => Decimal.sum(0, ...parts).toFixed(),
  initial: ({ parts }) => ({ parts: parts.map(() => ({ rung: NEW_RUNG, filled: '0' })), held: {}, wakeAt: 0 }),
  reduce: (params, state, event, facts) => new DcaStep(params, state, facts).run(event),
  see,
  decidesAt: ({ stop, takeProfit }) => [stop, takeProfit].flatMap((price) => price ?? []),
  // What has filled keeps its stop and take-profit: they belong to the entry, not to the task.
  leaves: ({ stop }, _state, { filled, market }) =>
    stop === undefined && new Decimal(filled).gt(0)
      ? `it holds ${showUnits(filled, market)}, without a stop of its own`
      : undefined,
  keepsWhilePaused: [],
}

function see(params: DcaParams, state: DcaState, facts: TaskFacts): TaskSight {
  const whole = Decimal.sum(0, ...params.parts)
  const progress = Decimal.min(1, new Decimal(facts.filled).div(whole)).toNumber()
  const resting = facts.orders.filter(({ status }) => status === 'open')
  const prices = resting.map(({ order, plan }) => order?.price ?? plan.price ?? '0')
  const next =
    params.side === 'buy' ? Decimal.max(0, ...prices) : prices.length === 0 ? new Decimal(0) : Decimal.min(...prices)
  return {
    progress,
    doing: doingOf(params, state, facts, next),
    ...(next.gt(0) ? { price: next.toFixed() } : {}),
  }
}

function doingOf(params: DcaParams, { ending, parts }: DcaState, facts: TaskFacts, next: Decimal): string {
  if (ending !== undefined) return ending.reason
  const count = parts.filter(({ filled }, part) => new Decimal(filled).gte(params.parts[part] ?? 0)).length
  const filled = `${count} of ${parts.length} parts`
  if (facts.orders.some(({ status }) => status === 'unknown')) return `${filled}, asks the venue what became of one`
  if (next.gt(0)) return `${filled}, next at ${showPrice(next)}`
  if (facts.ticker === undefined) return `${filled}, waits for a current price`
  return `${filled}, ${showAmount(facts.filled)} filled`
}
