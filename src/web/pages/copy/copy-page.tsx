// Copy: who copies whom and whether it holds, one pair to look at and change, and what was copied last.

import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { LineToType } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { showFigure, showTime } from '../../figures.ts'
import type { CrossTrade } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'
import { MatrixPane, usePairView } from './matrix-pane.tsx'
import { PairPane, StopCopying } from './pair-pane.tsx'
import { type Copy, linesToType, outcomeOf, type Pair, pairsOf } from './pairs.ts'
import './copy.css'

const NONE: readonly Pair[] = []

export function CopyPage() {
  const engine = useDesk((state) => state.crossTrade)
  const view = usePairView()
  const pairs = engine === undefined ? NONE : pairsOf(engine)
  const isOpen = view.open !== undefined || view.adding !== undefined
  return (
    <div className="page page-copy" data-open={isOpen}>
      <EnginePane engine={engine} />
      <MatrixPane engine={engine} pairs={pairs} view={view} />
      {isOpen && <PairPane key={view.open ?? JSON.stringify(view.adding)} engine={engine} pairs={pairs} view={view} />}
      <CopiesPane engine={engine} pairs={pairs} />
    </div>
  )
}

// The state of hookline's engine, and the lines that only its terminal runs.

export function EnginePane({ engine }: { readonly engine: CrossTrade | undefined }) {
  return (
    <Pane id="cross-trade" of="state:cross-trade" title="Cross-trade" actions={engine?.running && <StopCopying />}>
      {engine === undefined ? <Nothing what="The engine and its rows" rows={1} /> : <Engine engine={engine} />}
    </Pane>
  )
}

function Engine({ engine }: { readonly engine: CrossTrade }) {
  const { running, configs, leading = 0 } = engine
  const lines = linesToType(engine)
  return (
    <>
      <p className="inset cluster">
        <span className={`tag ${running ? 'good' : 'off'}`}>{running ? 'engine on' : 'engine off'}</span>
        <span className="muted">{running ? whichOne(engine) : idleWords(configs.length)}</span>
      </p>
      {running && leading > 0 && (
        <p className="soft warning" role="note">
          <b>One engine at a time.</b>{' '}
          {leading === 1 ? 'A web page reports that it leads' : `${leading} web pages report that they lead`}{' '}
          cross-trading too, and each copy may be made twice: stop copying here, or there.
        </p>
      )}
      {lines.map(({ line, label }) => (
        <LineToType key={label} line={line} label={label} />
      ))}
    </>
  )
}

function whichOne({ pid, startedAt }: CrossTrade): string {
  const since = startedAt === undefined ? '' : `, since ${showTime(startedAt, Date.now())}`
  return `pid ${pid ?? 'unknown'}${since}`
}

function idleWords(rows: number): string {
  return rows === 0 ? 'No pair yet: nothing is copied.' : 'Nothing is copied. What copiers hold stays.'
}

// --- What copiers ordered last: when, what, and its fate, each with the way to its order.

const MOST = 50

export function CopiesPane({
  engine,
  pairs,
}: {
  readonly engine: CrossTrade | undefined
  readonly pairs: readonly Pair[]
}) {
  const { ask } = useConsole()
  // Every copy changes what a copier holds, or how it is.
  const news = JSON.stringify(engine?.copiers?.map(({ owned, state, why }) => [owned, state, why]))
  const { answer, problem } = useQuery('copies', news, () => ask.copies({ limit: MOST }))
  const masterOf = JSON.stringify(pairs.map(({ row }) => [row.id, row.masterAccount]))
  const columns = useMemo(() => columnsOf(new Map(JSON.parse(masterOf))), [masterOf])
  return (
    <Pane id="copies" title="Last copies">
      {problem !== undefined && <p className="soft warning" role="note">{`hookline reports: ${problem}`}</p>}
      {answer === undefined && problem === undefined && <Nothing what="Last copies" rows={2} />}
      {answer?.copies.length === 0 && (
        <Empty title="No copied orders yet">
          Orders of copiers appear here, with their time and outcome: placed, refused or unknown.
        </Empty>
      )}
      {answer !== undefined && answer.copies.length > 0 && (
        <DataTable label="Last copies" columns={columns} rows={answer.copies} keyOf={(copy) => copy.clientOrderId} />
      )}
    </Pane>
  )
}

function columnsOf(masters: ReadonlyMap<string, string>): readonly Column<Copy>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      isRowHead: true,
      cell: ({ at }) => showTime(at, Date.now()),
      compare: (a, b) => a.at - b.at,
    },
    {
      id: 'copier',
      title: 'Copier',
      cell: ({ account, configId }) => (
        <>
          {account} <span className="muted">{`copies ${masters.get(configId) ?? 'by a row that is gone'}`}</span>
        </>
      ),
      compare: (a, b) => a.account.localeCompare(b.account),
    },
    {
      id: 'order',
      title: 'Order',
      cell: ({ side, amount, symbol, type, taskId }) =>
        `${side} ${showFigure(amount)} ${symbol}${taskId === undefined ? (type === 'market' ? '' : `, ${type}`) : ', chase'}`,
    },
    {
      id: 'filled',
      title: 'Filled',
      isFigure: true,
      cell: ({ filled, average }) =>
        average === undefined ? showFigure(filled) : `${showFigure(filled)} at ${showFigure(average)}`,
    },
    { id: 'outcome', title: 'Outcome', className: 'wraps', cell: (copy) => <Fate copy={copy} /> },
    { id: 'show', title: 'Show', isUnseen: true, cell: (copy) => <ToOrder copy={copy} /> },
  ]
}

function Fate({ copy }: { readonly copy: Copy }) {
  const { tone, word } = outcomeOf(copy)
  return (
    <>
      <span className={`tag ${tone}`}>{word}</span>
      {copy.reason !== undefined && <span className="muted"> {copy.reason}</span>}
    </>
  )
}

/** The Trade page of its account and symbol: its fills, or what rests of it. */
function ToOrder({ copy: { account, symbol, side, amount, state, orderId } }: { readonly copy: Copy }) {
  const console = useConsole()
  const [, navigate] = useLocation()
  if (orderId === undefined) return null
  const tab = state === 'placed' ? 'positions' : 'fills'
  const go = () => {
    console.choose({ account, symbol })
    navigate(`/trade/${encodeURIComponent(symbol)}?tab=${tab}`)
  }
  return (
    <button
      type="button"
      className="button small"
      title={`Order ${orderId}, on the Trade page of ${account}`}
      aria-label={`Show order ${orderId} (${side} ${showFigure(amount)} ${symbol} on ${account})`}
      onClick={go}
    >
      Show
    </button>
  )
}
