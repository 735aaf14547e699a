// What is asked of a proxy between a sender of alerts and the fire path, whichever proxy it is: who may send what, and to which hook it leads.
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'

export const PROXY_KINDS = ['nginx', 'caddy', 'haproxy'] as const
export type ProxyKind = (typeof PROXY_KINDS)[number]

/** One address that senders know, and the hook that it fires. */
export interface ProxyRoute {
  readonly hookId: string
  readonly name: string
  /** Without the slash. */
  readonly path: string
  readonly token: string
}

/** At most so many alerts in a second or in a minute. */
export interface ProxyRate {
  readonly count: number
  readonly per: 's' | 'm'
}

/** Where the TLS of the senders ends. */
export type ProxyEntry =
  | {
      readonly at: 'proxy'
      /** Absent: the proxy gets its certificate itself. */
      readonly certificate?: { readonly cert: string; readonly key?: string }
      /** Senders show a certificate by one of these authorities. */
      readonly clientCa?: string
    }
  /** At the other end of a tunnel, whose near end calls this port of the loopback. */
  | { readonly at: 'tunnel'; readonly port: number }

export interface ProxySpec {
  readonly domain: string
  /** At least one. */
  readonly routes: readonly [ProxyRoute, ...ProxyRoute[]]
  /** Addresses and networks. */
  readonly senders: 'any' | readonly string[]
  readonly entry: ProxyEntry
  readonly rate?: ProxyRate
}

/** hookline itself. */
export const UPSTREAM = `${LISTENER_HOST}:${LISTENER_PORT}`

/** As hookline reads it at most. */
export const MAX_BODY_BYTES = 64 * 1_024

/**
 * What senders are told in place of any 5xx. They send again on 5xx (TradingView three times), and nobody can tell whether what did not answer
 * has run: 424 says that it was not the sender, is on no list of what to send again, and cannot be mistaken for an answer of hookline's own.
 */
export const DOWN_STATUS = 424

export const FIRST_LINE =
  '# Made by `hookline proxy`, which makes it anew when it is run again. It holds secrets: mode 0600.'

/** The lines that say what the file is, and the addresses to paste. */
export function heading({ domain, routes }: ProxySpec, steps: readonly string[]): readonly string[] {
  const addresses = routes.map(({ hookId, path }) => `# alert ${hookId}: https://${domain}/${path}`)
  return [FIRST_LINE, ...addresses, ...steps.map((step) => `# ${step}`)]
}

/** The paths of the hooks of a file that `heading` began, by the ids of the hooks. */
export function pathsIn(text: string): ReadonlyMap<string, string> {
  const lines = [...text.matchAll(/^# alert ([0-9a-f]{32}): https:\/\/[^/\s]+\/([\w-]+)$/gm)]
  return new Map(lines.map(([, id = '', path = '']) => [id, path]))
}

/** By which the file's own names differ from those of another. */
export function shortId({ routes: [{ hookId }] }: ProxySpec): string {
  return `hookline_${hookId.slice(0, 8)}`
}

/** Where one of them sends by IPv6; a machine without it cannot listen there. */
export function hasIpv6(senders: ProxySpec['senders']): boolean {
  return senders !== 'any' && senders.some((sender) => sender.includes(':'))
}
