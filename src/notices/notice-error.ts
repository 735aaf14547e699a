// Why a notice was not delivered. Its text is ours alone: what a library or a receiver says may hold an address with a secret in it.
import { CodedError } from '../base/coded-error.ts'

export type NoticeFailure =
  /** The keys of the channel cannot be had: the vault is locked, or they are gone. */
  | 'no-secret'
  | 'timeout'
  | 'unreachable'
  /** An answer other than 2xx. */
  | 'refused'
  /** This machine has no way to show it. */
  | 'not-supported'

export interface NoticeErrorOptions {
  readonly hint?: string
  /** The same may do better later. Default: it may not. */
  readonly mayRetry?: boolean
  /** The receiver asked for this much patience. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

export class NoticeError extends CodedError<NoticeFailure> {
  override readonly name = 'NoticeError'
  readonly mayRetry: boolean
  readonly retryAfterMs: number | undefined
  constructor(code: NoticeFailure, message: string, options: NoticeErrorOptions = {}) {
    super(code, message, options)
    this.mayRetry = options.mayRetry ?? false
    this.retryAfterMs = options.retryAfterMs
  }
}
