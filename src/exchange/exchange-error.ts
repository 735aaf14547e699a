import { CodedError } from '../base/coded-error.ts'

/** Codes after ccxt's error classes. */
export type ExchangeErrorCode =
  | 'bad-symbol'
  | 'invalid-order'
  | 'insufficient-funds'
  | 'order-not-found'
  | 'order-immediately-fillable'
  /** A trigger order whose price the market has passed: it would have fired at once. */
  | 'would-trigger'
  | 'reduce-only-rejected'
  /** An order with this `clientOrderId` has arrived before: ask for it, it is not lost. */
  | 'duplicate-id'
  /** Wrong or expired keys. */
  | 'authentication'
  /** Right keys without the right to do this, or from an address that may not. */
  | 'permission'
  /** The account is in hedge mode, or otherwise set up for something else (behaviour 39). */
  | 'wrong-account-mode'
  /** Too many requests; `retryAfterMs` says when to ask again, where the venue says so. */
  | 'rate-limited'
  /** The venue's clock and ours are too far apart for its signatures. */
  | 'clock'
  /** The venue answered that it cannot answer: maintenance, overload. Nothing was done. */
  | 'unavailable'
  /** A question got no answer, or none that can be read. It changed nothing and may be asked again. */
  | 'network'
  /** An order, a change or a cancel got no answer, or none that can be read: it may have been done (behaviour 37). */
  | 'outcome-unknown'
  | GuardCode
  | 'not-supported'

/** Refused by hookline itself (behaviour 40): by a limit of the account, because it is halted or only reduces, or by panic. Nothing was sent. */
export type GuardCode = 'guarded' | 'halted' | 'panic'

const GUARD_CODES: ReadonlySet<string> = new Set<GuardCode>(['guarded', 'halted', 'panic'])

export function isGuardCode(code: string | undefined): boolean {
  return code !== undefined && GUARD_CODES.has(code)
}

interface ExchangeErrorOptions {
  /** What to do next, for people. */
  readonly hint?: string
  readonly cause?: unknown
  /** For `rate-limited`. */
  readonly retryAfterMs?: number
  /** For `outcome-unknown`: what to ask by. */
  readonly clientOrderId?: string
}

/** What a venue said no to, or did not say. Every code but `outcome-unknown` means that nothing was placed, changed or canceled. */
export class ExchangeError extends CodedError<ExchangeErrorCode> {
  override readonly name = 'ExchangeError'
  readonly retryAfterMs: number | undefined
  readonly clientOrderId: string | undefined
  constructor(code: ExchangeErrorCode, message: string, options: ExchangeErrorOptions = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
    this.clientOrderId = options.clientOrderId
  }
}
