// Requests that Node's parser lets through and that we refuse before looking at their path (design decision 8): whatever two
// parsers in a row could read differently.
import type { IncomingMessage } from 'node:http'

/** All that is judged of a request: nothing is read from its body. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>

/** @returns whether the request must be answered with 400 */
export function isMalformed(request: RequestHead): boolean {
  if (!request.url?.startsWith('/')) return true
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
