// What can go wrong between a caller and a venue, for the next requests of a kind.
import type { ServerResponse } from 'node:http'

/** What any venue's wire can do; `Kind`: what this one says in words of its own. */
export type FaultKind<Kind extends string> =
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
  | Kind

export interface Fault<Kind extends string> {
  readonly kind: FaultKind<Kind>
  /** Whether the request is carried out all the same. Default: no. */
  readonly isDone?: boolean
  /** Default: every one that changes orders. `POST /fapi/v1/order`; an end in `*` matches any rest. */
  readonly route?: string
  /** Default 1. */
  readonly times?: number
  /** How many requests of the route pass first. Default 0. */
  readonly after?: number
}

export type FaultWords = readonly [status: number, body: string, headers: Readonly<Record<string, string>>]

export const RETRY_AFTER_S = 7

interface FaultsOptions<Kind extends string> {
  /** Which routes change orders. */
  readonly changesOrders: RegExp
  readonly words: Readonly<Record<Kind, () => FaultWords>>
}

interface Waiting<Kind extends string> {
  readonly fault: Fault<Kind>
  passing: number
  left: number
}

export class Faults<Kind extends string> {
  /** Asked about each request that changes orders and has no fault of its own waiting. */
  choose: () => Fault<Kind> | undefined = () => undefined
  readonly #options: FaultsOptions<Kind>
  readonly #waiting: Waiting<Kind>[] = []
  readonly #hanging = new Set<ServerResponse>()

  constructor(options: FaultsOptions<Kind>) {
    this.#options = options
  }

  add(fault: Fault<Kind>): void {
    this.#waiting.push({ fault, passing: fault.after ?? 0, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#waiting.length = 0
  }

  /** Whether one that was ordered has not come about yet. */
  get isPending(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the next one that is meant for this request. */
  take(route: string): Fault<Kind> | undefined {
    const found = this.#waiting.find(({ fault }) => this.#isFor(fault, route))
    if (found === undefined) return this.#options.changesOrders.test(route) ? this.choose() : undefined
    if (found.passing > 0) {
      found.passing -= 1
      return undefined
    }
    found.left -= 1
    if (found.left <= 0) this.#waiting.splice(this.#waiting.indexOf(found), 1)
    return found.fault
  }

  /** Answers as the fault has it. @param answer what would have been said */
  answer({ kind }: Fault<Kind>, response: ServerResponse, answer: string): void {
    if (kind === 'hang') {
      this.#hanging.add(response)
      response.on('close', () => this.#hanging.delete(response))
      return
    }
    if (kind === 'reset') {
      response.socket?.resetAndDestroy()
      return
    }
    const [status, body, headers] = this.#words(kind, answer)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(body)
  }

  /** Lets go of who still waits. */
  close(): void {
    for (const response of this.#hanging) response.socket?.destroy()
  }

  #words(kind: 'cut-json' | 'html' | 'redirect' | Kind, answer: string): FaultWords {
    if (kind === 'cut-json') return [200, answer.slice(0, Math.floor(answer.length / 2)), {}]
    if (kind === 'html') {
      const page = '<!doctype html><title>Just a moment…</title><h1>Checking</h1>'
      return [200, page, { 'Content-Type': 'text/html' }]
    }
    if (kind === 'redirect') return [302, '', { Location: 'https://elsewhere.invalid/' }]
    return this.#options.words[kind as Kind]()
  }

  #isFor({ route }: Fault<Kind>, asked: string): boolean {
    if (route === undefined) return this.#options.changesOrders.test(asked)
    return route.endsWith('*') ? asked.startsWith(route.slice(0, -1)) : asked === route
  }
}

export function retryAfter(): Readonly<Record<string, string>> {
  return { 'Retry-After': String(RETRY_AFTER_S) }
}
