// A sign-in in words. What is said of it comes from its provider, and is made printable.
import { defined } from '../../base/defined.ts'
import { printable } from '../../language/printable.ts'
import { isCurrent, type SignInRow } from '../../stores/sign-in.ts'
import { showTime } from '../../trading/figures.ts'
import type { SignInData } from './sign-in-data.ts'

/** `ana@example.com`, or that there is no such address. */
export function whoIs({ email, subject }: SignInRow): string {
  return email === '' ? `${printable(subject, 60)}, without a verified email` : printable(email, 254)
}

/** `id.example.com`. */
export function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : printable(issuer, 100)
}

/** Until when, and what then. */
export function untilWhen(row: SignInRow, now: number): string {
  const { endedAt, expiresAt, isRenewable } = row
  const time = `${showTime(expiresAt)} UTC`
  if (endedAt !== undefined) return `ended at ${showTime(endedAt)} UTC: the provider renews it no more`
  if (!isRenewable) return isCurrent(row, now) ? `ends at ${time}` : `ended at ${time}`
  return expiresAt > now
    ? `its token serves until ${time} and is renewed then`
    : 'its token is renewed at the next start'
}

/** `ana@example.com at id.example.com; ends at …`. */
export function describeSignIn(row: SignInRow, now: number): string {
  return `${whoIs(row)} at ${hostOf(row.issuer)}; ${untilWhen(row, now)}`
}

export function signInData(row: SignInRow | undefined, now: number): SignInData {
  if (row === undefined) return { type: 'sign-in', signedIn: false }
  const { issuer, clientId, subject, email, signedInAt, expiresAt, isRenewable, keys, endedAt } = row
  return {
    type: 'sign-in',
    signedIn: isCurrent(row, now),
    issuer,
    clientId,
    subject,
    ...(email === '' ? {} : { email }),
    signedInAt,
    expiresAt,
    isRenewable,
    keys: keys.from,
    ...defined({ endedAt }),
  }
}
