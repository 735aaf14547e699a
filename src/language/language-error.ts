/** Why a line could not be understood. Each code has one meaning; the message is for people and never matched on. */
export type LanguageErrorCode =
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
export class LanguageError extends Error {
  override readonly name = 'LanguageError'
  readonly code: LanguageErrorCode
  readonly column: number
  /** What to type instead, when we know. */
  readonly hint: string | undefined

  constructor(code: LanguageErrorCode, message: string, column: number, hint?: string) {
    super(message)
    this.code = code
    this.column = column
    this.hint = hint
  }
}
