// The time of a replay: it stands still until the replay moves it.
import { setMaxListeners } from 'node:events'
import type { Clock } from '../trading/clock.ts'

interface Delay {
  readonly at: number
  readonly order: number
  readonly end: () => void
}

export class OwnTime implements Clock {
  /** Grows with everything that happens: who waits until nothing happens any more compares it. */
  activity = 0
  #now: number
  #delays: Delay[] = []
  #order = 0

  constructor(now: number) {
    this.#now = now
  }

  readonly now = (): number => this.#now

  readonly delay = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      this.activity += 1
      if (signal.aborted) return resolve()
      // One signal ends what waits for all the orders of an account: Node would warn of a leak at the eleventh.
      setMaxListeners(0, signal)
      const end = (): void => {
        this.activity += 1
        this.#delays = this.#delays.filter((each) => each !== delay)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const delay: Delay = { at: this.#now + Math.max(0, ms), order: this.#order++, end }
      this.#delays.push(delay)
      signal.addEventListener('abort', end, { once: true })
    })

  /** When the first of them ends; Infinity: there is none. */
  get nextDue(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { at } of this.#delays) if (at < next) next = at
    return next
  }

  /** Never back. */
  moveTo(ms: number): void {
    if (ms > this.#now) this.#now = ms
  }

  /** Ends the delays that are over, the earliest first. @returns whether there was one */
  endDue(): boolean {
    const due = this.#delays.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at || a.order - b.order)
    for (const { end } of due) end()
    return due.length > 0
  }
}
