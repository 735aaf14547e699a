// What has filled on the account of this tab, and who ordered it.
import type { FillRow } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Gain } from '../../components/figure.tsx'
import { Nothing } from '../../components/pane.tsx'
import { compareFigures, showFigure, showPrice, showTime } from '../../figures.ts'
import { ordererOf } from './chart/fill-marks.ts'
import { SIDE_TONE } from './side-tone.ts'
import { useFills } from './use-fills.ts'

export function FillsTable() {
  const fills = useFills()
  if (fills === undefined) return <Nothing what="Fills" rows={3} />
  if (fills.length === 0) return <Empty>Nothing has filled on this account yet.</Empty>
  return <DataTable label="Fills" columns={COLUMNS} rows={fills} keyOf={({ id }) => id} />
}

const COLUMNS: readonly Column<FillRow>[] = [
  {
    id: 'time',
    title: 'Time',
    className: 'muted',
    cell: ({ timestamp }) => showTime(timestamp, Date.now()),
    compare: (a, b) => a.timestamp - b.timestamp,
  },
  {
    id: 'symbol',
    title: 'Symbol',
    isRowHead: true,
    cell: ({ symbol }) => symbol,
    compare: (a, b) => a.symbol.localeCompare(b.symbol),
  },
  { id: 'side', title: 'Side', className: ({ side }) => SIDE_TONE.get(side), cell: ({ side }) => side },
  { id: 'amount', title: 'Amount', isFigure: true, cell: ({ amount }) => showFigure(amount) },
  {
    id: 'price',
    title: 'Price',
    isFigure: true,
    cell: ({ price }) => showPrice(price),
    compare: (a, b) => compareFigures(a.price, b.price),
  },
  {
    id: 'pnl',
    title: 'PnL',
    isFigure: true,
    cell: ({ pnl }) => (pnl === undefined ? '–' : <Gain text={pnl} />),
    compare: (a, b) => compareFigures(a.pnl, b.pnl),
  },
  {
    id: 'fee',
    title: 'Fee',
    isFigure: true,
    cell: ({ fee, feeCurrency }) => (fee === undefined ? '–' : `${showFigure(fee)} ${feeCurrency ?? ''}`),
  },
  {
    id: 'who',
    title: 'Ordered by',
    cell: (fill) => (fill.origin === undefined ? ordererOf(fill) : `${ordererOf(fill)}, ${fill.origin}`),
    compare: (a, b) => ordererOf(a).localeCompare(ordererOf(b)),
  },
  { id: 'order', title: 'Order', className: 'mono muted', cell: ({ orderId }) => <code>{orderId}</code> },
]
