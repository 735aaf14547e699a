// Times as people type them. Results are whole milliseconds; all moments are UTC, as everything hookline shows.
import type { Word } from './chain.ts'
import { readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** The longest `sleep` and `wait <duration>` (10 minutes). */
export const MAX_SLEEP_MS = 600_000

/** The longest delay that timers keep without overflowing (2^31 - 1 ms, 24.8 days). */
const MAX_TIMER_MS = 2_147_483_647

/** The shortest and the longest that a task may be asked to last. */
const MIN_LASTING_MS = 1000
const MAX_LASTING_MS = 7 * 86_400_000

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
type Unit = keyof typeof UNIT_MS

/** @returns ms; undefined for other texts than a number and one of the units; `bare` is the unit of a number alone */
function readTime(text: string, units: readonly Unit[], bare: Unit): number | undefined {
  const digits = /^[\d.]*/.exec(text)?.[0] ?? ''
  const number = readDecimal(digits)
  const typed = text.slice(digits.length).toLowerCase() || bare
  const unit = units.find((each) => each === typed)
  return number === undefined || unit === undefined ? undefined : Math.round(Number(number) * UNIT_MS[unit])
}

/**
 * How long: `250ms`, `5s`, `2m`; a bare number counts seconds.
 *
 * @param options.maxMs the longest allowed, in ms; default 2^31 - 1
 * @throws {LanguageError} `bad-duration`
 */
export function parseDuration(text: string, column: number, options: { readonly maxMs?: number } = {}): number {
  const durationMs = readTime(text, ['ms', 's', 'm'], 's')
  if (durationMs === undefined) {
    const hint = 'type milliseconds, seconds or minutes, such as 250ms, 5s or 2m'
    throw new LanguageError('bad-duration', `${shown(text)} is not a duration`, column, hint)
  }
  const maxMs = options.maxMs ?? MAX_TIMER_MS
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

/**
 * How long work lasts: `30s`, `30m`, `1h`, `1.5h`, `1d`; a bare number counts minutes, as other terminals have it.
 *
 * @throws {LanguageError} `bad-duration`
 */
export function parseLongDuration(text: string, column: number): number {
  const durationMs = readTime(text, ['s', 'm', 'h', 'd'], 'm')
  if (durationMs === undefined) {
    const forms = 'type seconds, minutes, hours or days, such as 30s, 5m, 1h or 1d; a bare number counts minutes'
    throw new LanguageError('bad-duration', `${shown(text)} is not a duration`, column, forms)
  }
  if (durationMs < MIN_LASTING_MS) {
    throw new LanguageError('bad-duration', `${shown(text)} is shorter than a second`, column, 'type at least 1s')
  }
  if (durationMs > MAX_LASTING_MS) {
    throw new LanguageError('bad-duration', `${shown(text)} is longer than 7d`, column, 'type at most 7d')
  }
  return durationMs
}

/**
 * A duration without a unit counts seconds in one command and minutes in another. A line that was stored before is read as it always was.
 * @throws {LanguageError} `bare-number`
 */
export function requireTimeUnit({ text, column }: Word): void {
  if (!/^[\d.]{1,20}$/.test(text)) return
  const message = `${shown(text)} could be seconds or minutes`
  throw new LanguageError('bare-number', message, column, `type ${text}s for seconds or ${text}m for minutes`)
}

/**
 * A time in the past: `2h` (ago), `2026-11-21`, `2026-11-21T14:30` or `14:30` (today).
 *
 * @param now ms since the epoch
 * @returns ms since the epoch, never negative
 * @throws {LanguageError} `bad-argument`
 */
export function parseMoment(text: string, column: number, now: number): number {
  const ago = /^(\d{1,6})([smhdw])$/i.exec(text)
  if (ago !== null) return Math.max(0, now - Number(ago[1]) * (UNIT_MS[ago[2]?.toLowerCase() as Unit] ?? 0))
  const date = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)Z?)?|(\d{2}:\d{2}))$/.exec(text)
  const [, day, time = '00:00', today] = date ?? []
  const iso = today === undefined ? `${day}T${time}Z` : `${new Date(now).toISOString().slice(0, 10)}T${today}Z`
  const at = date === null ? Number.NaN : Date.parse(iso)
  if (!Number.isNaN(at) && at >= 0) return at
  throw new LanguageError(
    'bad-argument',
    `${shown(text)} is not a time`,
    column,
    'type how long ago, such as 30m, 2h or 7d, or a UTC time such as 14:30, 2026-11-21 or 2026-11-21T14:30',
  )
}
