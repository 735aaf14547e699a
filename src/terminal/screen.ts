// Everything written to the terminal besides the line being edited. Lines wait until the end of the event-loop turn and go out
// as one write above the prompt. Lines of runs started elsewhere are counted instead of shown once too many wait; the
// operator's own never are.
import type { Writable } from 'node:stream'

/** What is shown below all output: the prompt and the line being typed. */
export interface Footer {
  /** Leaves the cursor at the left of the footer's first row, with nothing below it. */
  erase(): void
  draw(): void
}

export interface Screen {
  /** From now on `footer` is shown below all output. Without one, as for a file or pipe, lines simply follow each other. */
  setFooter(footer: Footer): void
  /** Shows lines of the operator's own runs and notices. @param unbroken the same for a view, which breaks lines at its own width */
  show(lines: readonly string[], unbroken?: () => readonly string[]): void
  /** Shows lines of a run started elsewhere; `prefix` names it when lines are left out. */
  mirror(prefix: string, lines: readonly string[], unbroken?: () => readonly string[]): void
  /** Empties the terminal, after what waits was shown. */
  clear(): void
  /** A view has the terminal: nothing is written until the end of that. @param onLines is given the lines that wait meanwhile @returns ends it */
  hold(onLines: (lines: readonly string[]) => void): () => void
  /** Takes the footer away for good and resolves when all that waited was handed to the system, or cannot be. */
  close(): Promise<void>
}

interface ScreenOptions {
  readonly output: Writable
  /** Mirrored lines that may wait for one write. */
  readonly maxMirrored?: number
}

/** Two writes are at least this far apart: a terminal shows no more anyway. */
const FRAME_MS = 16
/** A terminal that is slow to take text gets it less often, so that it holds at most a quarter of our time. */
const REST_FACTOR = 3
const MAX_MIRRORED = 2_000
/** The scrollback stays. */
const CLEAR = '\u001b[H\u001b[2J'

export function createScreen({ output, maxMirrored = MAX_MIRRORED }: ScreenOptions): Screen {
  let waiting: string[] = []
  let mirrored = 0
  const leftOut = new Map<string, number>()
  let below: Footer | undefined
  let scheduled = false
  let linesTaker: ((lines: readonly string[]) => void) | undefined
  let nextWriteAt = 0
  // Standard output never reports itself destroyed, so a closed pipe is known by its error only.
  let broken = false
  output.on('error', () => {
    broken = true
    waiting = []
  })

  function schedule(): void {
    if (broken) waiting = []
    if (broken || scheduled || linesTaker !== undefined) return
    scheduled = true
    const rest = nextWriteAt - performance.now()
    if (rest > 0) setTimeout(writeOrWait, rest)
    else setImmediate(writeOrWait)
  }

  function writeOrWait(): void {
    if (output.writableNeedDrain && !broken) output.once('drain', write)
    else write()
  }

  function takeText(): string {
    for (const [prefix, count] of leftOut) waiting.push(`${prefix}… ${count.toLocaleString('en-US')} more lines`)
    const text = waiting.length === 0 ? '' : `${waiting.join('\n')}\n`
    waiting = []
    mirrored = 0
    leftOut.clear()
    return text
  }

  function write(): void {
    scheduled = false
    if (linesTaker !== undefined) return
    const text = takeText()
    if (text === '' || broken) return
    const startedAt = performance.now()
    output.cork()
    below?.erase()
    output.write(text)
    below?.draw()
    output.uncork()
    const now = performance.now()
    nextWriteAt = now + Math.max(FRAME_MS, (now - startedAt) * REST_FACTOR)
  }

  return {
    setFooter(footer) {
      below = footer
    },
    show(lines, unbroken) {
      for (const line of lines) waiting.push(line)
      linesTaker?.(unbroken?.() ?? lines)
      schedule()
    },
    mirror(prefix, lines, unbroken) {
      for (const line of lines) {
        if (mirrored++ < maxMirrored) waiting.push(line)
        else leftOut.set(prefix, (leftOut.get(prefix) ?? 0) + 1)
      }
      linesTaker?.(unbroken?.() ?? lines)
      schedule()
    },
    clear() {
      if (below === undefined || broken || linesTaker !== undefined) return
      write()
      output.cork()
      below.erase()
      output.write(CLEAR)
      below.draw()
      output.uncork()
    },
    hold(onLines) {
      write()
      linesTaker = onLines
      return () => {
        if (linesTaker !== onLines) return
        linesTaker = undefined
        write()
      }
    },
    async close() {
      if (!broken) below?.erase()
      below = undefined
      const text = takeText()
      if (broken) return
      await new Promise<void>((resolve) => output.write(text, () => resolve()))
    },
  }
}
