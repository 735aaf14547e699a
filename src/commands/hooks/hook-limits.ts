// What `hook create` and `hook edit` say about how a hook's fires run (behaviours 30, 40, 47): one table of flags.
import { Decimal } from 'decimal.js'
import type { TermsChange } from '../../hooks/hook-terms.ts'
import type { Argument } from '../../language/chain.ts'
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
  MAX_MAX_AGE_MS,
  MAX_PARALLEL,
  MAX_SPAN_MS,
  MIN_MAX_AGE_MS,
  MIN_SPAN_MS,
  POSITION_STATES,
  type PositionState,
} from '../../stores/hooks.ts'
import { readInteger, takeFlag, takeOption } from '../kit/read-arguments.ts'

interface LimitFlag {
  readonly flag: string
  /** How people call the value. */
  readonly what: string
  /** Of what follows the flag. @throws {LanguageError} */
  readonly read: (text: string, column: number) => TermsChange
  /** Of `--no-…`. */
  readonly gone: TermsChange
}

const VALUES: readonly LimitFlag[] = [
  {
    flag: '--parallel',
    what: 'the number of runs at once',
    gone: { parallel: undefined },
    read: (text, column) => ({ parallel: readInteger({ kind: 'word', text, column }, 1, MAX_PARALLEL) }),
  },
  {
    flag: '--max-age',
    what: 'the maximum age of a fire',
    gone: { maxAgeMs: undefined },
    read: (text, column) => ({ maxAgeMs: readMaxAge(text, column) }),
  },
  limit('--cooldown', 'the cooldown', 'cooldownMs', readSpan),
  limit('--rate', 'the rate', 'rate', readRate),
  limit('--max', 'the maximum in dollars', 'max', readMax),
  limit('--per-day', 'the number of runs a day', 'perDay', readPerDay),
  limit('--only-if', 'the position', 'onlyIf', readOnlyIf),
  {
    flag: '--window',
    what: 'the hours',
    gone: { hours: { between: undefined, zone: undefined, days: undefined } },
    read: (text, column) => ({ hours: { between: readHours(text, column) } }),
  },
  {
    flag: '--days',
    what: 'the days',
    gone: { hours: { days: undefined } },
    read: (text, column) => ({ hours: { days: readDays(text, column) } }),
  },
  {
    flag: '--zone',
    what: 'the time zone',
    gone: { hours: { zone: undefined } },
    read: (text, column) => ({ hours: { zone: readZone(text, column) } }),
  },
]

const SWITCHES = [
  { flag: '--dry', on: { dry: true }, gone: { dry: undefined } },
  { flag: '--once', on: { limits: { once: true } }, gone: { limits: { once: undefined } } },
] as const satisfies readonly { readonly flag: string; readonly on: TermsChange; readonly gone: TermsChange }[]

function limit<Field extends keyof NonNullable<TermsChange['limits']>>(
  flag: string,
  what: string,
  field: Field,
  read: (text: string, column: number) => NonNullable<TermsChange['limits']>[Field],
): LimitFlag {
  return {
    flag,
    what,
    gone: { limits: { [field]: undefined } },
    read: (text, column) => ({ limits: { [field]: read(text, column) } }),
  }
}

/** `--when` is read with the account and the symbol: `hook-trigger.ts`. */
export const LIMIT_FLAGS: readonly string[] = [...[...VALUES, ...SWITCHES].map(({ flag }) => flag), '--when']
export const GONE_FLAGS: readonly string[] = LIMIT_FLAGS.map(goneName)

/** `--no-cooldown` */
function goneName(flag: string): string {
  return `--no-${flag.slice(2)}`
}

interface TakenLimits {
  readonly rest: readonly Argument[]
  readonly change: TermsChange
  /** Nothing was said of them. */
  readonly isEmpty: boolean
}

/** Takes the flags out of the arguments; with `mayTakeAway` also `--no-…`. @throws {LanguageError} */
export function takeLimits(args: readonly Argument[], mayTakeAway = false): TakenLimits {
  refuseOff(args, mayTakeAway)
  let rest = args
  const changes: TermsChange[] = []
  for (const { flag, what, read, gone } of VALUES) {
    const taken = takeOption(rest, flag, what)
    if (taken.value !== undefined) changes.push(read(taken.value, columnOf(args, flag)))
    const away = mayTakeAway ? takeFlag(taken.rest, goneName(flag)) : { rest: taken.rest, given: false }
    if (away.given) changes.push(gone)
    rest = away.rest
  }
  for (const { flag, on, gone } of SWITCHES) {
    const taken = takeFlag(rest, flag)
    if (taken.given) changes.push(on)
    const away = mayTakeAway ? takeFlag(taken.rest, goneName(flag)) : { rest: taken.rest, given: false }
    if (away.given) changes.push(gone)
    rest = away.rest
  }
  const away = mayTakeAway ? takeFlag(rest, goneName('--when')) : { rest, given: false }
  if (away.given) changes.push({ when: undefined })
  return { rest: away.rest, change: together(changes), isEmpty: changes.length === 0 }
}

