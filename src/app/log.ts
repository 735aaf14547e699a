// The log file, for what people are not shown: bugs with their stack, refusals, life cycle. Opened at the first line, because pino is
// not needed to start. No secret is ever passed to it.
import type { Logger } from 'pino'
import { openJournalFile } from '../stores/journal-file.ts'

type Level = 'info' | 'warn' | 'error'
type Details = Readonly<Record<string, unknown>>

export interface Log {
  write(level: Level, message: string, details?: Details): void
  /**
   * As `write`, for what strangers can cause: of each message one line a second at most, and one a minute in the long run, with the number of
   * those left out. At that rate it takes them days to push a line out of the log.
   */
  writeSeldom(level: Level, message: string, details?: Details): void
  bug(error: unknown): void
}

export const SELDOM = {
  /** Between two lines. */
  pauseMs: 1_000,
  /** Lines that may come at that pace. */
  burst: 20,
  /** Gives back one of them. */
  refillMs: 60_000,
} as const

interface Rationing {
  lastAt: number
  /** Lines that may still come, as of `lastAt`. */
  left: number
  leftOut: number
}

export function createLog(path: string, now: () => number = () => performance.now()): Log {
  let opening: Promise<Logger> | undefined
  const file = openJournalFile({ path })
  const rationings = new Map<string, Rationing>()

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
    const at = now()
    const before = rationings.get(message) ?? { lastAt: Number.NEGATIVE_INFINITY, left: SELDOM.burst, leftOut: 0 }
    const left = Math.min(SELDOM.burst, before.left + (at - before.lastAt) / SELDOM.refillMs)
    if (at - before.lastAt < SELDOM.pauseMs || left < 1) {
      rationings.set(message, { ...before, leftOut: before.leftOut + 1 })
      return
    }
    rationings.set(message, { lastAt: at, left: left - 1, leftOut: 0 })
    write(level, message, before.leftOut === 0 ? details : { ...details, leftOut: before.leftOut })
  }

  return { write, writeSeldom, bug: (err) => write('error', 'internal error', { err }) }
}
