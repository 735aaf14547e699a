import { CodedError } from '../base/coded-error.ts'

export type HookErrorCode = 'unknown-account'

/** Why a hook cannot be registered, beyond what is wrong with its body or its name. */
export class HookError extends CodedError<HookErrorCode> {
  override readonly name = 'HookError'
}