const OFF = /^(?:off|none|no|never|any|false|null)$/i

/** `--only-if off`. @throws {LanguageError} `bad-argument` with the flag that takes a limit away */
function refuseOff(args: readonly Argument[], mayTakeAway: boolean): void {
  for (const [index, argument] of args.entries()) {
    if (argument.kind !== 'word') continue
    const [, flag = '', glued] = /^(--[a-z-]+)(?:=(.*))?$/.exec(argument.text) ?? []
    const next = args[index + 1]
    const value = glued ?? (next?.kind === 'word' ? next.text : '')
    if (!LIMIT_FLAGS.includes(flag) || !OFF.test(value)) continue
    const column = glued === undefined ? (next?.column ?? 1) : argument.column + flag.length + 1
    const hint = mayTakeAway ? `type ${goneName(flag)}` : `leave ${flag} out`
    throw bad(value, `is not a value of ${flag}`, column, hint)
  }
}

function together(changes: readonly TermsChange[]): TermsChange {
  const limits = Object.assign({}, ...changes.map((each) => each.limits ?? {}))
  const hours = Object.assign({}, ...changes.map((each) => each.hours ?? {}))
  const isAnyOf = (field: 'limits' | 'hours') => changes.some((each) => each[field] !== undefined)
  return {
    ...Object.assign({}, ...changes),
    ...(isAnyOf('limits') ? { limits } : {}),
    ...(isAnyOf('hours') ? { hours } : {}),
  }
}

function readMaxAge(text: string, column: number): number {
  const ms = parseDuration(text, column, { maxMs: MAX_MAX_AGE_MS })
  if (ms >= MIN_MAX_AGE_MS) return ms
  throw new LanguageError('bad-duration', `${shown(text)} is shorter than 1s`, column, 'type at least 1s')
}

/** Of the option's value: behind the name, where it is glued to it. */
function columnOf(args: readonly Argument[], option: string): number {
  const at = args.findIndex(
    ({ kind, ...rest }) =>
      kind === 'word' && 'text' in rest && (rest.text === option || rest.text.startsWith(`${option}=`)),
  )
  const named = args[at]
  if (named === undefined) return 1
  const isGlued = named.kind === 'word' && named.text !== option
  return isGlued ? named.column + option.length + 1 : (args[at + 1]?.column ?? named.column)
}

// The values of a hook's limits as they are typed (behaviour 47).

/** `30s`, `5m`, `1h`; a bare number counts seconds. From a second to a day. */
function readSpan(text: string, column: number): number {
  const ms = /[hd]$/i.test(text) ? parseLongDuration(text, column) : parseDuration(text, column)
  if (ms >= MIN_SPAN_MS && ms <= MAX_SPAN_MS) return ms
  throw bad(text, 'is not from a second to a day', column, 'type a duration such as 30s, 5m or 1h')
}

/** `5/1m`: so many runs in so long. */
function readRate(text: string, column: number): NonNullable<HookLimits['rate']> {
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
function readPerDay(text: string, column: number): number {
  if (!text.startsWith('$')) return readCount(text, column)
  const hint =
    'type a number of runs; --max bounds the dollars of one, and `guards set <account> day $5000` those of an account'
  throw bad(text, 'is not a number of runs', column, hint)
}

function readMax(text: string, column: number): string {
  const bare = text.replace(/^\$/, '').replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  if (/^\d{1,12}(\.\d{1,8})?$/.test(bare) && new Decimal(bare).gt(0)) return new Decimal(bare).toFixed()
  throw bad(text, 'is not a sum of dollars', column, 'type one such as $500')
}

/** `0930-1600`; over midnight too. */
function readHours(text: string, column: number): Pick<HookWindow, 'from' | 'to'> {
  const [, from = '', to = ''] = /^(\d\d:?\d\d)-(\d\d:?\d\d)$/.exec(text) ?? []
  const hours = { from: from.replace(':', ''), to: to.replace(':', '') }
  const isTime = (each: string) => /^([01]\d|2[0-3])[0-5]\d$/.test(each)
  if (isTime(hours.from) && (isTime(hours.to) || hours.to === '2400') && hours.from !== hours.to) return hours
  throw bad(
    text,
    'is not a time of day',
    column,
    'type from and to, such as 0930-1600; --zone Europe/Berlin sets the zone, else UTC',
  )
}

function readZone(text: string, column: number): string {
  if (isTimeZone(text)) return text
  throw bad(text, 'is not a time zone', column, 'type one such as Europe/Berlin, America/New_York or UTC')
}

/** `mon-fri`, `mon,wed,fri`, `fri-mon`. */
function readDays(text: string, column: number): Day[] {
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

function readOnlyIf(text: string, column: number): PositionState {
  const found = POSITION_STATES.find((state) => state === text.toLowerCase())
  if (found !== undefined) return found
  throw bad(text, 'is not a position', column, 'type flat, long or short')
}

function bad(text: string, what: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-argument', `${shown(text)} ${what}`, column, hint)
}
