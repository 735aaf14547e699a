// Typed lines run one after another, in the order typed, also when they come faster than they end.

export interface LineQueue {
  add(line: string): void
  /** A line is being executed. */
  readonly busy: boolean
  /** Forgets the lines not yet started. @returns how many */
  drop(): number
}

/** @param execute never rejects */
export function createLineQueue(execute: (line: string) => Promise<void>): LineQueue {
  let waiting: string[] = []
  let busy = false

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) await execute(line)
    busy = false
  }

  return {
    add(line) {
      waiting.push(line)
      void work()
    },
    get busy() {
      return busy
    },
    drop() {
      const { length } = waiting
      waiting = []
      return length
    },
  }
}
