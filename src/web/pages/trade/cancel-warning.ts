// What canceling orders takes away.
import type { Portfolio } from '../../../protocol/frames.ts'
import { showFigure } from '../../figures.ts'
import { isThere, mayNotFill, protectionOf } from './position-lines.ts'

type Order = Portfolio['orders'][number]
type Position = Portfolio['positions'][number]
type Holdings = Pick<Portfolio, 'positions' | 'orders'>

/** @returns undefined for an order that protects no position */
export function cancelWarning(order: Order, { positions, orders }: Holdings): string | undefined {
  const position = positions.find(({ symbol }) => symbol === order.symbol)
  if (position === undefined) return undefined
  const now = protectionOf(position, orders)
  const after = protectionOf(position, without(orders, order))
  if (now === undefined || after === undefined || !now.stops.some(({ id }) => id === order.id)) return undefined
  const what = nameOf(position)
  const [stays] = after.stops
  if (stays === undefined) {
    const part = isThere(now.uncovered) ? ', though it does not cover all of it' : ''
    return `It is the only stop of ${what}${part}. Without it nothing limits the loss.`
  }
  const others = after.stops.length === 1 ? 'The other stop' : `The other ${after.stops.length} stops`
  const verb = after.stops.length === 1 ? 'covers' : 'cover'
  const weak = after.stops.every(mayNotFill) ? ' A stop-limit may not fill when the price jumps.' : ''
  if (!isThere(after.uncovered)) return `${others} ${verb} all of ${what}.${weak}`
  const bare = `${showFigure(after.uncovered)} of ${showFigure(position.amount)}`
  return `Without it ${bare} has no stop, and nothing limits the loss of that part of ${what}.${weak}`
}

/** @param symbol undefined: of every symbol @returns a sentence for each position that would have no stop any more */
export function cancelAllWarnings(symbol: string | undefined, { positions, orders }: Holdings): string[] {
  return positions
    .filter((position) => symbol === undefined || position.symbol === symbol)
    .filter((position) => protectionOf(position, orders)?.stops[0] !== undefined)
    .map((position) => `It takes away every stop of ${nameOf(position)}. Without them nothing limits the loss.`)
}

function without(orders: readonly Order[], order: Order): Order[] {
  return orders.filter(({ id, symbol }) => id !== order.id || symbol !== order.symbol)
}

function nameOf({ side, symbol }: Position): string {
  return `the ${side} position in ${symbol}`
}
