// Resting orders: their table, its columns, and what is done with each.
import { useMemo, useRef } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { useConfirm } from '../../components/dialog.tsx'
import { Empty } from '../../components/pane.tsx'
import { changeOf, compareFigures, showFigure, showTime, toneOf } from '../../figures.ts'
import { LinePreview, UNTYPABLE } from '../../preview/preview.tsx'
import { showSpan } from '../../runs/use-runs.ts'
import { whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk, useNow } from '../../state/use-console.ts'
import { cancelWarning } from './cancel-warning.ts'
import { useHeld, useLastPrices } from './holdings-context.ts'
import { EditButton, useOrderEdit } from './order-edit.tsx'
import { cancelLine, closedBy, isThere } from './position-lines.ts'
import { SIDE_COLUMN, SYMBOL_COLUMN } from './side-and-symbol.tsx'

type Order = Portfolio['orders'][number]

const byText = (text: (order: Order) => string) => (a: Order, b: Order) => text(a).localeCompare(text(b))

/** Where it waits: of a stop its trigger. */
function priceOf({ triggerPrice, price }: Order): string | undefined {
  return triggerPrice ?? price
}

const SURPLUS = 'It closes nothing: orders that are reached before it close the whole position'

function Kind({ type, closes }: Order) {
  if (closes !== '0') return type
  return (
    <>
      {type}{' '}
      <span className="tag warn" title={SURPLUS}>
        surplus
      </span>
    </>
  )
}

/** Flags that its kind and its price do not imply. */
function flagsOf({ reduceOnly, postOnly }: Order): string {
  return [reduceOnly && 'reduce-only', postOnly && 'post-only'].filter(Boolean).join(', ')
}

/** Counted on while it is looked at. */
function Age({ timestamp }: Order) {
  const now = useNow(true)
  return <span title={showTime(timestamp, now)}>{showSpan(now - timestamp)}</span>
}

function OrderPrice({ order }: { readonly order: Order }) {
  const { steps } = useHeld()
  const { symbol, triggerPrice, price, takeProfitPrice, stop, takeProfit } = order
  const at = priceOf(order)
  if (at === undefined) return ''
  const limit = triggerPrice !== undefined && price !== undefined ? `, limit ${steps.price(symbol, price)}` : ''
  const target = takeProfitPrice === undefined ? '' : `, target ${steps.price(symbol, takeProfitPrice)}`
  const waiting = [
    ...(stop ? [`stop ${steps.price(symbol, stop.triggerPrice)}`] : []),
    ...(takeProfit ? [`target ${steps.price(symbol, takeProfit.triggerPrice)}`] : []),
  ]
  const then = waiting.length === 0 ? '' : `, then ${waiting.join(', ')}`
  const also = `${limit}${target}${then}`.slice(2)
  return (
    <>
      {steps.price(symbol, at)}
      {also !== '' && <span className="muted text-1"> {also}</span>}
    </>
  )
}

function Distance({ order }: { readonly order: Order }) {
  const last = useLastPrices()
  const away = changeOf(last.get(order.symbol), priceOf(order))
  return away === undefined ? '–' : `${toneOf(away) === 'gain' ? '+' : ''}${showFigurePadded(away)}`
}

