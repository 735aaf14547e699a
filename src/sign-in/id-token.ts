// Whether a token is what it says: signed by the issuer, for this client, in time, of this request and this person. `oauth4webapi` checks form,
// issuer, audience, expiry and signature; what it cannot know is checked here.
import {
  type AuthorizationServer,
  type Client,
  getValidatedIdTokenClaims,
  type IDToken,
  type TokenEndpointResponse,
  type ValidateSignatureOptions,
  validateApplicationLevelSignature,
} from 'oauth4webapi'
import { badToken, faultOf } from './provider-faults.ts'
import { SignInError } from './sign-in-error.ts'
import { type Expected, type VerifiedToken, verifiedEmail } from './tokens.ts'

/** Clocks may differ by as much. */
export const TOLERANCE_S = 60
const TOLERANCE_MS = TOLERANCE_S * 1_000
/** It goes into a header. */
const MAX_TOKEN = 8_192
/** By the standard. */
const MAX_SUBJECT = 255

interface Answered {
  readonly server: AuthorizationServer
  readonly client: Client
  /** The very answer in which the token came. */
  readonly response: Response
  readonly tokens: TokenEndpointResponse
  readonly host: string
  readonly options: ValidateSignatureOptions
}

/** @returns undefined: there is no token in it @throws {SignInError} `bad-token`, `clock-skew`, and what asking for the keys throws */
export async function verifyToken(answered: Answered, expected: Expected): Promise<VerifiedToken | undefined> {
  const { server, response, tokens, host, options } = answered
  const { id_token: idToken } = tokens
  const claims = getValidatedIdTokenClaims(tokens)
  if (claims === undefined || idToken === undefined) return undefined
  if (idToken.length > MAX_TOKEN) throw badToken('is too large')
  checkRequest(claims, expected, { host, skewMs: skewOf(response, expected.receivedAt) })
  try {
    await validateApplicationLevelSignature(server, response, options)
  } catch (error) {
    throw faultOf(error, 'keys', host)
  }
  return { idToken, subject: claims.sub, email: verifiedEmail(claims), expiresAt: claims.exp * 1_000 }
}

interface Sender {
  readonly host: string
  /** How far its clock is ahead of ours; 0: not known. */
  readonly skewMs: number
}

/** @throws {SignInError} `bad-token`, `clock-skew` */
function checkRequest({ iat, nonce, sub }: IDToken, expected: Expected, { host, skewMs }: Sender): void {
  if (sub === '' || sub.length > MAX_SUBJECT) throw badToken('does not name its user')
  const aheadMs = iat * 1_000 - expected.receivedAt
  // No one issues a token in the future: one of the clocks is wrong.
  if (!(aheadMs <= TOLERANCE_MS)) throw clockSkew(aheadMs, host)
  if (!(iat * 1_000 >= expected.askedAt - TOLERANCE_MS)) {
    throw isSkewed(skewMs) ? clockSkew(skewMs, host) : badToken('was issued before it was asked for')
  }
  // Requests for a device have no nonce in the standard: issuers may leave it out.
  if (nonce !== undefined && nonce !== expected.nonce) throw badToken('is of another sign-in')
  if (expected.subject !== undefined && sub !== expected.subject) throw badToken('is of another person')
}

/** By the `Date` of an answer, which no one signs: it only chooses the words of a refusal. @returns 0 where there is none */
export function skewOf(response: Response, receivedAt: number): number {
  const at = Date.parse(response.headers.get('date') ?? '')
  return Number.isNaN(at) ? 0 : at - receivedAt
}

export function isSkewed(skewMs: number): boolean {
  return Math.abs(skewMs) > TOLERANCE_MS
}

/** @param aheadMs of the issuer's clock before ours */
export function clockSkew(aheadMs: number, host: string): SignInError {
  const minutes = Math.max(1, Math.round(Math.abs(aheadMs) / 60_000))
  const which = aheadMs > 0 ? 'behind' : 'ahead of'
  const text = `the clock of this machine is ${minutes} min ${which} that of ${host}`
  return new SignInError('clock-skew', text, { hint: 'set the clock, then `login`' })
}
