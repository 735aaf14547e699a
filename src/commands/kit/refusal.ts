// The errors that are answers: something was refused, for a reason people can act on. Anything else is a bug.
import { CodedError } from '../../base/coded-error.ts'
import { printable } from '../../language/printable.ts'

export type Refusal = CodedError

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof CodedError
}

/** Message and hint on one line, safe to print. */
export function describeRefusal(refusal: Refusal): string {
  const hint = refusal.hint === undefined ? '' : ` (${refusal.hint})`
  return printable(`${refusal.message}${hint}`, 300)
}
