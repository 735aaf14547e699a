// Journal: every run that was kept, and those that come. Which ones, and which is open, is in the address: it survives a reload, and can be sent.
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useDeskParts } from '../../use-console.ts'
import { NoRun, RunDetail } from './run-detail.tsx'
import { RunFilterBar } from './run-filter-bar.tsx'
import { type RunFilters, readFilters, writeFilters } from './run-filters.ts'
import { RunList } from './run-list.tsx'
import { type RunsFeed, useRuns } from './use-runs.ts'

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
      <Pane id="run" title="Run">
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
        Every line that runs, typed here, in the terminal or by a hook, is kept here.
      </Empty>
    )
  }
  return (
    <div className="empty">
      <b>No run matches</b>
      <p>Every run that is kept was looked at.</p>
      <button type="button" className="button small" onClick={onClear}>
        Clear filters
      </button>
    </div>
  )
}

/** So much was looked through without a match; more only when a person wants it. */
function LookFurther({ isLoading, onLook }: { readonly isLoading: boolean; readonly onLook: () => void }) {
  return (
    <div className="empty">
      <b>No match among the newest runs</b>
      <button type="button" className="button small" disabled={isLoading} onClick={onLook}>
        Look further back
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
