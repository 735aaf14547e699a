// When tasks are to be looked at again. Only the next of all wakes has a timer: most of them never come, for a task that moves often asks anew.
import type { Clock } from '../trading/clock.ts'

const LONGEST_SLEEP_MS = 30_000

export class TaskWakes {
  readonly #clock: Clock
  readonly #due = new Map<object, { readonly at: number; readonly wake: () => void; readonly from: number }>()
  #sleep: { readonly ended: AbortController; until: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * In place of the wake that this one had.
   * @param at ms since the epoch; undefined: none
   * @param from it wakes too where a clock that was set back says less. Default: it waits
   */
  set(sleeper: object, at: number | undefined, wake: () => void, from = Number.NEGATIVE_INFINITY): void {
    if (at === undefined) this.#due.delete(sleeper)
    else this.#due.set(sleeper, { at, wake, from })
    const isTooLong = at !== undefined && this.#sleep !== undefined && at < this.#sleep.until
    if (isTooLong || this.#due.size === 0) {
      this.#sleep?.ended.abort()
      this.#sleep = undefined
    }
    if (this.#due.size > 0 && this.#sleep === undefined) void this.#sleepOn()
  }

  /** In parts: a machine that slept has another time than its timers. */
  async #sleepOn(): Promise<void> {
    const sleep = { ended: new AbortController(), until: 0 }
    this.#sleep = sleep
    while (this.#due.size > 0 && !sleep.ended.signal.aborted) {
      const now = this.#clock.now()
      let next = Number.POSITIVE_INFINITY
      for (const { at, from } of this.#due.values()) next = Math.min(next, now < from ? now : at)
      if (next > now) {
        sleep.until = Math.min(next, now + LONGEST_SLEEP_MS)
        await this.#clock.delay(sleep.until - now, sleep.ended.signal)
      } else this.#wakeDue(now)
    }
    if (this.#sleep === sleep) this.#sleep = undefined
  }

  #wakeDue(now: number): void {
    for (const [sleeper, { at, wake, from }] of [...this.#due]) {
      if (at > now && now >= from) continue
      this.#due.delete(sleeper)
      wake()
    }
  }
}
