import { CodedError } from '../base/coded-error.ts'

/** Why no one is signed in, or why the sign-in cannot be used now. No code, message or hint ever holds a token. */
export type SignInErrorCode =
  /** What was typed or configured cannot be an issuer. */
  | 'bad-issuer'
  | 'provider-unreachable'
  | 'provider-timeout'
  /** It answered something else than the protocol asks for. */
  | 'provider-malformed'
  | 'provider-redirects'
  /** It sends to an address that is neither https nor of this machine. */
  | 'unsafe-address'
  | 'no-device-flow'
  /** It does not know the client, or does not let it do this. */
  | 'client-refused'
  | 'access-denied'
  | 'code-expired'
  /** The token is forged, or of another issuer, client, person or sign-in. */
  | 'bad-token'
  | 'clock-skew'
  /** The issuer no longer renews the sign-in. */
  | 'sign-in-ended'
  | 'not-signed-in'
  /** Another process signed in or out meanwhile. */
  | 'changed-meanwhile'
  | 'interrupted'

export class SignInError extends CodedError<SignInErrorCode> {
  override readonly name = 'SignInError'
}
