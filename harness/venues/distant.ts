// A venue as most are, made of one that answers at once: it acknowledges an order by its id alone, tells nothing by itself, forgets ended
// orders, and lists positions late. Gate futures: "can be checked within 60 seconds after the end of the order. After that, only order ID"
// (API v4, `GET /futures/{settle}/orders/{order_id}`); Bybit, KuCoin and Bitget answer a new order with its ids and nothing else.
import { defined } from '../../src/base/defined.ts'
import type { Exchange, OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order, OrderRef, Position } from '../../src/exchange/order.ts'

export interface Distance {
  readonly now: () => number
  /** An order is acknowledged by its id, and so long after that it is known what it did; absent: at once. */
  readonly fillMs?: number
  /** Tells fills and ends by itself. */
  readonly tells?: boolean
  /** So long after its end an order is found by our id; absent: for ever. */
  readonly findableMs?: number
  /** By the venue's id as well. */
  readonly forgetsIds?: boolean
  /** Neither fills nor orders that are asked for by the venue's id have our id. */
  readonly dropsNames?: boolean
  /** Positions are listed as they were so long ago. */
  readonly lateMs?: number
  /** What is held is known without asking. */
  readonly knowsPositions?: boolean
  /** Nothing larger is taken, and the market does not say so. */
  readonly most?: string
}

export function distantVenue(near: Exchange, distance: Distance): Exchange {
  const { now, fillMs = 0, lateMs = 0, findableMs } = distance
  const sentAt = new Map<string, number>()
  /** Before each order, oldest first. */
  const before: { readonly at: number; readonly positions: readonly Position[] }[] = []

  async function endedAt(order: Order): Promise<number> {
    const trades = await near.fetchMyTrades({ symbol: order.symbol, limit: 500 })
    const own = trades.filter(({ orderId }) => orderId === order.id).map(({ timestamp }) => timestamp)
    return Math.max(order.timestamp, ...own)
  }

  async function fetchOrder(ref: OrderRef): Promise<Order> {
    const order = await near.fetchOrder(ref)
    const age = order.status === 'open' ? 0 : now() - (await endedAt(order))
    const isForgotten = age > (findableMs ?? Number.POSITIVE_INFINITY) && (ref.id === undefined || distance.forgetsIds)
    if (isForgotten) throw new ExchangeError('order-not-found', 'no such order')
    const seen = now() - (sentAt.get(order.id) ?? 0) < fillMs ? unfilled(order) : order
    return ref.id !== undefined && distance.dropsNames === true ? nameless(seen) : seen
  }

  const fetchPositions = async () =>
    before.find(({ at }) => at > now() - lateMs)?.positions ?? (await near.fetchPositions())

  return {
    ...near,
    ...defined({ findableMs }),
    subscribe: (handler) => (distance.tells === true ? near.subscribe(handler) : () => {}),
    async createOrder(request): Promise<OrderOutcome> {
      if (distance.most !== undefined && Number(request.amount) > Number(distance.most)) {
        return { kind: 'refused', error: new ExchangeError('invalid-order', 'quantity above the maximum') }
      }
      if (lateMs > 0) before.push({ at: now(), positions: await near.fetchPositions() })
      const outcome = await near.createOrder(request)
      if (outcome.kind !== 'placed') return outcome
      sentAt.set(outcome.order.id, now())
      return fillMs === 0 ? outcome : { kind: 'placed', order: unfilled(outcome.order) }
    },
    fetchOrder,
    fetchPositions,
    async fetchMyTrades(query) {
      const trades = await near.fetchMyTrades(query)
      return distance.dropsNames === true ? trades.map(nameless) : trades
    },
    ...(distance.knowsPositions === true ? { knownPositions: fetchPositionsKnown(near) } : {}),
  }
}

/** As a stream has told them. */
function fetchPositionsKnown(near: Exchange): () => readonly Position[] | undefined {
  let known: readonly Position[] | undefined = []
  near.subscribe(() => {
    void near.fetchPositions().then((positions) => {
      known = positions
    })
  })
  return () => known
}

function unfilled({ average: _, ...order }: Order): Order {
  return { ...order, filled: '0', remaining: order.amount, status: 'open' }
}

function nameless<T extends { readonly clientOrderId?: string }>({
  clientOrderId: _,
  ...rest
}: T): Omit<T, 'clientOrderId'> {
  return rest
}
