// Fills that come more than once, and late: (list, rows) → list.
import type { FillRow } from '../../../protocol/frames.ts'

const KEPT = 500

/** Newest first, each once; of one account. */
export function withFills(
  known: readonly FillRow[] | undefined,
  rows: readonly FillRow[],
  account: string,
): readonly FillRow[] {
  const byId = new Map((known ?? []).map((fill) => [fill.id, fill]))
  // What one telling of a fill leaves out, such as what it realised, another has said.
  for (const fill of rows) if (fill.account === account) byId.set(fill.id, { ...byId.get(fill.id), ...fill })
  return [...byId.values()].sort((a, b) => b.timestamp - a.timestamp).slice(0, KEPT)
}
