// The columns that positions, orders and fills have in common.
import type { Column } from '../../components/data-table.tsx'
import { SideWord } from './side-word.tsx'

export const SYMBOL_COLUMN: Column<{ readonly symbol: string }> = {
  id: 'symbol',
  title: 'Symbol',
  isRowHead: true,
  cell: ({ symbol }) => symbol,
  compare: (a, b) => a.symbol.localeCompare(b.symbol),
}

export const SIDE_COLUMN: Column<{ readonly side: string }> = {
  id: 'side',
  title: 'Side',
  cell: ({ side }) => <SideWord side={side} />,
  compare: (a, b) => a.side.localeCompare(b.side),
}
