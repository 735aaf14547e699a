// The terms on which a hook's fires run, and what an edit of them lets through that was not let through before (behaviour 47).
import { Decimal } from 'decimal.js'
import type { Day, Hook, HookEdit, HookLimits, HookWindow, NewHook } from '../stores/hooks.ts'

export type HookTerms = Pick<Hook, 'command' | 'account' | 'parallel' | 'maxAgeMs' | 'dry' | 'limits' | 'when'>

type OrGone<T> = { readonly [field in keyof T]?: T[field] | undefined }

/** What is said of the terms; undefined: taken away. What is not there stays. */
export interface TermsChange extends OrGone<Pick<HookTerms, 'account' | 'parallel' | 'maxAgeMs' | 'dry' | 'when'>> {
  readonly command?: string
  readonly limits?: OrGone<Omit<HookLimits, 'window'>>
  readonly hours?: OrGone<Pick<HookWindow, 'zone' | 'days'>> & {
    readonly between?: Pick<HookWindow, 'from' | 'to'> | undefined
  }
}

export function changeTerms(now: HookTerms | undefined, change: TermsChange): Omit<HookEdit, 'paused' | 'resumed'> {
  const { limits: given, hours, ...rest } = change
  if (given === undefined && hours === undefined) return rest
  const window = hours === undefined ? now?.limits?.window : windowOf(now?.limits?.window, hours)
  const limits = withoutUndefined({ ...now?.limits, ...given, window }) as HookLimits
  return { ...rest, limits: Object.keys(limits).length === 0 ? undefined : limits }
}

/** Of a hook that is made. */
export function newTerms(change: TermsChange): Omit<NewHook, 'name' | 'command' | 'account'> {
  return withoutUndefined(changeTerms(undefined, change)) as ReturnType<typeof newTerms>
}

/** Days alone are whole days. */
function windowOf(now: HookWindow | undefined, given: NonNullable<TermsChange['hours']>): HookWindow | undefined {
  const { between, ...rest } = given
  if ('between' in given && between === undefined) return undefined
  const hours = between ?? now ?? { from: '0000', to: '2400' }
  const window = withoutUndefined({ ...now, ...hours, ...rest }) as HookWindow
  const isAlways = window.from === '0000' && window.to === '2400' && window.days === undefined
  return isAlways ? undefined : window
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** What the second terms let through and the first do not, as flags are called; empty: they are stricter, or the same. */
export function loosenedTerms(before: HookTerms, after: OrGone<HookTerms>): readonly string[] {
  const { limits: was = {} } = before
  const { limits: is = {} } = after
  const loosened: Readonly<Record<string, boolean>> = {
    'the command': before.command !== after.command,
    '--dry': before.dry === true && after.dry !== true,
    '--parallel': isMore(before.parallel ?? DEFAULTS.parallel, after.parallel ?? DEFAULTS.parallel),
    '--max-age': isMore(before.maxAgeMs ?? DEFAULTS.maxAgeMs, after.maxAgeMs ?? DEFAULTS.maxAgeMs),
    '--cooldown': (is.cooldownMs ?? 0) < (was.cooldownMs ?? 0),
    '--rate': isLooserRate(was.rate, is.rate),
    '--max': isMore(was.max, is.max),
    '--per-day': isMore(was.perDay, is.perDay),
    '--window': was.window !== undefined && JSON.stringify(sorted(was.window)) !== JSON.stringify(sorted(is.window)),
    '--once': was.once === true && is.once !== true,
    '--only-if': was.onlyIf !== undefined && was.onlyIf !== is.onlyIf,
    [WHEN]: after.when !== undefined && after.when !== before.when,
  }
  return Object.keys(loosened).filter((name) => loosened[name])
}

/** What a page or a hook may set only on a hook that is paused until a person resumes it. */
export const WHEN = '--when'

/** As behaviour 30 has them. */
const DEFAULTS = { parallel: 20, maxAgeMs: 30_000 }

/** Absent: without end. */
function isMore(was: Decimal.Value | undefined, is: Decimal.Value | undefined): boolean {
  if (was === undefined) return false
  return is === undefined || new Decimal(is).gt(was)
}

function isLooserRate(was: HookLimits['rate'], is: HookLimits['rate']): boolean {
  if (was === undefined) return false
  return is === undefined || is.fires > was.fires || is.ms < was.ms
}

function sorted(window: HookWindow | undefined): unknown {
  if (window === undefined) return undefined
  const { from, to, zone = 'UTC', days = [] } = window
  return [from, to, zone, [...new Set<Day>(days)].sort()]
}
