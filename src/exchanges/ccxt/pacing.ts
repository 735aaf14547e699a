// How fast questions are asked. ccxt's own limiter lets ten orders in a row take two seconds and an order wait behind twenty polls; here orders and
// cancels never wait. They are counted, and questions wait for what they used.
import { currentCall } from './wire-log.ts'

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
  return {
    async take(cost) {
      const moment = now()
      freeAt = Math.max(freeAt, moment) + cost * msPerUnit
      const waitMs = freeAt - moment - burstMs
      if (waitMs > 0 && currentCall()?.isUrgent !== true) await delay(waitMs)
    },
    pause(ms) {
      freeAt = Math.max(freeAt, now() + ms + burstMs)
    },
  }
}
