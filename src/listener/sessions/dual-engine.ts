// Two engines would place every order twice (behaviour 143). Pages and heartbeats come and go: each of the two notices is given at most once a
// minute, and what has changed back by then is not told.
import type { LeadingPages } from '../../stores/cross-trade.ts'
import { StoreError } from '../../stores/store-error.ts'

// Which pages lead cross-trading, kept in a file for processes that do not listen: an engine there must know before it starts (behaviour 143).

/** What is in the file counts for 15 s. */
const AGAIN_MS = 5_000

export class LeadingPageFile {
  readonly #file: Pick<LeadingPages, 'write'>
  readonly #onBug: (error: unknown) => void
  #labels: readonly string[] = []
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(file: Pick<LeadingPages, 'write'>, onBug: (error: unknown) => void) {
    this.#file = file
    this.#onBug = onBug
  }

  /** Called as often as anything may have changed. */
  note(labels: readonly string[]): void {
    if (this.#isStopped) return
    if (labels.join('\n') === this.#labels.join('\n') && labels.length === this.#labels.length) return
    this.#labels = labels
    this.#write()
    clearInterval(this.#timer)
    this.#timer = labels.length === 0 ? undefined : setInterval(() => this.#write(), AGAIN_MS).unref()
  }

  /** Resolves when nothing is being written any more, and the file names no page of this process. */
  async stop(): Promise<void> {
    this.note([])
    this.#isStopped = true
    await this.#writing
  }

  /** In turn, and what is true by then. A disk that is full is told of by all that matters more. */
  #write(): void {
    this.#writing = this.#writing
      .then(() => this.#file.write(this.#labels))
      .catch((error: unknown) => {
        if (!(error instanceof StoreError)) this.#onBug(error)
      })
  }
}

export const DUAL_ENGINE_QUIET_MS = 60_000

export class DualEngineNotices {
  readonly #report: (isDual: boolean) => void
  /** ms of a monotonic clock. */
  readonly #now: () => number
  #reported = false
  readonly #reportedAt = new Map<boolean, number>()
  #later: NodeJS.Timeout | undefined

  constructor(report: (isDual: boolean) => void, now: () => number) {
    this.#report = report
    this.#now = now
  }

  /** Called as often as anything may have changed. */
  note(isDual: boolean): void {
    clearTimeout(this.#later)
    if (isDual === this.#reported) return
    const since = this.#now() - (this.#reportedAt.get(isDual) ?? Number.NEGATIVE_INFINITY)
    if (since < DUAL_ENGINE_QUIET_MS) {
      this.#later = setTimeout(() => this.note(isDual), DUAL_ENGINE_QUIET_MS - since)
      this.#later.unref()
      return
    }
    this.#reported = isDual
    this.#reportedAt.set(isDual, this.#now())
    this.#report(isDual)
  }

  stop(): void {
    clearTimeout(this.#later)
  }
}
