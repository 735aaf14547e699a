import { CodedError } from '../base/coded-error.ts'

/** Why the web server cannot start. `cause` has the system's error. */
type WebServerErrorCode =
  /** Another process listens on the port, or a connection has it. */
  | 'port-taken'
  /** The system refuses the address for any other reason. */
  | 'cannot-listen'

export class WebServerError extends CodedError<WebServerErrorCode> {
  override readonly name = 'WebServerError'
  declare readonly hint: string
  constructor(code: WebServerErrorCode, message: string, options: { readonly hint: string; readonly cause: unknown }) {
    super(code, message, options)
  }
}
