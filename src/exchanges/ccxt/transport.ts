// How a request of ccxt leaves this process: over HTTPS, once, without redirects and without a proxy. Certificates are always checked;
// NODE_EXTRA_CA_CERTS adds authorities, and no other variable of the environment changes what is sent or where to.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { defined } from '../../base/defined.ts'
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

/** Ends a request from outside, whatever it has come to. Cheaper than an AbortController, which an order would wait for. */
class Ending {
  #reason: TransportError | undefined
  #stop: ((reason: TransportError) => void) | undefined

  get reason(): TransportError | undefined {
    return this.#reason
  }

  /** What to do about it from now on. */
  onEnd(stop: (reason: TransportError) => void): void {
    this.#stop = stop
    if (this.#reason !== undefined) stop(this.#reason)
  }

  end(reason: TransportError): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#stop?.(reason)
  }
}

async function send(
  request: WireRequest,
  { release, signal }: SendTerms,
  limits: TransportOptions,
  agents: Agents,
): Promise<WireResponse> {
  const ending = new Ending()
  let isReleased = release === undefined
  const timer = setTimeout(() => ending.end(new TransportError('timeout', undefined, !isReleased)), limits.answerMs)
  const stop = (): void => ending.end(new TransportError('aborted', undefined, !isReleased))
  signal?.addEventListener('abort', stop)
  const noteReleased = (): void => {
    isReleased = true
    timer.refresh()
  }
  try {
    const released = release === undefined ? undefined : { by: release, noteReleased }
    const response = await answerTo(request, released, limits, agents, ending)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400) {
      response.destroy()
      throw new TransportError('redirect')
    }
    const text = await readText(response, limits.maxBytes, ending)
    return { status, headers: headersOf(response), text }
  } catch (error) {
    throw ending.reason ?? TransportError.from(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

interface Release {
  readonly by: () => Promise<void>
  readonly noteReleased: () => void
}

/** @returns its head; the body follows */
function answerTo(
  { url, method, headers, body }: WireRequest,
  release: Release | undefined,
  { connectMs }: TransportOptions,
  agents: Agents,
  ending: Ending,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isPlain = url.startsWith('http:')
    const options = { method, headers: withLength(headers, body), agent: isPlain ? agents.http : agents.https }
    const request = (isPlain ? httpRequest : httpsRequest)({ ...partsOf(url), ...options })
    ending.onEnd((reason) => {
      request.destroy(reason)
      reject(reason)
    })
    // One that waits for its connection, or makes it; what was used before is there.
    if (!request.reusedSocket) endUnlessConnected(request, isPlain, connectMs, ending)
    request.once('response', resolve)
    request.on('error', reject)
    if (release === undefined) return void request.end(body)
    // The socket is taken, or made, meanwhile. What was never ended has not left: headers and body are one write.
    release.by().then(
      () => {
        release.noteReleased()
        request.end(body)
      },
      () => ending.end(new TransportError('held', undefined, true)),
    )
  })
}

function endUnlessConnected(request: ClientRequest, isPlain: boolean, connectMs: number, ending: Ending): void {
  const timer = setTimeout(() => ending.end(new TransportError('timeout', undefined, true)), connectMs)
  const connected = (): void => clearTimeout(timer)
  request.once('socket', (socket) => {
    // One that has waited for its turn gets a connection that others have used: it makes none.
    if (request.reusedSocket || !isConnecting(socket)) return connected()
    socket.once(isPlain ? 'connect' : 'secureConnect', connected)
  })
  request.once('close', connected)
}

function isConnecting(socket: Socket & { readonly secureConnecting?: boolean }): boolean {
  return socket.connecting || socket.secureConnecting === true
}

type Parts = ReturnType<typeof urlToHttpOptions>

/** What needs no rewriting to be a path on the wire. */
const PLAIN_PATH = /^\/[\w\-./?&=%~,:+@]*$/
const ORIGIN = /^https?:\/\/[^/?#]+/

/** A venue has a few hosts, and each request names one of them. */
const origins = new Map<string, Parts>()
const MOST_ORIGINS = 100

/** The same as `https.request(url)` makes of it. */
function partsOf(url: string): Parts {
  const [origin = ''] = ORIGIN.exec(url) ?? []
  const path = url.slice(origin.length)
  if (origin === '' || origin.includes('@') || path.includes('/.') || !PLAIN_PATH.test(path))
    return urlToHttpOptions(new URL(url))
  const known = origins.get(origin)
  if (known !== undefined) return { ...known, path }
  const { protocol, hostname, port } = urlToHttpOptions(new URL(origin)) as Parts & Record<string, unknown>
  const made = { protocol, hostname, ...defined({ port }) } as Parts
  if (origins.size >= MOST_ORIGINS) origins.clear()
  origins.set(origin, made)
  return { ...made, path }
}

function withLength(headers: WireRequest['headers'], body: string | undefined): Record<string, string> {
  const sent: Record<string, string> = { ...headers, 'Accept-Encoding': 'gzip, deflate, br' }
  if (body !== undefined) sent['Content-Length'] = String(Buffer.byteLength(body))
  return sent
}

async function readText(response: IncomingMessage, maxBytes: number, ending: Ending): Promise<string> {
  const unpack = UNPACK[(response.headers['content-encoding'] ?? '') as keyof typeof UNPACK]
  const body = unpack === undefined ? response : response.pipe(unpack())
  // A pipe passes no failure on: what was cut off would never end.
  if (body !== response) response.once('error', (error) => body.destroy(error))
  try {
    const text = await wholeText(body, maxBytes, ending)
    if (!response.complete) throw new TransportError('cut-off')
    return text
  } finally {
    if (!response.complete) response.destroy()
  }
}

/** By its events: an iterator costs a short answer more than its bytes. */
function wholeText(body: Readable, maxBytes: number, ending: Ending): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const giveUp = (reason: Error): void => {
      body.destroy(reason)
      reject(reason)
    }
    ending.onEnd(giveUp)
    body.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) giveUp(new TransportError('too-large'))
      else chunks.push(chunk)
    })
    let isWhole = false
    body.on('end', () => {
      isWhole = true
      resolve(Buffer.concat(chunks).toString('utf8'))
    })
    body.on('error', reject)
    // An error costs its stack: one for each answer was a fiftieth of what a burst of them takes.
    const closed = (): void => {
      if (!isWhole) reject(new TransportError('cut-off'))
    }
    body.on('close', closed)
    if (body.destroyed) closed()
  })
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) texts[name] = String(value)
  return texts
}
