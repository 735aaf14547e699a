// What can go wrong between a caller and the venue, for the next requests of a kind.
import type { ServerResponse } from 'node:http'

export type FaultKind =
  /** No answer, and the connection stays. */
  | 'hang'
  /** The connection is reset. */
  | 'reset'
  /** Half of the answer, under 200 and a length that fits. */
  | 'cut-json'
  /** Some proxy's page, under 200. */
  | 'html'
  /** Elsewhere, with 302: who follows sends what was signed to a stranger. */
  | 'redirect'
  /** 429 with Retry-After. */
  | 'rate-limited'
  /** 418 with Retry-After. */
  | 'banned'
  /** 503 whose text says that nobody knows what became of it. */
  | 'unknown'
  /** -1007: the same in a code. */
  | 'timed-out'
  /** 503 whose code says that nothing was done. */
  | 'busy'

export interface Fault {
  readonly kind: FaultKind
  /** Whether the request is carried out all the same. Default: no. */
  readonly isDone?: boolean
  /** Default: every one that changes orders. `POST /fapi/v1/order`; an end in `*` matches any rest. */
  readonly route?: string
  /** Default 1. */
  readonly times?: number
}

export const RETRY_AFTER_S = 7

const CHANGES_ORDERS = /^(POST|PUT|DELETE) .*[oO]rders?$/

interface Waiting {
  readonly fault: Fault
  left: number
}

export class Faults {
  /** Asked about each request that changes orders and has no fault of its own waiting. */
  choose: () => Fault | undefined = () => undefined
  readonly #waiting: Waiting[] = []
  readonly #hanging = new Set<ServerResponse>()

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#waiting.length = 0
  }

  /** Whether one that was ordered has not come about yet. */
  get isPending(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the next one that is meant for this request. */
  take(route: string): Fault | undefined {
    const found = this.#waiting.find(({ fault }) => isFor(fault, route))
    if (found === undefined) return CHANGES_ORDERS.test(route) ? this.choose() : undefined
    found.left -= 1
    if (found.left <= 0) this.#waiting.splice(this.#waiting.indexOf(found), 1)
    return found.fault
  }

  /** Answers as the fault has it. @param answer what would have been said */
  answer({ kind }: Fault, response: ServerResponse, answer: string): void {
    if (kind === 'hang') {
      this.#hanging.add(response)
      response.on('close', () => this.#hanging.delete(response))
      return
    }
    if (kind === 'reset') {
      response.socket?.resetAndDestroy()
      return
    }
    const [status, body, headers] = WORDS[kind](answer)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(body)
  }

  /** Lets go of who still waits. */
  close(): void {
    for (const response of this.#hanging) response.socket?.destroy()
  }
}

type Said = readonly [status: number, body: string, headers: Readonly<Record<string, string>>]

const WORDS: Readonly<Record<Exclude<FaultKind, 'hang' | 'reset'>, (answer: string) => Said>> = {
  'cut-json': (answer) => [200, answer.slice(0, Math.floor(answer.length / 2)), {}],
  html: () => [200, '<!doctype html><title>Just a moment…</title><h1>Checking</h1>', { 'Content-Type': 'text/html' }],
  redirect: () => [302, '', { Location: 'https://www.binance.com/elsewhere' }],
  'rate-limited': () => [429, said(-1003, 'Too many requests; current limit is 2400 per minute.'), retryAfter()],
  banned: () => [418, said(-1003, 'Way too many requests; IP banned.'), retryAfter()],
  unknown: () => [503, said(-1000, 'Unknown error, please check your request or try again later.'), {}],
  'timed-out': () => [
    408,
    said(-1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.'),
    {},
  ],
  busy: () => [
    503,
    said(-1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.'),
    {},
  ],
}

function said(code: number, msg: string): string {
  return JSON.stringify({ code, msg })
}

function retryAfter(): Readonly<Record<string, string>> {
  return { 'Retry-After': String(RETRY_AFTER_S) }
}

function isFor({ route }: Fault, asked: string): boolean {
  if (route === undefined) return CHANGES_ORDERS.test(asked)
  return route.endsWith('*') ? asked.startsWith(route.slice(0, -1)) : asked === route
}
