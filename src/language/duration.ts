// How long: `250ms`, `5s`, `2m`; a bare number counts seconds. Results are whole milliseconds.
import { readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** The longest `sleep` and `wait <duration>` (10 minutes). */
export const MAX_SLEEP_MS = 600_000

/** The longest delay that timers keep without overflowing (2^31 - 1 ms, 24.8 days). */
const MAX_TIMER_MS = 2_147_483_647

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
])

/**
 * @param options.maxMs the longest allowed, in ms; default 2^31 - 1
 * @returns ms, rounded to a whole number
 * @throws {LanguageError} `bad-duration`
 */
export function parseDuration(text: string, column: number, options: { readonly maxMs?: number } = {}): number {
  const digits = /^[\d.]*/.exec(text)?.[0] ?? ''
  const number = readDecimal(digits)
  const unitMs = UNIT_MS.get(text.slice(digits.length).toLowerCase() || 's')
  if (number === undefined || unitMs === undefined) {
    throw new LanguageError(
      'bad-duration',
      `${shown(text)} is not a duration`,
      column,
      'type milliseconds, seconds or minutes, such as 250ms, 5s or 2m',
    )
  }
  const maxMs = options.maxMs ?? MAX_TIMER_MS
  const durationMs = Math.round(Number(number) * unitMs)
  if (durationMs > maxMs) {
    const most = printDuration(maxMs)
    throw new LanguageError('bad-duration', `${shown(text)} is longer than ${most}`, column, `type at most ${most}`)
  }
  return durationMs
}

function printDuration(durationMs: number): string {
  if (durationMs >= 60_000) return `${Math.floor(durationMs / 60_000)}m`
  return durationMs >= 1000 ? `${Math.floor(durationMs / 1000)}s` : `${durationMs}ms`
}
