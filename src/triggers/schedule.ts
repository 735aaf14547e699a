// Times that come again: `every day 09:00 Europe/Berlin`, `every mon,fri 14:30`, `every 4h`, and one that does not: `at 14:30`.
//
// On the two days of daylight saving: a time of day that comes twice is the first of both; one that the clock leaves out is the moment at which
// the clock jumps. Without a zone times are UTC, and have neither day.
import { defined } from '../base/defined.ts'
import { columnAt } from '../language/arguments.ts'
import type { Word } from '../language/chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { shown } from '../language/printable.ts'

interface TimeOfDay {
  readonly hour: number
  readonly minute: number
  /** An IANA name. */
  readonly zone: string
}

export type Schedule =
  /** `days`: 0 is Sunday. */
  | ({ readonly kind: 'weekly'; readonly days: readonly number[] } & TimeOfDay)
  /** From midnight UTC on. */
  | { readonly kind: 'interval'; readonly everyMs: number }
  /** Once; without a date the next time of day. `date` is `2026-12-01`. */
  | ({ readonly kind: 'once'; readonly date?: string } & TimeOfDay)

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const NAMED_DAYS: Readonly<Record<string, readonly number[]>> = {
  day: [0, 1, 2, 3, 4, 5, 6],
  weekday: [1, 2, 3, 4, 5],
  weekend: [0, 6],
}
const INTERVAL_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 3_600_000 }
const EVERY_FORMS = 'type one such as every day 09:00 Europe/Berlin, every mon,fri 14:30 or every 4h'
const AT_FORMS = 'type one such as at 14:30, or at 2026-12-01 14:30 Europe/Berlin'

/** @param words behind `every` @throws {LanguageError} `bad-condition`, `missing-argument`, `unexpected-argument` */
export function parseEvery(words: readonly Word[], endColumn: number): Schedule {
  const [days, time, zone, extra] = words
  if (days === undefined) throw new LanguageError('missing-argument', 'the days are missing', endColumn, EVERY_FORMS)
  const everyMs = intervalOf(days)
  if (everyMs !== undefined) {
    refuse(time)
    return { kind: 'interval', everyMs }
  }
  const weekdays = daysOf(days)
  if (time === undefined) {
    throw new LanguageError('missing-argument', 'the time of day is missing', endColumn, EVERY_FORMS)
  }
  refuse(extra)
  return { kind: 'weekly', days: weekdays, ...timeOf(time, EVERY_FORMS), zone: zoneOf(zone) }
}

/** @param words behind `at` @throws {LanguageError} as `parseEvery` */
export function parseAt(words: readonly Word[], endColumn: number): Schedule {
  const [first] = words
  if (first === undefined) throw new LanguageError('missing-argument', 'the time is missing', endColumn, AT_FORMS)
  const isDated = /^\d{4}-/.test(first.text)
  const [time, zone, extra] = isDated ? words.slice(1) : words
  if (time === undefined) {
    throw new LanguageError('missing-argument', 'the time of day is missing', endColumn, AT_FORMS)
  }
  refuse(extra)
  const date = isDated ? { date: dateOf(first) } : {}
  return { kind: 'once', ...date, ...timeOf(time, AT_FORMS), zone: zoneOf(zone) }
}

function refuse(word: Word | undefined): void {
  if (word === undefined) return
  throw new LanguageError('unexpected-argument', `unexpected ${shown(word.text)}`, word.column, 'remove it')
}

function intervalOf({ text, column }: Word): number | undefined {
  if (/^\d{1,9}(s|ms)$/i.test(text)) throw bad('the shortest interval is one minute', column, 'type every 1m')
  if (/^\d{1,9}$/.test(text)) throw bad(`${shown(text)} has no unit`, column, 'type m or h after it, as in 5m or 4h')
  const [, count, unit = ''] = /^(\d{1,4})(m|h)$/i.exec(text) ?? []
  if (count === undefined) return undefined
  const everyMs = Number(count) * (INTERVAL_MS[unit.toLowerCase()] ?? 0)
  // One that does not divide a day would jump at each midnight.
  if (everyMs > 0 && DAY_MS % everyMs === 0) return everyMs
  throw bad(`${shown(text)} does not divide a day`, column, 'type one such as 1m, 15m, 1h or 4h')
}

function daysOf(word: Word): readonly number[] {
  const named = NAMED_DAYS[word.text.toLowerCase()]
  if (named !== undefined) return named
  let offset = 0
  const days = new Set<number>()
  for (const part of word.text.split(',')) {
    const day = DAYS.indexOf(part.toLowerCase().slice(0, 3))
    const isDay = day !== -1 && /^(sun|mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?)(day)?$/i.test(part)
    if (/^(hour|minute|min)s?$/i.test(part)) {
      throw bad(`${shown(part)} is not a day`, columnAt(word, offset), `type every 1${part.charAt(0).toLowerCase()}`)
    }
    if (!isDay) throw bad(`${shown(part)} is not a day`, columnAt(word, offset), EVERY_FORMS)
    days.add(day)
    offset += part.length + 1
  }
  return [...days].sort()
}

function timeOf({ text, column }: Word, hint: string): Pick<TimeOfDay, 'hour' | 'minute'> {
  const [, hour, minute] = /^(\d\d?):(\d\d)$/.exec(text) ?? []
  if (hour !== undefined && Number(hour) < 24 && Number(minute) < 60) {
    return { hour: Number(hour), minute: Number(minute) }
  }
  throw bad(`${shown(text)} is not a time of day`, column, spokenTime(text) ?? hint)
}

