// The fills of the account of this tab, each with the source of its order.
import { createContext, useContext, useMemo } from 'react'
import { Link } from 'wouter'
import type { FillRow } from '../../../protocol/frames.ts'
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { Gain } from '../../components/figure.tsx'
import { Empty, Nothing } from '../../components/pane.tsx'
import { compareFigures, showTime } from '../../figures.ts'
import { ACCOUNTS_HIDDEN } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import { describeOrderer } from './chart/chart-model.ts'
import { feeDigits, noteText, showFee } from './fills.ts'
import { useHeld } from './holdings-context.ts'
import { SIDE_COLUMN, SYMBOL_COLUMN } from './side-and-symbol.tsx'

interface FillsTableProps {
  readonly rows: readonly FillRow[] | undefined
  readonly room: number
}

export function FillsTable({ rows, room }: FillsTableProps) {
  const columns = useShownColumns('fills', FILL_COLUMNS, room)
  const digits = useMemo(() => feeDigits(rows ?? []), [rows])
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  if (isHidden) return <Empty>{ACCOUNTS_HIDDEN}</Empty>
  if (rows === undefined) return <Nothing what="Fills" rows={3} />
  if (rows.length === 0) return <Empty>No fills yet.</Empty>
  return (
    <FeeDigitsContext value={digits}>
      <DataTable label="Fills" columns={columns} rows={rows} keyOf={({ id, symbol }) => `${symbol} ${id}`} />
    </FeeDigitsContext>
  )
}

// How many digits the fees of each asset have in the table that they are in.

const FeeDigitsContext = createContext<ReadonlyMap<string, number>>(new Map())

function useFeeDigits(): ReadonlyMap<string, number> {
  return useContext(FeeDigitsContext)
}

// The columns of fills.

function FillPrice({ symbol, price }: FillRow) {
  return useHeld().steps.price(symbol, price)
}

function FillAmount({ symbol, amount }: FillRow) {
  return useHeld().steps.amount(symbol, amount)
}

function Fee(fill: FillRow) {
  const text = showFee(fill, useFeeDigits())
  if (text === undefined) return '–'
  return (
    <>
      {text} <span className="at-start asset muted">{fill.feeCurrency}</span>
    </>
  )
}

/** Whose order it was; the run that sent it is a click away. */
function Orderer({ fill }: { readonly fill: FillRow }) {
  const { runId } = fill
  const text = describeOrderer(fill)
  return runId === undefined ? text : <Link href={`/journal/${runId}`}>{text}</Link>
}

export const FILL_COLUMNS: readonly ChoosableColumn<FillRow>[] = [
  {
    id: 'time',
    title: 'Time',
    rank: 3,
    className: 'muted',
    cell: ({ timestamp }) => showTime(timestamp, Date.now()),
    compare: (a, b) => a.timestamp - b.timestamp,
  },
  SYMBOL_COLUMN,
  SIDE_COLUMN,
  { id: 'amount', title: 'Amount', isFigure: true, chars: 7, cell: (fill) => <FillAmount {...fill} /> },
  {
    id: 'price',
    title: 'Price',
    isFigure: true,
    chars: 9,
    cell: (fill) => <FillPrice {...fill} />,
    compare: (a, b) => compareFigures(a.price, b.price),
  },
  {
    id: 'pnl',
    title: 'PnL',
    isFigure: true,
    chars: 9,
    // As in the terminal: a fill that closes nothing has none.
    cell: ({ pnl }) => (pnl === undefined ? '–' : compareFigures(pnl, '0') === 0 ? '' : <Gain text={pnl} />),
    compare: (a, b) => compareFigures(a.pnl, b.pnl),
  },
  {
    id: 'fee',
    title: 'Fee',
    rank: 1,
    isFigure: true,
    cell: (fill) => <Fee {...fill} />,
    compare: (a, b) => compareFigures(a.fee, b.fee),
  },
  {
    id: 'who',
    title: 'Ordered by',
    rank: 2,
    cell: (fill) => <Orderer fill={fill} />,
    compare: (a, b) => describeOrderer(a).localeCompare(describeOrderer(b)),
  },
  {
    id: 'note',
    title: 'Note',
    rank: 1,
    showsFrom: 1500,
    className: 'muted',
    cell: (fill) => noteText(fill),
    compare: (a, b) => noteText(a).localeCompare(noteText(b)),
  },
  {
    id: 'order',
    title: 'Order',
    rank: 0,
    showsFrom: 1500,
    className: 'mono muted',
    cell: ({ orderId }) => <code>{orderId}</code>,
  },
]
