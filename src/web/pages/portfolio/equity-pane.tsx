// Equity: the curve of one account over a span, both chosen here, and its fills as a file.
import { useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { EquityChart } from '../../components/equity-chart.tsx'
import { gapsOf } from '../../components/equity-curve.ts'
import { Empty, Pane, Skeleton } from '../../components/pane.tsx'
import { Menu, type MenuItem, usePopover } from '../../components/popover.tsx'
import { toast } from '../../components/toasts.tsx'
import { describeFailure } from '../../console.ts'
import { showTime } from '../../figures.ts'
import { isLive } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import type { QueryState } from '../../state/use-query.ts'
import { type CsvFile, csvName, equityFile, fillsFile, pnlFile } from './csv-files.ts'
import { hasOlder, SPANS, startOf, type View } from './use-view.ts'

interface EquityPaneProps {
  readonly view: View
  readonly query: QueryState<Answer<'equity:query'>>
  /** The deepest fall, in percent: `-3.92`. */
  readonly deepest: string | undefined
}

export function EquityPane({ view, query, deepest }: EquityPaneProps) {
  const { answer } = query
  const points = answer?.points ?? []
  return (
    <Pane id="equity" title="Equity" aside={<ChooseAccount view={view} />} actions={<Actions view={view} />}>
      <div className="stack high equity">
        {query.problem !== undefined && (
          <p className="soft warning" role="note">{`hookline reports: ${query.problem}`}</p>
        )}
        {answer === undefined && query.problem === undefined && <Waiting />}
        {answer && points.length < 2 && <TooFew answer={answer} view={view} />}
        {answer && points.length > 1 && (
          <>
            <EquityChart
              points={points}
              account={answer.account}
              currency={answer.currency ?? ''}
              zone={view.zone}
              deepest={deepest}
            />
            <GapsNote answer={answer} />
          </>
        )}
      </div>
    </Pane>
  )
}

function Waiting() {
  const isConnected = useDesk(isLive)
  return isConnected ? <Skeleton rows={6} /> : <Empty>The curve appears once this page is connected to hookline.</Empty>
}

function TooFew({ answer, view }: { readonly answer: Answer<'equity:query'>; readonly view: View }) {
  const { account, since } = answer
  if (hasOlder(view.span, since, Date.now()))
    return (
      <Empty title="Nothing in this span">
        {`The equity of ${account} is older than this span. Choose a longer one.`}
      </Empty>
    )
  return (
    <Empty title="No curve yet">
      {`hookline records the equity of ${account} once a minute while the account is in use. The curve starts at the second point.`}
    </Empty>
  )
}

function GapsNote({ answer }: { readonly answer: Answer<'equity:query'> }) {
  const now = Date.now()
  const gaps = gapsOf(
    answer.points.map(([at]) => ({ at })),
    now,
  )
  const longest = gaps.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a), gaps[0] ?? { from: 0, to: 0 })
  const since = answer.since === undefined ? '' : `Recorded since ${showTime(answer.since, now)}. `
  const words = `${gaps.length === 1 ? '1 gap' : `${gaps.length} gaps`}, where hookline did not run or the account was not in use; the longest from ${showTime(longest.from, now)} to ${showTime(longest.to, now)}.`
  return (
    <p className="inset muted rigid">{`${since}Deposits and withdrawals are included. ${gaps.length > 0 ? words : ''}`}</p>
  )
}

function ChooseAccount({ view }: { readonly view: View }) {
  const accounts = useDesk((state) => state.accounts)
  const names = [
    ...new Set([...(view.account === undefined ? [] : [view.account]), ...(accounts ?? []).map(({ name }) => name)]),
  ]
  return (
    <select
      className="soft raised select"
      aria-label="Account whose money is shown"
      value={view.account ?? ''}
      disabled={names.length === 0}
      onChange={(event) => view.show({ account: event.target.value })}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

function Actions({ view }: { readonly view: View }) {
  return (
    <>
      <fieldset className="boxed round raised gap-1 row segments">
        <legend className="visually-hidden">Span</legend>
        {SPANS.map((span) => (
          <button
            key={span.id}
            type="button"
            aria-pressed={span.id === view.span.id}
            title={span.title}
            onClick={() => view.show({ span: span.id })}
          >
            {span.label}
          </button>
        ))}
      </fieldset>
      <CsvMenu view={view} />
    </>
  )
}

// Makes files of what is shown: the fills of the account in the span, what was made, and the points of the curve.

/** The most that hookline gives. */
const MOST_POINTS = 2000

function CsvMenu({ view }: { readonly view: View }) {
  const { ask } = useConsole()
  const popover = usePopover()
  const isConnected = useDesk(isLive)
  const [isAsking, setAsking] = useState(false)
  const { account, span, by, zone } = view
  if (account === undefined) return null
  const make = async (what: string, file: () => Promise<CsvFile>) => {
    popover.close()
    setAsking(true)
    try {
      const { text, rows, gaps } = await file()
      save(csvName(what, account, span.id), text)
      const missing = gaps.length === 0 ? '' : `; something may be missing: ${gaps.join('; ')}`
      toast({
        tone: gaps.length === 0 ? 'success' : 'warn',
        text: `${rows} lines of ${what} of ${account} in a file${missing}`,
      })
    } catch (error) {
      toast({ tone: 'error', text: `No file of ${what}: ${describeFailure(error)}` })
    } finally {
      setAsking(false)
    }
  }
  const summed = by === 'trade' ? 'day' : by
  const range = () => startOf(span, Date.now())
  const scope = () => (by === 'account' ? range() : { account, ...range() })
  const files: readonly (readonly [id: string, title: string, note: string, file: () => Promise<CsvFile>])[] = [
    ['fills', 'Fills', 'each one', () => fillsFile((question) => ask.fills(question), { account, filters: range() })],
    ['pnl', 'Profit and loss', `by ${summed}`, async () => pnlFile(await ask.pnl({ by: summed, zone, ...scope() }))],
    [
      ...(['equity', 'Equity', 'point by point'] as const),
      async () => equityFile(await ask.equity({ account, points: MOST_POINTS, ...range() })),
    ],
  ]
  const items: MenuItem[] = files.map(([id, title, note, file]) => ({
    id,
    title,
    note: <span className="muted">{note}</span>,
    onChoose: () => void make(id, file),
  }))
  return (
    <>
      <button
        type="button"
        className="button small"
        disabled={!isConnected || isAsking}
        aria-label={`Files of ${account} as CSV`}
        title={`What ${account} did in this span, as files for spreadsheets`}
        {...popover.button}
      >
        CSV
      </button>
      <Menu popover={popover} label="Files as CSV" items={items} />
    </>
  )
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
