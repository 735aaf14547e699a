// Runs, newest first.
import { defined } from '../../base/defined.ts'
import type { RunRow } from '../../protocol/frames.ts'
import { StateBadge } from '../components/icon.tsx'
import { VirtualList } from '../components/virtual-list.tsx'
import { Words } from '../components/words.tsx'
import { showTime } from '../figures.ts'
import { broughtBy, CONSOLE, outcomeOf, sourceWord, tookOf, whoRan } from './use-runs.ts'

interface RunListProps {
  readonly label: string
  readonly runs: readonly RunRow[]
  readonly selected: string | undefined
  readonly onOpen: (run: RunRow) => void
  /** The last row is visible. */
  readonly onEnd?: () => void
}

export function RunList({ label, runs, selected, onOpen, onEnd }: RunListProps) {
  return (
    <VirtualList
      className="run-row"
      rows={runs}
      keyOf={runKey}
      draw={drawRun}
      rowPx={30}
      narrowRowPx={52}
      label={label}
      selected={selected}
      onOpen={onOpen}
      {...defined({ onEnd })}
    />
  )
}

function runKey({ runId }: RunRow): string {
  return runId
}

function drawRun(run: RunRow) {
  return <RunCells run={run} />
}

function RunCells({ run }: { readonly run: RunRow }) {
  const { command, startedAt, source } = run
  const brought = broughtBy(run)
  return (
    <>
      <span className="muted numeric">{showTime(startedAt, Date.now())}</span>
      <span className="run-who cut" title={`${whoRan(run)}, ${sourceWord(source)}`}>
        {whoRan(run).replace(CONSOLE, '')}
      </span>
      <span className="run-what cut" title={brought?.text}>
        {brought !== undefined && (
          <span className={run.warned ? 'run-error warn' : brought.isElsewhere ? 'muted' : undefined}>
            <Words text={brought.text} />{' '}
          </span>
        )}
        <code className="muted">{command}</code>
      </span>
      <StateBadge state={outcomeOf(run)} />
      <span className="muted numeric run-took">{tookOf(run) ?? ''}</span>
    </>
  )
}
