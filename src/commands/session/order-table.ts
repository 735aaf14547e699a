// Orders of a run or a task, as the order journal has them.
import { printable } from '../../language/printable.ts'
import { showAmount, showPrice } from '../../trading/figures.ts'
import type { RunOrder } from '../../trading/history/journal-history.ts'

export const ORDER_COLUMNS = [
  { title: 'order' },
  { title: 'symbol' },
  { title: 'side' },
  { title: 'type' },
  { title: 'amount', align: 'right' },
  { title: 'price', align: 'right' },
  { title: 'filled', align: 'right' },
  { title: 'at', align: 'right' },
  { title: 'state' },
] as const

export function orderCells(order: RunOrder): readonly string[] {
  const price = order.triggerPrice ?? order.price
  return [
    printable(order.orderId ?? '', 40),
    printable(order.symbol, 20),
    order.side,
    printable(order.type, 20),
    showAmount(order.amount),
    price === undefined ? '' : showPrice(price),
    showAmount(order.filled),
    order.average === undefined ? '' : showPrice(order.average),
    order.reason === undefined ? order.state : `${order.state}: ${printable(order.reason, 80)}`,
  ]
}
