// The last notices of this process, for who looks at them: pages, and `notices`.
import { cutNotice, keyOf, type Notice, type NoticeRow } from './notice.ts'

const MAX_KEPT = 50
/** The same said again within this is one notice. */
export const AGAIN_MS = 60_000

export class NoticeBoard {
  readonly #now: () => number
  readonly #handlers = new Set<() => void>()
  #rows: readonly NoticeRow[] = []
  /** By what they say. */
  #latest = new Map<string, NoticeRow>()
  #lastId = 0

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Oldest first. */
  list(): readonly NoticeRow[] {
    return this.#rows
  }

  /** @returns the row it became, counted once */
  add(notice: Notice): NoticeRow {
    const at = this.#now()
    const newRow = { ...cutNotice(notice), at, count: 1 }
    const key = keyOf(newRow)
    const before = this.#latest.get(key)
    // One that has left the list is another one.
    const isAgain = before !== undefined && at - before.at < AGAIN_MS && before.id > this.#lastId - MAX_KEPT
    const id = isAgain ? before.id : this.#lastId + 1
    const kept = { ...newRow, id, count: isAgain ? before.count + 1 : 1 }
    this.#latest.set(key, kept)
    if (isAgain) this.#rows = this.#rows.map((row) => (row === before ? kept : row))
    else this.#append(kept)
    for (const handler of this.#handlers) handler()
    return { ...newRow, id }
  }

  #append(row: NoticeRow): void {
    this.#lastId = row.id
    this.#rows = [...this.#rows, row].slice(-MAX_KEPT)
    if (this.#latest.size > 2 * MAX_KEPT) this.#latest = new Map(this.#rows.map((each) => [keyOf(each), each]))
  }

  /** Calls `handler` after each notice. @returns stops the calls */
  watch(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }
}
