import { setMaxListeners } from 'node:events'
import { forgetTurn } from '../stores/event-loop-turn.ts'

/** Resolves after `ms`, or at once when `signal` aborts. What waited then sees files as they are, also within one turn of the event loop. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    // One signal ends what waits for all the orders of an account: Node would warn of a leak at the eleventh.
    setMaxListeners(0, signal)
    const finish = () => {
      clearTimeout(timer)
      forgetTurn()
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
