// Which web origins may talk to the listener (behaviour 9). People write the list, so that its entries are parsed; a header must be
// written as browsers write an origin, byte for byte. No prefix, suffix or pattern ever matches.
import type { Config } from '../stores/config.ts'

export interface OriginPolicy {
  /** Serialised origins. */
  readonly allowed: ReadonlySet<string>
  /** Entries of the list that are not origins; one of them makes the whole list refuse every page. */
  readonly mistyped: readonly string[]
}

/** The origin of `text` when it is written as one (scheme, host, optional port), else undefined. `null` and what has a `*` are none. */
export function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#\\@*\s]+$/i.test(text)) return undefined
  try {
    return new URL(text).origin
  } catch {
    return undefined
  }
}

/** The configured list, else the origin of `webUrl` and its `localhost` twin. */
export function originPolicy(config: Config): OriginPolicy {
  const entries = config.listener.allowedOrigins
  if (entries === undefined) return { allowed: new Set(defaultOrigins(config.webUrl)), mistyped: [] }
  const mistyped = entries.filter((entry) => parseOrigin(entry) === undefined)
  if (mistyped.length > 0) return { allowed: new Set(), mistyped }
  return { allowed: new Set(entries.map((entry) => parseOrigin(entry) as string)), mistyped }
}

function defaultOrigins(webUrl: string): string[] {
  let url: URL
  try {
    url = new URL(webUrl)
  } catch {
    return []
  }
  const twin = new URL(url)
  if (url.hostname === '127.0.0.1') twin.hostname = 'localhost'
  else if (url.hostname === 'localhost') twin.hostname = '127.0.0.1'
  return [...new Set([url.origin, twin.origin])].filter((origin) => origin !== 'null')
}

/** Whether a header's value names an allowed origin. */
export function isAllowedOrigin(policy: OriginPolicy, header: string): boolean {
  return policy.allowed.has(header)
}
