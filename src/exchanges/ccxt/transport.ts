// How a request of ccxt leaves this process: over HTTPS, once, without redirects and without a proxy. Certificates are always checked;
// NODE_EXTRA_CA_CERTS adds authorities, and no other variable of the environment changes what is sent or where to.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { TransportError } from './transport-error.ts'

export interface WireRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface WireResponse {
  readonly status: number
  /** Lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface SendTerms {
  /** No byte of the request leaves before it has resolved; one that rejects is never sent. */
  readonly release?: () => Promise<void>
  /** The answer is wanted no more. */
  readonly signal?: AbortSignal
}

/** Sends one request, once. Rejects where no whole answer came. */
export interface Transport {
  (request: WireRequest, terms?: SendTerms): Promise<WireResponse>
  /** It does all that it takes to send a request before `release`. Absent: that is waited for before it is called. */
  readonly holdsBytes?: true
}

export interface TransportOptions {
  /** From the call to a connection with TLS. */
  readonly connectMs: number
  /** From the call to the end of the answer. */
  readonly answerMs: number
  /** Of the answer, unpacked. */
  readonly maxBytes: number
}

/**
 * Lists of all markets are the largest answers, a few MB. An order waits for nothing longer than `answerMs`: then its outcome is unknown, and
 * it is asked for.
 */
export const TRANSPORT_LIMITS: TransportOptions = { connectMs: 5_000, answerMs: 10_000, maxBytes: 64 * 1024 * 1024 }

/** An idle connection older than this is not used again: the other side may be about to close it, and an order must not meet that. */
const IDLE_MS = 10_000
/** Connections to one host; an order does not wait behind questions. */
const MAX_SOCKETS = 32

const UNPACK = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const

export function createTransport(options: Partial<TransportOptions> = {}): Transport {
  const limits = { ...TRANSPORT_LIMITS, ...options }
  // An idle connection does not keep the process alive.
  const kept = { keepAlive: true, timeout: IDLE_MS, maxSockets: MAX_SOCKETS, scheduling: 'lifo' } as const
  // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent({ ...kept, rejectUnauthorized: true }) }
  const transport = (request: WireRequest, terms: SendTerms = {}) => send(request, terms, limits, agents)
  return Object.assign(transport, { holdsBytes: true } as const)
}

interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

async function send(
  request: WireRequest,
  { release, signal }: SendTerms,
  limits: TransportOptions,
  agents: Agents,
): Promise<WireResponse> {
  const cancel = new AbortController()
  let isReleased = release === undefined
  const timer = setTimeout(() => cancel.abort(new TransportError('timeout', undefined, !isReleased)), limits.answerMs)
  const stop = (): void => cancel.abort(new TransportError('aborted', undefined, !isReleased))
  signal?.addEventListener('abort', stop)
  const released = async (): Promise<void> => {
    await release?.()
    isReleased = true
    timer.refresh()
  }
  try {
    const response = await answerTo(request, released, limits, agents, cancel)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400) {
      response.destroy()
      throw new TransportError('redirect')
    }
    const text = await readText(response, limits.maxBytes, cancel.signal)
    return { status, headers: headersOf(response), text }
  } catch (error) {
    throw cancel.signal.aborted ? cancel.signal.reason : TransportError.from(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** @returns its head; the body follows */
function answerTo(
  { url, method, headers, body }: WireRequest,
  released: () => Promise<void>,
  { connectMs }: TransportOptions,
  agents: Agents,
  cancel: AbortController,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isPlain = url.startsWith('http:')
    const request = (isPlain ? httpRequest : httpsRequest)(url, {
      method,
      headers: withLength(headers, body),
      agent: isPlain ? agents.http : agents.https,
      signal: cancel.signal,
    })
    const timer = setTimeout(() => cancel.abort(new TransportError('timeout', undefined, true)), connectMs)
    request.once('socket', (socket) => {
      const connected = () => clearTimeout(timer)
      if (request.reusedSocket || (isPlain && !socket.connecting)) return connected()
      socket.once(isPlain ? 'connect' : 'secureConnect', connected)
    })
    request.once('close', () => clearTimeout(timer))
    request.once('response', resolve)
    request.on('error', reject)
    // The socket is taken, or made, meanwhile. What was never ended has not left: headers and body are one write.
    released().then(
      () => request.end(body),
      () => cancel.abort(new TransportError('held', undefined, true)),
    )
  })
}

function withLength(headers: WireRequest['headers'], body: string | undefined): Record<string, string> {
  const sent: Record<string, string> = { ...headers, 'Accept-Encoding': 'gzip, deflate, br' }
  if (body !== undefined) sent['Content-Length'] = String(Buffer.byteLength(body))
  return sent
}

async function readText(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<string> {
  const unpack = UNPACK[(response.headers['content-encoding'] ?? '') as keyof typeof UNPACK]
  const body = unpack === undefined ? response : response.pipe(unpack())
  // A pipe passes no failure on: what was cut off would never end.
  if (body !== response) response.once('error', (error) => body.destroy(error))
  const stop = (): void => void body.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw new TransportError('too-large')
      chunks.push(chunk)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    if (!response.complete) response.destroy()
  }
  if (!response.complete) throw new TransportError('cut-off')
  return Buffer.concat(chunks).toString('utf8')
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
