// Time and chance, as ports: tests set them, everybody else takes the environment's.

export interface Timers {
  /** ms since the epoch. */
  now(): number
  /** @returns cancels it */
  after(ms: number, action: () => void): () => void
}

/** From 0 to below 1. */
export type Random = () => number

export const REAL_TIMERS: Timers = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms)
    return () => clearTimeout(timer)
  },
}
