// The columns of open positions.
import type { Portfolio } from '../../../protocol/frames.ts'
import type { ChoosableColumn } from '../../components/column-choice.tsx'
import { Gain } from '../../components/figure.tsx'
import { changeOf, negated } from '../../exact.ts'
import { compareFigures, showFigure, showMoney } from '../../figures.ts'
import { useHeld } from './holdings-context.ts'
import { PositionActions } from './position-actions.tsx'
import { SIDE_COLUMN, SYMBOL_COLUMN } from './side-and-symbol.tsx'
import { StopCell } from './stop-cell.tsx'

export type Position = Portfolio['positions'][number]

/** A dash for what the venue does not say. */
function gain(figure: string | undefined) {
  return figure === undefined ? '–' : <Gain text={figure} />
}

/** How far the price has gone since the entry, for the position. */
export function movedOf({ side, entryPrice, markPrice }: Position): string | undefined {
  const moved = changeOf(entryPrice, markPrice)
  return side === 'short' && moved !== undefined ? negated(moved) : moved
}

function SymbolPrice({ symbol, price }: { readonly symbol: string; readonly price: string | undefined }) {
  const { steps } = useHeld()
  return price === undefined ? '–' : steps.price(symbol, price)
}

function EntryPrice({ symbol, price }: { readonly symbol: string; readonly price: string }) {
  const { steps } = useHeld()
  return <span title={showFigure(price)}>{steps.average(symbol, price)}</span>
}

function Amount({ symbol, amount }: Position) {
  return useHeld().steps.amount(symbol, amount)
}

export const POSITION_COLUMNS: readonly ChoosableColumn<Position>[] = [
  SYMBOL_COLUMN,
  SIDE_COLUMN,
  { id: 'amount', title: 'Size', isFigure: true, chars: 5, cell: (row) => <Amount {...row} /> },
  {
    id: 'entry',
    title: 'Entry',
    isFigure: true,
    chars: 8,
    cell: ({ symbol, entryPrice }) => <EntryPrice symbol={symbol} price={entryPrice} />,
  },
  {
    id: 'mark',
    title: 'Mark',
    isFigure: true,
    chars: 8,
    cell: ({ symbol, markPrice }) => <SymbolPrice symbol={symbol} price={markPrice} />,
  },
  {
    id: 'pnl',
    title: 'PnL',
    isFigure: true,
    chars: 7,
    cell: ({ unrealizedPnl }) => gain(unrealizedPnl),
    compare: (a, b) => compareFigures(a.unrealizedPnl, b.unrealizedPnl),
  },
  {
    id: 'percent',
    title: '%',
    isFigure: true,
    chars: 5,
    cell: (row) => gain(movedOf(row)),
    compare: (a, b) => compareFigures(movedOf(a), movedOf(b)),
  },
  { id: 'stop', title: 'Stop', isFigure: true, cell: (row) => <StopCell position={row} /> },
  {
    id: 'value',
    title: 'Value',
    isFigure: true,
    showsFrom: 1500,
    chars: 9,
    cell: ({ notional }) => showMoney(notional),
    compare: (a, b) => compareFigures(a.notional, b.notional),
  },
  {
    id: 'liquidation',
    title: 'Liquidation',
    isFigure: true,
    showsFrom: 1500,
    chars: 9,
    cell: ({ symbol, liquidationPrice }) => <SymbolPrice symbol={symbol} price={liquidationPrice} />,
  },
  {
    id: 'leverage',
    title: 'Leverage',
    isFigure: true,
    showsFrom: 1900,
    cell: ({ leverage }) => (leverage === undefined ? '–' : `${showFigure(leverage)}×`),
    compare: (a, b) => compareFigures(a.leverage, b.leverage),
  },
  {
    id: 'margin',
    title: 'Margin',
    isFigure: true,
    showsFrom: 1900,
    chars: 8,
    cell: ({ margin }) => (margin === undefined ? '–' : showMoney(margin)),
    compare: (a, b) => compareFigures(a.margin, b.margin),
  },
  {
    id: 'realised',
    title: 'Realised',
    isFigure: true,
    showsFrom: 1900,
    chars: 9,
    cell: ({ realizedPnl }) => gain(realizedPnl),
    compare: (a, b) => compareFigures(a.realizedPnl, b.realizedPnl),
  },
  { id: 'action', title: 'Action', isUnseen: true, cell: (row) => <PositionActions position={row} /> },
]
