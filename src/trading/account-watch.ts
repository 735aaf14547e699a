// What happens on an account without this process having asked for it: fills, stops, liquidations and cancels of orders that a person, another
// process or the venue placed or took back (behaviour 34).
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { type Order, symbolKey, type Trade } from '../exchange/order.ts'
import type { OrderDesk } from './order-desk.ts'
import type { TellOrder } from './order-event.ts'

export interface AccountWatchOptions {
  readonly venue: Pick<VenueView, 'subscribe'>
  readonly orders: Pick<OrderDesk, 'isOwn'>
  readonly tell: TellOrder
  /** Runs `work` once what comes together has come. Default: after this turn of the event loop. */
  readonly soon?: (work: () => void) => void
}

interface Happened {
  order: Order | undefined
  reason: string | undefined
  readonly trades: Trade[]
}

/** Begins at once. @returns ends it; what has come by then is told */
export function watchAccount({ venue, orders, tell, soon = setImmediate }: AccountWatchOptions): () => void {
  /** By the order: a venue tells the fills of one order one by one, and then the order. */
  let happened = new Map<string, Happened>()

  function flush(): void {
    const told = happened
    happened = new Map()
    for (const { order, reason, trades } of told.values()) {
      const isOver =
        order !== undefined && order.status !== 'open' && (order.status !== 'closed' || reason !== undefined)
      if (trades.length === 0 && !isOver) continue
      tell({
        type: 'elsewhere',
        trades,
        ...(order === undefined ? {} : { order }),
        ...(reason === undefined ? {} : { reason }),
      })
    }
  }

  function entryOf(symbol: string, orderId: string): Happened {
    const key = symbolKey(symbol, orderId)
    const known = happened.get(key)
    if (known !== undefined) return known
    if (happened.size === 0) soon(flush)
    const entry: Happened = { order: undefined, reason: undefined, trades: [] }
    happened.set(key, entry)
    return entry
  }

  function hear(event: ExchangeEvent): void {
    if (event.type === 'trade') {
      const { orderId, clientOrderId, symbol } = event.trade
      if (orders.isOwn({ id: orderId, symbol, ...(clientOrderId === undefined ? {} : { clientOrderId }) })) return
      entryOf(symbol, orderId).trades.push(event.trade)
    }
    if (event.type !== 'order' || orders.isOwn(event.order)) return
    const entry = entryOf(event.order.symbol, event.order.id)
    entry.order = event.order
    entry.reason = event.reason ?? entry.reason
  }

  const stop = venue.subscribe(hear)
  return () => {
    stop()
    flush()
  }
}
