/** Runs that need no waiting hold the event loop for no longer. */
export const MAX_HOLD_MS = 10

let lastYield = 0

/**
 * Lets the event loop turn when runs have held it for too long: a chain of commands that need no waiting, repeated a thousand times a
 * thousand times, must not keep kill switches, other clients and the operator out.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() - lastYield < MAX_HOLD_MS) return undefined
  return new Promise((resolve) => {
    setImmediate(() => {
      lastYield = performance.now()
      resolve()
    })
  })
}