/** A percentage: two digits after the point, always. */
function showFigurePadded(percent: string): string {
  const [whole, fraction = ''] = showFigure(percent).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

function Amount({ symbol, amount }: Pick<Order, 'symbol' | 'amount'>) {
  return useHeld().steps.amount(symbol, amount)
}

const LESS = 'It closes less than its amount: the rest is held no more, or closed by orders that are reached before it'

/** Of an exit, what it would close now. */
function OrderAmount({ order }: { readonly order: Order }) {
  const { portfolio } = useHeld()
  const { symbol, amount } = order
  const closes = closedBy(order, portfolio?.positions ?? [])
  if (!isThere(amount) || !isThere(closes) || compareFigures(closes, amount) === 0) return <Amount {...order} />
  return (
    <span title={LESS}>
      <Amount symbol={symbol} amount={closes} />
      <span className="muted">
        {' of '}
        <Amount {...order} />
      </span>
    </span>
  )
}

const COLUMNS: readonly ChoosableColumn<Order>[] = [
  {
    id: 'id',
    title: 'Id',
    rank: 3,
    className: 'mono muted',
    cell: ({ id }) => <code title={cancelLine(id)}>{id}</code>,
    compare: byText(({ id }) => id),
  },
  SYMBOL_COLUMN,
  SIDE_COLUMN,
  { id: 'type', title: 'Kind', cell: (order) => <Kind {...order} />, compare: byText(({ type }) => type) },
  {
    id: 'price',
    title: 'Price',
    isFigure: true,
    chars: 9,
    cell: (order) => <OrderPrice order={order} />,
    compare: (a, b) => compareFigures(priceOf(a), priceOf(b)),
  },
]

const MORE_COLUMNS: readonly ChoosableColumn<Order>[] = [
  {
    id: 'amount',
    title: 'Amount',
    isFigure: true,
    chars: 7,
    cell: (order) => <OrderAmount order={order} />,
    compare: (a, b) => compareFigures(a.amount, b.amount),
  },
  {
    id: 'filled',
    title: 'Filled',
    rank: 2,
    isFigure: true,
    chars: 7,
    cell: ({ symbol, filled }) => (isThere(filled) ? <Amount symbol={symbol} amount={filled} /> : '0'),
    compare: (a, b) => compareFigures(a.filled, b.filled),
  },
  { id: 'flags', title: 'Flags', rank: 0, className: 'muted', cell: flagsOf, compare: byText(flagsOf) },
  {
    id: 'age',
    title: 'Age',
    rank: 1,
    isFigure: true,
    chars: 6,
    className: 'muted',
    cell: (order) => <Age {...order} />,
    // The oldest is the greatest.
    compare: (a, b) => b.timestamp - a.timestamp,
  },
  {
    id: 'action',
    title: 'Action',
    isUnseen: true,
    cell: (order) => (
      <>
        <EditButton order={order} />
        <CancelButton order={order} />
      </>
    ),
  },
]

export function useOrderColumns(): readonly ChoosableColumn<Order>[] {
  const last = useLastPrices()
  // Prices change all the time, and the columns must not.
  const newest = useRef(last)
  newest.current = last
  return useMemo(() => {
    const awayOf = (order: Order) => changeOf(newest.current.get(order.symbol), priceOf(order))
    const distance: ChoosableColumn<Order> = {
      id: 'distance',
      title: 'Distance %',
      rank: 4,
      isFigure: true,
      chars: 7,
      cell: (order) => <Distance order={order} />,
      compare: (a, b) => compareFigures(awayOf(a), awayOf(b)),
    }
    return [...COLUMNS, distance, ...MORE_COLUMNS]
  }, [])
}

interface OrdersTableProps {
  readonly rows: readonly Order[]
  readonly columns: readonly ChoosableColumn<Order>[]
  readonly room: number
}

export function OrdersTable({ rows, columns, room }: OrdersTableProps) {
  const shown = useShownColumns('orders', columns, room)
  const edit = useOrderEdit()
  const noCommands = useDesk(whyNoCommands)
  if (rows.length === 0) {
    return (
      <Empty>
        No resting orders. <code>stop at -2%</code> protects a position.
      </Empty>
    )
  }
  return (
    <DataTable
      label="Resting orders"
      columns={shown}
      rows={rows}
      keyOf={({ id, symbol }) => `${symbol} ${id}`}
      opensOn="double-click"
      onOpen={(order, isByKey) => noCommands === undefined && void edit(order, !isByKey)}
    />
  )
}

// --- cancels one order, after a question that names what the cancel takes away.

const NOTHING = { positions: [], orders: [] }

function CancelButton({ order }: { readonly order: Order }) {
  const console = useConsole()
  const confirm = useConfirm()
  const { portfolio, scope, steps } = useHeld()
  const noCommands = useDesk(whyNoCommands)
  const { id, symbol, type, side, triggerPrice, price = triggerPrice } = order
  const at = price === undefined ? '' : ` at ${steps.price(symbol, triggerPrice ?? price)}`
  const line = cancelLine(id)
  const described = `${type} ${side} ${steps.amount(symbol, order.amount)} ${symbol}${at}`
  const warning = cancelWarning(order, portfolio ?? NOTHING)
  const cancel = async () => {
    const isSure = await confirm({
      title: 'Cancel this order?',
      body: (
        <>
          <p>{described}</p>
          {warning && <p>{warning}</p>}
          <LinePreview line={line} scope={scope} />
        </>
      ),
      yes: 'Cancel the order',
      no: 'Keep it',
      isDestructive: true,
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure) await console.runFromPanel(line, scope)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={noCommands !== undefined || line === undefined}
      title={noCommands ?? line ?? UNTYPABLE}
      aria-label={`Cancel order ${id}: ${described}`}
      onClick={() => void cancel()}
    >
      Cancel
    </button>
  )
}
