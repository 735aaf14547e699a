// Open positions, each with what protects and what ends it; and what they come to.
import type { ReactNode } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { Gain } from '../../components/figure.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty } from '../../components/pane.tsx'
import { Menu, usePopover } from '../../components/popover.tsx'
import { changeOf, compareFigures, negated, showFigure, showMoney, sumOf } from '../../figures.ts'
import { whyNoCommands } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import { useHeld } from './holdings-context.ts'
import { LineButton, useLineQuestion } from './line-button.tsx'
import {
  breakEvenLine,
  closeLine,
  isThere,
  moveOrderLine,
  protectionOf,
  reverseLine,
  reverseWarnings,
  stopLine,
  trailLine,
} from './position-lines.ts'
import { SIDE_COLUMN, SidedSymbol, SideWord, SYMBOL_COLUMN } from './side-and-symbol.tsx'

// Lines that close, protect or reverse a position.

interface Close {
  readonly title: string
  /** In a list. */
  readonly words: string
  readonly name: string
  readonly line: string | undefined
}

/** Of all of it, and of parts. */
function closesOf(position: Position): readonly Close[] {
  const of = nameOf(position)
  return [
    { title: 'Close', words: 'Close', name: `Close ${of}`, line: closeLine(position) },
    ...['50', '25'].map((percent) => ({
      title: `${percent} %`,
      words: `Close ${percent} %`,
      name: `Close ${percent} % of ${of}`,
      line: closeLine(position, percent),
    })),
  ]
}

function nameOf({ side, symbol }: Position): string {
  return `the ${side} in ${symbol}`
}

function PositionActions({ position }: { readonly position: Position }) {
  const { scope } = useHeld()
  return (
    <>
      {closesOf(position).map(({ words, ...close }) => (
        <LineButton key={words} scope={scope} {...close} />
      ))}
      <PositionMenu position={position} title="More" label={`More: protect or reverse ${nameOf(position)}`} />
    </>
  )
}

/** All of it as one button, where the table has no room for four. */
function FoldedActions({ position }: { readonly position: Position }) {
  const label = `Close, protect or reverse ${nameOf(position)}`
  return <PositionMenu position={position} title="Close" label={label} closes={closesOf(position)} />
}

interface PositionMenuProps {
  readonly position: Position
  readonly title: string
  readonly label: string
  readonly closes?: readonly Close[]
}

function PositionMenu({ position, title, label, closes = [] }: PositionMenuProps) {
  const popover = usePopover()
  const ask = useLineQuestion()
  const { scope, portfolio } = useHeld()
  const noCommands = useDesk(whyNoCommands)
  const of = nameOf(position)
  const item = (words: string, question: Omit<Parameters<typeof ask>[0], 'scope'>) => ({
    id: words,
    title: words,
    onChoose: () => void ask({ scope, ...question }),
  })
  const protection = protectionOf(position, portfolio?.orders ?? [])
  return (
    <>
      <button
        type="button"
        className="button small"
        disabled={noCommands !== undefined}
        title={noCommands}
        aria-label={label}
        {...popover.button}
      >
        {title} <Icon name="chevron" size={12} />
      </button>
      <Menu
        popover={popover}
        label={label}
        items={[
          ...closes.map(({ words, title: _, ...close }) => item(words, close)),
          ...[false, true].map((isAfterFees) =>
            item(isAfterFees ? 'Stop to break-even after fees' : 'Stop to entry', {
              name: `Stop of ${of} to ${isAfterFees ? 'break-even after fees' : 'its entry'}`,
              line: breakEvenLine(position, isAfterFees),
              // Near the entry it takes `--near`.
              isDraft: true,
              isOffWhenRefused: true,
            }),
          ),
          item('Trail a stop', {
            name: `Trail a stop of ${of}`,
            line: trailLine(position, protection),
            isDraft: true,
          }),
          item('Reverse', {
            name: `Reverse ${of}`,
            line: reverseLine(position),
            warnings: ({ orders }) => reverseWarnings(position, protectionOf(position, orders)),
          }),
        ]}
      />
    </>
  )
}

// The stops of a position, or a warning that they do not cover all of it. Either writes a line.

function StopCell({ position }: { readonly position: Portfolio['positions'][number] }) {
  const { portfolio, scope, steps } = useHeld()
  const { symbol, amount } = position
  const protection = protectionOf(position, portfolio?.orders ?? [])
  if (protection === undefined) return '–'
  const { stops, uncovered } = protection
  const [first] = stops
  const isBare = isThere(uncovered)
  const of = nameOf(position)
  const bare = `${steps.amount(symbol, uncovered)} of ${steps.amount(symbol, amount)}`
  const price = steps.price(symbol, first?.triggerPrice ?? '')
  const others = stops.slice(1).filter(({ closes }) => closes !== '0').length
  const at = others > 0 ? `${price} and ${others} more` : price
  return (
    <span className="to-end gap-3 row stop-cell" data-bare={isBare}>
      {first?.triggerPrice !== undefined && (
        <LineButton
          className="soft nowrap numeric link-button"
          title={at}
          name={`Move the stop of ${of}`}
          label={`${at}: move the stop of ${of}`}
          line={moveOrderLine(first.id, first.triggerPrice)}
          scope={scope}
          isDraft
        />
      )}
      {isBare && (
        <LineButton
          className="tag warn no-stop"
          title={
            <>
              <Icon name="warning" size={13} />
              {first === undefined ? (
                'no stop'
              ) : (
                <>
                  no stop<span className="no-stop-part"> on {steps.amount(symbol, uncovered)}</span>
                </>
              )}
            </>
          }
          name={first === undefined ? `No stop: protect ${of}` : `No stop on ${bare}: protect ${of}`}
          line={stopLine(position, protection)}
          scope={scope}
          isDraft
        />
      )}
    </span>
  )
}

