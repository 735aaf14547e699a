// A time in the past: `2h` (ago), `2026-11-21`, `2026-11-21T14:30` or `14:30` (today). All times are UTC, as everything hookline shows.
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/**
 * @param now ms since the epoch
 * @returns ms since the epoch, never negative
 * @throws {LanguageError} `bad-argument`
 */
export function parseMoment(text: string, column: number, now: number): number {
  const ago = /^(\d{1,6})([smhdw])$/i.exec(text)
  if (ago !== null) return Math.max(0, now - Number(ago[1]) * (UNIT_MS[ago[2]?.toLowerCase() ?? ''] ?? 0))
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
