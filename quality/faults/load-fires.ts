// Fires as bytes, many of them over connections that stay, and what their answers took.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedHook } from '../../harness/process/hookline.ts'
import { type RawAnswer, RawClient } from '../../harness/wire/raw-http.ts'

export interface FireOptions {
  /** Default ''. */
  readonly body?: string
  /** Default: the hook's. */
  readonly token?: string
  /** Further header lines, each with its line end. */
  readonly headers?: string
  /** The body's length, or `chunked`, when it is not sent along. */
  readonly announced?: number | 'chunked'
}

/** One request: whole, unless its body is only announced. */
export function fireRequest(hook: CreatedHook, options: FireOptions = {}): string {
  const { body = '', token = hook.token, headers = '', announced = Buffer.byteLength(body) } = options
  const lines = [`POST /hook/${hook.id} HTTP/1.1`, 'Host: 127.0.0.1:53219', `X-Hook-Token: ${token}`]
  const framing = announced === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`
  return `${lines.join('\r\n')}\r\n${headers}${framing}\r\n\r\n${body}`
}

export interface TimedAnswer extends RawAnswer {
  /** Since the request was written. */
  readonly ms: number
}

/** Writes a request `count` times in one piece and takes all the answers. */
export async function sendTimed(client: RawClient, request: string, count = 1): Promise<TimedAnswer[]> {
  const from = performance.now()
  client.send(request.repeat(count))
  const answers: TimedAnswer[] = []
  while (answers.length < count) answers.push({ ...(await client.answer()), ms: performance.now() - from })
  return answers
}

/** One request after another, each at its time or as soon as the one before is answered. */
export async function paced(
  client: RawClient,
  request: string,
  count: number,
  everyMs: number,
): Promise<TimedAnswer[]> {
  const from = performance.now()
  const answers: TimedAnswer[] = []
  while (answers.length < count) {
    await sleep(Math.max(0, from + answers.length * everyMs - performance.now()))
    answers.push(...(await sendTimed(client, request)))
  }
  return answers
}

export function connections(count: number): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => new RawClient().connected()))
}

/** The value that `share` of all are not above: 0.99 for p99, 1 for the greatest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function percentileMs(answers: readonly TimedAnswer[], share: number): number {
  return percentile(
    answers.map(({ ms }) => ms),
    share,
  )
}

export function countStatus(answers: readonly RawAnswer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

/** The run that an accepted fire was told. */
export function runIdOf({ body }: RawAnswer): string {
  return JSON.parse(body).runId
}
