// What runs now, and what has ended lately.
import { Link } from 'wouter'
import type { RunRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { type ChoosableColumn, DataTable, useShownColumns } from '../../components/data-table.tsx'
import { Empty, Nothing } from '../../components/pane.tsx'
import { showTime } from '../../figures.ts'
import { outcomeOf, tookOf, whoRan } from '../../runs/run-words.ts'

interface RunsTableProps {
  readonly rows: readonly RunRow[] | undefined
  readonly room: number
}

export function RunsTable({ rows, room }: RunsTableProps) {
  const columns = useShownColumns('runs', RUN_COLUMNS, room)
  if (rows === undefined) return <Nothing what="Runs" rows={3} />
  if (rows.length === 0) return <Empty>Nothing has run lately.</Empty>
  return <DataTable label="Runs" columns={columns} rows={rows} keyOf={({ runId }) => runId} />
}

export const RUN_COLUMNS: readonly ChoosableColumn<RunRow>[] = [
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
    cell: whoRan,
    compare: (a, b) => whoRan(a).localeCompare(whoRan(b)),
  },
  {
    id: 'state',
    title: 'State',
    cell: (run) => (
      <span title={run.error}>
        <StateBadge state={outcomeOf(run)} />
      </span>
    ),
    compare: (a, b) => outcomeOf(a).localeCompare(outcomeOf(b)),
  },
  {
    id: 'took',
    title: 'Took',
    isFigure: true,
    chars: 7,
    cell: (run) => tookOf(run) ?? '–',
    compare: (a, b) => lengthOf(a) - lengthOf(b),
  },
]

/** What runs on is longer than all. */
function lengthOf({ startedAt, finishedAt }: RunRow): number {
  return finishedAt === undefined ? Number.MAX_SAFE_INTEGER : finishedAt - startedAt
}
