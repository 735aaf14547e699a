// What became of an order, for programs: the events of trading without their classes.
import type { Order } from '../../exchange/order.ts'
import type { OrderEvent } from '../../trading/order-event.ts'
import type { OrderData } from './data.ts'

export function orderData(event: OrderEvent): OrderData {
  const base = { type: 'order', event: event.type } as const
  switch (event.type) {
    case 'filled':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: event.trades }
    case 'filled-later':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: [event.trade] }
    case 'sent':
    case 'rests':
    case 'filled-meanwhile':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'ended':
      return {
        ...base,
        symbol: event.order.symbol,
        order: event.order,
        ...known({ reason: event.reason, outcome: event.outcome }),
      }
    case 'elsewhere': {
      const { order, trades, reason } = event
      return { ...base, trades, ...known({ symbol: order?.symbol ?? trades[0]?.symbol, order, reason }) }
    }
    case 'placed-elsewhere':
      return { ...base, ...known({ symbol: oneSymbol(event.orders) }), orders: event.orders }
    case 'changed-elsewhere':
      return {
        ...base,
        ...known({ symbol: oneSymbol(event.changes.map(({ order }) => order)) }),
        changes: event.changes,
      }
    case 'unknown':
    case 'unsettled':
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, error: errorOf(event.error) }
    case 'settled':
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, ...known({ order: event.order }) }
    case 'change-unknown':
      return { ...base, symbol: event.symbol, error: errorOf(event.error), ...known({ orderId: event.ref.id }) }
    case 'change-settled': {
      const { symbol, isChanged, ref, order } = event
      return { ...base, symbol, isChanged, ...known({ orderId: ref.id, order }) }
    }
    case 'protected':
      return { ...base, symbol: event.stop.symbol, order: event.stop }
    case 'withdrawn':
    case 'still-rests':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'stop-passed':
      return { ...base, symbol: event.symbol, triggerPrice: event.triggerPrice }
    case 'stop-waits': {
      const { symbol, triggerPrice, takeProfitPrice } = event
      return { ...base, symbol, ...known({ triggerPrice, takeProfitPrice }) }
    }
    case 'offset':
      return { ...base, symbol: event.symbol, filled: event.filled, opened: event.opened }
    case 'stop-failed':
      return { ...base, error: errorOf(event.error) }
    case 'left':
      return { ...base, symbol: event.symbol }
  }
}

/** undefined where they are of several. */
function oneSymbol(orders: readonly Order[]): string | undefined {
  const [symbol, ...others] = new Set(orders.map((order) => order.symbol))
  return others.length > 0 ? undefined : symbol
}

type Known<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Without the fields that say nothing. */
function known<Fields extends object>(fields: Fields): Known<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<Fields>
}

function errorOf({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): NonNullable<OrderData['error']> {
  return { code, message }
}
