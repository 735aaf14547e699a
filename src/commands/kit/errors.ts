import { CodedError } from '../../base/coded-error.ts'
import { defined } from '../../base/defined.ts'
import { printable } from '../../language/printable.ts'
import type { ErrorData } from './data.ts'

/** What went wrong, for people: one line, with what to do next in `hint`. */
export class CommandError extends CodedError {
  override readonly name = 'CommandError'
}

// The errors that are answers: something was refused, for a reason people can act on. Anything else is a bug.

export type Refusal = CodedError

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof CodedError
}

/** Message and hint on one line, safe to print. */
export function describeRefusal(refusal: Refusal): string {
  const hint = refusal.hint === undefined ? '' : ` (${refusal.hint})`
  return printable(`${refusal.message}${hint}`, 300)
}

// A failed step, for programs.

/** @param summary what people read, for an error of no known class: its code is `internal` */
export function errorData(summary: string, error: unknown): ErrorData {
  if (!isRefusal(error)) return { type: 'error', code: 'internal', message: summary }
  const { code, message, hint } = error
  return { type: 'error', code, message, ...defined({ hint }) }
}
