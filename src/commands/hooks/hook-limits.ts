// What `hook create` and `hook edit` say about how a hook's fires run (behaviours 30, 40, 47): one table of flags.
import type { TermsChange } from '../../hooks/hook-terms.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { parseDuration } from '../../language/time.ts'
import { MAX_MAX_AGE_MS, MAX_PARALLEL, MIN_MAX_AGE_MS } from '../../stores/hooks.ts'
import { readInteger, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { readDays, readHours, readMax, readOnlyIf, readPerDay, readRate, readSpan, readZone } from './limit-values.ts'

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
    what: 'how long a fire may wait',
    gone: { maxAgeMs: undefined },
    read: (text, column) => ({ maxAgeMs: readMaxAge(text, column) }),
  },
  limit('--cooldown', 'how long after a run', 'cooldownMs', readSpan),
  limit('--rate', 'the runs in a time', 'rate', readRate),
  limit('--max', 'the dollars that a fire may order', 'max', readMax),
  limit('--per-day', 'the runs in a day', 'perDay', readPerDay),
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

export const LIMIT_FLAGS: readonly string[] = [...VALUES, ...SWITCHES].map(({ flag }) => flag)
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
  return { rest, change: together(changes), isEmpty: changes.length === 0 }
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
