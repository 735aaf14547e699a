// What an order that ends a position, or a part of it, makes or loses against the entry where it fills: before fees, in what profits are
// counted in. Nothing for an order that adds.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { MarketKind } from '../exchange/market.ts'
import type { Order, Position } from '../exchange/order.ts'

export interface ExitPnl {
  /** At its price, or at its trigger. */
  readonly pnl?: string
  readonly takeProfitPnl?: string
}

type Exit = Pick<
  Order,
  'symbol' | 'side' | 'remaining' | 'price' | 'triggerPrice' | 'takeProfitPrice' | 'closesPosition'
>
type Held = Pick<Position, 'symbol' | 'side' | 'amount' | 'entryPrice'>

/** Digits behind the point; trailing zeros go. */
const MONEY_DIGITS = 8

export function exitPnlOf(order: Exit, positions: readonly Held[], kind: MarketKind): ExitPnl {
  const held = positions.find(
    ({ symbol, side }) => symbol === order.symbol && (side === 'long') === (order.side === 'sell'),
  )
  if (held === undefined) return {}
  const at = (price: string | undefined) => (price === undefined ? undefined : pnlAt(price, order, held, kind))
  const [pnl, takeProfitPnl] = [at(order.price ?? order.triggerPrice), at(order.takeProfitPrice)]
  return defined({ pnl, takeProfitPnl })
}

function pnlAt(price: string, { remaining, closesPosition }: Exit, held: Held, kind: MarketKind): string | undefined {
  const amount = closesPosition === true ? new Decimal(held.amount) : Decimal.min(remaining, held.amount)
  const [from, to] = [new Decimal(held.entryPrice), new Decimal(price)]
  if (!from.gt(0) || !to.gt(0)) return undefined
  const long =
    kind === 'inverse'
      ? amount.times(new Decimal(1).div(from).minus(new Decimal(1).div(to)))
      : amount.times(to.minus(from))
  return (held.side === 'long' ? long : long.neg()).toDecimalPlaces(MONEY_DIGITS).toFixed()
}
