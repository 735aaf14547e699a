// `runs`: what ran lately, from whom, and how it ended.
import { printable } from '../../language/printable.ts'
import type { RunSummary } from '../../runs/run.ts'
import { showDuration, showTime } from '../../trading/figures.ts'
import type { SingleCommand } from '../kit/command.ts'
import { readInteger, refuseMoreThan } from '../kit/read-arguments.ts'
import { renderTable } from '../kit/table.ts'

const DEFAULT_COUNT = 20
const MAX_COUNT = 1000

export const runs: SingleCommand<'runs'> = {
  name: 'runs',
  group: 'session',
  usage: '[count]',
  summary: 'running, waiting and recent runs, newest first',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'runs', says: `the last ${DEFAULT_COUNT}` },
    { line: 'runs 100', says: 'more of them' },
  ],
  run(context, args) {
    refuseMoreThan(1, args)
    const count = args[0] === undefined ? DEFAULT_COUNT : readInteger(args[0], 1, MAX_COUNT)
    const rows = context.ports.runs(count)
    if (rows.length === 0) return context.out.info('no runs yet')
    const now = context.clock.now()
    const columns = [
      { title: 'run' },
      { title: 'started (UTC)' },
      { title: 'took', align: 'right' },
      { title: 'state' },
      { title: 'from' },
      { title: 'account' },
      { title: 'command' },
    ] as const
    context.out.print(
      renderTable(
        columns,
        rows.map((run) => runCells(run, now)),
      ),
    )
    for (const run of rows) {
      if (run.error !== undefined) context.out.warn(`${shortId(run)} ${run.state}: ${printable(run.error, 200)}`)
    }
  },
}

function runCells(run: RunSummary, now: number): readonly string[] {
  const isTimed = run.state === 'running' || run.finishedAt !== undefined
  return [
    shortId(run),
    showTime(run.startedAt),
    isTimed ? showDuration(Math.max(0, (run.finishedAt ?? now) - run.startedAt)) : '',
    run.state,
    run.origin === undefined ? run.source : `${run.source}:${printable(run.origin, 30)}`,
    printable(run.account ?? '', 30),
    printable(run.command, 60),
  ]
}

function shortId(run: RunSummary): string {
  return run.runId.slice(0, 8)
}
