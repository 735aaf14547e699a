// Whether a fire would be skipped, and why (behaviour 47): a pure function of the hook's row, of the runs that it has begun, and of the time.
// What it holds is asked for separately, for that takes a venue.
import { defined } from '../base/defined.ts'
import { printable } from '../language/printable.ts'
import type { RunRequest } from '../runs/run.ts'
import {
  DAYS,
  type Hook,
  type HookCare,
  type HookLimits,
  type HookWindow,
  MAX_FAILURES,
  type PositionState,
} from '../stores/hooks.ts'

/** A run that has begun. */
export interface BegunRun {
  readonly runId: string
  /** When it began, by a clock that never goes back. */
  readonly at: number
  /** As the hook's `resumed` was. */
  readonly resumed: number
}

export interface FireFacts {
  /** Of the hook, oldest first; the newest `MAX_COUNTED` are enough. */
  readonly begun: readonly BegunRun[]
  /** How many of its last runs failed, one after another, since it was resumed. */
  readonly failures: number
  /** The time, by a clock that never goes back and passes every `at` of `begun`. ms since the epoch. */
  readonly steadyMs: number
  /** The time by the clock on the wall. */
  readonly wallMs: number
}

/** Reads now; the answer gives what the limits of a hook are judged by (behaviour 47). */
export type LookAtHooks = () => (hook: Pick<Hook, 'id'> & HookCare) => HookFacts

interface HookFacts extends FireFacts {
  /** The run that a fire under this key began; what comes again under it runs nothing (behaviour 46). */
  readonly firstRun: (key: string) => string | undefined
  /** Whether its line, with the values of the alert, can only reduce. */
  readonly onlyReduces: (line: Pick<RunRequest, 'command' | 'values'>) => boolean
}

type SkipCode =
  | 'paused'
  | 'failing'
  | 'once'
  | 'window'
  | 'cooldown'
  | 'rate'
  | 'per-day'
  | 'only-if'
  | 'not-counted'
  | 'age'

export interface Skip {
  readonly code: SkipCode
  /** `cooldown of 30s`; behind `skipped: ` it is the error of the run. The same for each fire that one limit stops. */
  readonly why: string
  /** From when on it would not be skipped for this; absent: not known, or someone has to do something. ms since the epoch. */
  readonly until?: number
}

const DAY_MS = 24 * 60 * 60_000

/**
 * The first reason why a fire of this hook would not run now; undefined: none, as far as its row and its runs tell.
 * @param isExit whether its line only reduces: a count of runs must not keep a position open
 */
export function whySkipped(hook: HookCare, facts: FireFacts, isExit: () => boolean = () => false): Skip | undefined {
  const held = pausedNow(hook, facts) ?? outsideNow(hook, facts)
  if (held !== undefined) return held
  const limited = limitedNow(hook, facts)
  return limited !== undefined && isExit() ? undefined : limited
}

/** Whether anything has to be known of the runs of this hook before one begins. */
export function isCounted({ limits }: HookCare): boolean {
  if (limits === undefined) return false
  return (
    limits.once === true || limits.cooldownMs !== undefined || limits.rate !== undefined || limits.perDay !== undefined
  )
}

/** How many of a hook's runs its limits look back at; undefined: there is no such hook. */
export function countedRunsOf(hooks: { list(): readonly (HookCare & { readonly id: string })[] }) {
  return (hookId: string): number | undefined => {
    const hook = hooks.list().find(({ id }) => id === hookId)
    if (hook === undefined || !isCounted(hook)) return hook && 0
    return Math.max(1, hook.limits?.rate?.fires ?? 0, hook.limits?.perDay ?? 0)
  }
}

function pausedNow({ paused, resumed = 0, limits }: HookCare, facts: FireFacts): Skip | undefined {
  if (paused !== undefined && isPausedAt(paused, facts.wallMs)) {
    const why = paused.why === undefined ? 'the hook is paused' : `the hook is paused (${printable(paused.why, 200)})`
    return { code: 'paused', why, ...defined({ until: paused.until }) }
  }
  // Before the pause is in the file, and where it cannot be written.
  if (facts.failures >= MAX_FAILURES) return { code: 'failing', why: `its last ${MAX_FAILURES} runs failed` }
  const newest = facts.begun.at(-1)
  if (limits?.once !== true || newest === undefined || newest.resumed < resumed) return undefined
  return { code: 'once', why: 'its one run is used up' }
}

export function isPausedAt({ until }: NonNullable<HookCare['paused']>, wallMs: number): boolean {
  return until === undefined || wallMs < until
}

function outsideNow({ limits }: HookCare, { wallMs }: FireFacts): Skip | undefined {
  const window = limits?.window
  if (window === undefined || isInWindow(window, wallMs)) return undefined
  return { code: 'window', why: `outside ${showWindow(window)}` }
}

