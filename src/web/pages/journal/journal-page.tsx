// Journal: every run that was kept, and those that come. Which ones, and which is open, is in the address: it survives a reload, and can be sent.
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { AccountRow, HookRow } from '../../../protocol/frames.ts'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { RunList } from '../../runs/run-list.tsx'
import { OUTCOMES, type RunFilters, type RunsFeed, readFilters, useRuns, writeFilters } from '../../runs/use-runs.ts'
import { useDeskParts } from '../../state/use-console.ts'
import { NoRun, RunDetail } from './run-detail.tsx'

export function JournalPage() {
  const { hooks, accounts } = useDeskParts('hooks', 'accounts')
  const [path, navigate] = useLocation()
  const search = useSearch()
  const filters = useMemo(() => readFilters(search), [search])
  const runId = runIn(path)
  const [isPaused, setPaused] = useState(false)
  const feed = useRuns(filters, isPaused)
  const toggle = useCallback(() => setPaused((was) => !was), [])
  useSpace(toggle)
  const filter = useCallback(
    (next: RunFilters) => navigate(`/journal${runId ? `/${runId}` : ''}${writeFilters(next)}`, { replace: true }),
    [navigate, runId],
  )
  const open = (id: string | undefined) => navigate(`/journal${id ? `/${id}` : ''}${writeFilters(filters)}`)
  return (
    <div className="page page-journal" data-open={runId !== undefined}>
      <Pane
        id="journal"
        title="Journal"
        aside={<RunCount feed={feed} />}
        actions={<LiveButton isPaused={isPaused} waiting={feed.waiting} onClick={toggle} />}
      >
        <RunFilterBar filters={filters} onFilter={filter} hooks={hooks ?? []} accounts={accounts ?? []} />
        <Runs feed={feed} filters={filters} selected={runId} onOpen={open} onClear={() => filter({})} />
      </Pane>
      <Pane id="run" title="Run" isHeaded>
        {runId === undefined ? (
          <NoRun />
        ) : (
          <RunDetail
            runId={runId}
            row={feed.runs?.find((run) => run.runId === runId)}
            close={
              <button type="button" className="button small" onClick={() => open(undefined)}>
                Close
              </button>
            }
          />
        )}
      </Pane>
    </div>
  )
}

interface RunsProps {
  readonly feed: RunsFeed
  readonly filters: RunFilters
  readonly selected: string | undefined
  readonly onOpen: (runId: string) => void
  readonly onClear: () => void
}

function Runs({
  feed: { runs, error, hasOlder, isLoading, loadOlder },
  filters,
  selected,
  onOpen,
  onClear,
}: RunsProps) {
  const end = useCallback(() => hasOlder && loadOlder(), [hasOlder, loadOlder])
  if (runs === undefined) return error === undefined ? <Nothing what="Runs" rows={6} /> : <Empty>{error}</Empty>
  if (runs.length > 0) {
    return <RunList label="Runs" runs={runs} selected={selected} onOpen={(run) => onOpen(run.runId)} onEnd={end} />
  }
  if (hasOlder) return <LookFurther isLoading={isLoading} onLook={loadOlder} />
  if (Object.keys(filters).length === 0) {
    return (
      <Empty title="No run yet" line="hook create dip &quot;buy $250 BTCUSDT&quot;">
        Every command is recorded here: from pages, the terminal and hooks.
      </Empty>
    )
  }
  return (
    <div className="gap-3 grid muted empty">
      <b>No run matches</b>
      <p>All recorded runs were searched.</p>
      <button type="button" className="button small" onClick={onClear}>
        Clear filters
      </button>
    </div>
  )
}

/** So much was looked through without a match; more only when a person wants it. */
function LookFurther({ isLoading, onLook }: { readonly isLoading: boolean; readonly onLook: () => void }) {
  return (
    <div className="gap-3 grid muted empty">
      <b>No match among the newest runs</b>
      <button type="button" className="button small" disabled={isLoading} onClick={onLook}>
        Search older runs
      </button>
    </div>
  )
}

function RunCount({ feed: { runs, hasOlder, error } }: { readonly feed: RunsFeed }) {
  if (runs === undefined) return null
  if (error !== undefined) return <span className="bad">{error}</span>
  const count = `${runs.length.toLocaleString('en-US')}${hasOlder ? '+' : ''}`
  return <span className="count">{`${count} ${count === '1' ? 'run' : 'runs'}`}</span>
}

