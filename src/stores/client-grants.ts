// What a client may do: a grant, kept in its row of `trusted-clients.json` (behaviour 145). Pure. A client without one may do what `accountSync`
// and the place of each command allow.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { name, time } from '../protocol/rows.ts'

/** From the least to the most. */
export const GRANT_LEVELS = ['look', 'propose', 'trade'] as const
export type GrantLevel = (typeof GRANT_LEVELS)[number]

/** A grant without `--until` lasts so long. */
export const GRANT_MS = 7 * 24 * 60 * 60 * 1_000
/** Accounts, and symbols, of one grant. */
export const MOST_NAMED = 64
/** A clock is set right by less; one that is set back by more than this has left the time of the grant. */
const CLOCK_SLACK_MS = 60_000

const dollars = z.string().check(z.regex(/^\d{1,15}(?:\.\d{1,8})?$/, 'must be dollars in quotes'))
const names = z.array(name).check(z.minLength(1), z.maxLength(MOST_NAMED))

/** A limit whose name is misspelt would not hold: such a row is invalid, and its client is not trusted. */
export const storedGrant = z.strictObject({
  may: z.enum(GRANT_LEVELS),
  perOrder: z.exactOptional(dollars),
  perDay: z.exactOptional(dollars),
  accounts: z.exactOptional(names),
  symbols: z.exactOptional(names),
  proposalsPerHour: z.exactOptional(z.int().check(z.minimum(0), z.maximum(1_000))),
  grantedAt: time,
  until: time,
})

/**
 * Dollars are decimals in text, times ms since the epoch. Absent limits: none. `perOrder` and `perDay` (since 00:00 UTC) hold for what adds;
 * `accounts` for all that acts; `symbols` for what adds.
 */
export type Grant = Readonly<z.output<typeof storedGrant>>

/** A grant as it holds now: one that has ended lets its client look. */
export type HeldGrant = Grant & { readonly hasEnded: boolean }

export function heldNow(grant: Grant, now: number): HeldGrant {
  const hasEnded = now >= grant.until || now < grant.grantedAt - CLOCK_SLACK_MS
  return hasEnded ? { ...grant, may: 'look', hasEnded } : { ...grant, hasEnded }
}

/** Whether `next` lets anything through that `now` does not. A client without a grant has the most. */
export function isWider(next: Grant, now: Grant | undefined): boolean {
  if (now === undefined) return false
  return (
    rankOf(next) > rankOf(now) ||
    next.until > now.until ||
    exceeds(next.perOrder, now.perOrder) ||
    exceeds(next.perDay, now.perDay) ||
    exceeds(next.proposalsPerHour, now.proposalsPerHour) ||
    namesMore(next.accounts, now.accounts) ||
    namesMore(next.symbols, now.symbols)
  )
}

function rankOf({ may }: Grant): number {
  return GRANT_LEVELS.indexOf(may)
}

function exceeds(next: string | number | undefined, now: string | number | undefined): boolean {
  if (now === undefined) return false
  return next === undefined || new Decimal(next).gt(now)
}

function namesMore(next: readonly string[] | undefined, now: readonly string[] | undefined): boolean {
  if (now === undefined) return false
  return next === undefined || next.some((each) => !now.includes(each))
}
