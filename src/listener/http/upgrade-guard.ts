// Who may have a WebSocket at all: one column of refusals before a socket exists (behaviour 8–11).
// The reason is for the log; the stranger gets the bare status.
import { LISTENER_PORT } from '../../protocol/address.ts'
import { isMalformed, type RequestHead } from '../../protocol/request-head.ts'
import type { Config } from '../../stores/config.ts'
import { isAllowedOrigin, originPolicy } from '../../trust/allowed-origins.ts'

export type UpgradeVerdict =
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
  if (forwarding !== undefined) return refuse(403, `${forwarding} says that a proxy or tunnel forwarded it`)
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
