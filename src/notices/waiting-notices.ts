// What one channel has still to send: bounded, and the same said again is one notice with a count. Pure.
import type { NoticeRow } from './notice.ts'
import { AGAIN_MS } from './notice-board.ts'
import { keyOf } from './notice-text.ts'

/** Beyond it the oldest goes, and is counted. */
export const MAX_WAITING = 100
/** So many texts are remembered as sent. */
const MAX_REMEMBERED = 200

interface Waiting {
  row: NoticeRow
  /** Not before: the same was sent a moment ago. */
  readonly dueAt: number
}

export interface Taken {
  /** Oldest first. */
  readonly rows: readonly NoticeRow[]
  /** Had no room since the last time. */
  readonly leftOut: number
}

export class WaitingNotices {
  readonly #waiting = new Map<string, Waiting>()
  readonly #sentAt = new Map<string, number>()
  #leftOut = 0

  get size(): number {
    return this.#waiting.size
  }

  /** @returns whether another one lost its place */
  push(row: NoticeRow, now: number): boolean {
    const key = keyOf(row)
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.row = { ...waiting.row, at: row.at, count: waiting.row.count + row.count }
      return false
    }
    const sentAt = this.#sentAt.get(key)
    this.#waiting.set(key, { row, dueAt: sentAt === undefined ? now : Math.max(now, sentAt + AGAIN_MS) })
    if (this.#waiting.size <= MAX_WAITING) return false
    const [oldest = ''] = this.#waiting.keys()
    this.#waiting.delete(oldest)
    this.#leftOut += 1
    return true
  }

  /** When the next may be sent; undefined: nothing waits. */
  dueAt(): number | undefined {
    if (this.#waiting.size === 0) return undefined
    return Math.min(...[...this.#waiting.values()].map((waiting) => waiting.dueAt))
  }

  /** @param max so many @param isLast all that waits is due */
  take(max: number, now: number, isLast = false): Taken {
    const due = [...this.#waiting].filter(([, { dueAt }]) => isLast || dueAt <= now).slice(0, max)
    for (const [key] of due) {
      this.#waiting.delete(key)
      this.#remember(key, now)
    }
    const leftOut = due.length === 0 ? 0 : this.#leftOut
    this.#leftOut -= leftOut
    return { rows: due.map(([, { row }]) => row), leftOut }
  }

  #remember(key: string, now: number): void {
    this.#sentAt.delete(key)
    this.#sentAt.set(key, now)
    const [oldest = ''] = this.#sentAt.keys()
    if (this.#sentAt.size > MAX_REMEMBERED) this.#sentAt.delete(oldest)
  }
}
