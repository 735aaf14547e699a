// The stand-in's own books as rows of the port, by the ids that orders were sent with: what an order journal is compared with. It shares
// nothing with the adapter.
import type { Order } from '../../../src/exchange/order.ts'
import type { Account, AlgoOrder, VenueOrder } from './account.ts'
import { averageOf } from './events.ts'

export interface Books {
  readonly orders: Map<string, Order>
  /** Ids under which more than one order was accepted. */
  readonly twice: readonly string[]
}

const STATUS = {
  NEW: 'open',
  PARTIALLY_FILLED: 'open',
  FILLED: 'closed',
  CANCELED: 'canceled',
  EXPIRED: 'expired',
  TRIGGERING: 'open',
  TRIGGERED: 'open',
  FINISHED: 'closed',
  REJECTED: 'rejected',
} as const

/** Liquidations are the venue's own and not among them. @param ours the id that an order was made with, from how it was sent */
export function booksOf(account: Account, ours: (sent: string) => string = (sent) => sent): Books {
  const orders = new Map<string, Order>()
  const twice: string[] = []
  const put = (clientId: string, order: Order) => {
    const id = ours(clientId)
    if (orders.has(id)) twice.push(id)
    orders.set(id, { ...order, clientOrderId: id })
  }
  for (const order of account.orders.values()) {
    if (order.algo === undefined && order.type !== 'LIQUIDATION') put(order.clientId, rowOf(order))
  }
  for (const algo of account.algos.values()) put(algo.clientId, algoRowOf(algo))
  return { orders, twice }
}

function rowOf(order: VenueOrder): Order {
  const { amount, filled, reduceOnly, listed, side, time } = order
  return {
    id: String(order.id),
    symbol: listed.symbol,
    side: side === 'BUY' ? 'buy' : 'sell',
    type: order.type === 'LIMIT' ? 'limit' : 'market',
    amount: amount.toFixed(),
    filled: filled.toFixed(),
    remaining: amount.minus(filled).toFixed(),
    ...(filled.isZero() ? {} : { average: averageOf(order) }),
    reduceOnly,
    postOnly: order.timeInForce === 'GTX',
    status: STATUS[order.status],
    timestamp: time,
  }
}

function algoRowOf(algo: AlgoOrder): Order {
  const { amount, listed, side, reduceOnly, trigger, time, child } = algo
  const filled = child?.filled ?? amount.minus(amount)
  const type = algo.type.startsWith('TAKE') ? 'take-profit' : algo.type === 'STOP' ? 'stop-limit' : 'stop'
  return {
    id: String(algo.id),
    symbol: listed.symbol,
    side: side === 'BUY' ? 'buy' : 'sell',
    type,
    amount: amount.toFixed(),
    filled: filled.toFixed(),
    remaining: amount.minus(filled).toFixed(),
    triggerPrice: trigger.toFixed(),
    reduceOnly,
    postOnly: false,
    status: STATUS[algo.status],
    timestamp: time,
  }
}
