import type { Timers } from '../../src/client/pulse.ts'

/** Time that passes only when told to. */
export class ManualTimers implements Timers {
  #now = 1_000_000
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>()

  now(): number {
    return this.#now
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** How many ms from now each of them is due. */
  get due(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now)
  }

  /** What is due by then happens in its order, also what was added meanwhile. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!next) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.action()
    }
    this.#now = end
  }
}
