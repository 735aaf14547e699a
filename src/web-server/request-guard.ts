// Who may ask at all: one column of refusals before a request reaches a route. Browsers name the page behind a request in `Origin`
// and `Sec-Fetch-*`, which no page can forge; programs such as the check-in send neither. No answer ever has a CORS header.
import { isConsolePage } from '../protocol/console.ts'
import { isMalformed, type RequestHead } from '../protocol/request-head.ts'

export type RequestVerdict =
  | { readonly ok: true }
  /** `reason` is for the log, with the values that did not fit; the stranger gets the bare status. */
  | { readonly ok: false; readonly status: 400 | 403; readonly reason: string }

/** @param port the one this server listens on: by any other `Host` a foreign name has been pointed at us (DNS rebinding) */
export function judgeRequest(request: RequestHead, port: number): RequestVerdict {
  const { origin, 'sec-fetch-site': site } = request.headers
  const host = request.headers.host?.toLowerCase() ?? ''
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]

  if (isMalformed(request)) return refuse(400, 'the request line or its Host is malformed')
  if (!hosts.includes(host)) return refuse(403, `Host is ${host}, not ${hosts.join(' or ')}`)
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, `Origin is ${origin}, not http://${host}`)
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit(request))
    return refuse(403, `Sec-Fetch-Site is ${site}, not same-origin or none`)
  return { ok: true }
}

/**
 * A link to a page of the console, followed in a window of its own: the one thing that other pages may do here. No `fetch` has the mode
 * `navigate` but that of a worker, which hands on a visit, and then says nothing of where to.
 */
export function isVisit({ method, url, headers }: RequestHead): boolean {
  const destination = headers['sec-fetch-dest']
  return (
    method === 'GET' &&
    isConsolePage(url?.split('?', 1)[0] ?? '') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    (destination === 'document' || destination === 'empty')
  )
}

/** The stranger chose part of the reason, so that it is cut. */
function refuse(status: 400 | 403, reason: string): RequestVerdict {
  return { ok: false, status, reason: reason.slice(0, 300) }
}
