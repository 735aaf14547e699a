// Serves one text at `GET /metrics`, to this user by a socket or to a bearer of the token by an address of this machine (behaviour 149). Its
// callers are strangers until the token was right: no page of a browser is answered, few may wait at once, and a flood costs one text a second.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listenOnPrivateSocket, type MetricsAddress, showMetricsAddress } from '../stores/metrics.ts'
import { StoreError, systemReason } from '../stores/store-error.ts'
import { CONTENT_TYPE } from './exposition.ts'

/** Times in ms, sizes in bytes. */
export const METRICS_LIMITS = {
  /** Connections at once; over it the oldest makes room. */
  sockets: 16,
  /** From the connection to the end of the headers, and to that of the request. */
  headersMs: 2_000,
  requestMs: 4_000,
  /** How often Node looks for connections over the two limits above. */
  connectionCheckMs: 500,
  /** Without a byte read or written, the connection ends. */
  idleMs: 4_000,
  headerBytes: 4_096,
  /** Whatever is asked, figures are read that seldom. */
  freshMs: 1_000,
} as const

interface MetricsServerOptions {
  readonly address: MetricsAddress
  /** Absent: of a socket, whose mode is its guard. */
  readonly token?: string
  readonly text: () => string
  /** Its socket failed later: the process goes on without it. */
  readonly onBug: (error: unknown) => void
  /** Monotonic, ms. */
  readonly now?: () => number
}

export interface MetricsServer {
  close(): Promise<void>
}

/** @throws {StoreError} `store-write-failed`: it cannot be served there */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { address, now = () => performance.now() } = options
  const server = createServer(
    {
      headersTimeout: METRICS_LIMITS.headersMs,
      requestTimeout: METRICS_LIMITS.requestMs,
      connectionsCheckingInterval: METRICS_LIMITS.connectionCheckMs,
      maxHeaderSize: METRICS_LIMITS.headerBytes,
      keepAlive: false,
      requireHostHeader: false,
    },
    (request, response) => answer(request, response),
  )
  // Node would drop what comes after the thousandth, and with it a second Host; their size is limited anyway.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = 1
  limitSockets(server)
  const hosts = hostsOf(address)
  const latest = { text: '', at: Number.NEGATIVE_INFINITY }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const refusal = whyRefused(request, { hosts, token: options.token })
    if (refusal !== undefined) {
      return send(response, { ...refusal, type: 'text/plain; charset=utf-8', body: `${refusal.text}\n` })
    }
    const at = now()
    if (at - latest.at >= METRICS_LIMITS.freshMs) Object.assign(latest, { text: options.text(), at })
    send(response, { status: 200, type: CONTENT_TYPE, body: latest.text })
  }

  const remove = await listen(server, address)
  server.on('error', options.onBug)
  return {
    close: () =>
      new Promise((resolve) => {
        remove()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
} as const

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

function send(response: ServerResponse, { status, type, body, headers }: Answer): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...HEADERS, ...headers, 'content-type': type, 'content-length': length })
  response.end(body)
}

interface Refusal {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Guarding {
  /** The values of `Host` that are served; undefined: any, of a socket. */
  readonly hosts: ReadonlySet<string> | undefined
  readonly token: string | undefined
}

/** Browsers come first, then who has no token; what is served is learnt after that alone. */
function whyRefused(
  { method, url = '', headersDistinct }: Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct'>,
  { hosts, token }: Guarding,
): Refusal | undefined {
  const { host = [], authorization = [] } = headersDistinct
  if (hosts !== undefined && (host.length !== 1 || !hosts.has((host[0] ?? '').toLowerCase()))) {
    return { status: 421, text: 'unknown host' }
  }
  // No monitor sends them; every browser of the last years sends one of them to an address of this machine.
  if (headersDistinct.origin !== undefined || headersDistinct['sec-fetch-site'] !== undefined) {
    return { status: 403, text: 'pages are not answered' }
  }
  if (token !== undefined && !(authorization.length === 1 && isBearer(authorization[0] ?? '', token))) {
    return { status: 401, text: 'a bearer token is needed', headers: { 'www-authenticate': 'Bearer' } }
  }
  if (method !== 'GET') return { status: 405, text: 'only GET is served', headers: { allow: 'GET' } }
  if (url.split('?', 1)[0] !== '/metrics') return { status: 404, text: 'only /metrics is served' }
  return undefined
}

/** In a time that depends on neither. */
function isBearer(header: string, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+)$/i.exec(header) ?? []
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

/** A name that a page's owner has pointed at this machine is none of them. */
function hostsOf(address: MetricsAddress): ReadonlySet<string> | undefined {
  if (address.kind === 'socket') return undefined
  const { port } = address
  return new Set([showMetricsAddress(address), `localhost:${port}`])
}

function limitSockets(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    if (sockets.size >= METRICS_LIMITS.sockets) for (const oldest of [...sockets].slice(0, 1)) oldest.destroy()
    sockets.add(socket)
    socket.setTimeout(METRICS_LIMITS.idleMs, () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  })
}

/** @returns undoes what stays on the disk */
async function listen(server: Server, address: MetricsAddress): Promise<() => void> {
  if (address.kind === 'socket') return listenOnPrivateSocket(server, address.path)
  const { host, port } = address
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'another program has it' : systemReason(cause)
      const hint = 'end that program, or name another port in `metrics.listen`'
      reject(
        new StoreError('store-write-failed', `cannot listen on ${showMetricsAddress(address)}: ${reason}`, {
          hint,
          cause,
        }),
      )
    }
    server.once('error', fail)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', fail)
      resolve()
    })
  })
  return () => {}
}
