// Who may ask a hosted console at all. As for the console of one person, but by its public address: a browser names the page behind a request,
// and only this console's own pages may ask for more than a visit.
import { isMalformed, type RequestHead } from '../protocol/request-head.ts'
import { isVisit, type RequestVerdict } from '../web-server/request-guard.ts'

/** Asked by load balancers, by whatever name they know this server; tells nothing. */
export const HEALTH_PATH = '/healthz'
export const CALLBACK_PATH = '/auth/callback'

export function judgeHosted(request: RequestHead, publicUrl: URL): RequestVerdict {
  const { origin, 'sec-fetch-site': site } = request.headers
  const host = request.headers.host?.toLowerCase()
  const path = request.url?.split('?', 1)[0]
  if (isMalformed(request)) return refuse(400, 'the request line or its Host is malformed')
  if (path === HEALTH_PATH && request.method === 'GET') return { ok: true }
  if (host !== publicUrl.host) return refuse(403, `Host is ${host}, not ${publicUrl.host}`)
  if (origin !== undefined && origin !== publicUrl.origin)
    return refuse(403, `Origin is ${origin}, not ${publicUrl.origin}`)
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit(request) && !isReturn(request, path))
    return refuse(403, `Sec-Fetch-Site is ${site}, not same-origin or none`)
  return { ok: true }
}

/** The way back from the sign-in service. */
function isReturn({ method, headers }: RequestHead, path = ''): boolean {
  return (
    method === 'GET' &&
    path === CALLBACK_PATH &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  )
}

/** Whether a browser says that this console's own page is behind a request that changes something. */
export function isFromOwnPage(origin: string | undefined, site: string | undefined): boolean {
  return site === undefined ? origin !== undefined : site === 'same-origin'
}

/** The stranger chose part of the reason, so that it is cut. */
function refuse(status: 400 | 403, reason: string): RequestVerdict {
  return { ok: false, status, reason: reason.slice(0, 300) }
}
