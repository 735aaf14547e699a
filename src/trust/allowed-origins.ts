// Which web origins may talk to the listener (behaviour 9). People write the list, so that its entries are parsed; a header must be
// written as browsers write an origin, byte for byte. No prefix, suffix or pattern ever matches.
import { CONSOLE_PORT } from '../protocol/address.ts'
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

const CONSOLE_ORIGINS: ReadonlySet<string> = new Set(
  ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${CONSOLE_PORT}`),
)

/** Whether pages of it are the console's own: any program that gets the port could serve them, so that the list alone does not let them in. */
export function isConsoleOrigin(origin: string): boolean {
  return CONSOLE_ORIGINS.has(origin)
}

/** The configured list, else the origin of `webUrl` and its `localhost` twin; without the console's where `web.enabled` is false. */
export function originPolicy(config: Config): OriginPolicy {
  const entries = config.listener.allowedOrigins
  const mistyped = entries?.filter((entry) => parseOrigin(entry) === undefined) ?? []
  if (mistyped.length > 0) return { allowed: new Set(), mistyped }
  const origins = entries?.map((entry) => parseOrigin(entry) as string) ?? defaultOrigins(config.webUrl)
  const isAllowed = (origin: string) => config.web.enabled || !isConsoleOrigin(origin)
  return { allowed: new Set(origins.filter(isAllowed)), mistyped }
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
