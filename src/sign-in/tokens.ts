// What a sign-in is given, and what is read of it.

/** Verified: signed by a key of the issuer, for this client, in time. */
export interface VerifiedToken {
  /** As it came: what a web app is shown. */
  readonly idToken: string
  readonly subject: string
  /** Empty unless the issuer says that it has verified it. */
  readonly email: string
  /** ms since the epoch. */
  readonly expiresAt: number
}

export interface NewTokens extends VerifiedToken {
  /** Absent: the sign-in ends with the token. */
  readonly refreshToken?: string
}

/** What a renewal gave. A refresh token that came is the one that counts from now on, whatever came with it. */
export interface RenewedTokens {
  readonly refreshToken?: string
  /** Absent where the issuer sends none, or `problem` says what is wrong with it. */
  readonly token?: VerifiedToken
  readonly problem?: Error
}

/** Of whom the token must be, and since when. */
export interface Expected {
  /** Sent with the request. A token that has one has this one. */
  readonly nonce: string
  /** ms since the epoch: no token of this request is older. */
  readonly askedAt: number
  /** ms since the epoch: nor is one younger. */
  readonly receivedAt: number
  /** Of a renewal: who signed in. */
  readonly subject?: string
}

const MAX_EMAIL = 254
/** No controls, no spaces, nothing that steers a terminal: what does not look like an address is not shown as one. */
const EMAIL = /^[^\s\p{C}@<>"]{1,64}@[^\s\p{C}@<>"]{1,253}$/u

/** @returns empty unless the issuer says that it has verified the address */
export function verifiedEmail({ email, email_verified: isVerified }: Readonly<Record<string, unknown>>): string {
  if (isVerified !== true || typeof email !== 'string' || email.length > MAX_EMAIL) return ''
  return EMAIL.test(email) ? email : ''
}
