// So many a second and no more: what comes faster waits.
import type { Clock } from '../trading/clock.ts'

/** @param onSlowed called the first time that somebody has to wait */
export function createPace(
  clock: Clock,
  perSecond: number,
  onSlowed: () => void,
): (signal: AbortSignal) => Promise<void> {
  const taken: number[] = []
  let isTold = false
  return async (signal) => {
    for (;;) {
      const now = clock.now()
      while (taken[0] !== undefined && (now - taken[0] >= 1_000 || taken[0] > now)) taken.shift()
      if (taken.length < perSecond || signal.aborted) break
      if (!isTold) onSlowed()
      isTold = true
      await clock.delay((taken[0] ?? now) + 1_000 - now, signal)
    }
    taken.push(clock.now())
  }
}
