// Why a request got no whole answer. It says nothing of the request itself: URLs of venues carry signatures.

type TransportFailure = 'timeout' | 'redirect' | 'too-large' | 'cut-off' | 'connection' | 'held' | 'aborted'

const MESSAGES: Readonly<Record<TransportFailure, string>> = {
  timeout: 'the venue did not answer in time',
  redirect: 'the venue answered with a redirect, which is not followed',
  'too-large': 'the answer of the venue is too large',
  'cut-off': 'the answer of the venue was cut off',
  connection: 'the connection to the venue failed',
  held: 'the request was held back and never sent',
  aborted: 'the request was given up for one that must not wait',
}

/** ccxt takes a `TypeError` for a failure of the network, and the name `TimeoutError` for a timeout. */
export class TransportError extends TypeError {
  readonly failure: TransportFailure
  /** As Node names it, `ECONNRESET`, or as OpenSSL does; absent where there is none. */
  readonly systemCode: string | undefined
  /** There was no connection: not a byte of the request went to the venue. Where this is false it may have arrived. */
  readonly neverLeft: boolean

  constructor(failure: TransportFailure, systemCode?: string, neverLeft = false) {
    super(systemCode === undefined ? MESSAGES[failure] : `${MESSAGES[failure]} (${systemCode})`)
    this.name = failure === 'timeout' ? 'TimeoutError' : 'TransportError'
    this.failure = failure
    this.systemCode = systemCode
    this.neverLeft = neverLeft
  }

  static from(error: unknown): TransportError {
    if (error instanceof TransportError) return error
    const { code } = error as { readonly code?: unknown }
    return new TransportError('connection', typeof code === 'string' ? code : undefined, isOfConnecting(error))
  }
}

/** A host with several addresses fails once for each of them. */
function isOfConnecting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isOfConnecting)
  const { syscall } = error as { readonly syscall?: unknown }
  return syscall === 'connect' || syscall === 'getaddrinfo'
}
