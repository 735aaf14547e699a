// Where every request of a console's server passes first.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { PRODUCT } from './port-holder.ts'
import type { RequestVerdict } from './request-guard.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

export interface FrontOptions {
  readonly version: string
  readonly route: (request: IncomingMessage, response: ServerResponse) => unknown
  readonly judge: (request: IncomingMessage) => RequestVerdict
  readonly onRefused: (reason: string) => void
  /** On every answer besides those of security-headers.ts. Default none. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** What comes before the routes: the socket's limits, the headers on every answer, and the guard. */
export function createFront({ version, route, judge, onRefused, headers = [] }: FrontOptions): Server {
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
      if (verdict.ok) return void route(request, response)
      onRefused(verdict.reason)
      refuse(response, verdict.status, request.headers['sec-fetch-mode'] === 'navigate')
    },
  )
  // Node would drop what comes after the thousandth, and with it a second Host; their size is limited anyway.
  server.maxHeadersCount = 0
  server.maxConnections = WEB_SERVER_LIMITS.sockets
  return server
}

function refuse(response: ServerResponse, status: 400 | 403, isVisit: boolean): void {
  const error = status === 400 ? 'bad request' : 'forbidden'
  const body = isVisit ? refusalPage(error) : JSON.stringify({ ok: false, error })
  response.shouldKeepAlive = false
  response.writeHead(status, {
    'Content-Type': isVisit ? 'text/html; charset=utf-8' : 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(body)
}

/** For a person, who has followed a link. @param error in words of ours */
export function refusalPage(error: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>hookline: ${error}</title>
<h1>${error[0]?.toUpperCase()}${error.slice(1)}</h1>
<p>This address is not a page of the console. <a href="/">Open the console</a></p>
</html>
`
}

/** Accepts no more, and gives answers under way a second. */
export async function closeFront(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), WEB_SERVER_LIMITS.drainMs)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearTimeout(cut)
}
