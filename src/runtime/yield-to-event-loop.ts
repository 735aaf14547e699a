/** Runs that need no waiting hold the event loop for no longer. */
export const MAX_HOLD_MS = 10

let lastYield = 0
/** Of all runs that wait for the next turn: with one for each, every one of them could hold that turn for as long. */
let turn: Promise<void> | undefined

/**
 * Lets the event loop turn when runs have held it for too long, all of them together: a chain of commands that need no waiting, repeated a
 * thousand times, must not keep kill switches, other clients and the operator out.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (turn !== undefined) return turn
  if (performance.now() - lastYield < MAX_HOLD_MS) return undefined
  turn = new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      lastYield = performance.now()
      resolve()
    })
  })
  return turn
}
