// Every order that is known of the account, with its end, who ordered it, and what people noted. A chunk of its own.
import { Link } from 'wouter'
import type { Answer } from '../../../client/questions.ts'
import { typedLine } from '../../../language/print.ts'
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { Empty, Nothing } from '../../components/pane.tsx'
import { compareFigures, showTime } from '../../figures.ts'
import { ordererName } from '../../runs/use-runs.ts'
import { propose } from '../../state/desk-store.ts'
import { useConsole } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'
import { noteText } from './fills.ts'
import { useHeld } from './holdings-context.ts'
import { isThere } from './position-lines.ts'
import { SIDE_COLUMN, SYMBOL_COLUMN } from './side-and-symbol.tsx'
import { useTabPortfolio } from './use-market.ts'

type PastOrder = Answer<'orders:query'>['orders'][number]

const MOST = 200

interface PastOrdersProps {
  readonly room: number
  readonly isOfSymbol: boolean
}

export default function PastOrders({ room, isOfSymbol }: PastOrdersProps) {
  const { ask } = useConsole()
  const { account, symbol } = useHeld().scope
  const resting = useTabPortfolio()?.orders
  const of = isOfSymbol ? { account, symbol } : { account }
  const question = account === '' ? undefined : JSON.stringify(['orders', of])
  const { answer, problem } = useQuery(question, resting, () => ask.orders({ ...of, limit: MOST }))
  const columns = useShownColumns('past-orders', PAST_COLUMNS, room)
  if (answer === undefined) return problem === undefined ? <Nothing what="Orders" rows={3} /> : <Empty>{problem}</Empty>
  if (answer.orders.length === 0) return <Empty>No orders on this account yet.</Empty>
  return (
    <>
      {answer.gaps.map((gap) => (
        <p key={gap} className="soft warning" role="note">
          {gap}
        </p>
      ))}
      <DataTable label="Orders of the past" columns={columns} rows={answer.orders} keyOf={keyOf} />
      {answer.leftOut !== undefined && (
        <p className="inset muted">{`${answer.leftOut} older: type orders --all in the terminal.`}</p>
      )}
    </>
  )
}

function keyOf({ symbol, orderId, clientOrderId, at }: PastOrder): string {
  return `${symbol} ${orderId ?? clientOrderId ?? at}`
}

function OrderFigure({ order, of }: { readonly order: PastOrder; readonly of: 'amount' | 'filled' | 'price' }) {
  const { steps } = useHeld()
  const { symbol, triggerPrice, price } = order
  if (of !== 'price') return isThere(order[of]) ? steps.amount(symbol, order[of]) : '0'
  const at = triggerPrice ?? price
  return at === undefined ? '–' : steps.price(symbol, at)
}

function Average({ symbol, average }: PastOrder) {
  const { steps } = useHeld()
  return average === undefined ? '–' : steps.average(symbol, average)
}

const byText = (text: (order: PastOrder) => string) => (a: PastOrder, b: PastOrder) => text(a).localeCompare(text(b))

/** `closed` is what venues call an order that filled. */
export function stateOf({ state }: Pick<PastOrder, 'state'>): string {
  return state === 'closed' ? 'filled' : state
}

/** With the caret where the note is typed; a page adds tags to a note, and replaces none. */
export function noteLine({
  orderId,
  symbol,
  note,
}: Pick<PastOrder, 'orderId' | 'symbol' | 'note'>): { readonly line: string; readonly caret: number } | undefined {
  if (orderId === undefined) return undefined
  const isNoted = note !== undefined
  const line = isNoted ? typedLine`note ${orderId} ${symbol} #` : typedLine`note ${orderId} ${symbol} ""`
  return line === undefined ? undefined : { line, caret: isNoted ? line.length : line.length - 1 }
}

/** Written in the terminal, where its line is completed and sent. */
function Note({ order, isShort = false }: { readonly order: PastOrder; readonly isShort?: boolean }) {
  const whole = noteText(order)
  const text = isShort ? <span title={whole}>{shortNote(whole)}</span> : whole
  const wished = noteLine(order)
  if (wished === undefined) return text
  return (
    <>
      {text}{' '}
      <button
        type="button"
        className="as-other"
        aria-label={`Note on order ${order.orderId}`}
        onClick={() => propose(wished.line, wished.caret)}
      >
        note
      </button>
    </>
  )
}

const SHORT = 12

/** Where the whole would take the place of another column. */
export function shortNote(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT - 1).trimEnd()}…` : text
}

export const PAST_COLUMNS: readonly ChoosableColumn<PastOrder>[] = [
  {
    id: 'time',
    title: 'Sent',
    rank: 5,
    className: 'muted',
    cell: ({ at }) => showTime(at, Date.now()),
    compare: (a, b) => a.at - b.at,
  },
  SYMBOL_COLUMN,
  SIDE_COLUMN,
  { id: 'type', title: 'Kind', rank: 3, cell: ({ type }) => type, compare: byText(({ type }) => type) },
  {
    id: 'amount',
    title: 'Amount',
    isFigure: true,
    chars: 7,
    cell: (order) => <OrderFigure order={order} of="amount" />,
  },
  {
    id: 'price',
    title: 'Price',
    isFigure: true,
    chars: 9,
    cell: (order) => <OrderFigure order={order} of="price" />,
    compare: (a, b) => compareFigures(a.triggerPrice ?? a.price, b.triggerPrice ?? b.price),
  },
  {
    id: 'filled',
    title: 'Filled',
    rank: 4,
    isFigure: true,
    chars: 7,
    cell: (order) => <OrderFigure order={order} of="filled" />,
  },
  { id: 'average', title: 'At', rank: 2, isFigure: true, chars: 9, cell: (order) => <Average {...order} /> },
  {
    id: 'state',
    title: 'State',
    cell: (order) => <span title={order.reason}>{stateOf(order)}</span>,
    compare: byText(stateOf),
  },
  {
    id: 'by',
    title: 'Ordered by',
    rank: 1,
    cell: (order) => {
      const { runId } = order
      const name = ordererCell(order)
      return runId === undefined ? name : <Link href={`/journal/${runId}`}>{name}</Link>
    },
    compare: byText(ordererCell),
  },
  {
    id: 'note',
    title: 'Note',
    rank: 0,
    className: 'muted',
    cell: (order) => <Note order={order} />,
    folded: (order) => <Note order={order} isShort />,
    compare: byText(noteText),
  },
]

export function ordererCell({ by, taskId }: { readonly by?: string; readonly taskId?: string }): string {
  return by === undefined ? '–' : ordererName(by, taskId)
}
