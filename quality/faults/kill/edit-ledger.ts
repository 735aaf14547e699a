// Rows that are edited over the wire with last-write-wins: accounts and cross-trade configs. The time of an edit is its mark.

import type { Random } from '../../../harness/random/random.ts'
import type { BrokenPromises } from './broken-promises.ts'

export interface Edit {
  readonly key: string
  readonly op: 'upsert' | 'delete'
  readonly updatedAt: number
  /** It comes after a newer one was confirmed, and must lose. */
  readonly isLate: boolean
}

/** A row of the file, as far as an edit decides it. */
export interface StoredEdit {
  readonly key: string
  readonly updatedAt: number
  readonly isDeleted: boolean
  /** What the upsert with this `updatedAt` wrote is there; of a tombstone: it is gone. */
  readonly hasContent: boolean
}

interface KeyState {
  /** Since the last kill, by time. */
  readonly sent: Map<number, Edit['op']>
  /** The newest that was confirmed; 0: none. */
  confirmed: number
  /** As of the last kill. */
  stands: { readonly updatedAt: number; readonly op: Edit['op'] } | undefined
}

export class EditLedger {
  readonly #noun: string
  readonly #broken: BrokenPromises
  readonly #keys: Map<string, KeyState>
  #lastTime: number
  #confirmed = 0

  /** @param firstTime of the first edit, ms since the epoch */
  constructor(noun: string, keys: readonly string[], firstTime: number, broken: BrokenPromises) {
    this.#noun = noun
    this.#broken = broken
    this.#lastTime = firstTime
    this.#keys = new Map(keys.map((key) => [key, { sent: new Map(), confirmed: 0, stands: undefined }]))
  }

  /** Edits confirmed in all. */
  get confirmed(): number {
    return this.#confirmed
  }

  begin(random: Random): Edit {
    const key = random.pick([...this.#keys.keys()])
    const op = random.chance(0.2) ? 'delete' : 'upsert'
    const state = this.#state(key)
    if (state.confirmed > 0 && random.chance(0.1)) return { key, op, updatedAt: state.confirmed, isLate: true }
    const edit = { key, op, updatedAt: ++this.#lastTime, isLate: false } as const
    state.sent.set(edit.updatedAt, op)
    return edit
  }

  /** @param applied as `mutate:ack` says */
  acknowledged({ key, updatedAt, isLate }: Edit, applied: boolean): void {
    const state = this.#state(key)
    if (isLate) return this.#broken.expect(!applied, 'wrong', `${this.#noun} ${key}: a late edit was applied`)
    this.#confirmed++
    // Of one that lost, a newer one was there already, and must still be.
    state.confirmed = Math.max(state.confirmed, updatedAt)
  }

  /** After the kill: at least the newest confirmed edit must stand, and nothing but what was sent. */
  settle(rows: readonly StoredEdit[]): void {
    const found = new Map(rows.map((row) => [row.key, row]))
    for (const [key, state] of this.#keys) {
      const row = found.get(key)
      found.delete(key)
      state.stands = this.#settleRow(`${this.#noun} ${key}`, state, row)
      state.confirmed = Math.max(state.confirmed, row?.updatedAt ?? 0)
      state.sent.clear()
    }
    for (const key of found.keys()) this.#broken.add('wrong', `${this.#noun} ${key} was never made`)
  }

  #settleRow(what: string, { sent, confirmed, stands }: KeyState, row: StoredEdit | undefined): KeyState['stands'] {
    if (row === undefined) {
      this.#broken.expect(confirmed === 0, 'lost', `${what} is gone, and stood at ${confirmed}`)
      return undefined
    }
    const { updatedAt, isDeleted, hasContent } = row
    this.#broken.expect(updatedAt >= confirmed, 'lost', `${what} stands at ${updatedAt}, before ${confirmed}`)
    const op = sent.get(updatedAt) ?? (stands?.updatedAt === updatedAt ? stands.op : undefined)
    const isAsSent = op !== undefined && isDeleted === (op === 'delete') && hasContent
    this.#broken.expect(isAsSent, 'torn', `${what} at ${updatedAt} is not what was sent: ${JSON.stringify(row)}`)
    return { updatedAt, op: isDeleted ? 'delete' : 'upsert' }
  }

  #state(key: string): KeyState {
    return this.#keys.get(key) as KeyState
  }
}
