// Ends fires that have waited too long, also when nothing else moves (behaviour 30).
import type { FireQueue, Moment, QueuedFire } from './fire-queue.ts'

/** A machine that slept has aged what waits: ages are looked at so often, whatever is due. */
const LOOK_AT_AGES_MS = 1_000

export class ExpiryTimer<T extends QueuedFire> {
  readonly #queue: FireQueue<T>
  readonly #now: () => Moment
  readonly #onExpired: (fire: T) => void
  #timer: NodeJS.Timeout | undefined

  constructor(queue: FireQueue<T>, now: () => Moment, onExpired: (fire: T) => void) {
    this.#queue = queue
    this.#now = now
    this.#onExpired = onExpired
  }

  /** Something waits, perhaps. Keeps no process alive. */
  arm(): void {
    if (this.#timer !== undefined || this.#queue.queued === 0) return
    const next = this.#queue.nextExpiryMs(this.#now())
    if (next === undefined) return
    this.#timer = setTimeout(() => this.#look(), Math.min(next + 1, LOOK_AT_AGES_MS)).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    this.#timer = undefined
    for (const fire of this.#queue.removeExpired(this.#now())) this.#onExpired(fire)
    this.arm()
  }
}
