// One position and what a trade does to it. The cost is carried exactly and released in proportion as the position is
// closed; the last close releases what is left, so that rounding never makes or loses money.
import type { Side } from '../../exchange/order.ts'
import { Decimal, decimal, decimalText, toMoney, ZERO } from './decimal.ts'
import type { Quotes } from './market.ts'
import type { PaperState, StoredPosition } from './state.ts'

/** Of a side: what is bought counts up, what is sold counts down. */
export function signed(side: Side, amount: Decimal): Decimal {
  return side === 'buy' ? amount : amount.neg()
}

/** In base, negative when short, zero without a position. */
export function heldAmount(state: PaperState, symbol: string): Decimal {
  const position = state.positions.find((held) => held.symbol === symbol)
  return position === undefined ? ZERO : decimal(position.amount)
}

/** How much an order of this side could take off the position. */
export function reducibleAmount(state: PaperState, symbol: string, side: Side): Decimal {
  return Decimal.max(ZERO, signed(side, heldAmount(state, symbol)).neg())
}

interface PositionChange {
  readonly symbol: string
  /** In base; what is sold counts down. */
  readonly change: Decimal
  readonly price: Decimal
  /** ms since the epoch. */
  readonly at: number
}

/**
 * The account's positions after trading `change` (signed, in base) at `price`, and the PnL that realises. A trade through
 * zero closes the old position and opens the other way for the rest.
 */
export function tradePosition(
  state: PaperState,
  { symbol, change, price, at }: PositionChange,
): { readonly positions: readonly StoredPosition[]; readonly realized: Decimal } {
  const before = state.positions.find((held) => held.symbol === symbol)
  const nothing: StoredPosition = { symbol, amount: '0', cost: '0', realizedPnl: '0' }
  const { after, realized } = traded(before ?? nothing, change, price, at)
  const others = state.positions.filter((held) => held.symbol !== symbol)
  const positions = after === undefined ? others : [...others, after]
  return { positions: positions.sort((left, right) => (left.symbol < right.symbol ? -1 : 1)), realized }
}

function traded(
  before: StoredPosition,
  change: Decimal,
  price: Decimal,
  at: number,
): { readonly after: StoredPosition | undefined; readonly realized: Decimal } {
  const held = decimal(before.amount)
  const cost = decimal(before.cost)
  const closes = held.isNeg() !== change.isNeg() && !held.isZero()
  if (!closes) {
    const entered = held.isZero() ? { ...before, openedAt: at } : before
    return { after: withHolding(entered, held.plus(change), cost.plus(change.times(price))), realized: ZERO }
  }
  if (change.abs().gte(held.abs())) {
    const rest = held.plus(change)
    const { fundedUntil: _, ...closed } = before
    const opened = { ...closed, realizedPnl: '0', openedAt: at }
    return {
      after: rest.isZero() ? undefined : withHolding(opened, rest, rest.times(price)),
      realized: held.times(price).minus(cost),
    }
  }
  const released = toMoney(cost.times(change).div(held).neg())
  const realized = change.neg().times(price).minus(released)
  const after = withHolding(before, held.plus(change), cost.minus(released))
  return { after: { ...after, realizedPnl: decimalText(realized.plus(decimal(before.realizedPnl))) }, realized }
}

function withHolding(position: StoredPosition, amount: Decimal, cost: Decimal): StoredPosition {
  return { ...position, amount: decimalText(amount), cost: decimalText(cost) }
}

/** What the position would realise at the last price. */
export function unrealized(position: StoredPosition, quotes: Quotes): Decimal {
  return decimal(position.amount)
    .times(decimal(quotes(position.symbol).last))
    .minus(decimal(position.cost))
}
