import { CodedError } from '../base/coded-error.ts'

/** Why a proxy's file cannot be made or written. */
export type ProxyErrorCode =
  | 'bad-domain'
  | 'bad-senders'
  | 'bad-rate'
  | 'bad-port'
  /** A secret path that can be guessed, or that a URL cannot hold as it is. */
  | 'bad-path'
  /** A path of a file that the proxy's own language cannot hold. */
  | 'unsuitable-path'
  | 'needs-certificate'
  /** What this proxy cannot do, or not together with the rest. */
  | 'not-supported'
  /** A file is there that hookline did not write. */
  | 'not-ours'

export class ProxyError extends CodedError<ProxyErrorCode> {
  override readonly name = 'ProxyError'
  declare readonly hint: string
  constructor(code: ProxyErrorCode, message: string, hint: string) {
    super(code, message, { hint })
  }
}