interface LiveButtonProps {
  readonly isPaused: boolean
  readonly waiting: number
  readonly onClick: () => void
}

function LiveButton({ isPaused, waiting, onClick }: LiveButtonProps) {
  return (
    <button
      type="button"
      className="button small"
      aria-pressed={!isPaused}
      title="New runs appear as they begin (Space)"
      onClick={onClick}
    >
      {isPaused ? `Paused${waiting > 0 ? `, ${waiting} new` : ''}` : 'Live'}
    </button>
  )
}

function runIn(path: string): string | undefined {
  return /^\/journal\/([0-9a-f-]{8,36})\/?$/i.exec(path)?.[1]
}

/** Where nothing else takes it: a control that has the focus is pressed by it. */
function useSpace(act: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
      const target = event.target instanceof Element ? event.target : undefined
      const isTaken = target?.closest('button:not(.list-row), a, input, textarea, select, dialog, [popover]')
      if (isTaken || document.querySelector('dialog[open]')) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [act])
}

// The filters of the journal: source, account, state, span. All are in the address.

export interface RunFilterBarProps {
  readonly filters: RunFilters
  readonly onFilter: (filters: RunFilters) => void
  readonly hooks: readonly HookRow[]
  readonly accounts: readonly AccountRow[]
}

const SOURCES = [
  ['hook', 'From hooks'],
  ['repl', 'From the terminal'],
  ['web', 'From pages'],
  ['exec', 'From scripts'],
  ['phone', 'From the phone'],
] as const
const SPAN_WORDS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const
/** After the last key. */
const TYPED_MS = 250

export function RunFilterBar({ filters, onFilter, hooks, accounts }: RunFilterBarProps) {
  const set = (name: keyof RunFilters) => (value: string) => onFilter({ ...filters, [name]: value })
  return (
    <search className="inset ruled surface gap-3 cluster filter-bar" aria-label="Filter runs">
      <TypedFilter label="Command, hook or error" value={filters.text ?? ''} onType={set('text')} isFirst />
      <Choice label="Since" any="Any time" value={filters.span} options={SPAN_WORDS} onChoose={set('span')} />
      <Choice
        label="State"
        any="Any state"
        value={filters.state}
        options={OUTCOMES.map(twice)}
        onChoose={set('state')}
      />
      <Choice label="Source" any="Any source" value={filters.source} options={SOURCES} onChoose={set('source')} />
      <Choice
        label="Hook"
        any="Any hook"
        value={filters.hook}
        options={hooks.map(({ name }) => twice(name))}
        onChoose={set('hook')}
      />
      <Choice
        label="Account"
        any="Any account"
        value={filters.account}
        options={accounts.map(({ name }) => twice(name))}
        onChoose={set('account')}
      />
      <TypedFilter label="Symbol" value={filters.symbol ?? ''} onType={set('symbol')} />
      {Object.keys(filters).length > 0 && (
        <button type="button" className="button small quiet" onClick={() => onFilter({})}>
          Clear
        </button>
      )}
    </search>
  )
}

interface TypedFilterProps {
  readonly label: string
  readonly value: string
  readonly isFirst?: boolean
  readonly onType: (value: string) => void
}

function TypedFilter({ label, value, isFirst, onType }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  // The address changed by another hand: a link, the way back, Clear.
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return undefined
    const timer = setTimeout(() => onType(typed), TYPED_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onType])
  return (
    <input
      type="search"
      className={isFirst ? 'wide' : 'symbol'}
      data-filter={isFirst ? '' : undefined}
      aria-label={label}
      placeholder={label}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

interface ChoiceProps {
  readonly label: string
  readonly any: string
  readonly value: string | undefined
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, any, value = '', options, onChoose }: ChoiceProps) {
  // The value of the address is shown, also where it is no longer among the options.
  const isKnown = value === '' || options.some(([each]) => each === value)
  return (
    <select aria-label={label} data-set={value !== ''} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{any}</option>
      {!isKnown && <option>{value}</option>}
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

function twice(text: string): readonly [string, string] {
  return [text, text]
}
