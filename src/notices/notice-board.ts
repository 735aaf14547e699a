// The last notices of this process, for who looks at them: pages, and `notices`.
import type { Notice, NoticeRow } from './notice.ts'
import { cutNotice, keyOf } from './notice-text.ts'

const MAX_KEPT = 50
/** The same said again within this is one notice. */
export const AGAIN_MS = 60_000

export class NoticeBoard {
  readonly #now: () => number
  readonly #handlers = new Set<() => void>()
  #rows: readonly NoticeRow[] = []
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
    const said = { ...cutNotice(notice), at, count: 1 }
    const key = keyOf(said)
    const before = this.#rows.find((row) => keyOf(row) === key && at - row.at < AGAIN_MS)
    const row = { ...said, id: before?.id ?? this.#lastId + 1 }
    if (before === undefined) {
      this.#lastId += 1
      this.#rows = [...this.#rows, row].slice(-MAX_KEPT)
    } else {
      this.#rows = this.#rows.map((each) => (each === before ? { ...before, at, count: before.count + 1 } : each))
    }
    for (const handler of this.#handlers) handler()
    return row
  }

  /** Calls `handler` after each notice. @returns stops the calls */
  watch(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }
}
