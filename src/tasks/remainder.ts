// What a task that trades an amount still has to fill, and whether a venue would take that.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import type { Side } from '../exchange/order.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import type { TaskFacts, TaskOrder } from './task-kind.ts'

/** What is to be traded. */
interface Traded {
  readonly side: Side
  /** In the market's amount unit, on its lot; fixed when the task begins. */
  readonly amount: string
  /** It only shrinks the position. */
  readonly reduce: boolean
}

/** In whole lots, never negative; of what only reduces, no more than there is of the position. */
export function remainderOf({ side, amount, reduce }: Traded, facts: TaskFacts): Decimal {
  const left = new Decimal(amount).minus(facts.filled)
  const held = reduce && facts.isPositionKnown ? Decimal.min(left, heldAgainst(side, facts)) : left
  return amountOnLot(Decimal.max(held, 0), facts.market)
}

/** There is nothing that it could reduce. */
export function isPositionGone({ side, reduce }: Traded, facts: TaskFacts): boolean {
  return reduce && facts.isPositionKnown && heldAgainst(side, facts).isZero()
}

function heldAgainst(side: Side, { position }: TaskFacts): Decimal {
  const isAgainst = position !== undefined && (position.side === 'long') === (side === 'sell')
  return new Decimal(isAgainst ? position.amount : 0)
}

/** The smallest order that the venue takes at this price; what only reduces may be as small as one lot. */
export function smallestOrder(market: Market, price: Decimal.Value, reduces: boolean): Decimal {
  const lot = new Decimal(market.lotSize)
  if (reduces) return lot
  const least = new Decimal(market.minNotional ?? 0)
  const lots = (market.amountUnit === 'quote' ? least : least.div(price)).div(lot).ceil()
  return Decimal.max(market.minAmount, lots.times(lot))
}

/** No more than the venue takes in one order. */
export function upToLargest(amount: Decimal, market: Market, type: 'limit' | 'market'): Decimal {
  const largest = [market.maxAmount, ...(type === 'market' ? [market.marketMaxAmount] : [])]
  const known = largest.filter((each) => each !== undefined).map((each) => amountOnLot(each, market))
  return Decimal.min(amount, ...known)
}

/** Its fate, or that of a change of it, is not known yet: nothing more is sent until it is. */
export function isPending({ status, isChanging }: TaskOrder): boolean {
  return status === 'sending' || status === 'unknown' || isChanging
}

/** Nothing of it can fill any more, and nothing about it is in doubt. */
export function isOver(order: TaskOrder): boolean {
  return !isPending(order) && order.status !== 'open'
}
