// Where every request of a console's server passes first.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Connections } from './connections.ts'
import { PRODUCT } from './port-holder.ts'
import { refusalPage, wantsPage } from './refusal-page.ts'
import type { RequestVerdict } from './request-guard.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

export interface FrontOptions {
  readonly version: string
  readonly route: (request: IncomingMessage, response: ServerResponse) => unknown
  readonly judge: (request: IncomingMessage) => RequestVerdict
  readonly onRefused: (reason: string) => void
  /** Who has sent it, where one server is asked by many: of each only so many requests are under way. */
  readonly senderOf?: (request: IncomingMessage) => string
  /** On every answer besides those of security-headers.ts. Default none. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** What comes before the routes: the socket's limits, the headers on every answer, and the guard. */
export function createFront(options: FrontOptions): Server {
  const { version, route, judge, onRefused, senderOf, headers = [] } = options
  const connections = new Connections()
  const turns = new SenderTurns()
  const places = new SenderPlaces(WEB_SERVER_LIMITS.requestsOfSender)
  const server = createServer(
    {
      headersTimeout: WEB_SERVER_LIMITS.headersMs,
      requestTimeout: WEB_SERVER_LIMITS.requestMs,
      connectionsCheckingInterval: WEB_SERVER_LIMITS.connectionCheckMs,
      keepAliveTimeout: WEB_SERVER_LIMITS.keepAliveMs,
      maxHeaderSize: WEB_SERVER_LIMITS.headerBytes,
      requireHostHeader: false,
    },
    (request, response) => {
      for (const [name, value] of [...SECURITY_HEADERS, ...headers]) response.setHeader(name, value)
      response.setHeader('Server', `${PRODUCT}/${version}`)
      const verdict = judge(request)
      const sender = senderOf?.(request)
      const handle = () => {
        if (verdict.ok) {
          if (sender !== undefined && !places.take(sender, response)) return refuse(request, response, 429)
          return void route(request, response)
        }
        onRefused(verdict.reason)
        refuse(request, response, verdict.status)
      }
      connections.take(request, response, () => turns.add(sender ?? request.socket, handle))
    },
  )
  server.on('connection', (socket) => connections.admit(socket))
  // Without a listener of `timeout` the socket is destroyed by it.
  server.setTimeout(WEB_SERVER_LIMITS.stalledMs)
  // Node would drop what comes after the thousandth, and with it a second Host; their size is limited anyway.
  server.maxHeadersCount = 0
  return server
}

/** In each turn of the event loop one request of each sender is begun, however many connections and pipelined requests it has. */
class SenderTurns {
  readonly #waiting = new Map<unknown, (() => void)[]>()
  #isPlanned = false

  add(sender: unknown, begin: () => void): void {
    const line = this.#waiting.get(sender)
    if (line !== undefined) return void line.push(begin)
    this.#waiting.set(sender, [begin])
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isPlanned = false
    for (const [sender, line] of [...this.#waiting]) {
      const begin = line.shift()
      if (line.length === 0) this.#waiting.delete(sender)
      begin?.()
    }
    if (this.#waiting.size > 0) this.#plan()
  }
}

/** How many requests of one sender are under way. */
export class SenderPlaces {
  readonly #taken = new Map<string, number>()

  readonly #max: number
  constructor(max: number) {
    this.#max = max
  }

  /** Until the answer is out. @returns false: there are too many */
  take(sender: string, response: ServerResponse): boolean {
    const taken = this.#taken.get(sender) ?? 0
    if (taken >= this.#max) return false
    this.#taken.set(sender, taken + 1)
    response.once('close', () => {
      const left = (this.#taken.get(sender) ?? 1) - 1
      if (left === 0) this.#taken.delete(sender)
      else this.#taken.set(sender, left)
    })
    return true
  }
}

const REFUSALS = { 400: 'bad request', 403: 'forbidden', 429: 'too many requests' } as const

function refuse({ method, headers }: IncomingMessage, response: ServerResponse, status: keyof typeof REFUSALS): void {
  const error = REFUSALS[status]
  const isVisit = wantsPage(headers)
  const retry = status === 429 && method === 'GET' ? '' : undefined
  const body = isVisit ? refusalPage(status, { error, retry }) : JSON.stringify({ ok: false, error })
  response.shouldKeepAlive = false
  if (status === 429) response.setHeader('Retry-After', '1')
  response.writeHead(status, {
    'Content-Type': isVisit ? 'text/html; charset=utf-8' : 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(body)
}

/** Accepts no more, and gives answers under way a second. */
export async function closeFront(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), WEB_SERVER_LIMITS.drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearTimeout(cut)
}
