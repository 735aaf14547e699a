// What a trade realises, by average cost. A holding is its amount and the value it was entered for: amount × price where the quote is
// counted, and -amount / price for inverse contracts, whose amounts are dollars and whose profits are coins. Sums are exact, and what must be
// divided keeps 60 digits.
import { Decimal as AnyDecimal } from 'decimal.js'
import type { MarketKind } from '../../exchange/market.ts'
import type { Trade } from '../../exchange/order.ts'

export const Exact = AnyDecimal.clone({ precision: 60 })
export type Exact = AnyDecimal

export interface Holding {
  /** In the market's unit; negative when short. */
  readonly amount: Exact
  /** What it was entered for; of the same sign where the quote is counted, of the other for inverse contracts. */
  readonly value: Exact
}

export const NOTHING: Holding = { amount: new Exact(0), value: new Exact(0) }

interface Realized {
  readonly after: Holding
  /** In settle: quote, or base of inverse contracts. Before fees. */
  readonly pnl: Exact
  /** How much of the holding was closed. */
  readonly closed: Exact
  /** Sold without having been bought before: spot only, where nobody is short. */
  readonly unknown: Exact
}

/** What so much, signed, is worth at a price. */
export function valueAt(kind: MarketKind, amount: Exact, price: AnyDecimal.Value): Exact {
  return kind === 'inverse' ? amount.div(price).neg() : amount.times(price)
}

/** The price at which the holding was entered, on average; undefined for nothing. */
export function averagePrice(kind: MarketKind, { amount, value }: Holding): Exact | undefined {
  if (amount.isZero()) return undefined
  return kind === 'inverse' ? amount.div(value).neg() : value.div(amount)
}

/** Before fees; what a fee took of the coins themselves is not held any more. */
export function applyTrade(
  kind: MarketKind,
  before: Holding,
  trade: Pick<Trade, 'side' | 'amount' | 'price'>,
): Realized {
  const size = new Exact(trade.amount)
  const change = trade.side === 'buy' ? size : size.neg()
  const isClosing = before.amount.isNeg() !== change.isNeg() && !before.amount.isZero()
  const closed = isClosing ? Exact.min(change.abs(), before.amount.abs()) : new Exact(0)
  const kept = release(before, closed)
  const closing = change.isNeg() ? closed.neg() : closed
  const pnl = before.value
    .minus(kept.value)
    .plus(valueAt(kind, closing, trade.price))
    .neg()
  const rest = change.minus(closing)
  // Coins that were never counted cannot be owed.
  if (kind === 'spot' && rest.isNeg()) return { after: kept, pnl, closed, unknown: rest.abs() }
  const opened = { amount: kept.amount.plus(rest), value: kept.value.plus(valueAt(kind, rest, trade.price)) }
  return { after: opened, pnl, closed, unknown: new Exact(0) }
}

/** The holding without so much of it, at its average. */
export function release({ amount, value }: Holding, closed: Exact): Holding {
  if (closed.isZero()) return { amount, value }
  if (closed.gte(amount.abs())) return NOTHING
  const left = amount.isNeg() ? amount.plus(closed) : amount.minus(closed)
  return { amount: left, value: value.times(left).div(amount) }
}