/** `9am`, `9:30pm`, `at`, `+10m`. */
function spokenTime(text: string): string | undefined {
  if (/^(at|@)$/i.test(text)) return 'leave it out'
  const [, span] = /^\+?(\d{1,6}(?:s|m|h|d))$/i.exec(text) ?? []
  if (span !== undefined)
    return `type \`sleep ${span.toLowerCase()}\` and the line after a semicolon, or a time such as 14:30`
  const [, hour, minute = '00', half] = /^(\d\d?)(?::([0-5]\d))?(am|pm)?$/i.exec(text) ?? []
  if (hour === undefined || Number(hour) > (half === undefined ? 23 : 12)) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  return `type ${String(hours).padStart(2, '0')}:${minute}`
}

function dateOf({ text, column }: Word): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw bad(`${shown(text)} is not a date`, column, 'type one such as 2026-12-01')
}

function zoneOf(word: Word | undefined): string {
  if (word === undefined || word.text.toUpperCase() === 'UTC') return 'UTC'
  const hint = 'type an IANA zone such as Europe/Berlin, or UTC'
  // An abbreviation has another meaning in each country, and no summer.
  if (!/^[A-Za-z]+(\/[A-Za-z0-9_+-]+){1,2}$/.test(word.text)) {
    throw bad(`${shown(word.text)} is not a time zone`, word.column, hint)
  }
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: word.text }).resolvedOptions().timeZone
  } catch {
    throw bad(`this machine knows no time zone ${shown(word.text)}`, word.column, hint)
  }
}

function bad(message: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-condition', message, column, hint)
}

/**
 * The first time after `after`; undefined: none comes any more.
 * @param after ms since the epoch, as the result
 */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  if (schedule.kind === 'interval') return (Math.floor(after / schedule.everyMs) + 1) * schedule.everyMs
  if (schedule.kind === 'once' && schedule.date !== undefined) {
    const at = momentOf(Date.parse(`${schedule.date}T00:00:00Z`), schedule)
    return at > after ? at : undefined
  }
  const days = schedule.kind === 'weekly' ? schedule.days : NAMED_DAYS.day
  // The day there may be the one before here.
  const first = Math.floor((after + offsetAt(schedule.zone, after)) / DAY_MS) * DAY_MS - DAY_MS
  for (let day = first; day <= first + 9 * DAY_MS; day += DAY_MS) {
    if (!days?.includes(new Date(day).getUTCDay())) continue
    const at = momentOf(day, schedule)
    if (at > after) return at
  }
  return undefined
}

/** @param day midnight of the date, as if the zone were UTC */
function momentOf(day: number, { hour, minute, zone }: TimeOfDay): number {
  const local = day + (hour * 60 + minute) * MINUTE_MS
  const [before, behind] = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]
  const found = [local - before, local - behind].find((at) => offsetAt(zone, at) === local - at)
  return found ?? jumpIn(zone, local - DAY_MS, local + DAY_MS)
}

/** When the clock of the zone jumps between two moments. */
function jumpIn(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [least, most] = [from, to]
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (offsetAt(zone, middle) === before) least = middle
    else most = middle
  }
  return most
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What is added to UTC, in ms. */
function offsetAt(zone: string, at: number): number {
  if (zone === 'UTC') return 0
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const whole = Math.floor(at / 1000) * 1000
  const parts = new Map(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - whole
}

/** `every mon, fri 09:00 Europe/Berlin`. */
export function describeSchedule(schedule: Schedule): string {
  if (schedule.kind === 'interval') {
    const { everyMs } = schedule
    return `every ${everyMs % 3_600_000 === 0 ? `${everyMs / 3_600_000}h` : `${everyMs / MINUTE_MS}m`}`
  }
  const time = `${String(schedule.hour).padStart(2, '0')}:${String(schedule.minute).padStart(2, '0')} ${schedule.zone}`
  if (schedule.kind === 'once') return `at ${schedule.date === undefined ? '' : `${schedule.date} `}${time}`
  const [name] = Object.entries(NAMED_DAYS).find(([, days]) => days.join() === schedule.days.join()) ?? []
  return `every ${name ?? schedule.days.map((day) => DAYS[day]).join(',')} ${time}`
}

interface TimesDue {
  /** Later than they may be. */
  readonly missed?: { readonly first: number; readonly last: number; readonly count: number }
  /** The last that may be acted on now. */
  readonly now?: number
  /** The first after now. */
  readonly next?: number
}

const MOST_COUNTED = 1_000

/**
 * What has come since `after`, all ms since the epoch.
 * @param next the first time after another @param lateMs how late one may be
 */
export function timesDue(
  next: (after: number) => number | undefined,
  after: number,
  now: number,
  lateMs: number,
): TimesDue {
  let missed: TimesDue['missed']
  let onTime: number | undefined
  let due = next(after)
  while (due !== undefined && due <= now) {
    const isLate = due < now - lateMs
    const late: number | undefined = isLate ? due : onTime
    if (!isLate) onTime = due
    if (late !== undefined) missed = { first: missed?.first ?? late, last: late, count: (missed?.count ?? 0) + 1 }
    due = next(isLate && (missed?.count ?? 0) >= MOST_COUNTED ? Math.max(due, now - lateMs - 1) : due)
  }
  return defined({ missed, now: onTime, next: due })
}

/** Of a schedule that was set at `since`: `at 14:30` comes once. @param after ms since the epoch */
export function nextTimeOf(schedule: Schedule, since: number, after: number): number | undefined {
  if (schedule.kind !== 'once') return nextTime(schedule, Math.max(since, after))
  const only = nextTime(schedule, since)
  return only !== undefined && only > after ? only : undefined
}
