// The one request hookline makes by itself: it tells the web app that hookline runs on this kind of machine (behaviours 27
// and 118), and who the operator is where someone is signed in (behaviour 51). Sent once per start and never again; a failure is only logged.
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions as HttpsOptions } from 'node:https'
import { connect, type Socket } from 'node:net'
import { defined } from '../base/defined.ts'
import { isLoopback } from '../protocol/address.ts'

interface CheckInInput {
  /** An http or https URL; a path is kept as a prefix, query and fragment are not. */
  readonly webUrl: string
  /** As `process.platform`. */
  readonly platform: string
  readonly listenerId: string
  readonly version: string
  /** Who is signed in. Asked for only where it may be sent. @returns undefined: no one is */
  readonly token?: () => Promise<string | undefined>
  /**
   * Whether the other end of a connection within this machine belongs to this user: any user may listen where the web app does not.
   * Default: not known, and so nothing secret is sent there without TLS.
   */
  readonly isOwnPeer?: (socket: Socket) => Promise<boolean>
  /** For everything from the name lookup to the status line. Default 5 000 ms. */
  readonly timeoutMs?: number
}

type CheckInOutcome =
  /** `untold`: why it did not say who is signed in, though it was to. */
  | { readonly outcome: 'sent'; readonly missingSignIn?: MissingSignIn }
  /** There is no word for this platform (behaviour 118), so nothing was sent. */
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly code: CheckInFailure; readonly message: string; readonly cause?: unknown }

export interface MissingSignIn {
  readonly message: string
  readonly cause?: unknown
}

/** `refused`: an answer other than 2xx; a redirect is one. */
type CheckInFailure = 'invalid-url' | 'unreachable' | 'timeout' | 'refused'

/** Behaviour 118. */
const PLATFORMS: ReadonlySet<string> = new Set(['darwin', 'win32', 'linux'])

/** Never rejects. Nothing of the answer but its status is read, and none is followed elsewhere. Once connected, it keeps no process alive. */
export async function checkIn({ timeoutMs = 5_000, ...input }: CheckInInput): Promise<CheckInOutcome> {
  if (!PLATFORMS.has(input.platform)) return { outcome: 'skipped' }
  const url = endpoint(input.webUrl)
  if (url === undefined) return failed('invalid-url', 'webUrl in config.json is not an http or https URL')
  const { platform, listenerId, version } = input
  const { token, missingSignIn } = await tokenFor(url, input)
  const body = JSON.stringify({ platform, listenerId, version })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { socket, isOwn } = await connectionFor(url, token, input, signal)
    const headers = {
      'User-Agent': `hookline/${version}`,
      ...(token !== undefined && isOwn && { Authorization: `Bearer ${token}` }),
    }
    const { statusCode = 0 } = await send(url, body, {
      signal,
      headers,
      ...(socket && { createConnection: () => socket }),
    })
    if (statusCode < 200 || statusCode >= 300) {
      return failed('refused', `${url.origin} answered the check-in with status ${statusCode}`)
    }
    const why = missingSignIn ?? (isOwn ? undefined : { message: `${url.origin} is not known to be of this user` })
    return { outcome: 'sent', ...(why && { missingSignIn: why }) }
  } catch (cause) {
    if (signal.aborted) return failed('timeout', `${url.origin} did not answer the check-in within ${timeoutMs} ms`)
    return failed('unreachable', `the check-in did not reach ${url.origin}`, cause)
  }
}

/**
 * Tells the web app that this machine is no longer that person's, with a token of theirs. Sends nothing where that may not be sent. Never rejects.
 * @returns whether it was taken
 */
export async function checkOut({ timeoutMs = 5_000, ...input }: Omit<CheckInInput, 'platform'>): Promise<boolean> {
  const url = endpoint(input.webUrl)
  const { token } = url === undefined ? {} : await tokenFor(url, input)
  if (url === undefined || token === undefined) return false
  const signal = AbortSignal.timeout(timeoutMs)
  // Its connection keeps no process alive, and `hookline logout` has nothing else to wait for.
  const waiting = setTimeout(() => {}, timeoutMs)
  try {
    const { socket, isOwn } = await connectionFor(url, token, input, signal)
    if (!isOwn) {
      socket?.destroy()
      return false
    }
    const headers = { 'User-Agent': `hookline/${input.version}`, Authorization: `Bearer ${token}` }
    const options = { method: 'DELETE', signal, headers, ...(socket && { createConnection: () => socket }) }
    const { statusCode = 0 } = await send(url, JSON.stringify({ listenerId: input.listenerId }), options)
    return statusCode >= 200 && statusCode < 300
  } catch {
    // A web app that is not there has nothing to forget, and forgets by itself after 14 days.
    return false
  } finally {
    clearTimeout(waiting)
  }
}

interface TokenOutcome {
  readonly token?: string
  readonly missingSignIn?: MissingSignIn
}

/** It goes over TLS, or stays within this machine. */
async function tokenFor(url: URL, { token }: Pick<CheckInInput, 'token'>): Promise<TokenOutcome> {
  if (token === undefined) return {}
  if (url.protocol === 'http:' && !isLoopback(url)) return { missingSignIn: { message: `${url.origin} is not https` } }
  try {
    const found = await token()
    return defined({ token: found })
  } catch (cause) {
    return { missingSignIn: { message: cause instanceof Error ? cause.message : String(cause), cause } }
  }
}

interface OpenConnection {
  /** Absent: the request makes its own. */
  readonly socket?: Socket
  /** TLS has looked, or the kernel. */
  readonly isOwn: boolean
}

/** Without TLS, whose program it is is looked at before the token is sent. */
async function connectionFor(
  url: URL,
  token: string | undefined,
  { isOwnPeer }: Pick<CheckInInput, 'isOwnPeer'>,
  signal: AbortSignal,
): Promise<OpenConnection> {
  if (token === undefined || url.protocol === 'https:') return { isOwn: true }
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80), signal }).unref()
  await once(socket, 'connect')
  return { socket, isOwn: (await isOwnPeer?.(socket)) ?? false }
}

function endpoint(webUrl: string): URL | undefined {
  if (!URL.canParse(webUrl)) return undefined
  const base = new URL(webUrl)
  if (base.protocol !== 'http:' && base.protocol !== 'https:') return undefined
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return new URL('api/cli/checkin', base)
}

type SendOptions = HttpsOptions & { readonly createConnection?: () => Socket }

/** Resolves with the head of the answer. node:http is loaded for the listener anyway, and costs a sixth of `fetch`. */
async function send(url: URL, body: string, options: SendOptions): Promise<IncomingMessage> {
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }
    const sending: ClientRequest = request(url, {
      method: 'POST',
      ...options,
      headers,
      agent: false,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
    })
    sending.on('socket', (socket) => socket.unref())
    sending.on('response', (answer) => {
      resolve(answer)
      answer.destroy()
    })
    sending.on('error', reject)
    // Without an error where the answer switches to another protocol.
    sending.on('close', () => reject(new Error('the connection was closed without an answer')))
    sending.end(body)
  })
}

function failed(code: CheckInFailure, message: string, cause?: unknown): CheckInOutcome {
  return { outcome: 'failed', code, message, ...defined({ cause }) }
}
