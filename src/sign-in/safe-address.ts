// Which addresses a sign-in may go to: https, or http to this machine alone. Pure.
import { isLoopback } from '../protocol/address.ts'
import { SignInError } from './sign-in-error.ts'

const MAX_LENGTH = 2_000

/** @returns undefined: no one may be sent there */
export function readSafeAddress(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url
  return undefined
}

/**
 * The issuer as it names itself: where it ends in `/` or not is its own affair, and is kept.
 * @throws {SignInError} `bad-issuer`
 */
export function readIssuer(text: string): URL {
  const hint = 'use its address as the provider writes it: https://id.example.com'
  if (!URL.canParse(text)) throw new SignInError('bad-issuer', 'the issuer is not a URL', { hint })
  const url = readSafeAddress(text)
  if (url === undefined) {
    throw new SignInError('bad-issuer', 'the issuer must begin with https://; http:// is only for this machine', {
      hint,
    })
  }
  if (url.search === '' && url.hash === '') return url
  throw new SignInError('bad-issuer', 'the issuer has a query or a fragment in it', { hint })
}

/** A provider elsewhere has nothing to ask of this machine, and its tokens leave it only under TLS. */
export function mayAsk(url: URL, issuer: URL): boolean {
  return readSafeAddress(url.href) !== undefined && (isLoopback(issuer) || !isLoopback(url))
}
