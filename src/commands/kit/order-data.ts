// What became of an order, for programs: the events of trading without their classes.
import type { OrderEvent } from '../../trading/order-event.ts'
import type { OrderData } from './data.ts'

export function orderData(event: OrderEvent): OrderData {
  const base = { type: 'order', event: event.type } as const
  switch (event.type) {
    case 'filled':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: event.trades }
    case 'filled-later':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: [event.trade] }
    case 'rests':
    case 'filled-meanwhile':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'ended': {
      const reason = event.reason === undefined ? {} : { reason: event.reason }
      return { ...base, symbol: event.order.symbol, order: event.order, ...reason }
    }
    case 'elsewhere': {
      const { order, trades, reason } = event
      const symbol = order?.symbol ?? trades[0]?.symbol
      return {
        ...{ ...base, trades },
        ...(symbol === undefined ? {} : { symbol }),
        ...(order === undefined ? {} : { order }),
        ...(reason === undefined ? {} : { reason }),
      }
    }
    case 'unknown':
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, error: errorOf(event.error) }
    case 'settled': {
      const order = event.order === undefined ? {} : { order: event.order }
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, ...order }
    }
    case 'protected':
      return { ...base, symbol: event.stop.symbol, order: event.stop }
    case 'withdrawn':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'stop-passed':
      return { ...base, symbol: event.symbol, triggerPrice: event.triggerPrice }
    case 'stop-waits': {
      const { symbol, triggerPrice, takeProfitPrice } = event
      return {
        ...{ ...base, symbol },
        ...(triggerPrice === undefined ? {} : { triggerPrice }),
        ...(takeProfitPrice === undefined ? {} : { takeProfitPrice }),
      }
    }
    case 'stop-failed':
      return { ...base, error: errorOf(event.error) }
    case 'left':
      return { ...base, symbol: event.symbol }
  }
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
