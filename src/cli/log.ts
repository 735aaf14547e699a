// The log file, for what people are not shown: bugs with their stack, refusals, life cycle. Opened at the first line, because
// pino is not needed to start. No secret is ever passed to it.
import type { Logger } from 'pino'
import { keepLogSmall } from '../stores/log-file.ts'

type Level = 'info' | 'warn' | 'error'

export interface Log {
  write(level: Level, message: string, details?: Readonly<Record<string, unknown>>): void
  bug(error: unknown): void
}

export function createLog(path: string): Log {
  let opening: Promise<Logger> | undefined

  async function open(): Promise<Logger> {
    keepLogSmall(path)
    const { default: pino } = await import('pino')
    return pino({ base: { pid: process.pid } }, pino.destination({ dest: path, sync: true, mode: 0o600 }))
  }

  function write(level: Level, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    opening ??= open()
    // A log that cannot be written must not take the program with it; the next line tries again.
    opening.then(
      (logger) => logger[level](details, message),
      () => {
        opening = undefined
      },
    )
  }

  return { write, bug: (err) => write('error', 'hookline made a mistake', { err }) }
}
