// What a copier is to do next, computed from what is known and nothing else (behaviour 42). All amounts are signed decimals: a short is
// negative.
import { Decimal as AnyDecimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import type { Position, Side } from '../exchange/order.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import { isDollars } from '../trading/figures.ts'

/** With digits to spare: a quotient that does not end must not move a target by a lot. */
export const Decimal = AnyDecimal.clone({ precision: 50 })
export type Decimal = AnyDecimal
export type Figure = AnyDecimal.Value

export const ZERO = new Decimal(0)

/** A plan that people look at need not be longer. */
const MAX_PLANNED = 20

interface Weights {
  readonly weight: number
  readonly masterWeight: number
}

/**
 * What a copier makes of the master's position, in the master's amount unit: weight / masterWeight × (position − what is left of the baseline).
 * It is never on the other side of zero than the position.
 */
export function shareOf({ weight, masterWeight }: Weights, position: Figure, baseline: Figure): Decimal {
  // Multiplied first: a third of three is one.
  return new Decimal(position).minus(baselineLeft(baseline, position)).times(weight).div(masterWeight)
}

/** What the master has closed of its baseline does not come back: that is smaller for good, and zero once the position has turned round. */
export function baselineLeft(baseline: Figure, position: Figure): Decimal {
  const [begun, now] = [new Decimal(baseline), new Decimal(position)]
  if (begun.isZero() || now.isZero() || isOpposite(begun, now)) return ZERO
  return now.abs().lt(begun.abs()) ? now : begun
}

export function signedAmount(position: Pick<Position, 'side' | 'amount'> | undefined): Decimal {
  if (position === undefined) return ZERO
  const amount = new Decimal(position.amount)
  return position.side === 'long' ? amount : amount.neg()
}

/** Whether an amount of one market is as much in the other, at any price. */
export function isSameMeasure(master: Market, copier: Market): boolean {
  const { symbol, base, quote, amountUnit } = copier
  return master.symbol === symbol && master.base === base && master.quote === quote && master.amountUnit === amountUnit
}

/** Why no price could convert between the two; undefined: one can. */
export function inconvertible(master: Market, copier: Market): string | undefined {
  if (isSameMeasure(master, copier) || master.quote === copier.quote) return undefined
  if (isDollars(master.quote) && isDollars(copier.quote)) return undefined
  return `${master.symbol} is counted in ${master.quote} and ${copier.symbol} in ${copier.quote}`
}

/** By what it is worth in quote: from one market's amount unit to another's. */
export function byNotional(
  share: Decimal,
  from: { readonly market: Market; readonly price: Figure },
  to: { readonly market: Market; readonly price: Figure },
): Decimal {
  const worth = from.market.amountUnit === 'quote' ? share : share.times(from.price)
  return to.market.amountUnit === 'quote' ? worth : worth.div(to.price)
}

/** What is desired, on the copier's lots: never more than desired, on either side of zero. */
export function targetOf(desired: Decimal, { lotSize }: Pick<Market, 'lotSize'>): Decimal {
  return new Decimal(desired.div(lotSize).toDecimalPlaces(0, Decimal.ROUND_DOWN)).times(lotSize)
}

export interface CopyFacts {
  readonly market: Market
  /** Not cut to lots: what is too little for one stays in it. */
  readonly desired: Decimal
  /** What the copier's own orders have built. */
  readonly owned: Decimal
  /** What its account really holds; undefined: not known, needed only to reduce. */
  readonly held?: Decimal
  /** Last; undefined: not known, needed only to add where the market has a smallest value. */
  readonly price?: Figure
}

export type Copy =
  | { readonly kind: 'in-step' }
  /** Due, and too little for an order. */
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'ask'; readonly what: 'held' | 'price' }
  | {
      readonly kind: 'order'
      readonly side: Side
      /** Without sign. */
      readonly amount: Decimal
      readonly reduceOnly: boolean
      /** It ends all that the copier has built. */
      readonly closes: boolean
    }
  /** To be reduced, and no longer there: so much of what was owned was closed by others. With its sign. */
  | { readonly kind: 'gone'; readonly amount: Decimal }

