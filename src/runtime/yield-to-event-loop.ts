import { Fifo } from './fifo.ts'

/** Runs that need no waiting hold the event loop for no longer, all of them together. */
export const MAX_HOLD_MS = 10

interface Sleeper {
  readonly wake: () => void
}

/** Runs that gave way, in the order in which they go on. */
const sleepers = new Fifo<Sleeper>()
let lastTurn = 0

/**
 * Lets the event loop turn when runs have held it for too long: a chain of commands that need no waiting, repeated a thousand times a
 * thousand times, must not keep kill switches, other clients and the operator out. One run goes on per turn: sixty of them hold it no
 * longer than one.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() - lastTurn < MAX_HOLD_MS) return undefined
  return new Promise((wake) => {
    if (sleepers.length === 0) setImmediate(wakeNext)
    sleepers.add({ wake })
  })
}

function wakeNext(): void {
  lastTurn = performance.now()
  sleepers.take()?.wake()
  if (sleepers.length > 0) setImmediate(wakeNext)
}
