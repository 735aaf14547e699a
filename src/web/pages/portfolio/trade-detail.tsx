// One trade, opened from its row: what it brought, the orders that it was made of, the way to its chart, and its note and tags.
import { type SyntheticEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Answer } from '../../../client/questions.ts'
import { printArgument, printText, typedLine } from '../../../language/print.ts'
import type { TradeRow } from '../../../protocol/desk-frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Gain } from '../../components/figure.tsx'
import { Empty, Skeleton } from '../../components/pane.tsx'
import { showAverage, showFigure, showMoney, showTime } from '../../figures.ts'
import { makerName, ordererName, showSpan } from '../../runs/use-runs.ts'
import { tradePath } from '../../shell/routes.ts'
import { whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'

interface TradeDetailProps {
  readonly trade: TradeRow
  readonly account: string
  readonly onClose: () => void
}

export function TradeDetail({ trade, account, onClose }: TradeDetailProps) {
  const [, navigate] = useLocation()
  const { symbol, side, openedAt, closedAt, by, note, tags = [] } = trade
  const now = Date.now()
  return (
    <Dialog title={`${symbol} ${side} ${showFigure(trade.entered)}`} className="wide-dialog" onClose={onClose}>
      <div className="gap-5 grid">
        <dl className="ledger">
          <Fact name="Opened">{`${showTime(openedAt, now)}${by === undefined ? '' : `, ${makerName(by)}`}`}</Fact>
          <Fact name="Closed">
            {closedAt === undefined ? 'open' : `${showTime(closedAt, now)}, after ${showSpan(closedAt - openedAt)}`}
          </Fact>
          <Fact name="Entry">{`${showFigure(trade.entered)} at ${showAverage(trade.entryPrice, undefined)}`}</Fact>
          {trade.exitPrice !== undefined && (
            <Fact name="Exit">{`${showFigure(trade.exited)} at ${showAverage(trade.exitPrice, undefined)}`}</Fact>
          )}
          {trade.sums.map((sums) => (
            <Fact key={sums.currency} name={`Net, ${sums.currency}`}>
              <Gain text={sums.net} /> <span className="muted">{`after fees of ${showMoney(sums.fees)}`}</span>
            </Fact>
          ))}
          {trade.r !== undefined && <Fact name="R">{`${showFigure(trade.r)} R`}</Fact>}
          {note !== undefined && <Fact name="Note">{note}</Fact>}
          {tags.length > 0 && <Fact name="Tags">{tags.map((tag) => `#${tag}`).join(' ')}</Fact>}
        </dl>
        <Orders trade={trade} account={account} />
        <NoteForm trade={trade} account={account} />
        <div className="cluster dialog-actions">
          <button type="button" className="button" data-first onClick={() => navigate(chartPath(symbol, account))}>
            Show on the chart
          </button>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function chartPath(symbol: string, account: string): string {
  return `${tradePath(symbol)}?${new URLSearchParams({ account, tab: 'history', of: 'symbol' })}`
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const MOST = 200

type PastOrder = Answer<'orders:query'>['orders'][number]

const COLUMNS: readonly Column<PastOrder>[] = [
  { id: 'id', title: 'Id', isRowHead: true, cell: ({ orderId }) => <code>{orderId}</code> },
  { id: 'at', title: 'Sent', className: 'muted', cell: ({ at }) => showTime(at, Date.now()) },
  {
    id: 'side',
    title: 'Side',
    cell: ({ side, type }) => <span className={side === 'buy' ? 'gain' : 'loss'}>{`${side} ${type}`}</span>,
  },
  {
    id: 'filled',
    title: 'Filled',
    isFigure: true,
    cell: ({ filled = '0', average }) =>
      average === undefined ? showFigure(filled) : `${showFigure(filled)} at ${showAverage(average, undefined)}`,
  },
  {
    id: 'run',
    title: 'Ordered by',
    cell: ({ by, taskId, runId }) => {
      const name = by === undefined ? '–' : ordererName(by, taskId)
      return runId === undefined ? name : <Link href={`/journal/${runId}`}>{name}</Link>
    },
  },
]

function Orders({ trade: { symbol, orderIds, closedAt }, account }: Pick<TradeDetailProps, 'trade' | 'account'>) {
  const { ask } = useConsole()
  const question = JSON.stringify(['orders of a trade', account, symbol])
  const { answer, problem } = useQuery(question, closedAt, () => ask.orders({ account, symbol, limit: MOST }))
  if (answer === undefined) return problem === undefined ? <Skeleton rows={2} /> : <Empty>{problem}</Empty>
  const rows = answer.orders.filter(({ orderId }) => orderId !== undefined && orderIds.includes(orderId))
  if (rows.length === 0) return <Empty>Its orders are older than those that are listed here.</Empty>
  return (
    <DataTable
      label="Orders of the trade"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ orderId = '', at }) => `${orderId} ${at}`}
    />
  )
}

/** A page adds a note where there is none, and tags; the terminal replaces them. */
function NoteForm({ trade, account }: Pick<TradeDetailProps, 'trade' | 'account'>) {
  const console = useConsole()
  const noCommands = useDesk(whyNoCommands)
  const [note, setNote] = useState('')
  const [tags, setTags] = useState('')
  const line = noteOfTrade(trade, note, tags)
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    if (line === undefined || noCommands !== undefined) return
    void console.runFromPanel(line, { account, symbol: trade.symbol }).then((isDone) => {
      if (!isDone) return
      setNote('')
      setTags('')
    })
  }
  return (
    <form className="gap-3 row form" aria-label="Note of the trade" onSubmit={save}>
      {trade.note === undefined && (
        <label className="fill text-2">
          Note
          <input maxLength={300} autoComplete="off" value={note} onChange={({ target }) => setNote(target.value)} />
        </label>
      )}
      <label className="fill text-2">
        Tags
        <input
          autoComplete="off"
          spellCheck={false}
          placeholder="breakout late"
          value={tags}
          onChange={({ target }) => setTags(target.value)}
        />
      </label>
      <button
        type="submit"
        className="button"
        disabled={line === undefined || noCommands !== undefined}
        title={noCommands ?? line}
      >
        Save
      </button>
    </form>
  )
}

/** @returns undefined: there is nothing to write, or it cannot be typed */
export function noteOfTrade(
  { orderIds: [id], symbol }: Pick<TradeRow, 'orderIds' | 'symbol'>,
  note: string,
  tags: string,
): string | undefined {
  const text = note.trim()
  const names = tags.split(/[\s,#]+/).filter((tag) => tag !== '')
  const line = id === undefined ? undefined : typedLine`note ${id} ${symbol}`
  const isTypable =
    (text === '' || printText(text) !== undefined) && names.every((tag) => /^[\p{L}\d-]{1,32}$/u.test(tag))
  if (line === undefined || !isTypable || (text === '' && names.length === 0)) return undefined
  // In quotes also where it is one word.
  const quoted = text === '' ? [] : [printArgument({ kind: 'string', text, column: 1 })]
  return [line, ...quoted, ...names.map((tag) => `#${tag}`)].join(' ')
}