// The columns of open positions.

type Position = Portfolio['positions'][number]

/** A dash for what the venue does not say. */
function gain(figure: string | undefined) {
  return figure === undefined ? '–' : <Gain text={figure} />
}

/** How far the price has gone since the entry, for the position. */
function movedOf({ side, entryPrice, markPrice }: Position): string | undefined {
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
  { ...SYMBOL_COLUMN, rank: 8, folded: SidedSymbol },
  {
    ...SIDE_COLUMN,
    rank: 8,
    cell: ({ side, leverage }) => (
      <>
        <SideWord side={side} />
        {leverage !== undefined && <span className="muted figure"> {showFigure(leverage)}×</span>}
      </>
    ),
  },
  { id: 'amount', title: 'Size', rank: 9, isFigure: true, chars: 5, cell: (row) => <Amount {...row} /> },
  {
    id: 'entry',
    title: 'Entry',
    rank: 5,
    isFigure: true,
    chars: 8,
    cell: ({ symbol, entryPrice }) => <EntryPrice symbol={symbol} price={entryPrice} />,
  },
  {
    id: 'mark',
    title: 'Mark',
    rank: 6,
    isFigure: true,
    chars: 8,
    cell: ({ symbol, markPrice }) => <SymbolPrice symbol={symbol} price={markPrice} />,
  },
  {
    id: 'pnl',
    title: 'PnL',
    isFigure: true,
    className: 'result',
    chars: 7,
    cell: ({ unrealizedPnl }) => gain(unrealizedPnl),
    compare: (a, b) => compareFigures(a.unrealizedPnl, b.unrealizedPnl),
  },
  {
    id: 'percent',
    title: '%',
    isFigure: true,
    className: 'result',
    chars: 5,
    cell: (row) => gain(movedOf(row)),
    compare: (a, b) => compareFigures(movedOf(a), movedOf(b)),
  },
  { id: 'stop', title: 'Stop', isFigure: true, cell: (row) => <StopCell position={row} /> },
  {
    id: 'value',
    title: 'Value',
    rank: 4,
    isFigure: true,
    showsFrom: 1500,
    chars: 9,
    cell: ({ notional }) => showMoney(notional),
    compare: (a, b) => compareFigures(a.notional, b.notional),
  },
  {
    id: 'liquidation',
    title: 'Liquidation',
    rank: 3,
    isFigure: true,
    chars: 9,
    cell: ({ symbol, liquidationPrice }) => <SymbolPrice symbol={symbol} price={liquidationPrice} />,
  },
  {
    id: 'leverage',
    title: 'Leverage',
    rank: 1,
    isFigure: true,
    showsFrom: 1900,
    cell: ({ leverage }) => (leverage === undefined ? '–' : `${showFigure(leverage)}×`),
    compare: (a, b) => compareFigures(a.leverage, b.leverage),
  },
  {
    id: 'margin',
    title: 'Margin',
    rank: 2,
    isFigure: true,
    showsFrom: 1900,
    chars: 8,
    cell: ({ margin }) => (margin === undefined ? '–' : showMoney(margin)),
    compare: (a, b) => compareFigures(a.margin, b.margin),
  },
  {
    id: 'realized',
    title: 'Realized',
    rank: 0,
    isFigure: true,
    showsFrom: 1900,
    chars: 9,
    cell: ({ realizedPnl }) => gain(realizedPnl),
    compare: (a, b) => compareFigures(a.realizedPnl, b.realizedPnl),
  },
  {
    id: 'action',
    title: 'Action',
    rank: 7,
    isUnseen: true,
    cell: (row) => <PositionActions position={row} />,
    folded: (row) => <FoldedActions position={row} />,
  },
]

interface PositionsTableProps {
  readonly rows: readonly Position[]
  readonly room: number
}

export function PositionsTable({ rows, room }: PositionsTableProps) {
  const columns = useShownColumns('positions', rows.length > 1 ? WITH_TOTALS : POSITION_COLUMNS, room)
  if (rows.length === 0) {
    return (
      <Empty>
        No open positions. Click a price in the book, or type <code>buy $1000 BTCUSDT stop -2%</code>
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
  ['realized', <TotalGain key="realized" of="realizedPnl" />],
])

const WITH_TOTALS = POSITION_COLUMNS.map((column) =>
  TOTALS.has(column.id) ? { ...column, total: TOTALS.get(column.id) } : column,
)