function limitedNow({ limits }: HookCare, { begun, steadyMs }: FireFacts): Skip | undefined {
  if (limits === undefined) return undefined
  const { cooldownMs, rate, perDay } = limits
  const newest = begun.at(-1)
  if (cooldownMs !== undefined && newest !== undefined && steadyMs - newest.at < cooldownMs) {
    return { code: 'cooldown', why: `cooldown of ${showSpan(cooldownMs)}`, until: newest.at + cooldownMs }
  }
  const oldest = rate && begun.at(-rate.fires)
  if (rate !== undefined && oldest !== undefined && steadyMs - oldest.at < rate.ms) {
    return { code: 'rate', why: `its rate is ${showRate(rate)}`, until: oldest.at + rate.ms }
  }
  const first = perDay === undefined ? undefined : begun.at(-perDay)
  if (first !== undefined && dayOf(first.at) >= dayOf(steadyMs)) {
    return {
      code: 'per-day',
      why: `its limit of ${perDay} a day (UTC) is used up`,
      until: (dayOf(steadyMs) + 1) * DAY_MS,
    }
  }
  return undefined
}

/** What is held of one symbol, as it was just read. */
export interface HeldNow {
  readonly symbol: string
  readonly state: PositionState
}

/** Every symbol that the command names must be in that state. */
export function whyNotOnlyIf(onlyIf: PositionState, held: readonly HeldNow[]): Skip | undefined {
  const other = held.find(({ state }) => state !== onlyIf)
  if (other === undefined) return undefined
  return { code: 'only-if', why: `${other.symbol} is ${other.state}, and it runs only if ${onlyIf}` }
}

/** What is left of the limits that count. */
interface Left {
  /** Of `once`. */
  readonly once?: 0 | 1
  /** Runs that the rate lets begin now. */
  readonly rate?: number
  /** Runs until 00:00 UTC. */
  readonly perDay?: number
  /** ms. */
  readonly cooldown?: number
}

export function leftOf({ limits, resumed = 0 }: HookCare, { begun, steadyMs }: FireFacts): Left {
  if (limits === undefined) return {}
  const { once, rate, perDay, cooldownMs } = limits
  const newest = begun.at(-1)
  const since = (ms: number) => begun.filter(({ at }) => steadyMs - at < ms).length
  const today = begun.filter(({ at }) => dayOf(at) >= dayOf(steadyMs)).length
  const wait = newest === undefined ? 0 : Math.max(0, newest.at + (cooldownMs ?? 0) - steadyMs)
  return {
    ...(once === undefined ? {} : { once: newest === undefined || newest.resumed < resumed ? 1 : 0 }),
    ...(rate === undefined ? {} : { rate: Math.max(0, rate.fires - since(rate.ms)) }),
    ...(perDay === undefined ? {} : { perDay: Math.max(0, perDay - today) }),
    ...(cooldownMs === undefined ? {} : { cooldown: wait }),
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** `30s`, `5m`, `1h`, `90s`: as it is typed. */
export function showSpan(ms: number): string {
  const units = [
    [3_600_000, 'h'],
    [60_000, 'm'],
    [1_000, 's'],
  ] as const
  const unit = units.find(([size]) => ms % size === 0)
  return unit === undefined ? `${ms}ms` : `${ms / unit[0]}${unit[1]}`
}

/** `5/1m` */
export function showRate({ fires, ms }: NonNullable<HookLimits['rate']>): string {
  return `${fires}/${showSpan(ms)}`
}

/** `0930-1600 mon,tue America/New_York`; UTC where no zone is named. */
export function showWindow({ from, to, zone = 'UTC', days }: NonNullable<HookLimits['window']>): string {
  return [`${from}-${to}`, ...(days === undefined ? [] : [days.join(',')]), zone].join(' ')
}

// Whether a moment is inside the hours of a hook, in their time zone (behaviour 47).

interface LocalTime {
  /** 0 is Sunday. */
  readonly day: number
  /** Since midnight. */
  readonly minutes: number
}

/** @param at ms since the epoch */
function isInWindow({ from, to, zone, days }: HookWindow, at: number): boolean {
  const { day, minutes } = localTime(at, zone)
  const [begins, ends] = [minutesOf(from), minutesOf(to)]
  const isOn = (each: number) => days === undefined || days.some((name) => DAYS.indexOf(name) === each)
  if (begins < ends) return minutes >= begins && minutes < ends && isOn(day)
  // Over midnight: the hours after it belong to the day on which they began.
  if (minutes >= begins) return isOn(day)
  return minutes < ends && isOn((day + 6) % 7)
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(2))
}

const formats = new Map<string, Intl.DateTimeFormat>()

function localTime(at: number, zone: string | undefined): LocalTime {
  if (zone === undefined || zone === 'UTC') {
    const date = new Date(at)
    return { day: date.getUTCDay(), minutes: date.getUTCHours() * 60 + date.getUTCMinutes() }
  }
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const day = (DAYS as readonly (string | undefined)[]).indexOf(parts.weekday?.toLowerCase())
  return { day, minutes: Number(parts.hour) * 60 + Number(parts.minute) }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(zone, format)
  return format
}
