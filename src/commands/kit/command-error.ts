import { CodedError } from '../../base/coded-error.ts'

/** What went wrong, for people: one line, with what to do next in `hint`. */
export class CommandError extends CodedError {
  override readonly name = 'CommandError'
}
