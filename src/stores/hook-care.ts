// What a row of hooks.json may say about when its fires run, beside the switches: its limits, and that it is paused (behaviour 47).
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'

export const MIN_SPAN_MS = 1_000
export const MAX_SPAN_MS = 24 * 60 * 60_000
/** As many fires as a limit may count: they are kept one by one. */
export const MAX_COUNTED = 200
/** In a row, before a hook is paused. */
export const MAX_FAILURES = 5

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Day = (typeof DAYS)[number]

export const POSITION_STATES = ['flat', 'long', 'short'] as const
export type PositionState = (typeof POSITION_STATES)[number]

const span = z.int().check(z.minimum(MIN_SPAN_MS), z.maximum(MAX_SPAN_MS))
const counted = z.int().check(z.minimum(1), z.maximum(MAX_COUNTED))
const clockTime = z.string().check(z.regex(/^([01]\d|2[0-3])[0-5]\d$|^2400$/, 'must be a time of day: `0930`'))

const windowRow = z.strictObject({
  from: clockTime,
  to: clockTime,
  zone: z.exactOptional(z.string().check(z.refine(isTimeZone, 'is not a time zone: `Europe/Berlin`'))),
  /** On which it begins; absent: every day. */
  days: z.exactOptional(z.array(z.enum(DAYS)).check(z.minLength(1))),
})

/** A limit that is not known, or misspelt, is a row that is not used: a hook must not run without it. */
export const limitsRow = z.strictObject({
  /** From the begin of a run to that of the next. */
  cooldownMs: z.exactOptional(span),
  rate: z.exactOptional(z.strictObject({ fires: counted, ms: span })),
  /** Dollars that the orders of one fire may be worth together. */
  max: z.exactOptional(z.string().check(z.regex(/^(?!0+(\.0+)?$)\d{1,12}(\.\d{1,8})?$/, 'must be dollars: `500`'))),
  /** Runs since 00:00 UTC. */
  perDay: z.exactOptional(counted),
  window: z.exactOptional(windowRow),
  once: z.exactOptional(z.literal(true)),
  onlyIf: z.exactOptional(z.enum(POSITION_STATES)),
})

export type HookLimits = Readonly<z.infer<typeof limitsRow>>
export type HookWindow = Readonly<NonNullable<HookLimits['window']>>

/** Who paused it. `failures`: five runs in a row failed; `once`: it has had its one run. */
export const PAUSED_BY = ['terminal', 'page', 'hook', 'failures', 'once'] as const
export type PausedBy = (typeof PAUSED_BY)[number]

export const pauseRow = z.looseObject({
  since: time,
  by: z.enum(PAUSED_BY),
  why: z.exactOptional(z.string()),
  /** Absent: until it is resumed. */
  until: z.exactOptional(time),
})

export type HookPause = {
  readonly since: number
  readonly by: PausedBy
  readonly why?: string
  readonly until?: number
}

/** What of a hook decides whether a fire runs. */
export interface HookCare {
  readonly limits?: HookLimits
  readonly paused?: HookPause
  /** How often it was resumed: failures, and the one run of `once`, count since. */
  readonly resumed?: number
}

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
