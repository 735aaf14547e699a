// Commands from a pipe or a file: a line is taken when the one before has finished (design decision 35).
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface PipedLines {
  /** The next line, the last one also when it has no newline; undefined at the end, when closed, or when reading failed. */
  next(): Promise<string | undefined>
  close(): void
}

export function openPipedLines(input: Readable, onProblem: (error: Error) => void): PipedLines {
  const rl = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
  const lines = rl[Symbol.asyncIterator]()
  let open = true
  return {
    async next() {
      if (!open) return undefined
      try {
        const { value, done } = await lines.next()
        return done || !open ? undefined : value
      } catch (error) {
        onProblem(error as Error)
        return undefined
      }
    },
    close() {
      open = false
      rl.close()
    },
  }
}
