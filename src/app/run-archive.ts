// What ran, for `runs`: the runs of this process from memory, those of others and of earlier processes from the files.
import { join } from 'node:path'
import type { RunArchive } from '../commands/kit/ports.ts'
import { isAskedFor, type RunQuery, type RunSummary } from '../runs/run.ts'
import { outputOfRun } from '../runtime/run-output-log.ts'
import { findJournalledRuns } from '../runtime/run-pages.ts'
import { filesSince } from '../stores/durable-journal.ts'
import { linesBackwards, withBackup } from '../stores/journal-file.ts'
import { isAlive } from '../stores/kernel-files.ts'
import { type JournalHistory, ordersOfRun, readJournalHistory } from '../trading/history/journal-history.ts'

interface RunArchiveOptions {
  /** Writes what this process has printed and not written yet. */
  readonly flushOutput: () => void
  readonly directory: string
  readonly runner: { runs(limit?: number): readonly RunSummary[] }
}

export function createRunArchive({ directory, runner, flushOutput }: RunArchiveOptions): RunArchive {
  const file = (name: string) => join(directory, name)

  async function find(query: RunQuery): Promise<readonly RunSummary[]> {
    const here = runner.runs()
    const known = new Set(here.map(({ runId }) => runId))
    // A pid of ours in a line that is not of ours is a pid that has come round again.
    const isRunning = (pid: number) => pid !== process.pid && isAlive({ pid })
    const lines = linesBackwards(withBackup(file('runs.jsonl')))
    const written = await findJournalledRuns(lines, { ...query, limit: query.limit + known.size }, isRunning)
    const runs = [...here.filter((run) => isAskedFor(run, query)), ...written.filter(({ runId }) => !known.has(runId))]
    const rank = ({ state }: RunSummary) => (state === 'running' ? 0 : 1)
    return runs.sort((a, b) => rank(a) - rank(b) || b.startedAt - a.startedAt).slice(0, query.limit)
  }

  return {
    find,
    output(run) {
      flushOutput()
      return outputOfRun(linesBackwards(withBackup(file('run-output.jsonl'))), run)
    },
    orders: async (run) => {
      const files = await filesSince(file('orders.jsonl'), run.startedAt)
      return ordersOfRun(linesBackwards(files), run.runId)
    },
  }
}

/** What the order journal has of an account of that name, since it was made. */
export async function readOrderHistory(
  directory: string,
  { name, createdAt = 0 }: { readonly name: string; readonly createdAt?: number },
): Promise<JournalHistory> {
  const files = await filesSince(join(directory, 'orders.jsonl'), createdAt)
  return readJournalHistory(linesBackwards(files), name, createdAt)
}
