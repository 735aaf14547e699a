// `hookline web`: serves the console on 127.0.0.1 and [::1], and keeps the settings record. What comes before the routes is here: the socket,
// its limits, the headers on every answer, and the guard.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { StoreProblem } from '../stores/store-error.ts'
import { openWebSettings } from '../stores/web-settings.ts'
import type { AssetSource } from './assets.ts'
import { type ListenPorts, listen, type Servers } from './listening.ts'
import { PRODUCT } from './port-holder.ts'
import { judgeRequest } from './request-guard.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { createWebApp, type WebAppPorts } from './web-app.ts'
import { WEB_SERVER_HOST, WEB_SERVER_LIMITS, WEB_SERVER_PORT } from './web-server-limits.ts'

export interface WebServerOptions extends ListenPorts {
  /** The config directory, which exists. */
  readonly directory: string
  readonly assets: AssetSource
  readonly version: string
  /** Default 53220. 0: any free one, for tests. */
  readonly port?: number
  /** For the log: why a request was refused, with the values that did not fit. */
  readonly onRefused: (reason: string) => void
  readonly onFailure: WebAppPorts['onFailure']
}

export interface WebServer {
  readonly port: number
  /** The console's address, without a slash at its end. */
  readonly url: string
  /** What is wrong with `web-settings.json`. */
  problem(): StoreProblem | undefined
  /** Accepts no more, and gives answers under way a second. */
  close(): Promise<void>
}

/** @throws {WebServerError} `port-taken`, saying by whom; `cannot-listen` */
export async function startWebServer({ port = WEB_SERVER_PORT, ...options }: WebServerOptions): Promise<WebServer> {
  const settings = openWebSettings(options.directory)
  const app = createWebApp({ settings, assets: options.assets, onFailure: options.onFailure })
  const route = getRequestListener(app.fetch)
  const servers = { ipv4: createHttpServer(route, options), ipv6: createHttpServer(route, options) }
  await listen(servers, port, options)
  for (const server of Object.values(servers)) server.on('error', options.onFailure)
  const bound = portOf(servers.ipv4)
  return {
    port: bound,
    url: `http://${WEB_SERVER_HOST}:${bound}`,
    problem() {
      settings.read()
      return settings.problem()
    },
    close: () => closeAll(servers),
  }
}

function createHttpServer(
  route: (request: IncomingMessage, response: ServerResponse) => unknown,
  { version, onRefused }: Pick<WebServerOptions, 'version' | 'onRefused'>,
): Server {
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
      for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value)
      response.setHeader('Server', `${PRODUCT}/${version}`)
      const verdict = judgeRequest(request, portOf(server))
      if (verdict.ok) return void route(request, response)
      onRefused(verdict.reason)
      refuse(response, verdict.status)
    },
  )
  // Node would drop what comes after the thousandth, and with it a second Host; their size is limited anyway.
  server.maxHeadersCount = 0
  server.maxConnections = WEB_SERVER_LIMITS.sockets
  return server
}

function refuse(response: ServerResponse, status: 400 | 403): void {
  const body = JSON.stringify({ ok: false, error: status === 400 ? 'bad request' : 'forbidden' })
  response.shouldKeepAlive = false
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(body)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function closeAll({ ipv4, ipv6 }: Servers): Promise<void> {
  await Promise.all([ipv4, ipv6].filter(({ listening }) => listening).map(close))
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), WEB_SERVER_LIMITS.drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearTimeout(cut)
}
