// The orders that this process has seen or sent, as last told: what an answer leaves out is read here, and an id that was sent is not sent again
// before the venue was asked for it.
import { BoundedMap, BoundedSet } from '../../base/concurrency.ts'
import { type Order, type OrderRef, symbolKey } from '../../exchange/order.ts'

const MOST = 5_000

export interface KnownOrders {
  remember(order: Order): Order
  find(ref: OrderRef): Order | undefined
  /** Of those that were open when last seen. */
  openSymbols(): readonly string[]
  /** @returns whether it had been sent before */
  noteSent(clientOrderId: string): boolean
}

export function createKnownOrders(): KnownOrders {
  const byId = new BoundedMap<string, Order>(MOST)
  const byClientOrderId = new BoundedMap<string, Order>(MOST)
  const sent = new BoundedSet<string>(MOST)
  return {
    remember(order) {
      byId.set(symbolKey(order.symbol, order.id), order)
      if (order.clientOrderId !== undefined) byClientOrderId.set(order.clientOrderId, order)
      return order
    },
    find({ symbol, id, clientOrderId }) {
      const named = id === undefined ? undefined : byId.get(symbolKey(symbol, id))
      if (named !== undefined || clientOrderId === undefined) return named
      const ours = byClientOrderId.get(clientOrderId)
      return ours?.symbol === symbol ? ours : undefined
    },
    openSymbols: () => [
      ...new Set([...byId.values()].flatMap(({ status, symbol }) => (status === 'open' ? [symbol] : []))),
    ],
    noteSent(clientOrderId) {
      if (sent.has(clientOrderId)) return true
      sent.add(clientOrderId)
      return false
    },
  }
}
