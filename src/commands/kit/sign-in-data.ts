// Who the operator is, for programs. No token is among it.

/** What `whoami`, `login` and `logout` answer. */
export type SignInData =
  | { readonly type: 'sign-in'; readonly signedIn: false }
  | {
      readonly type: 'sign-in'
      /** Whether it still serves: a sign-in that has ended is told with the rest. */
      readonly signedIn: boolean
      readonly issuer: string
      readonly clientId: string
      readonly subject: string
      /** Absent where the issuer has verified none. */
      readonly email?: string
      /** ms since the epoch. */
      readonly signedInAt: number
      /** Until then the token serves as it is. */
      readonly expiresAt: number
      /** Whether it is renewed without a person. */
      readonly isRenewable: boolean
      /** Where the tokens are: `file`, `keychain`, `vault`. */
      readonly keys: string
      /** The issuer renews it no more. */
      readonly endedAt?: number
    }

/** What a person is to type, and where. */
export interface LoginCodeData {
  readonly type: 'login-code'
  readonly issuer: string
  readonly userCode: string
  readonly address: string
  readonly addressWithCode?: string
  readonly expiresAt: number
}
