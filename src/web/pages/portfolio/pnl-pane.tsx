import { lazy, Suspense, useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import type { TradeRow } from '../../../protocol/desk-frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Gain } from '../../components/figure.tsx'
import { Empty, Pane, Skeleton } from '../../components/pane.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Words } from '../../components/words.tsx'
import { compareFigures, restOf, showAverage, showFigure, showMoney, showTime } from '../../figures.ts'
import { makerName } from '../../runs/use-runs.ts'
import { isLive } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import type { QueryState } from '../../state/use-query.ts'
import { barParts, type MadeRow, madeRows, type Sums, type View, type Way } from './use-view.ts'

const TradeDetail = lazy(async () => ({ default: (await import('./trade-detail.tsx')).TradeDetail }))

// Profit over the span: by day, symbol, source or account.

const TABS: readonly { readonly id: Way; readonly title: string }[] = [
  { id: 'day', title: 'Day' },
  { id: 'symbol', title: 'Symbol' },
  { id: 'hook', title: 'Source' },
  { id: 'account', title: 'Account' },
  { id: 'trade', title: 'Trades' },
]

interface MadePaneProps {
  readonly view: View
  readonly query: QueryState<Answer<'pnl:query'>>
  readonly trades: QueryState<Answer<'trades:query'>>
}

export function MadePane({ view, query, trades }: MadePaneProps) {
  const isOfTrades = view.by === 'trade'
  const { answer, problem } = isOfTrades ? trades : query
  return (
    <Pane
      id="made"
      title="Profit and loss"
      aside={view.by === 'day' ? `days in ${query.answer?.zone ?? 'UTC'}` : undefined}
    >
      <Tabs label="Profit and loss by" tabs={TABS} shown={view.by} onShow={(by) => view.show({ by })} />
      <div id={`tabpanel-${view.by}`} role="tabpanel" aria-labelledby={`tab-${view.by}`}>
        {problem !== undefined && <p className="soft warning" role="note">{`hookline reports: ${problem}`}</p>}
        {answer === undefined && problem === undefined && <Waiting />}
        {isOfTrades
          ? trades.answer && <Trades answer={trades.answer} account={trades.answer.account} />
          : query.answer && <Made answer={query.answer} view={view} />}
      </div>
    </Pane>
  )
}

function Waiting() {
  const isConnected = useDesk(isLive)
  return isConnected ? <Skeleton rows={4} /> : <Empty>Results appear once this page is connected to hookline.</Empty>
}

function Gaps({ gaps }: { readonly gaps: readonly string[] }) {
  if (gaps.length === 0) return null
  return (
    <div className="soft warning" role="note">
      <b>Some results may be missing.</b>
      {gaps.map((gap) => (
        <p key={gap}>{gap}</p>
      ))}
    </div>
  )
}

// Trades from flat to flat, those still open first.

interface TradesProps {
  readonly answer: Answer<'trades:query'>
  readonly account: string
}

export function Trades({ answer: { list = [], leftOut = 0, gaps }, account }: TradesProps) {
  const [opened, setOpened] = useState<string>()
  const trade = list.find((each) => tradeKey(each) === opened)
  return (
    <>
      <Gaps gaps={gaps} />
      {list.length === 0 ? (
        <Empty title="No trades in this span" line="buy $1000 BTCUSDT">
          A trade goes from flat to flat.
        </Empty>
      ) : (
        <DataTable
          label="Trades"
          columns={TRADE_COLUMNS}
          rows={list}
          keyOf={tradeKey}
          onOpen={(each) => setOpened(tradeKey(each))}
        />
      )}
      {trade && (
        <Suspense>
          <TradeDetail trade={trade} account={account} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
      {leftOut > 0 && (
        <p className="inset muted">
          <Words text={`${leftOut.toLocaleString('en-US')} older trades: \`trades\` lists them.`} />
        </p>
      )}
    </>
  )
}

function tradeKey({ symbol, openedAt, orderIds }: TradeRow): string {
  return `${symbol} ${openedAt} ${orderIds[0]}`
}

/** Of one that is open, what is left: `0.029 of 0.038`. */
function heldOf({ entered, exited, closedAt }: Pick<TradeRow, 'entered' | 'exited' | 'closedAt'>): string {
  const left = closedAt === undefined ? restOf(entered, exited) : undefined
  const all = showFigure(entered)
  return left === undefined || !/[1-9]/.test(exited) ? all : `${showFigure(left)} of ${all}`
}

/** `page Chrome on Linux: late entry #fomo` */
export function whoAndNote({ by, note, tags = [] }: Pick<TradeRow, 'by' | 'note' | 'tags'>): string {
  const noted = [note, ...tags.map((tag) => `#${tag}`)].filter(Boolean).join(' ')
  return [by && makerName(by), noted].filter(Boolean).join(': ')
}

const OPEN = Number.MAX_SAFE_INTEGER

const TRADE_COLUMNS: readonly Column<TradeRow>[] = [
  {
    id: 'closed',
    title: 'Closed',
    isRowHead: true,
    cell: ({ openedAt, closedAt }) => (
      <span title={`opened ${showTime(openedAt, Date.now())}`}>
        {closedAt === undefined ? 'open' : showTime(closedAt, Date.now())}
      </span>
    ),
    compare: (a, b) => (a.closedAt ?? OPEN) - (b.closedAt ?? OPEN),
  },
  {
    id: 'symbol',
    title: 'Symbol',
    className: 'breaks',
    cell: (trade) => (
      <>
        {`${trade.symbol} ${trade.side} ${heldOf(trade)}`}
        <span className="muted text-2 line">{whoAndNote(trade)}</span>
      </>
    ),
    compare: (a, b) => a.symbol.localeCompare(b.symbol),
  },
  {
    id: 'prices',
    title: 'Entry → exit',
    isFigure: true,
    rank: 0,
    cell: ({ entryPrice, exitPrice, exited }) => (
      <>
        {showAverage(entryPrice, undefined)}{' '}
        {exitPrice !== undefined && /[1-9]/.test(exited) && (
          <span className="line">{`→ ${showAverage(exitPrice, undefined)}`}</span>
        )}
      </>
    ),
  },
  {
    id: 'net',
    title: 'Net',
    isFigure: true,
    cell: ({ sums }) => (
      <Lines
        sums={sums}
        show={({ net, currency }) => (
          <>
            <Gain text={net} /> {sums.length > 1 && <span className="muted">{currency}</span>}
          </>
        )}
      />
    ),
    compare: (a, b) => compareFigures(a.sums[0]?.net, b.sums[0]?.net),
  },
  {
    id: 'r',
    title: 'R',
    isFigure: true,
    cell: ({ r }) => (r === undefined ? '–' : `${showFigure(r)} R`),
    compare: (a, b) => compareFigures(a.r, b.r),
  },
]

function Made({ answer, view }: { readonly answer: Answer<'pnl:query'>; readonly view: View }) {
  const rows = madeRows(answer)
  return (
    <>
      <Gaps gaps={answer.gaps} />
      {rows.length === 0 ? (
        <Empty title="Nothing filled in this span" line="buy $1000 BTCUSDT">
          A trade counts from its first fill.
        </Empty>
      ) : (
        <DataTable
          key={view.by}
          label={`Profit and loss by ${view.by}`}
          columns={columnsOf(view, answer.total, rows)}
          rows={rows}
          keyOf={({ key, currency }) => `${key} ${currency}`}
        />
      )}
    </>
  )
}

const KEY_TITLES: Readonly<Record<Way, string>> = {
  day: 'Day',
  symbol: 'Symbol',
  hook: 'Who',
  account: 'Account',
  trade: 'Trade',
}

function columnsOf(
  { by, account }: View,
  total: Answer<'pnl:query'>['total'],
  rows: readonly MadeRow[],
): readonly Column<MadeRow>[] {
  const parts = barParts(rows)
  return [
    {
      id: 'key',
      title: KEY_TITLES[by],
      isRowHead: true,
      cell: ({ key, currency }) => (
        <>
          {by === 'hook' ? makerName(key) : key}{' '}
          {by === 'account' && key === account && <span className="muted">this one </span>}
          {total.sums.length > 1 && <span className="muted">{currency}</span>}
        </>
      ),
      compare: (a, b) => a.key.localeCompare(b.key),
      total: <Lines sums={total.sums} show={({ currency }) => `Total ${currency}`} />,
    },
    {
      ...figure('net', 'Net', total, (sums) => <Gain text={sums.net} />),
      cell: (row) => (
        <span className="to-end row">
          <Bar part={parts.get(row) ?? 0} isLoss={row.net.startsWith('-')} />
          <Gain text={row.net} />
        </span>
      ),
    },
    figure('realized', 'Before fees', total, (sums) => <Gain text={sums.realized} />),
    figure('fees', 'Fees', total, (sums) => showMoney(sums.fees)),
    figure('funding', 'Funding', total, (sums) => <Gain text={sums.funding} />),
    {
      id: 'fills',
      title: 'Fills',
      isFigure: true,
      cell: ({ fills }) => fills,
      compare: (a, b) => a.fills - b.fills,
      total: String(total.fills),
    },
  ]
}

function figure(
  id: 'net' | 'realized' | 'fees' | 'funding',
  title: string,
  total: Answer<'pnl:query'>['total'],
  show: (sums: Sums) => React.ReactNode,
): Column<MadeRow> {
  return {
    id,
    title,
    isFigure: true,
    cell: show,
    compare: (a, b) => compareFigures(a[id], b[id]),
    total: <Lines sums={total.sums} show={show} />,
  }
}

/** To the right of the middle a gain, to the left a loss; the figure beside it says it. */
function Bar({ part, isLoss }: { readonly part: number; readonly isLoss: boolean }) {
  const width = `${(part * 50).toFixed(1)}%`
  return (
    <span className="relative bar" aria-hidden="true">
      <span
        className={isLoss ? 'bar-loss' : 'bar-gain'}
        style={isLoss ? { right: '50%', width } : { left: '50%', width }}
      />
    </span>
  )
}

/** Each currency on a line of its own: they are never added. */
function Lines({ sums, show }: { readonly sums: readonly Sums[]; readonly show: (sums: Sums) => React.ReactNode }) {
  return sums.map((each) => (
    <span key={each.currency} className="line">
      {show(each)}
    </span>
  ))
}
