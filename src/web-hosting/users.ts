// Who has signed in: one row for each subject of an issuer. Addresses change and are only shown.
import type { Statements } from './database.ts'

/** As the sign-in service has vouched for it. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Verified by the issuer; empty where it has none. */
  readonly email: string
}

/** One name for a person at every door, for what is counted. An issuer is a URL, without spaces. */
export function personOf({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  return `${issuer} ${subject}`
}

/** @returns the user's id @throws {HostingError} */
export async function keepUser(statements: Statements, { issuer, subject, email }: Identity): Promise<string> {
  const rows = await statements.query<{ id: string }>(
    `INSERT INTO users (issuer, subject, email) VALUES ($1, $2, $3)
     ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email
     RETURNING id`,
    [issuer, subject, email],
  )
  return (rows[0] as { id: string }).id
}
