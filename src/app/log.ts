// The log file, for what people are not shown: bugs with their stack, refusals, life cycle. Opened at the first line, because pino is
// not needed to start. No secret is ever passed to it.
import type { Logger } from 'pino'
import { openJournalFile } from '../stores/journal-file.ts'

type Level = 'info' | 'warn' | 'error'
type Details = Readonly<Record<string, unknown>>

export interface Log {
  write(level: Level, message: string, details?: Details): void
  /** As `write`, for what strangers can cause: one line a second at most, with the number of those left out. */
  writeSeldom(level: Level, message: string, details?: Details): void
  bug(error: unknown): void
}

const SELDOM_MS = 1_000

export function createLog(path: string, now: () => number = () => performance.now()): Log {
  let opening: Promise<Logger> | undefined
  const file = openJournalFile({ path })
  let leftOut = 0
  let seldomAt = Number.NEGATIVE_INFINITY

  async function open(): Promise<Logger> {
    const { default: pino } = await import('pino')
    const write = (line: string): void => {
      file.append(line.trimEnd())
      file.flush()
    }
    return pino({ base: { pid: process.pid } }, { write })
  }

  function write(level: Level, message: string, details: Details = {}): void {
    opening ??= open()
    // A log that cannot be written must not take the program with it; the next line tries again.
    opening.then(
      (logger) => logger[level](details, message),
      () => {
        opening = undefined
      },
    )
  }

  function writeSeldom(level: Level, message: string, details: Details = {}): void {
    if (now() - seldomAt < SELDOM_MS) {
      leftOut++
      return
    }
    seldomAt = now()
    write(level, message, leftOut === 0 ? details : { ...details, leftOut })
    leftOut = 0
  }

  return { write, writeSeldom, bug: (err) => write('error', 'internal error', { err }) }
}
