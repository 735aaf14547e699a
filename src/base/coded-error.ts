/**
 * A refusal or a failure with a reason that people can act on. Callers compare the code, never the text. Every other thrown value is a bug.
 */
export abstract class CodedError<Code extends string = string> extends Error {
  readonly code: Code
  /** What to do next, for people. */
  readonly hint: string | undefined
  constructor(code: Code, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}
