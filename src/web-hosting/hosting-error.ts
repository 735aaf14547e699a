import { CodedError } from '../base/coded-error.ts'

/** Why the console cannot be hosted, or a request of it cannot be answered now. `cause` has what lies beneath. */
export type HostingErrorCode =
  /** A flag or a variable of the start is missing or wrong. */
  | 'bad-option'
  /** PostgreSQL refuses, or does not answer in time. */
  | 'database-gone'
  /** PostgreSQL answers, and takes no changes now. */
  | 'database-read-only'
  /** What a statement needs is locked by another program. */
  | 'database-locked'
  /** No turn at PostgreSQL came in time: too many wait for it. */
  | 'database-busy'
  /** The asker has too many requests that wait for PostgreSQL. */
  | 'too-many-waiting'
  /** The tables were made by a newer hookline. */
  | 'database-newer'
  /** The sign-in service does not answer, or not as OpenID Connect says. */
  | 'provider-gone'
  /** The sign-in service does not know this console as its client, or not with this secret. */
  | 'client-refused'
  /** A user may have no more of these. */
  | 'too-many'
  /** The system refuses the address. */
  | 'cannot-listen'

export class HostingError extends CodedError<HostingErrorCode> {
  override readonly name = 'HostingError'
  declare readonly hint: string
  constructor(code: HostingErrorCode, message: string, options: { readonly hint: string; readonly cause?: unknown }) {
    super(code, message, options)
  }
}
