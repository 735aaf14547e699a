// Where every request of a console's server passes first.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pagePolicy } from '../protocol/console.ts'
import { Connections, LateRefusals } from './connections.ts'
import { PRODUCT } from './port-holder.ts'
import { refusalPage, wantsPage } from './refusal-page.ts'
import type { RequestVerdict } from './request-guard.ts'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

/** What a page could ask a person for; the console needs none of it. It copies to the clipboard after a click. */
const PERMISSIONS_POLICY = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/**
 * On every answer, whatever it is. The console's pages may load what this server serves, talk to this server and to the listener, and
 * nothing else.
 */
const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', pagePolicy()],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', PERMISSIONS_POLICY],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]

interface Sender {
  readonly name: string
  /** What it asks for takes work and anybody may ask for it: of all senders together so many are begun in a second. */
  readonly isPaced: boolean
}

interface FrontOptions {
  readonly version: string
  readonly route: (request: IncomingMessage, response: ServerResponse) => unknown
  readonly judge: (request: IncomingMessage) => RequestVerdict
  readonly onRefused: (reason: string) => void
  /** Who has sent it, where one server is asked by many: of each only so many requests are under way. */
  readonly senderOf?: (request: IncomingMessage) => Sender
  /** Shared with routes that refuse those who ask too often. */
  readonly late?: LateRefusals
  /** On every answer besides `SECURITY_HEADERS`. Default none. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** What comes before the routes: the socket's limits, the headers on every answer, and the guard. */
export function createFront(options: FrontOptions): Server {
  const { version, route, judge, onRefused, senderOf, late = new LateRefusals(), headers = [] } = options
  const connections = new Connections(late)
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
      const begin = () => {
        if (!verdict.ok) {
          onRefused(verdict.reason)
          return refuse(request, response, verdict.status)
        }
        if (sender !== undefined && !places.take(sender.name, response))
          return void late.wait(response).then(() => refuse(request, response, 429))
        connections.begin(request)
        route(request, response)
      }
      connections.take(request, response, () => {
        const { name, isPaced } = sender ?? { name: request.socket, isPaced: false }
        response.once('close', turns.add(name, begin, isPaced))
      })
    },
  )
  server.on('connection', (socket) => connections.admit(socket))
  // Without a listener of `timeout` the socket is destroyed by it.
  server.setTimeout(WEB_SERVER_LIMITS.stalledMs)
  // Node would drop what comes after the thousandth, and with it a second Host; their size is limited anyway.
  server.maxHeadersCount = 0
  return server
}

/** By whose turn it is: those who wait longest first. */
type Lines = Map<unknown, Set<() => void>>

/**
 * In each turn of the event loop one request of each sender is begun, however many connections and pipelined requests it has; of those that are paced,
 * one of one sender in so many ms.
 */
class SenderTurns {
  readonly #waiting: Lines = new Map()
  readonly #paced: Lines = new Map()
  /** ms, monotonic. */
  #pacedFrom = 0
  #planned: { readonly isPaced: boolean; cancel(): void } | undefined

  /** @returns gives up the turn */
  add(sender: unknown, begin: () => void, isPaced: boolean): () => void {
    const lines = isPaced ? this.#paced : this.#waiting
    const line = lines.get(sender) ?? new Set()
    lines.set(sender, line.add(begin))
    this.#plan()
    return () => {
      if (line.delete(begin) && line.size === 0) lines.delete(sender)
    }
  }

  #plan(): void {
    const isPaced = this.#waiting.size === 0
    if (isPaced && this.#paced.size === 0) return
    if (this.#planned !== undefined && (isPaced || !this.#planned.isPaced)) return
    this.#planned?.cancel()
    const delay = this.#pacedFrom - performance.now()
    const turn = () => this.#turn()
    if (isPaced && delay > 0) {
      const timer = setTimeout(turn, delay)
      this.#planned = { isPaced, cancel: () => clearTimeout(timer) }
    } else {
      const immediate = setImmediate(turn)
      this.#planned = { isPaced: false, cancel: () => clearImmediate(immediate) }
    }
  }

  #turn(): void {
    this.#planned = undefined
    beginOfEach(this.#waiting)
    const now = performance.now()
    if (this.#paced.size > 0 && now >= this.#pacedFrom) {
      this.#pacedFrom = now + WEB_SERVER_LIMITS.pacedMs
      beginOfEach(this.#paced, 1)
    }
    this.#plan()
  }
}

/** Those of whom more waits come behind all others. */
function beginOfEach(lines: Lines, most = Number.POSITIVE_INFINITY): void {
  for (const [sender, line] of [...lines].slice(0, most)) {
    const [begin] = line
    lines.delete(sender)
    if (begin === undefined) continue
    line.delete(begin)
    if (line.size > 0) lines.set(sender, line)
    begin()
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
