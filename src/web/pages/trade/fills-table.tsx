// What has filled on the account of this tab, and who ordered it.
import { useMemo } from 'react'
import type { FillRow } from '../../../protocol/frames.ts'
import { useShownColumns } from '../../components/column-choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Nothing } from '../../components/pane.tsx'
import { FeeDigitsContext } from './fee-digits.ts'
import { feeDigits } from './fees.ts'
import { FILL_COLUMNS } from './fill-columns.tsx'

export interface FillsTableProps {
  readonly rows: readonly FillRow[] | undefined
  readonly room: number
}

export function FillsTable({ rows, room }: FillsTableProps) {
  const columns = useShownColumns('fills', FILL_COLUMNS, room)
  const digits = useMemo(() => feeDigits(rows ?? []), [rows])
  if (rows === undefined) return <Nothing what="Fills" rows={3} />
  if (rows.length === 0) return <Empty>Nothing has filled here yet.</Empty>
  return (
    <FeeDigitsContext value={digits}>
      <DataTable label="Fills" columns={columns} rows={rows} keyOf={({ id, symbol }) => `${symbol} ${id}`} />
    </FeeDigitsContext>
  )
}
