// Who asks: the key in the header, and the HMAC over the very bytes that were sent.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Account } from './account.ts'
import { refuse } from './refusal.ts'
import type { Params } from './wishes.ts'

const DEFAULT_WINDOW_MS = 5_000
const WIDEST_WINDOW_MS = 60_000
/** How far ahead a caller's clock may be, whatever its window. */
const AHEAD_MS = 1_000

/** @throws {Refusal} */
export function accountBehind(key: string | undefined, accounts: ReadonlyMap<string, Account>): Account {
  if (key === undefined || !/^[\w-]{8,}$/.test(key)) throw refuse.keyFormat()
  const account = accounts.get(key)
  if (account === undefined || account.isRevoked) throw refuse.unauthorized()
  return account
}

/**
 * @param raw query and body as they were sent, one after the other
 * @throws {Refusal}
 */
export function checkSignature(account: Account, raw: string, params: Params, now: number): void {
  const at = raw.lastIndexOf('&signature=')
  const { signature = '', timestamp, recvWindow } = params
  if (at < 0) throw refuse.missing('signature')
  const wanted = createHmac('sha256', account.secret).update(raw.slice(0, at)).digest()
  const given = Buffer.from(signature, 'hex')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw refuse.signature()
  if (timestamp === undefined || !/^\d{13}$/.test(timestamp)) throw refuse.missing('timestamp')
  const window = Number(recvWindow ?? DEFAULT_WINDOW_MS)
  if (!(window > 0 && window <= WIDEST_WINDOW_MS)) throw refuse.recvWindow()
  const sentAt = Number(timestamp)
  if (sentAt >= now + AHEAD_MS || now - sentAt > window) throw refuse.clock()
}
