// Resting orders, each with its Cancel.
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { Empty } from '../../components/pane.tsx'
import type { Order } from './order-columns.tsx'

interface OrdersTableProps {
  readonly rows: readonly Order[]
  readonly columns: readonly ChoosableColumn<Order>[]
  readonly room: number
}

export function OrdersTable({ rows, columns, room }: OrdersTableProps) {
  const shown = useShownColumns('orders', columns, room)
  if (rows.length === 0) {
    return (
      <Empty>
        No resting orders. <code>stop at -2%</code> protects a position.
      </Empty>
    )
  }
  return <DataTable label="Resting orders" columns={shown} rows={rows} keyOf={({ id, symbol }) => `${symbol} ${id}`} />
}
