// How a request of ccxt leaves this process.

export interface WireRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends one request, once. Rejects where no whole answer came. */
export type Transport = (request: WireRequest) => Promise<WireResponse>

const TIMEOUT_MS = 10_000

/** Follows no redirect: a venue's API has none, and keys would go along. */
export function createTransport(timeoutMs: number = TIMEOUT_MS): Transport {
  return async ({ url, method, headers, body }) => {
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  }
}
