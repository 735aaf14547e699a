// The three HTTP answers: health, hook fire, and 404 for the rest (behaviours 113, 114, 115). A body is read for a hook with slots only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LISTENER_PORT } from '../../protocol/address.ts'
import { isMalformed } from '../../protocol/request-head.ts'
import { isAllowedOrigin, originPolicy } from '../../trust/allowed-origins.ts'
import { FIRE_REFUSALS, type FireCall, type FirePorts, fireHook } from './hook-fire.ts'
import { ignoreBody, readAlertBody } from './request-body.ts'
import type { ServerPorts, Vouch } from './server.ts'
import { isOwnHost } from './upgrade-guard.ts'

export interface RoutePorts extends FirePorts {
  /** A fire was turned away with 429. */
  onTooManyRuns(): void
  /** A page that is not allowed was turned away with 403; the reason is for the log. */
  onForeignPage(reason: string): void
}

const NOT_FOUND = JSON.stringify({ ok: false, error: 'not found' })
const BAD_REQUEST = JSON.stringify({ ok: false, error: 'bad request' })
const FORBIDDEN_HOST = JSON.stringify({ ok: false, error: 'forbidden host' })
const HOOK_PATH = '/hook/'
const TOKEN_WAS_RIGHT: ReadonlySet<number> = new Set([200, 422, 423, 429])

export function createRoutes(ports: RoutePorts): ServerPorts['answer'] {
  return (request, response, vouch) => {
    ignoreBody(request, response)
    if (isMalformed(request)) {
      response.shouldKeepAlive = false
      return send(response, 400, BAD_REQUEST)
    }
    const path = pathOf(request.url ?? '')
    if (request.method === 'POST' && path.startsWith(HOOK_PATH)) return fire(path, request, response, ports, vouch)
    if (request.method === 'GET' && path === '/health') return health(request, response, ports)
    return send(response, 404, NOT_FOUND)
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

function fire(path: string, request: IncomingMessage, response: ServerResponse, ports: RoutePorts, vouch: Vouch): void {
  const page = foreignPage(request, ports)
  if (page !== undefined) {
    ports.onForeignPage(page)
    return send(response, 403, FIRE_REFUSALS.foreignPage.body)
  }
  // Custom headers are strings: only `set-cookie` is ever an array.
  const token = (request.headers['x-hook-token'] as string | undefined)?.toLowerCase()
  const call: FireCall = {
    // Hex says the same in either case.
    id: path.slice(HOOK_PATH.length).toLowerCase(),
    token,
    key: keyOf(request),
    readBody(then) {
      vouch(request.socket)
      readAlertBody(request, response, then)
    },
  }
  fireHook(call, ports, ({ status, body }) => {
    if (TOKEN_WAS_RIGHT.has(status)) vouch(request.socket)
    if (status === 429) {
      response.setHeader('Retry-After', '1')
      ports.onTooManyRuns()
    }
    send(response, status, body)
  })
}

/** The first of the two headers that senders give it in (behaviour 46). */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'] ?? headers['webhook-id']
  return typeof key === 'string' && key !== '' ? key : undefined
}

/**
 * Only browsers name the page behind a request, and no page can forge that (behaviour 7). A sender of alerts says nothing of the kind; its
 * `Host` is that of its tunnel.
 * @returns undefined: no page, or one that is allowed
 */
function foreignPage({ headers }: IncomingMessage, { config }: RoutePorts): string | undefined {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined && site === undefined) return undefined
  if (origin === undefined) return site === 'cross-site' ? 'Sec-Fetch-Site is cross-site' : undefined
  return isAllowedOrigin(originPolicy(config.readOncePerTurn()), origin) ? undefined : `Origin is ${origin}`
}

/** `ok` says whether hooks can be fired. The web app may read it from an allowed origin only (behaviour 7). */
function health(request: IncomingMessage, response: ServerResponse, ports: RoutePorts): void {
  const config = ports.config.readOncePerTurn()
  const { origin, host } = request.headers
  response.setHeader('Vary', 'Origin')
  if (origin !== undefined && isAllowedOrigin(originPolicy(config), origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin)
  }
  if (!isOwnHost(host)) return send(response, 403, FORBIDDEN_HOST)
  const ok = config.listener.enabled && ports.isServing()
  send(response, 200, JSON.stringify({ ok, pid: process.pid, port: LISTENER_PORT }))
}

/** Bodies are ASCII or JSON that may hold any text; the length is in bytes. Most are ASCII, which Node writes faster as latin1. */
function send(response: ServerResponse, status: number, body: string): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(length),
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ])
  response.end(body, length === body.length ? 'latin1' : 'utf8')
}