/** One order at a time: through zero it first closes, and opens when it is flat. */
export function nextCopy(facts: CopyFacts): Copy {
  const { market, owned } = facts
  const target = targetOf(facts.desired, market)
  if (target.eq(owned)) return { kind: 'in-step' }
  const isReducing = !owned.isZero() && (target.isZero() || isOpposite(target, owned) || target.abs().lt(owned.abs()))
  return isReducing ? reduce(facts, target) : add(facts, target)
}

function isOpposite(a: Decimal, b: Decimal): boolean {
  return !a.isZero() && !b.isZero() && a.isNegative() !== b.isNegative()
}

/** May be as small as a lot, so that everything can be closed. */
function reduce({ market, owned, held }: CopyFacts, target: Decimal): Copy {
  if (held === undefined) return { kind: 'ask', what: 'held' }
  const closes = target.isZero() || isOpposite(target, owned)
  const excess = closes ? owned.abs() : owned.minus(target).abs()
  const there = held.isZero() || isOpposite(held, owned) ? ZERO : held.abs()
  const amount = targetOf(Decimal.min(excess, there), market)
  if (amount.isZero()) return { kind: 'gone', amount: owned.isNegative() ? excess.neg() : excess }
  const side = owned.isNegative() ? 'buy' : 'sell'
  return { kind: 'order', side, amount: capped(amount, market), reduceOnly: true, closes }
}

function add({ market, owned, price }: CopyFacts, target: Decimal): Copy {
  const missing = target.minus(owned)
  // What others have closed may have left less than a lot of what was owned.
  const amount = targetOf(missing.abs(), market)
  if (amount.isZero()) return { kind: 'in-step' }
  if (amount.lt(market.minAmount)) return tooLittle(`${market.minAmount}`, market)
  if (market.minNotional !== undefined) {
    if (price === undefined) return { kind: 'ask', what: 'price' }
    const worth = market.amountUnit === 'quote' ? amount : amount.times(price)
    if (worth.lt(market.minNotional)) return tooLittle(`${market.minNotional} ${market.quote}`, market)
  }
  const side = missing.isNegative() ? 'sell' : 'buy'
  return { kind: 'order', side, amount: capped(amount, market), reduceOnly: false, closes: false }
}

function tooLittle(smallest: string, { symbol }: Market): Copy {
  return { kind: 'waiting', why: `what is due is below the minimum ${symbol} order, ${smallest}` }
}

/** What is left of what was built, where others may have closed some of it. */
export function stillOwned(owned: Decimal, held: Decimal): Decimal {
  if (owned.isZero() || held.isZero() || isOpposite(owned, held)) return ZERO
  return held.abs().lt(owned.abs()) ? held : owned
}

/** The orders that lead to the target, if each fills whole. */
export function allCopies(facts: Required<CopyFacts>): readonly Extract<Copy, { readonly kind: 'order' }>[] {
  const orders: Extract<Copy, { readonly kind: 'order' }>[] = []
  let { owned, held } = facts
  while (orders.length < MAX_PLANNED) {
    const copy = nextCopy({ ...facts, owned, held })
    if (copy.kind !== 'order') break
    orders.push(copy)
    const change = copy.side === 'buy' ? copy.amount : copy.amount.neg()
    owned = owned.plus(change)
    held = held.plus(change)
  }
  return orders
}

/** The rest is another order. */
function capped(amount: Decimal, market: Market): Decimal {
  const { maxAmount, marketMaxAmount } = market
  return targetOf(Decimal.min(amount, maxAmount ?? amount, marketMaxAmount ?? amount), market)
}

/** The worst price of an order that may slip so many percent from last. */
export function slippedPrice(side: Side, last: Figure, percent: string, market: Market): string {
  const share = new Decimal(percent).div(100)
  const worst = new Decimal(last).times(side === 'buy' ? share.plus(1) : share.neg().plus(1))
  return priceOnGrid(worst, market, side === 'buy' ? 'down' : 'up')
}
