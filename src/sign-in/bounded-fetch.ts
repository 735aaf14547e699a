// One request to a provider: bounded in time and size, and followed nowhere else. What comes back is whole.
import { defined } from '../base/defined.ts'
import { mayAsk } from './safe-address.ts'
import { SignInError } from './sign-in-error.ts'

interface FetchBounds {
  readonly issuer: URL
  /** From the name lookup to the last byte. */
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Ends what is under way. */
  readonly signal: AbortSignal
  /** Default: Node's. */
  readonly fetch?: typeof fetch
}

/** What is sent. */
interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | undefined
}

export type BoundedFetch = (url: string, sent: Sent) => Promise<Response>

const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{1,50}$/

/** @returns what `oauth4webapi` takes for `fetch`. Rejects with {SignInError} `unsafe-address`, `provider-…`, `interrupted` */
export function createBoundedFetch({
  issuer,
  timeoutMs,
  maxBytes,
  signal,
  fetch: send = fetch,
}: FetchBounds): BoundedFetch {
  const host = issuer.host
  return async (address, { method, headers, body: form }) => {
    const url = new URL(address)
    if (!mayAsk(url, issuer)) {
      throw new SignInError('unsafe-address', `${host} sends to ${url.origin}, which is not asked`, {
        hint: 'ask the people who run the provider',
      })
    }
    const ended = AbortSignal.timeout(timeoutMs)
    try {
      const both = AbortSignal.any([signal, ended])
      const answer = await send(url.href, {
        method,
        headers,
        redirect: 'manual',
        credentials: 'omit',
        signal: both,
        ...defined({ body: form }),
      })
      if (answer.status >= 300 && answer.status < 400) throw redirects(host)
      const body = await readBounded(answer, maxBytes, host)
      const hasNone = [101, 204, 205, 304].includes(answer.status)
      return new Response(hasNone ? null : body, { status: answer.status, headers: answer.headers })
    } catch (error) {
      if (error instanceof SignInError) throw error
      throw failureOf(error, ended.aborted ? ended : signal, host)
    }
  }
}

async function readBounded(answer: Response, maxBytes: number, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  const tooLarge = async () => {
    await answer.body?.cancel().catch(() => {})
    return new SignInError('provider-malformed', `${host} answered more than ${maxBytes / 1_024} KiB`, {
      hint: 'check the address of the issuer',
    })
  }
  if (Number(answer.headers.get('content-length') ?? 0) > maxBytes) throw await tooLarge()
  if (answer.body === null) return new Uint8Array()
  const reader = answer.body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length
    if (length > maxBytes) {
      reader.releaseLock()
      throw await tooLarge()
    }
    parts.push(next.value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function redirects(host: string): SignInError {
  return new SignInError('provider-redirects', `${host} redirects to another address, which is not followed`, {
    hint: 'use the address that the provider gives for its issuer',
  })
}

function failureOf(error: unknown, signal: AbortSignal, host: string): SignInError {
  if (isTimeout(signal)) return tooSlow(host)
  return signal.aborted ? new SignInError('interrupted', 'the sign-in was canceled') : unreachable(host, error)
}

function tooSlow(host: string): SignInError {
  return new SignInError('provider-timeout', `${host} did not answer in time`, { hint: 'try again later' })
}

/** What took too long in all. */
function isTimeout({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === 'TimeoutError'
}

function unreachable(host: string, cause: unknown): SignInError {
  return new SignInError('provider-unreachable', `${host} cannot be reached${codeOf(cause)}`, {
    hint: 'check the network and the address of the issuer',
    cause,
  })
}

/** `: ECONNREFUSED`. Texts of the system may hold more. */
function codeOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code = 'code' in cause ? cause.code : undefined
    if (typeof code === 'string' && SYSTEM_CODE.test(code)) return `: ${code}`
  }
  return ''
}
