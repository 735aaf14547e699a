// Runs that come as a whole list, and then as those that changed: (list, frame) → list.
import type { Frame, RunRow } from '../../../protocol/frames.ts'

const KEPT = 200

/** Newest first, each once. */
export function withRuns(
  known: readonly RunRow[] | undefined,
  { runs, part }: Pick<Frame<'state:runs'>, 'runs' | 'part'>,
): readonly RunRow[] {
  const byId = new Map((part ? (known ?? []) : []).map((run) => [run.runId, run]))
  for (const run of runs) byId.set(run.runId, run)
  return [...byId.values()].sort((a, b) => b.startedAt - a.startedAt).slice(0, KEPT)
}
