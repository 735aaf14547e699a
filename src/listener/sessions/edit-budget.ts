// How many edits a client may make in a minute (behaviour 141): each writes a whole file, which fires read too.
import { LISTENER_LIMITS } from '../listener-limits.ts'

const MINUTE_MS = 60_000

export class EditBudget {
  /** ms of a monotonic clock. */
  readonly #now: () => number
  #minute = Number.NEGATIVE_INFINITY
  /** By client, in this minute. */
  readonly #edits = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns why the client may not edit now */
  take(clientId: string): string | undefined {
    const minute = Math.floor(this.#now() / MINUTE_MS)
    if (minute !== this.#minute) this.#edits.clear()
    this.#minute = minute
    const edits = this.#edits.get(clientId) ?? 0
    if (edits >= LISTENER_LIMITS.editsPerMinute) {
      return `more than ${LISTENER_LIMITS.editsPerMinute} edits of this client in a minute (wait a minute)`
    }
    this.#edits.set(clientId, edits + 1)
    return undefined
  }
}
