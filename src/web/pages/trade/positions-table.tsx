// Open positions, each with what ends it; and what they come to.
import { useMemo } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Gain } from '../../components/figure.tsx'
import { compareFigures, showAverage, showFigure, showMoney, showPrice } from '../../figures.ts'
import { LineButton } from './line-button.tsx'
import { closeLine, reverseLine } from './position-lines.ts'
import { SIDE_TONE } from './side-tone.ts'
import { sumOf } from './sum.ts'

type Position = Portfolio['positions'][number]

export function PositionsTable({ portfolio }: { readonly portfolio: Portfolio }) {
  const rows = portfolio.positions
  const { account, symbol } = portfolio
  const { pnl, value } = totalsOf(rows)
  const hasTotals = rows.length > 1
  const columns = useMemo(() => {
    const scope = { account, symbol }
    const action: Column<Position> = {
      id: 'action',
      title: 'Action',
      isUnseen: true,
      cell: (row) => <Actions row={row} scope={scope} />,
    }
    const withTotals = POSITION_COLUMNS.map((column) =>
      column.id === 'symbol' ? { ...column, total: 'Total' } : { ...column, ...totalOf(column.id, { pnl, value }) },
    )
    return [...(hasTotals ? withTotals : POSITION_COLUMNS), action]
  }, [account, symbol, pnl, value, hasTotals])
  return (
    <section className="block" aria-label="Positions">
      <h3>
        Positions <span className="count">{rows.length}</span>
      </h3>
      {rows.length === 0 ? (
        <Empty>
          No open positions. <code>buy $250 BTCUSDT</code> in the terminal opens one.
        </Empty>
      ) : (
        <DataTable
          label="Open positions"
          columns={columns}
          rows={rows}
          keyOf={({ symbol: name, side }) => `${name} ${side}`}
        />
      )}
    </section>
  )
}

interface Totals {
  readonly pnl: string | undefined
  readonly value: string | undefined
}

/** Of one currency only, and of figures that are all there. */
function totalsOf(rows: readonly Position[]): Totals {
  const isOneCurrency = new Set(rows.map(({ settle }) => settle)).size === 1
  if (!isOneCurrency) return { pnl: undefined, value: undefined }
  return {
    pnl: sumOf(rows.map(({ unrealizedPnl }) => unrealizedPnl)),
    value: sumOf(rows.map(({ notional }) => notional)),
  }
}

function totalOf(id: string, { pnl, value }: Totals): Pick<Column<Position>, 'total'> {
  if (id === 'pnl' && pnl !== undefined) return { total: <Gain text={pnl} /> }
  return id === 'value' && value !== undefined ? { total: showMoney(value) } : {}
}

interface ActionsProps {
  readonly row: Position
  readonly scope: { readonly account: string; readonly symbol: string }
}

const PARTS = [undefined, '50', '25'] as const

function Actions({ row, scope }: ActionsProps) {
  const of = `the ${row.side} in ${row.symbol}`
  return (
    <>
      {PARTS.map((percent) => (
        <LineButton
          key={percent ?? 'all'}
          title={percent === undefined ? 'Close' : `${percent} %`}
          name={percent === undefined ? `Close ${of}` : `Close ${percent} % of ${of}`}
          line={closeLine(row, percent)}
          scope={scope}
        />
      ))}
      <LineButton title="Reverse" name={`Reverse ${of}`} line={reverseLine(row)} scope={scope} />
    </>
  )
}

/** A dash for what the venue does not say. */
function gain(figure: string | undefined) {
  return figure === undefined ? '–' : <Gain text={figure} />
}

/** Every price of a row has as many digits as its longest. */
const priceOf = (row: Position, price: string) =>
  showPrice(price, ...(row.markPrice === undefined ? [] : [row.markPrice]))

const POSITION_COLUMNS: readonly Column<Position>[] = [
  {
    id: 'symbol',
    title: 'Symbol',
    isRowHead: true,
    cell: ({ symbol }) => symbol,
    compare: (a, b) => a.symbol.localeCompare(b.symbol),
  },
  {
    id: 'side',
    title: 'Side',
    className: ({ side }) => SIDE_TONE.get(side),
    cell: ({ side }) => side,
    compare: (a, b) => a.side.localeCompare(b.side),
  },
  { id: 'amount', title: 'Amount', isFigure: true, cell: ({ amount }) => showFigure(amount) },
  {
    id: 'pnl',
    title: 'PnL',
    isFigure: true,
    cell: ({ unrealizedPnl }) => gain(unrealizedPnl),
    compare: (a, b) => compareFigures(a.unrealizedPnl, b.unrealizedPnl),
  },
  {
    id: 'value',
    title: 'Value',
    isFigure: true,
    cell: ({ notional }) => showMoney(notional),
    compare: (a, b) => compareFigures(a.notional, b.notional),
  },
  {
    id: 'entry',
    title: 'Entry',
    isFigure: true,
    cell: ({ entryPrice, markPrice }) => showAverage(entryPrice, markPrice ?? entryPrice),
  },
  {
    id: 'mark',
    title: 'Mark',
    isFigure: true,
    cell: (row) => (row.markPrice === undefined ? '–' : priceOf(row, row.markPrice)),
  },
  { id: 'realised', title: 'Realised', isFigure: true, cell: ({ realizedPnl }) => gain(realizedPnl) },
]
