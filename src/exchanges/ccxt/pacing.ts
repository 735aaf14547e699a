// How fast questions are asked. ccxt's own limiter lets ten orders in a row take two seconds and an order wait behind twenty polls; here orders and
// cancels never wait, and what an exit has to know first waits for nothing but the venue's own pause. All are counted, and other questions wait
// for what they used.
import { AsyncLocalStorage } from 'node:async_hooks'
import { currentCall } from './wire-log.ts'

const first = new AsyncLocalStorage<true>()

/** Asks what is held or rests: it goes before all other questions. */
export function askFirst<T>(work: () => Promise<T>): Promise<T> {
  return first.run(true, work)
}

export interface PacingOptions {
  /** ms that one unit of weight takes to come back. */
  readonly msPerUnit: number
  /** How many ms of the venue's allowance may be used at once. */
  readonly burstMs: number
  /** ms, of a clock that never goes back. */
  readonly now: () => number
  readonly delay: (ms: number) => Promise<void>
}

export function createPacing({ msPerUnit, burstMs, now, delay }: PacingOptions): {
  take(cost: number): Promise<void>
  /** The venue says that nothing may be asked for so long. */
  pause(ms: number): void
} {
  /** When the allowance that has been used is back. */
  let freeAt = 0
  let pausedUntil = 0
  return {
    async take(cost) {
      const moment = now()
      freeAt = Math.max(freeAt, moment) + cost * msPerUnit
      if (currentCall()?.isUrgent === true) return
      const waitMs = first.getStore() === true ? pausedUntil - moment : freeAt - moment - burstMs
      if (waitMs > 0) await delay(waitMs)
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
      freeAt = Math.max(freeAt, now() + ms + burstMs)
    },
  }
}
