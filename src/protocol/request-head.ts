// Requests that Node's parser lets through and that both servers refuse before looking at their path (behaviour 8):
// whatever two parsers in a row could read differently.

/** All that is judged of a request, as `node:http` shapes it: nothing is read from its body. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** `1.1`. */
  readonly httpVersion: string
  readonly headers: {
    readonly host?: string | undefined
    readonly [name: string]: string | readonly string[] | undefined
  }
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
}

/** @returns whether the request must be answered with 400: no path as its target, not HTTP/1.0 or 1.1, no Host, or several */
export function isMalformed(request: Pick<RequestHead, 'url' | 'httpVersion' | 'rawHeaders'>): boolean {
  if (!request.url?.startsWith('/')) return true
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') return true
  return hostCount(request.rawHeaders) !== 1
}

function hostCount(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
