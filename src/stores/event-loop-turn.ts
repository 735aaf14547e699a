// Numbers the turns of the event loop, so that all requests of one turn can share one look at a file.

let turn = 0
let endScheduled = false
/** The turn that `beginInput` began last. */
let inputTurn: number | undefined

const last: (() => void)[] = []

/** The same number for all callers within one turn. */
export function currentTurn(): number {
  if (!endScheduled) {
    endScheduled = true
    setImmediate(endTurn)
  }
  return turn
}

/** Runs `work` at the end of the turn: it, and what it leads to at once, is served by the looks of the turn. */
export function atTurnEnd(work: () => void): void {
  last.push(work)
  currentTurn()
}

function endTurn(): void {
  try {
    for (let work = last.shift(); work !== undefined; work = last.shift()) work()
  } finally {
    queueMicrotask(beginNextTurn)
  }
}

function beginNextTurn(): void {
  endScheduled = false
  turn += 1
  if (last.length > 0) currentTurn()
}

/**
 * Bytes have come from outside, or a wait has ended. A look of an earlier phase of the loop, for a timer or a request that waited, is older than they may be and
 * does not serve them; all that is read in this phase shares the next look.
 */
export function beginInput(): void {
  if (inputTurn === turn && endScheduled) return
  turn += 1
  inputTurn = currentTurn()
}

/** Ends what was shared so far: for this process's own writes, which its next read must see, and for what has waited. */
export function forgetTurn(): void {
  turn += 1
}
