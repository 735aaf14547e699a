import { CodedError } from '../base/coded-error.ts'
import { defined } from '../base/defined.ts'

/** Why a line could not be understood. Each code has one meaning; the message is for people and never matched on. */
type LanguageErrorCode =
  | 'unclosed-quote'
  | 'quote-inside-word'
  | 'unclosed-group'
  | 'unopened-group'
  | 'too-deep'
  | 'empty-step'
  | 'missing-command'
  | 'bad-size'
  | 'bare-number'
  | 'bad-price'
  | 'bad-duration'
  | 'bad-condition'
  | 'bad-argument'
  | 'missing-argument'
  | 'unexpected-argument'
  | 'unknown-variable'
  | 'alias-too-deep'
  | 'bad-alias'
  | 'bad-slot'
  | 'takes-focus'
  | 'too-long'
  | 'too-many-steps'

/**
 * The only thing `src/language` throws. `column` is 1-based and counts UTF-16 units of the line as typed; a
 * `missing-argument` points just after the last argument, or at column 1 where the command has none.
 */
export class LanguageError extends CodedError<LanguageErrorCode> {
  override readonly name = 'LanguageError'
  readonly column: number
  /** @param hint what to type instead, when we know */
  constructor(code: LanguageErrorCode, message: string, column: number, hint?: string) {
    super(code, message, defined({ hint }))
    this.column = column
  }
}
