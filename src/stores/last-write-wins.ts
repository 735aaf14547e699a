// Rows that several machines edit (behaviour 23, 24): the last write wins, and a delete stays as a tombstone for
// a while, else an older edit from elsewhere would bring the row back.

/** What a row must carry for that. Times in ms since the epoch. */
export interface Edited {
  readonly updatedAt: number
  /** Set on tombstones. */
  readonly deletedAt?: number
}

/** Tombstones older than this, in ms, are dropped at the next write. */
const TOMBSTONE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

export function isLive(row: Edited): boolean {
  return row.deletedAt === undefined
}

/** On strictly greater `updatedAt` only: of two edits at the same time the first remains (behaviour 124). */
export function isNewer(row: Edited, stored: Edited): boolean {
  return row.updatedAt > stored.updatedAt
}

/** When an edit made here happens: `at`, or just after what is stored, so that it wins over a clock that runs ahead. */
export function editedAt(at: number, stored: Edited | undefined): number {
  return stored === undefined ? at : Math.max(at, stored.updatedAt + 1)
}

/** `rows` with `row` in the place of those it replaces, and without tombstones that have served their time at `now`. */
export function withRow<Row extends Edited>(
  rows: readonly Row[],
  { row, replaces, now }: { readonly row: Row; readonly replaces: (other: Row) => boolean; readonly now: number },
): readonly Row[] {
  const oldest = now - TOMBSTONE_LIFE_MS
  const kept = rows.filter((other) => (other.deletedAt ?? oldest) >= oldest && !replaces(other))
  return [...kept, row]
}
