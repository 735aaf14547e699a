/** What went wrong, for people: one line, with what to do next in `hint`. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string
  readonly hint: string | undefined
  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}
