// How long work lasts: `30s`, `30m`, `1h`, `1.5h`, `1d`; a bare number counts minutes, as other terminals have it. Whole milliseconds.
import { readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** The shortest and the longest that a task may be asked to last. */
const MIN_LASTING_MS = 1000
const MAX_LASTING_MS = 7 * 86_400_000

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** @throws {LanguageError} `bad-duration` */
export function parseLongDuration(text: string, column: number): number {
  const digits = /^[\d.]*/.exec(text)?.[0] ?? ''
  const number = readDecimal(digits)
  const unitMs = UNIT_MS.get(text.slice(digits.length).toLowerCase() || 'm')
  if (number === undefined || unitMs === undefined) {
    const forms = 'type seconds, minutes, hours or days, such as 30s, 5m, 1h or 1d; a bare number counts minutes'
    throw new LanguageError('bad-duration', `${shown(text)} is not a duration`, column, forms)
  }
  const durationMs = Math.round(Number(number) * unitMs)
  if (durationMs < MIN_LASTING_MS) {
    throw new LanguageError('bad-duration', `${shown(text)} is shorter than a second`, column, 'type at least 1s')
  }
  if (durationMs > MAX_LASTING_MS) {
    throw new LanguageError('bad-duration', `${shown(text)} is longer than 7d`, column, 'type at most 7d')
  }
  return durationMs
}
