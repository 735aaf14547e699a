// The columns that positions, orders and fills have in common.
import type { Column } from '../../components/data-table.tsx'

export const SYMBOL_COLUMN: Column<{ readonly symbol: string }> = {
  id: 'symbol',
  title: 'Symbol',
  isRowHead: true,
  cell: ({ symbol }) => <span title={symbol}>{symbol}</span>,
  compare: (a, b) => a.symbol.localeCompare(b.symbol),
}

export const SIDE_COLUMN: Column<{ readonly side: string }> = {
  id: 'side',
  title: 'Side',
  cell: ({ side }) => <SideWord side={side} />,
  compare: (a, b) => a.side.localeCompare(b.side),
}

/** The colour of a side; one that is not known here is shown without. */
const SIDE_TONE: ReadonlyMap<string, string> = new Map([
  ['long', 'gain'],
  ['buy', 'gain'],
  ['short', 'loss'],
  ['sell', 'loss'],
])

// A side: an arrow and a word, never a colour alone.

/** The arrow stays where the column of sides has no room. */
export function SidedSymbol({ symbol, side }: { readonly symbol: string; readonly side: string }) {
  return (
    <span className={`side ${SIDE_TONE.get(side) ?? ''}`} title={`${symbol} ${side}`}>
      {symbol}
      <span className="visually-hidden"> {side}</span>
    </span>
  )
}

export function SideWord({ side }: { readonly side: string }) {
  return <span className={`side ${SIDE_TONE.get(side) ?? ''}`}>{side}</span>
}
