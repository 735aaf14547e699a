// Who asks: key and passphrase in the headers, and the HMAC over time, method, path and body.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from './account.ts'
import { refuse } from './refusal.ts'

/** How far a caller's clock may be off, either way. */
export const WINDOW_MS = 30_000

/**
 * @param said method, path with its query, and body, one after the other
 * @throws {Refusal}
 */
export function accountBehind(
  headers: IncomingHttpHeaders,
  said: string,
  accounts: ReadonlyMap<string, Account>,
  now: number,
): Account {
  const of = (name: string) => headers[`ok-access-${name}`] as string | undefined
  const [key, timestamp = '', sign = '', passphrase] = [of('key'), of('timestamp'), of('sign'), of('passphrase')]
  if (key === undefined || key === '') throw refuse.noKey()
  if (headers['x-simulated-trading'] === '1') throw refuse.environment()
  const account = accounts.get(key)
  if (account === undefined) throw refuse.badKey()
  if (account.isRevoked) throw refuse.noSuchKey()
  if (passphrase !== account.passphrase) throw refuse.badPassphrase()
  const sentAt = Date.parse(timestamp)
  if (Number.isNaN(sentAt) || !timestamp.endsWith('Z')) throw refuse.badTimestamp()
  if (Math.abs(now - sentAt) > WINDOW_MS) throw refuse.expired()
  if (!isSignedBy(account, timestamp + said, sign)) throw refuse.badSignature()
  if (account.isFromElsewhere) throw refuse.address()
  return account
}

export function isSignedBy({ secret }: Account, said: string, sign: string): boolean {
  const wanted = createHmac('sha256', secret).update(said).digest()
  const given = Buffer.from(sign, 'base64')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
