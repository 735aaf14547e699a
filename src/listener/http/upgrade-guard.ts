// Who may have a WebSocket at all: one column of refusals before a socket exists (behaviour 8–11).
// The reason is for the log; the stranger gets the bare status.
import type { Socket } from 'node:net'
import { LISTENER_PORT } from '../../protocol/address.ts'
import { isMalformed, type RequestHead } from '../../protocol/request-head.ts'
import type { Config, ConfigStore } from '../../stores/config.ts'
import { isAllowedOrigin, isConsoleOrigin, originPolicy } from '../../trust/allowed-origins.ts'
import { createPeerJudge } from '../../trust/peer-user.ts'
import type { Sessions, Upgrade } from '../sessions/sessions.ts'
import type { ReadTurns } from './read-turns.ts'
import { destroyIt, type ServerPorts } from './server.ts'
import type { SocketBudget } from './socket-budget.ts'

type UpgradeVerdict =
  /** `origin` is what the browser calls the page: trust is given to a client on an origin. */
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly status: 400 | 403 | 404 | 503; readonly reason: string }

/** Any of these says that a proxy or tunnel is in between, which makes strangers look local (behaviour 11). */
const FORWARDING =
  /^(forwarded|via|cdn-loop|proxy-connection|front-end-https|rndr-id|(true-|proxy-|wl-proxy-)?client-ip|x-(real|client|cluster-client|proxyuser)-ip|x-(original|azure|arr|appengine|vercel|envoy|amzn|amz-cf|akamai|nginx|ngrok|railway|tunnel)-.*|x-(cloud-trace-context|request-start|scheme)|x-proxy(-.*)?|x-forwarded(-.*)?|(akamai|cf|fastly|fly|ngrok|tailscale)-.*)$/

const HOSTS: ReadonlySet<string> = new Set([`127.0.0.1:${LISTENER_PORT}`, `localhost:${LISTENER_PORT}`])

/** Whether a page reached us by our own name, and not by one that was pointed at us (DNS rebinding). */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && HOSTS.has(host.toLowerCase())
}

export function judgeUpgrade(request: RequestHead, config: Config): UpgradeVerdict {
  const { headers } = request
  const path = request.url?.split('?', 1)[0]
  const host = headers.host ?? ''
  const forwarding = Object.keys(headers).find((name) => FORWARDING.test(name))
  const origins = originsOf(request)
  const policy = originPolicy(config)
  const foreign = origins.find((origin) => !isAllowedOrigin(policy, origin))

  if (isMalformed(request)) return refuse(400, 'the request line or its Host is malformed')
  if (!config.listener.enabled) return refuse(503, 'listener.enabled is false')
  if (request.method !== 'GET') return refuse(404, `method ${request.method} cannot upgrade`)
  if (path !== '/ws') return refuse(404, `there is no WebSocket at ${path}`)
  if (!isOwnHost(host)) return refuse(403, `Host is ${host}, not ${[...HOSTS].join(' or ')}`)
  if (forwarding !== undefined) return refuse(403, `${forwarding} shows that a proxy or tunnel forwarded it`)
  if (policy.mistyped.length > 0)
    return refuse(403, `listener.allowedOrigins contains entries that are not origins: ${policy.mistyped.join(', ')}`)
  if (origins.length === 0) return refuse(403, 'there is no Origin')
  if (foreign !== undefined)
    return refuse(403, `Origin ${foreign} is not in listener.allowedOrigins (${[...policy.allowed].join(', ')})`)
  return { ok: true, origin: origins[0] as string }
}

/**
 * Browsers send `Origin`, other clients may send `Sec-WebSocket-Origin`. Every one present must be allowed (behaviour 10).
 * `Origin` comes first: no page can choose it.
 */
function originsOf({ rawHeaders }: RequestHead): string[] {
  const values = { origin: [] as string[], 'sec-websocket-origin': [] as string[] }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase()
    if (name === 'origin' || name === 'sec-websocket-origin') values[name].push(rawHeaders[index + 1] ?? '')
  }
  return [...values.origin, ...values['sec-websocket-origin']]
}

function refuse(status: 400 | 403 | 404 | 503, reason: string): UpgradeVerdict {
  return { ok: false, status, reason }
}

// The one gate to a WebSocket: refuses in bare HTTP, or hands the socket to the sessions, which are loaded for the first page.

/** The WebSocket side, loaded when the first page comes. */
export interface WebSessions {
  /** Whether there is an identity that a page could pin. */
  readonly isReady: boolean
  readonly loaded: Sessions | undefined
  load(): Promise<Sessions>
}

export interface UpgradePorts {
  readonly config: Pick<ConfigStore, 'read'>
  readonly web: WebSessions
  /** Until a client has said who it is, its socket may be asked to make room. */
  readonly budget: SocketBudget
  /** Whether the console's port is held by a server of this user, once that is known. */
  isConsoleServed(): Promise<boolean>
  /** False while shutting down. */
  isServing(): boolean
  /** For the log: why an upgrade was refused, with the values that did not fit. */
  onRefusedUpgrade(reason: string): void
  /** For the log, once: why no user can be distinguished from another here. */
  onUnknownUser(reason: string): void
}

export function createUpgrade(ports: UpgradePorts): ServerPorts['upgrade'] {
  const { config, web, budget, isServing, onRefusedUpgrade } = ports
  const judgePeer = createPeerJudge()
  let isUnknownReported = false

  async function isOwnUser(socket: Socket): Promise<boolean> {
    // The answer comes in ms, and a stranger's socket ends with it: until then a flood of silent ones does not take the place.
    budget.markBusy(socket)
    const verdict = await judgePeer(socket)
    if (verdict.ok === 'unknown' && !isUnknownReported) {
      isUnknownReported = true
      ports.onUnknownUser(verdict.reason)
    }
    if (verdict.ok === false) onRefusedUpgrade(verdict.reason)
    else budget.markUpgraded(socket)
    return verdict.ok !== false
  }

  async function open(socket: Socket, upgrade: Upgrade, turns: ReadTurns): Promise<void> {
    if (!(await isOwnUser(socket))) return answerStatus(socket, 403)
    if (isConsoleOrigin(upgrade.origin) && !(await ports.isConsoleServed())) {
      onRefusedUpgrade(
        `the console's port is not held by this hookline's server, so that ${upgrade.origin} may be anyone's`,
      )
      return answerStatus(socket, 403)
    }
    const sessions = await web.load()
    // Stopped while the first one was being loaded: no one would hang up on it any more.
    if (!isServing()) return answerStatus(socket, 503)
    await sessions.accept(upgrade, () => budget.release(socket), turns.welcome)
    // ws listens for its errors now; two listeners would be an array of each idle session (quality/bench/session-memory).
    if (!socket.destroyed) socket.off('error', destroyIt)
    turns.resume(socket)
  }

  return (request, socket, head, turns) => {
    if (!isServing() || !web.isReady) return answerStatus(socket, 503)
    const verdict = judgeUpgrade(request, config.read())
    if (verdict.ok) return void open(socket, { request, socket, head, origin: verdict.origin }, turns)
    onRefusedUpgrade(verdict.reason)
    answerStatus(socket, verdict.status)
  }
}

const STATUS_TEXT = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' } as const

/** The stranger gets the bare status; the connection ends. */
function answerStatus(socket: Socket, status: keyof typeof STATUS_TEXT): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_TEXT[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  socket.once('finish', () => socket.destroy())
}
