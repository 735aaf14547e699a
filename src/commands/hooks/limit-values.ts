// The values of a hook's limits as they are typed (behaviour 47).
import { Decimal } from 'decimal.js'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { parseDuration, parseLongDuration } from '../../language/time.ts'
import {
  DAYS,
  type Day,
  type HookLimits,
  type HookWindow,
  isTimeZone,
  MAX_COUNTED,
  MAX_SPAN_MS,
  MIN_SPAN_MS,
  POSITION_STATES,
  type PositionState,
} from '../../stores/hooks.ts'

/** `30s`, `5m`, `1h`; a bare number counts seconds. From a second to a day. */
export function readSpan(text: string, column: number): number {
  const ms = /[hd]$/i.test(text) ? parseLongDuration(text, column) : parseDuration(text, column)
  if (ms >= MIN_SPAN_MS && ms <= MAX_SPAN_MS) return ms
  throw bad(text, 'is not from a second to a day', column, 'type a duration such as 30s, 5m or 1h')
}

/** `5/1m`: so many runs in so long. */
export function readRate(text: string, column: number): NonNullable<HookLimits['rate']> {
  const [fires = '', span = '', ...more] = text.split('/')
  if (span === '' || more.length > 0) throw bad(text, 'is not a rate', column, 'type runs and a time, such as 5/1m')
  const unit = /^[smhd]$/i.test(span) ? `1${span}` : span
  return { fires: readCount(fires, column), ms: readSpan(unit, column) }
}

function readCount(text: string, column: number): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (count >= 1 && count <= MAX_COUNTED) return count
  throw bad(text, `is not a number of runs from 1 to ${MAX_COUNTED}`, column, 'type one such as 5')
}

/** `10`: runs, not money. */
export function readPerDay(text: string, column: number): number {
  if (!text.startsWith('$')) return readCount(text, column)
  const hint =
    'type a number of runs; --max bounds the dollars of one, and `guards set <account> day $5000` those of an account'
  throw bad(text, 'is not a number of runs', column, hint)
}

export function readMax(text: string, column: number): string {
  const bare = text.replace(/^\$/, '').replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  if (/^\d{1,12}(\.\d{1,8})?$/.test(bare) && new Decimal(bare).gt(0)) return new Decimal(bare).toFixed()
  throw bad(text, 'is not a sum of dollars', column, 'type one such as $500')
}

/** `0930-1600`; over midnight too. */
export function readHours(text: string, column: number): Pick<HookWindow, 'from' | 'to'> {
  const [, from = '', to = ''] = /^(\d\d:?\d\d)-(\d\d:?\d\d)$/.exec(text) ?? []
  const hours = { from: from.replace(':', ''), to: to.replace(':', '') }
  const isTime = (each: string) => /^([01]\d|2[0-3])[0-5]\d$/.test(each)
  if (isTime(hours.from) && (isTime(hours.to) || hours.to === '2400') && hours.from !== hours.to) return hours
  throw bad(
    text,
    'is not a time of day',
    column,
    'type from and to, such as 0930-1600; --zone Europe/Berlin says where, else UTC',
  )
}

export function readZone(text: string, column: number): string {
  if (isTimeZone(text)) return text
  throw bad(text, 'is not a time zone', column, 'type one such as Europe/Berlin, America/New_York or UTC')
}

/** `mon-fri`, `mon,wed,fri`, `fri-mon`. */
export function readDays(text: string, column: number): Day[] {
  const days = text
    .toLowerCase()
    .split(',')
    .flatMap((part) => daysOf(part.split('-')))
  if (days.every((day) => day !== undefined)) return DAYS.filter((day) => days.includes(day))
  throw bad(text, 'is not a list of days', column, 'type days such as mon-fri or sat,sun')
}

function daysOf([first = '', last = first, ...more]: readonly string[]): readonly (Day | undefined)[] {
  const [from, to] = [first, last].map((name) => (DAYS as readonly string[]).indexOf(name))
  if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0) return [undefined]
  const count = ((to - from + 7) % 7) + 1
  return Array.from({ length: count }, (_, index) => DAYS[(from + index) % 7])
}

export function readOnlyIf(text: string, column: number): PositionState {
  const found = POSITION_STATES.find((state) => state === text.toLowerCase())
  if (found !== undefined) return found
  throw bad(text, 'is not a position', column, 'type flat, long or short')
}

function bad(text: string, what: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-argument', `${shown(text)} ${what}`, column, hint)
}
