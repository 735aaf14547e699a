// What a client may do: a grant, kept in its row of `trusted-clients.json` (behaviour 145). Pure. A client without one may do what `accountSync`
// and the place of each command allow.
import { Decimal } from 'decimal.js'
import * as z from 'zod/mini'
import { type AskedGrant, GRANT_LEVELS, GRANT_MS, type GrantLevel, grantTerms, time } from '../protocol/rows.ts'
import { StoreError } from './store-error.ts'

export { GRANT_LEVELS, type GrantLevel }

/** A clock is set right by less; one that is set back by more than this has left the time of the grant. */
const CLOCK_SLACK_MS = 60_000

/** A limit whose name is misspelt would not hold: such a row is invalid, and its client is not trusted. */
export const storedGrant = z.strictObject({
  ...grantTerms,
  grantedAt: time,
  until: time,
  /** Its end was seen: no clock that is set back revives it. */
  ended: z.exactOptional(z.literal(true)),
})

/** Times are ms since the epoch. */
export type Grant = Readonly<z.output<typeof storedGrant>>

/** A grant as it holds now: one that has ended lets its client look. */
export type HeldGrant = Grant & { readonly hasEnded: boolean }

export function heldNow(grant: Grant, now: number): HeldGrant {
  const hasEnded = grant.ended === true || now >= grant.until || now < grant.grantedAt - CLOCK_SLACK_MS
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

/**
 * What a person gives who lets a client in that asks for `asked`.
 * @param may as the answer names it; undefined: `y` alone, which is `look`
 * @returns undefined: the client asks for no grant, and the answer names none
 * @throws {StoreError} `more-than-asked`
 */
export function answeredGrant(
  asked: AskedGrant | undefined,
  may: GrantLevel | undefined,
  now: number,
): Grant | undefined {
  if (asked === undefined) return may && { may, grantedAt: now, until: now + GRANT_MS }
  const { forMs = GRANT_MS, ...terms } = asked
  const given = { ...terms, may: may ?? 'look', grantedAt: now, until: now + forMs }
  if (rankOf(given) <= rankOf(terms)) return given
  throw new StoreError('more-than-asked', `the client asks for no more than \`${asked.may}\``, {
    hint: `name ${asked.may} or less; \`clients grant\` widens it later`,
  })
}

function rankOf({ may }: Pick<Grant, 'may'>): number {
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
