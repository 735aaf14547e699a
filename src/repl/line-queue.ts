// Typed lines run one after another, in the order typed, also when they come faster than they end. A line that waits holds no other. The lines
// of a block belong together: each ends before the next begins, and when one fails, those after it do not run.

interface QueuedLine {
  readonly text: string
  /** It did not run as it was typed, so its text is far above its output. */
  readonly isLate: boolean
}

interface LineQueuePorts {
  /** Never rejects. @param onWait the line waits, and the next one may begin @returns whether the line succeeded */
  execute(line: QueuedLine, onWait: () => void): Promise<boolean>
  /** A line of a block failed; `notRun` lines of it are forgotten. */
  onBlockFailed(notRun: number): void
}

export interface LineQueue {
  add(line: string): void
  addBlock(lines: readonly string[]): void
  /** A line is being executed. */
  readonly busy: boolean
  /** Lines not yet started. */
  readonly waiting: number
  /** Forgets the lines not yet started. @returns how many */
  drop(): number
}

interface Entry extends QueuedLine {
  /** The same object for all lines of a block. */
  readonly block?: object
}

export function createLineQueue({ execute, onBlockFailed }: LineQueuePorts): LineQueue {
  let waiting: Entry[] = []
  let busy = false

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      if (line.block === undefined) {
        await endedOrWaiting(line)
      } else if (!(await execute(line, () => {}))) {
        endBlock(line.block)
      }
    }
    busy = false
  }

  function endedOrWaiting(line: Entry): Promise<unknown> {
    return new Promise((resolve) => void execute(line, () => resolve(undefined)).then(resolve))
  }

  function endBlock(block: object): void {
    const others = waiting.filter((line) => line.block !== block)
    const notRun = waiting.length - others.length
    waiting = others
    if (notRun > 0) onBlockFailed(notRun)
  }

  return {
    add(text) {
      waiting.push({ text, isLate: busy })
      void work()
    },
    addBlock(lines) {
      const block = {}
      waiting.push(...lines.map((text) => ({ text, isLate: true, block })))
      void work()
    },
    get busy() {
      return busy
    },
    get waiting() {
      return waiting.length
    },
    drop() {
      const { length } = waiting
      waiting = []
      return length
    },
  }
}
