// Fills that come more than once, and late: (list, rows) → list.
import type { FillRow } from '../../../protocol/frames.ts'

const KEPT = 500

/** Venues number fills within a symbol. */
export function fillKey({ symbol, id }: Pick<FillRow, 'symbol' | 'id'>): string {
  return `${symbol} ${id}`
}

/** Newest first, each once; of one account. */
export function withFills(
  known: readonly FillRow[] | undefined,
  rows: readonly FillRow[],
  account: string,
): readonly FillRow[] {
  const byId = new Map((known ?? []).map((fill) => [fillKey(fill), fill]))
  // What one telling of a fill leaves out, such as what it realised, another has said.
  for (const fill of rows) {
    const key = fillKey(fill)
    if (fill.account === account) byId.set(key, { ...byId.get(key), ...fill })
  }
  return [...byId.values()].sort((a, b) => b.timestamp - a.timestamp).slice(0, KEPT)
}
