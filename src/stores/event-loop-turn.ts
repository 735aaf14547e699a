// Numbers the turns of the event loop, so that all requests of one turn can share one look at a file.

let turn = 0
let endScheduled = false

/** The same number for all callers within one turn. */
export function currentTurn(): number {
  if (!endScheduled) {
    endScheduled = true
    setImmediate(() => {
      endScheduled = false
      turn += 1
    })
  }
  return turn
}

/** Ends what was shared so far: for this process's own writes, which its next read must see, and for what has waited. */
export function forgetTurn(): void {
  turn += 1
}
