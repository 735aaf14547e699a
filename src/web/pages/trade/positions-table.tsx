// Open positions, each with what protects and what ends it; and what they come to.
import type { ReactNode } from 'react'
import { useShownColumns } from '../../components/column-choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Gain } from '../../components/figure.tsx'
import { sumOf } from '../../exact.ts'
import { showMoney } from '../../figures.ts'
import { useHeld } from './holdings-context.ts'
import { POSITION_COLUMNS, type Position } from './position-columns.tsx'

export interface PositionsTableProps {
  readonly rows: readonly Position[]
  readonly room: number
}

export function PositionsTable({ rows, room }: PositionsTableProps) {
  const columns = useShownColumns('positions', rows.length > 1 ? WITH_TOTALS : POSITION_COLUMNS, room)
  if (rows.length === 0) {
    return (
      <Empty>
        No open positions. Click a price in the book, or type <code>buy $250 BTCUSDT stop -2%</code>
      </Empty>
    )
  }
  return (
    <DataTable label="Open positions" columns={columns} rows={rows} keyOf={({ symbol, side }) => `${symbol} ${side}`} />
  )
}

/** Of one currency only, and of figures that are all there. */
function useTotal(figure: (position: Position) => string | undefined): string | undefined {
  const rows = useHeld().portfolio?.positions ?? []
  const isOneCurrency = new Set(rows.map(({ settle }) => settle)).size === 1
  return isOneCurrency ? sumOf(rows.map(figure)) : undefined
}

function TotalMoney({ of }: { readonly of: 'notional' | 'margin' }) {
  const total = useTotal((row) => row[of])
  return total === undefined ? null : showMoney(total)
}

function TotalGain({ of }: { readonly of: 'unrealizedPnl' | 'realizedPnl' }) {
  const total = useTotal((row) => row[of])
  return total === undefined ? null : <Gain text={total} />
}

const TOTALS: ReadonlyMap<string, ReactNode> = new Map<string, ReactNode>([
  ['symbol', 'Total'],
  ['value', <TotalMoney key="value" of="notional" />],
  ['margin', <TotalMoney key="margin" of="margin" />],
  ['pnl', <TotalGain key="pnl" of="unrealizedPnl" />],
  ['realised', <TotalGain key="realised" of="realizedPnl" />],
])

const WITH_TOTALS = POSITION_COLUMNS.map((column) =>
  TOTALS.has(column.id) ? { ...column, total: TOTALS.get(column.id) } : column,
)
