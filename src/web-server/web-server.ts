// `hookline web`: serves the console on 127.0.0.1 and keeps the settings record. What stands before the routes is here: the socket,
// its limits, the headers on every answer, and the guard.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { StoreProblem } from '../stores/store-error.ts'
import { openWebSettings } from '../stores/web-settings.ts'
import type { AssetSource } from './assets.ts'
import { judgeRequest } from './request-guard.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { createWebApp, type WebAppPorts } from './web-app.ts'
import { WebServerError } from './web-server-error.ts'
import { WEB_SERVER_HOST, WEB_SERVER_LIMITS, WEB_SERVER_PORT } from './web-server-limits.ts'

export interface WebServerOptions {
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

const PRODUCT = 'hookline-web'

/** @throws {WebServerError} `port-taken`, saying by whom; `cannot-listen` */
export async function startWebServer({ port = WEB_SERVER_PORT, ...options }: WebServerOptions): Promise<WebServer> {
  const settings = openWebSettings(options.directory)
  const app = createWebApp({ settings, assets: options.assets, onFailure: options.onFailure })
  const server = createHttpServer(getRequestListener(app.fetch), options)
  await listen(server, port)
  server.on('error', options.onFailure)
  return {
    port: portOf(server),
    url: `http://${WEB_SERVER_HOST}:${portOf(server)}`,
    problem() {
      settings.read()
      return settings.problem()
    },
    close: () => close(server),
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

async function listen(server: Server, port: number): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen(port, WEB_SERVER_HOST, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
  if (error) throw await asWebServerError(error, port)
}

async function asWebServerError(cause: NodeJS.ErrnoException, port: number): Promise<WebServerError> {
  const address = `${WEB_SERVER_HOST}:${port}`
  if (cause.code !== 'EADDRINUSE') {
    const hint = 'the system does not let hookline use that address'
    return new WebServerError('cannot-listen', `cannot listen on ${address} (${cause.code})`, { hint, cause })
  }
  if (await isHeldByUs(address)) {
    const hint = `the console is there already: http://${address}`
    return new WebServerError('port-taken', `${address} is held by another \`hookline web\``, { hint, cause })
  }
  const hint = 'end that program, then start `hookline web` again; the port cannot be chosen'
  return new WebServerError('port-taken', `${address} is held by another program`, { hint, cause })
}

/** Nothing is read but the head of the answer. */
async function isHeldByUs(address: string): Promise<boolean> {
  const signal = AbortSignal.timeout(WEB_SERVER_LIMITS.probeMs)
  try {
    const { headers } = await fetch(`http://${address}/`, { method: 'HEAD', redirect: 'manual', signal })
    return headers.get('server')?.startsWith(`${PRODUCT}/`) ?? false
  } catch {
    // Not HTTP, silent, or gone meanwhile: nobody we know.
    return false
  }
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), WEB_SERVER_LIMITS.drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearTimeout(cut)
}
