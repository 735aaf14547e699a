// A failed step, for programs.
import { defined } from '../../base/defined.ts'
import type { ErrorData } from './data.ts'
import { isRefusal } from './refusal.ts'

/** @param summary what people read, for an error of no known class: its code is `internal` */
export function errorData(summary: string, error: unknown): ErrorData {
  if (!isRefusal(error)) return { type: 'error', code: 'internal', message: summary }
  const { code, message, hint } = error
  return { type: 'error', code, message, ...defined({ hint }) }
}
