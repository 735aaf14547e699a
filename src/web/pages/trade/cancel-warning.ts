// What canceling an order takes away, said only where it is true.
import type { Portfolio } from '../../../protocol/frames.ts'

type Order = Portfolio['orders'][number]

/** @returns undefined for an order that protects no position */
export function cancelWarning(
  order: Order,
  { positions, orders }: Pick<Portfolio, 'positions' | 'orders'>,
): string | undefined {
  const position = positions.find(({ symbol }) => symbol === order.symbol)
  const closing = CLOSING_SIDE.get(position?.side ?? '')
  const protects = ({ symbol, type, side, reduceOnly }: Order) =>
    reduceOnly && type === 'stop' && symbol === order.symbol && side === closing
  if (closing === undefined || !protects(order)) return undefined
  const others = orders.filter((other) => other.id !== order.id && protects(other)).length
  const what = `the ${position?.side} position in ${order.symbol}`
  if (others === 0) return `It is the last stop of ${what}: without it, nothing limits the loss.`
  return `It is one of ${others + 1} stops of ${what}; ${others === 1 ? 'the other stays' : 'the others stay'}.`
}

const CLOSING_SIDE: ReadonlyMap<string, string> = new Map([
  ['long', 'sell'],
  ['short', 'buy'],
])
