// What a question about a client is known by, and what it says of the client's past.
import type { FormerTrust } from '../../stores/trusted-clients.ts'

/** What the operator is asked. Texts are as the client sent them. */
export interface Question {
  readonly clientId: string
  readonly label: string
  readonly origin: string
  /** The public key that the client has proved to hold; without one it cannot prove itself. */
  readonly key?: string
  /** What it was approved as before, as of when it was shown. */
  readonly formerTrust?: FormerTrust
}

export type ClientIdentity = Pick<Question, 'clientId' | 'origin' | 'key'>

/** With its key: another one under the same name must not take the place of the one that the operator reads about. */
export function keyOf({ clientId, origin, key = '' }: ClientIdentity): string {
  return `${origin} ${key} ${clientId}`
}

export function withFormerTrust(question: Question, formerTrust: FormerTrust | undefined): Question {
  return formerTrust === undefined ? question : { ...question, formerTrust }
}
