// What the chart shows at a price: where a position was entered, where orders and stops wait.
import type { Portfolio } from '../../../../protocol/frames.ts'
import { showFigure, showSignedMoney } from '../../../figures.ts'

type Order = Portfolio['orders'][number]

export interface ChartLine {
  /** Unique. */
  readonly id: string
  readonly price: string
  readonly label: string
  readonly look: 'long' | 'short' | 'stop' | 'limit'
  /** The order that it is of, and what of the order is there; absent: it cannot be moved. */
  readonly moves?: { readonly orderId: string; readonly what: 'price' | 'takeProfit' }
}

/** @param portfolio what has no price, or is of another symbol, has no line */
export function linesOf({ positions, orders }: Pick<Portfolio, 'positions' | 'orders'>, symbol: string): ChartLine[] {
  const entries = positions
    .filter((position) => position.symbol === symbol)
    .map(({ side, amount, entryPrice, unrealizedPnl }): ChartLine => {
      const pnl = unrealizedPnl === undefined ? '' : ` ${showSignedMoney(unrealizedPnl)}`
      const label = `${side} ${showFigure(amount)}${pnl}`
      return { id: `position ${side}`, price: entryPrice, label, look: side === 'short' ? 'short' : 'long' }
    })
  return [...entries, ...orders.filter((order) => order.symbol === symbol).flatMap(linesOfOrder)]
}

function linesOfOrder(order: Order): ChartLine[] {
  const { id, triggerPrice, takeProfitPrice } = order
  const price = triggerPrice ?? order.price
  const lines: ChartLine[] = []
  if (price !== undefined) {
    const look = triggerPrice === undefined ? 'limit' : 'stop'
    lines.push({ id, price, label: labelOf(order, order.type), look, moves: { orderId: id, what: 'price' } })
  }
  if (takeProfitPrice !== undefined) {
    const moves = { orderId: id, what: 'takeProfit' } as const
    lines.push({ id: `${id} tp`, price: takeProfitPrice, label: labelOf(order, 'target'), look: 'limit', moves })
  }
  return lines
}

function labelOf({ id, side, amount, postOnly }: Order, type: string): string {
  const what = type === 'limit' ? side : `${type}, ${side}`
  return `${id} ${what} ${showFigure(amount)}${postOnly ? ', post-only' : ''}`
}

/** What a dragged line would run. @param price on the tick */
export function moveLine({ orderId, what }: NonNullable<ChartLine['moves']>, price: string): string {
  return what === 'price' ? `move ${orderId} to ${price}` : `amend ${orderId} tp ${price}`
}
