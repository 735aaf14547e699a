export type CrossTradeErrorCode =
  /** No live row, and none that it still holds anything of. */
  | 'unknown-row'
  /** The row does nothing as it is: a cycle, a copier that two rows claim, a weight of zero. */
  | 'row-refused'
  /** Disabled. */
  | 'row-off'
  /** Nothing current is known of the master or of a copier. */
  | 'stale'
  /** The engine is not started, is stopping, or another process leads. */
  | 'not-running'
  /** The engine has ended, and a task that it began has not. */
  | 'not-stopped'

/** Why something was not done with a row. */
export class CrossTradeError extends Error {
  override readonly name = 'CrossTradeError'
  readonly code: CrossTradeErrorCode
  /** What to do next, for people. */
  readonly hint: string | undefined
  constructor(code: CrossTradeErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}
