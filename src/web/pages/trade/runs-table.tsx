// What runs now, and what has ended lately.
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { RunRow } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Nothing } from '../../components/pane.tsx'
import { showTime } from '../../figures.ts'
import { useConsole } from '../../use-console.ts'
import { withRuns } from './run-list.ts'

export function RunsTable() {
  const { looks } = useConsole()
  const [runs, setRuns] = useState<readonly RunRow[]>()
  useEffect(() => {
    const stops = [
      looks.on('state:runs', (frame) => setRuns((known) => withRuns(known, frame))),
      looks.subscribe('runs'),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [looks])
  if (runs === undefined) return <Nothing what="Runs" rows={3} />
  if (runs.length === 0) return <Empty>Nothing has run lately.</Empty>
  return <DataTable label="Runs" columns={COLUMNS} rows={runs} keyOf={({ runId }) => runId} />
}

/** A state that is not known here is shown without a colour. */
const TONE: ReadonlyMap<string, string> = new Map([
  ['running', 'busy'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['interrupted', 'bad'],
])

const COLUMNS: readonly Column<RunRow>[] = [
  {
    id: 'time',
    title: 'Time',
    className: 'muted',
    cell: ({ startedAt }) => showTime(startedAt, Date.now()),
    compare: (a, b) => a.startedAt - b.startedAt,
  },
  {
    id: 'command',
    title: 'Line',
    isRowHead: true,
    className: 'wraps mono',
    cell: ({ command, runId }) => <Link href={`/journal/${runId}`}>{command}</Link>,
  },
  {
    id: 'source',
    title: 'From',
    cell: ({ source, origin }) => (origin === undefined ? source : `${source}, ${origin}`),
    compare: (a, b) => a.source.localeCompare(b.source),
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state, error }) => (
      <span className={`tag ${TONE.get(state) ?? ''}`} title={error}>
        {state}
      </span>
    ),
    compare: (a, b) => a.state.localeCompare(b.state),
  },
]
