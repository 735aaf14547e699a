import { CodedError } from '../base/coded-error.ts'

type CrossTradeErrorCode =
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
export class CrossTradeError extends CodedError<CrossTradeErrorCode> {
  override readonly name = 'CrossTradeError'
}
