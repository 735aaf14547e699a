// The one request hookline makes by itself: it tells the web app that hookline runs on this kind of machine (behaviour 27
// and 118). Sent once per start and never again; a failure is only logged.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'

export interface CheckInInput {
  /** An http or https URL; a path is kept as a prefix, query and fragment are not. */
  readonly webUrl: string
  /** As `process.platform`. */
  readonly platform: string
  readonly listenerId: string
  readonly version: string
  /** For everything from the name lookup to the status line. Default 5 000 ms. */
  readonly timeoutMs?: number
}

export type CheckInOutcome =
  | { readonly outcome: 'sent' }
  /** There is no word for this platform (behaviour 118), so nothing was sent. */
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly code: CheckInFailure; readonly message: string; readonly cause?: unknown }

/** `refused`: an answer other than 2xx; a redirect is one. */
export type CheckInFailure = 'invalid-url' | 'unreachable' | 'timeout' | 'refused'

/** Behaviour 118. */
const PLATFORMS: ReadonlySet<string> = new Set(['darwin', 'win32', 'linux'])

/** Never rejects. Nothing of the answer but its status is read. Once connected, it keeps no process alive. */
export async function checkIn({ timeoutMs = 5_000, ...input }: CheckInInput): Promise<CheckInOutcome> {
  if (!PLATFORMS.has(input.platform)) return { outcome: 'skipped' }
  const url = endpoint(input.webUrl)
  if (url === undefined) return failed('invalid-url', 'webUrl in config.json is not an http or https URL')
  const { platform, listenerId, version } = input
  const body = JSON.stringify({ platform, listenerId, version })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { statusCode = 0 } = await post(url, body, { signal, headers: { 'User-Agent': `hookline/${version}` } })
    if (statusCode >= 200 && statusCode < 300) return { outcome: 'sent' }
    return failed('refused', `${url.origin} answered the check-in with status ${statusCode}`)
  } catch (cause) {
    if (signal.aborted) return failed('timeout', `${url.origin} did not answer the check-in within ${timeoutMs} ms`)
    return failed('unreachable', `the check-in did not reach ${url.origin}`, cause)
  }
}

function endpoint(webUrl: string): URL | undefined {
  if (!URL.canParse(webUrl)) return undefined
  const base = new URL(webUrl)
  if (base.protocol !== 'http:' && base.protocol !== 'https:') return undefined
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return new URL('api/cli/checkin', base)
}

/** Resolves with the head of the answer. node:http is loaded for the listener anyway, and costs a sixth of `fetch`. */
async function post(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }
    const sending: ClientRequest = request(url, { ...options, headers, method: 'POST', agent: false })
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
  return { outcome: 'failed', code, message, ...(cause !== undefined && { cause }) }
}
