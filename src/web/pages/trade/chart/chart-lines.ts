// What the chart shows at a price: where a position was entered, where orders and stops wait, where the ticket would put its own; and the washes
// between an entry and what ends it. All money in it is hookline's own word.
import { typedLine } from '../../../../language/print.ts'
import type { Portfolio } from '../../../../protocol/frames.ts'
import type { Preview, PreviewOrder } from '../../../../protocol/preview.ts'
import { compareFigures, showFigure, showSignedMoney } from '../../../figures.ts'
import { moveOrderLine } from '../position-lines.ts'

type Order = Portfolio['orders'][number]
type Position = Portfolio['positions'][number]
type Held = Pick<Portfolio, 'positions' | 'orders'>

export interface ChartLine {
  /** Unique. */
  readonly id: string
  readonly price: string
  readonly label: string
  /** The label without what is made at the price: for as long as the line is elsewhere. */
  readonly name: string
  readonly look: 'long' | 'short' | 'stop' | 'limit' | 'draft'
  /** The order that it is of, and what of the order is there; absent: it cannot be moved. */
  readonly moves?: { readonly orderId: string; readonly what: 'price' | 'takeProfit' }
  /** The field of the ticket that it is of. */
  readonly edits?: 'price' | 'trigger' | 'stop' | 'target'
}

/** A shade from an entry to where it would end. */
export interface Wash {
  readonly from: string
  readonly to: string
  readonly tone: 'gain' | 'loss'
  /** Of the ticket: it is not at the exchange. */
  readonly isDraft: boolean
}

/** @param portfolio what has no price, or is of another symbol, has no line */
export function linesOf({ positions, orders }: Held, symbol: string): ChartLine[] {
  const entries = positions
    .filter((position) => position.symbol === symbol)
    .map(({ side, amount, entryPrice, unrealizedPnl }): ChartLine => {
      const named = labelled(`${side} ${showFigure(amount)}`, unrealizedPnl)
      return { id: `position ${side}`, price: entryPrice, ...named, look: side === 'short' ? 'short' : 'long' }
    })
  return [...entries, ...orders.filter((order) => order.symbol === symbol).flatMap(linesOfOrder)]
}

function linesOfOrder(order: Order): ChartLine[] {
  const { id, triggerPrice, takeProfitPrice, pnl, takeProfitPnl } = order
  const price = triggerPrice ?? order.price
  const lines: ChartLine[] = []
  if (price !== undefined) {
    const look = triggerPrice === undefined ? 'limit' : 'stop'
    lines.push({ id, price, ...labelled(nameOf(order, order.type), pnl), look, moves: { orderId: id, what: 'price' } })
  }
  if (takeProfitPrice !== undefined) {
    const moves = { orderId: id, what: 'takeProfit' } as const
    const named = labelled(nameOf(order, 'target'), takeProfitPnl)
    lines.push({ id: `${id} tp`, price: takeProfitPrice, ...named, look: 'limit', moves })
  }
  return lines
}

function nameOf({ id, side, amount, postOnly }: Order, type: string): string {
  const what = type === 'limit' ? side : `${type}, ${side}`
  return `${id} ${what} ${showFigure(amount)}${postOnly ? ', post-only' : ''}`
}

function labelled(name: string, pnl: string | undefined): Pick<ChartLine, 'name' | 'label'> {
  return { name, label: pnl === undefined ? name : `${name} ${showSignedMoney(pnl)}` }
}

/** More lines than these say nothing any more. */
const MAX_DRAFTS = 20

/** Of the orders that the ticket would place. @param isEditable the ticket's fields show the whole line */
export function draftLines(preview: Preview | undefined, symbol: string, isEditable: boolean): ChartLine[] {
  const orders = (preview?.orders ?? []).filter((order) => order.symbol === symbol).slice(0, MAX_DRAFTS)
  const isAlone = isEditable && orders.length === 1
  return orders.flatMap((order, index) => linesOfDraft(order, `draft ${index}`, isAlone))
}

function linesOfDraft(order: PreviewOrder, id: string, isEditable: boolean): ChartLine[] {
  const { side, amount, price, triggerPrice, stop, takeProfit, pnl } = order
  const lines: ChartLine[] = []
  const add = (at: string, edits: NonNullable<ChartLine['edits']>, name: string, made?: string) =>
    lines.push({
      id: `${id} ${edits}`,
      price: at,
      look: 'draft',
      ...labelled(`ticket: ${name}`, made),
      ...(isEditable ? { edits } : {}),
    })
  const ordered = `${side} ${showFigure(amount)}`
  if (triggerPrice !== undefined) add(triggerPrice, 'trigger', `stop, ${ordered}`, pnl)
  else if (price !== undefined) add(price, 'price', ordered)
  if (stop) add(stop.triggerPrice, 'stop', 'stop', stop.pnl)
  if (takeProfit) add(takeProfit.triggerPrice, 'target', 'target', takeProfit.pnl)
  return lines
}

export function washesOf({ positions, orders }: Held, preview: Preview | undefined, symbol: string): Wash[] {
  const held = positions
    .filter((position) => position.symbol === symbol)
    .flatMap((position) =>
      orders.filter((order) => ends(order, position)).flatMap((order) => washesTo(order, position)),
    )
  const drafts = (preview?.orders ?? [])
    .filter((order) => order.symbol === symbol && order.at !== undefined)
    .flatMap(({ at = '', stop, takeProfit }) => [
      ...(stop ? [{ from: at, to: stop.triggerPrice, tone: 'loss', isDraft: true } as const] : []),
      ...(takeProfit ? [{ from: at, to: takeProfit.triggerPrice, tone: 'gain', isDraft: true } as const] : []),
    ])
  return [...held, ...drafts]
}

function ends(order: Order, { symbol, side }: Position): boolean {
  return order.symbol === symbol && (side === 'long') === (order.side === 'sell')
}

function washesTo({ triggerPrice, price, takeProfitPrice }: Order, { entryPrice, side }: Position): Wash[] {
  return [triggerPrice ?? price, takeProfitPrice].flatMap((to): Wash[] => {
    if (to === undefined) return []
    const isAbove = compareFigures(to, entryPrice) > 0
    return [{ from: entryPrice, to, tone: isAbove === (side === 'long') ? 'gain' : 'loss', isDraft: false }]
  })
}

/** What a dragged line would run. @param price on the tick */
export function moveLine({ orderId, what }: NonNullable<ChartLine['moves']>, price: string): string | undefined {
  return what === 'price' ? moveOrderLine(orderId, price) : typedLine`amend ${orderId} tp ${price}`
}
