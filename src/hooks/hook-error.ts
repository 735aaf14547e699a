export type HookErrorCode = 'unknown-account'

/** Why a hook cannot be registered, beyond what is wrong with its body or its name. */
export class HookError extends Error {
  override readonly name = 'HookError'
  readonly code: HookErrorCode
  readonly hint: string | undefined
  constructor(code: HookErrorCode, message: string, options: { hint?: string } = {}) {
    super(message)
    this.code = code
    this.hint = options.hint
  }
}
