// How fast questions are asked. ccxt's own limiter lets ten orders in a row take two seconds and an order wait behind twenty polls; here orders and
// cancels never wait, and what must be known before one waits for nothing but the venue's own pause. Both are counted: other questions wait for
// what they used, though never long, since what fills is learnt by such questions.
import { AsyncLocalStorage } from 'node:async_hooks'
import { currentCall } from './wire-log.ts'

const first = new AsyncLocalStorage<true>()

/** What is held, what rests, a price: what an order may wait for is asked before all other questions. */
export function askFirst<T>(work: () => Promise<T>): Promise<T> {
  return first.run(true, work)
}

interface PacingOptions {
  /** ms that one unit of weight takes to come back. */
  readonly msPerUnit: number
  /** How many ms of the venue's allowance may be used at once. */
  readonly burstMs: number
  /** ms, of a clock that never goes back. */
  readonly now: () => number
  readonly delay: (ms: number) => Promise<void>
}

interface Pacing {
  take(cost: number): Promise<void>
  /** The venue says that nothing may be asked for so long. */
  pause(ms: number): void
  /** How much of that is left; 0: nothing. */
  pausedMs(): number
}

/** The longest that other questions wait for what orders, and questions before orders, have used. */
const MOST_OWED_MS = 1_000

export function createPacing({ msPerUnit, burstMs, now, delay }: PacingOptions): Pacing {
  /** When the allowance that has been used is back. */
  let freeAt = 0
  let pausedUntil = 0
  const pausedMs = () => Math.max(pausedUntil - now(), 0)
  return {
    pausedMs,
    async take(cost) {
      const moment = now()
      const isUrgent = currentCall()?.isUrgent === true
      const isFirst = first.getStore() === true
      const used = Math.max(freeAt, moment) + cost * msPerUnit
      // Most venues count orders apart. Without a bound, hundreds of them would put off every other question by minutes.
      freeAt = isUrgent || isFirst ? Math.max(freeAt, Math.min(used, moment + burstMs + MOST_OWED_MS)) : used
      if (isUrgent) return
      const waitMs = isFirst ? pausedMs() : freeAt - moment - burstMs
      if (waitMs > 0) await delay(waitMs)
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
      freeAt = Math.max(freeAt, now() + ms + burstMs)
    },
  }
}
