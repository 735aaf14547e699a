// Two engines would place every order twice (behaviour 143). Pages and heartbeats come and go: each of the two notices is given at most once a
// minute, and what has changed back by then is not told.

export const DUAL_ENGINE_QUIET_MS = 60_000

export class DualEngineNotices {
  readonly #tell: (isDual: boolean) => void
  /** ms of a monotonic clock. */
  readonly #now: () => number
  #told = false
  readonly #toldAt = new Map<boolean, number>()
  #later: NodeJS.Timeout | undefined

  constructor(tell: (isDual: boolean) => void, now: () => number) {
    this.#tell = tell
    this.#now = now
  }

  /** Called as often as anything may have changed. */
  note(isDual: boolean): void {
    clearTimeout(this.#later)
    if (isDual === this.#told) return
    const since = this.#now() - (this.#toldAt.get(isDual) ?? Number.NEGATIVE_INFINITY)
    if (since < DUAL_ENGINE_QUIET_MS) {
      this.#later = setTimeout(() => this.note(isDual), DUAL_ENGINE_QUIET_MS - since)
      this.#later.unref()
      return
    }
    this.#told = isDual
    this.#toldAt.set(isDual, this.#now())
    this.#tell(isDual)
  }

  stop(): void {
    clearTimeout(this.#later)
  }
}
