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

export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: ProxyErrorCode
  /** What to do next, for people. */
  readonly hint: string
  constructor(code: ProxyErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
