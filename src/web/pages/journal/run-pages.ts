// The runs that a page holds, newest first: pages of answers and news put together. Pure.
import type { RunRow } from '../../../protocol/frames.ts'

/** Later rows of a run take the place of earlier ones. */
export function mergeRuns(held: readonly RunRow[], news: readonly RunRow[]): readonly RunRow[] {
  if (news.length === 0) return held
  const byId = new Map(held.map((run) => [run.runId, run]))
  for (const run of news) {
    const known = byId.get(run.runId)
    // An answer that was under way may be older than news that overtook it.
    if (known === undefined || known.finishedAt === undefined || run.finishedAt !== undefined) byId.set(run.runId, run)
  }
  return [...byId.values()].sort((a, b) => b.startedAt - a.startedAt || (a.runId < b.runId ? 1 : -1))
}

/** Those that are held already, and nothing new. */
export function updateRuns(held: readonly RunRow[], news: readonly RunRow[]): readonly RunRow[] {
  const known = new Set(held.map(({ runId }) => runId))
  return mergeRuns(
    held,
    news.filter(({ runId }) => known.has(runId)),
  )
}

export function countNew(held: readonly RunRow[], news: readonly RunRow[]): number {
  const known = new Set(held.map(({ runId }) => runId))
  return news.filter(({ runId }) => !known.has(runId)).length
}
