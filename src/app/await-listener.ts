// Whether a hookline listens on this machine, asked until one does.
import { setTimeout as delay } from 'node:timers/promises'
import { askHolderPid } from '../listener/holder-pid.ts'

const PAUSE_MS = 200

/** @returns its pid; undefined: none within that time */
export async function awaitListener(withinMs: number): Promise<number | undefined> {
  const until = performance.now() + withinMs
  for (;;) {
    const pid = await askHolderPid()
    if (pid !== undefined || performance.now() > until) return pid
    await delay(PAUSE_MS)
  }
}
