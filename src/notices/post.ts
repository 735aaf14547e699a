// One POST with a small body and a small answer. No redirect is followed, no proxy is asked, and no error has the address in it: the path may
// hold a secret.
import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { defined } from '../base/defined.ts'
import { NoticeError } from './notice.ts'

interface Answer {
  readonly status: number
  /** As much of the body as is read. */
  readonly text: string
  /** What `Retry-After` asks for. */
  readonly retryAfterMs: number | undefined
}

interface Posting {
  readonly url: URL
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** ms since the epoch: for a `Retry-After` with a date. */
  readonly now: () => number
  /** Of the answer; the rest is not read. Default: 4 KiB. */
  readonly maxBytes?: number
}

const MAX_ANSWER_BYTES = 4_096

/** @throws {NoticeError} `unreachable`, `timeout` */
export async function post({ url, body, headers, signal, now, maxBytes = MAX_ANSWER_BYTES }: Posting): Promise<Answer> {
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const options: RequestOptions = {
    method: 'POST',
    // A socket of its own, closed after the answer.
    agent: false,
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    signal,
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
  }
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(url, options, resolve)
      sending.on('error', reject)
      sending.on('close', () => reject(new Error('closed without an answer')))
      sending.end(body)
    })
    const retryAfterMs = readRetryAfter(answer.headers['retry-after'], now())
    return { status: answer.statusCode ?? 0, text: await readStart(answer, maxBytes), retryAfterMs }
  } catch (cause) {
    if (signal.aborted) throw new NoticeError('timeout', 'no answer in time', { mayRetry: true, cause })
    throw new NoticeError('unreachable', `the receiver cannot be reached${codeOf(cause)}`, { mayRetry: true, cause })
  }
}

/** The rest is not read, nor waited for. */
async function readStart(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part)
    length += part.length
    if (length >= maxBytes) break
  }
  answer.destroy()
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8')
}

/** Seconds, or a date. */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** `: ECONNREFUSED`. The message of the error may hold more. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `: ${code}` : ''
}

/** @returns undefined: it was taken */
export function refusalOf({ status, retryAfterMs }: Answer): NoticeError | undefined {
  if (status >= 200 && status < 300) return undefined
  const mayRetry = status >= 500 || status === 429
  return new NoticeError('refused', `the receiver answered with status ${status}`, {
    mayRetry,
    ...defined({ retryAfterMs }),
  })
}
