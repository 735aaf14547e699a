import { setMaxListeners } from 'node:events'
import { beginInput } from '../stores/event-loop-turn.ts'

/**
 * Resolves after `ms`, or at once when `signal` aborts. Waits that end in one phase of the event loop share one look at each file, made after the
 * first of them ended.
 */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    // One signal ends what waits for all the orders of an account: Node would warn of a leak at the eleventh.
    setMaxListeners(0, signal)
    const finish = () => {
      clearTimeout(timer)
      beginInput()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
}

/** What is left of a start takes several times as long, and holds the event loop for most of it. */
const GIVE_WAY_MS = 5

/** Resolves when those who knocked until the port was there have been let in. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, GIVE_WAY_MS))
}
