import { CodedError } from '../base/coded-error.ts'
import { printable } from './printable.ts'

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
  | 'bad-tag'
  | 'missing-argument'
  | 'unexpected-argument'
  | 'unknown-variable'
  | 'alias-too-deep'
  | 'bad-alias'
  | 'bad-slot'
  | 'takes-focus'
  | 'too-long'
  | 'too-many-steps'

/** Of a message with its hint, in UTF-16 units. */
const MAX_TEXT = 300

/**
 * The only thing `src/language` throws. `column` is 1-based and counts UTF-16 units of the line as typed; a
 * `missing-argument` points just after the last argument, or at column 1 where the command has none.
 */
export class LanguageError extends CodedError<LanguageErrorCode> {
  override readonly name = 'LanguageError'
  readonly column: number
  /** @param hint what to type instead, when we know */
  constructor(code: LanguageErrorCode, message: string, column: number, hint?: string) {
    // Both may hold pieces of the line.
    const what = printable(message, MAX_TEXT / 2)
    super(code, what, hint === undefined ? {} : { hint: printable(hint, MAX_TEXT - what.length) })
    this.column = column
  }
}

// Shows where in a line an error is: the line, and a caret under the column. A line that is too long is cut around it.

const MAX_WIDTH = 100

/**
 * Two lines: `line`, cut to 100 units around the column where it is longer, and a caret under the column.
 * @param column 1-based, in UTF-16 units; one past the end points behind the line, anything outside is moved to the nearest end
 */
export function pointAt(line: string, column: number): string {
  const target = Math.min(Math.max(Math.trunc(column) || 1, 1), line.length + 1) - 1
  const lastStart = Math.max(0, line.length - MAX_WIDTH)
  const start = Math.min(Math.max(0, target - MAX_WIDTH / 2), lastStart)
  let shown = line.slice(start, start + MAX_WIDTH)
  if (start > 0) shown = `…${shown.slice(1)}`
  if (start < lastStart) shown = `${shown.slice(0, -1)}…`
  return `${printable(shown)}\n${' '.repeat(target - start)}^`
}
