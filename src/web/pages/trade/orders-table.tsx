// Resting orders, each with its Cancel.
import { useMemo } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { compareFigures, showFigure, showPrice, showTime } from '../../figures.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { cancelWarning } from './cancel-warning.ts'
import { SIDE_TONE } from './side-tone.ts'

type Order = Portfolio['orders'][number]

const byText = (text: (order: Order) => string) => (a: Order, b: Order) => text(a).localeCompare(text(b))

const COLUMNS: readonly Column<Order>[] = [
  {
    id: 'id',
    title: 'Id',
    className: 'mono muted',
    cell: ({ id }) => <code>{id}</code>,
    compare: byText(({ id }) => id),
  },
  {
    id: 'symbol',
    title: 'Symbol',
    isRowHead: true,
    cell: ({ symbol }) => symbol,
    compare: byText(({ symbol }) => symbol),
  },
  { id: 'side', title: 'Side', className: ({ side }) => SIDE_TONE.get(side), cell: ({ side }) => side },
  { id: 'type', title: 'Type', cell: ({ type }) => type, compare: byText(({ type }) => type) },
  { id: 'amount', title: 'Amount', isFigure: true, cell: ({ amount }) => showFigure(amount) },
  {
    id: 'price',
    title: 'Price',
    isFigure: true,
    cell: (order) => (priceOf(order) === undefined ? '' : showPrice(priceOf(order) ?? '')),
    compare: (a, b) => compareFigures(priceOf(a), priceOf(b)),
  },
  { id: 'filled', title: 'Filled', isFigure: true, cell: ({ filled }) => showFigure(filled) },
  {
    id: 'flags',
    title: 'Flags',
    className: 'muted',
    cell: ({ reduceOnly, postOnly }) => [reduceOnly && 'reduce', postOnly && 'post'].filter(Boolean).join(' '),
  },
  {
    id: 'placed',
    title: 'Placed',
    className: 'muted',
    cell: ({ timestamp }) => showTime(timestamp, Date.now()),
    compare: (a, b) => a.timestamp - b.timestamp,
  },
]

function priceOf({ triggerPrice, price }: Order): string | undefined {
  return triggerPrice ?? price
}

export function OrdersTable({ portfolio }: { readonly portfolio: Portfolio }) {
  const columns = useMemo(
    () => [
      ...COLUMNS,
      {
        id: 'action',
        title: 'Action',
        isUnseen: true,
        cell: (order: Order) => <CancelButton order={order} portfolio={portfolio} />,
      },
    ],
    [portfolio],
  )
  return <DataTable label="Resting orders" columns={columns} rows={portfolio.orders} keyOf={({ id }) => id} />
}

function CancelButton({ order, portfolio }: { readonly order: Order; readonly portfolio: Portfolio }) {
  const console = useConsole()
  const confirm = useConfirm()
  const isConnected = useDesk(isLive)
  const noCommands = useDesk(whyNoCommands)
  const price = priceOf(order)
  const at = price === undefined ? '' : ` at ${showFigure(price)}`
  const described = `${order.type} ${order.side} ${showFigure(order.amount)} ${order.symbol}${at}`
  const warning = cancelWarning(order, portfolio)
  const cancel = async () => {
    const isSure = await confirm({
      title: 'Cancel this order?',
      body: (
        <>
          <p>{described}</p>
          <code>{`cancel ${order.id}`}</code>
          {warning && <p>{warning}</p>}
        </>
      ),
      yes: 'Cancel the order',
      no: 'Keep it',
      isDestructive: true,
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure) await console.runFromPanel(`cancel ${order.id}`, portfolio)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={!isConnected || noCommands !== undefined}
      title={noCommands}
      aria-label={`Cancel order ${order.id}: ${described}`}
      onClick={() => void cancel()}
    >
      Cancel
    </button>
  )
}
