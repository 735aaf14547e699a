// How a call to hookline fails. The word that matters to a trader is `delivery`: only `not-sent` is safe to send again unread.
import { CodedError } from '../base/coded-error.ts'
import { defined } from '../base/defined.ts'

/** `sent`: hookline may have it and may have acted on it. `not-sent`: it never left, and never will by itself. */
export type Delivery = 'sent' | 'not-sent'

export type ClientErrorCode =
  /** No hookline is connected that has welcomed this client. Always `not-sent`. */
  | 'not-connected'
  /** The connection ended before the answer came. Always `sent`. */
  | 'connection-lost'
  /** The call has a field that the wire does not take. Always `not-sent`. */
  | 'invalid-call'
  /** The answer is none that this client can read. Always `sent`. */
  | 'unreadable'
  /** A later preview took its place. Nothing was run. */
  | 'superseded'
  /** hookline answered that it will not. Nothing was changed or run. */
  | 'refused'

export class ClientError extends CodedError<ClientErrorCode> {
  override readonly name = 'ClientError'
  readonly delivery: Delivery
  constructor(code: ClientErrorCode, delivery: Delivery, message: string, hint?: string) {
    super(code, message, defined({ hint }))
    this.delivery = delivery
  }
}
