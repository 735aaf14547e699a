// The file of a proxy in front of the fire path: a pure text. Who has it may fire its hooks.
import { caddyFile } from './caddy-file.ts'
import { haproxyFile } from './haproxy-file.ts'
import { nginxFile } from './nginx-file.ts'
import { FIRST_LINE, ProxyError, type ProxyKind, type ProxyRoute, type ProxySpec } from './proxy-spec.ts'

const WRITERS: Readonly<Record<ProxyKind, (spec: ProxySpec) => string>> = {
  nginx: nginxFile,
  caddy: caddyFile,
  haproxy: haproxyFile,
}

/** @throws {ProxyError} what this proxy cannot do with that */
export function proxyFile(kind: ProxyKind, spec: ProxySpec): string {
  requireCapable(kind, spec)
  return WRITERS[kind](spec)
}

export function isProxyFile(text: string): boolean {
  return text.startsWith(FIRST_LINE)
}

/** The same file to look at: without the secrets. */
export function previewFile(kind: ProxyKind, spec: ProxySpec): string {
  const hidden = (route: ProxyRoute, index: number): ProxyRoute => ({
    ...route,
    path: `SECRET-PATH-${index + 1}`,
    token: '<token>',
  })
  const [first, ...others] = spec.routes
  return proxyFile(kind, { ...spec, routes: [hidden(first, 0), ...others.map((route, at) => hidden(route, at + 1))] })
}

function requireCapable(kind: ProxyKind, { entry, rate, senders }: ProxySpec): void {
  if (kind === 'caddy' && rate !== undefined) {
    throw new ProxyError(
      'not-supported',
      'Caddy has no limit of alerts in a minute',
      'leave --rate out, and give the hook one: `hook edit <name> --rate 10/1m`',
    )
  }
  if (entry.at === 'tunnel') {
    if (senders === 'any') return
    throw new ProxyError(
      'not-supported',
      'behind a tunnel every sender has the address of the tunnel',
      'give --senders any; who may send is for the far end of the tunnel',
    )
  }
  const { certificate } = entry
  if (certificate === undefined && kind !== 'caddy') {
    throw new ProxyError(
      'needs-certificate',
      `${kind} needs a certificate`,
      'give --cert and --key, as certbot makes them; only Caddy gets its own',
    )
  }
  if (kind === 'haproxy' && certificate?.key !== undefined) {
    throw new ProxyError(
      'not-supported',
      'HAProxy reads certificate and key from one file',
      'join them: `cat fullchain.pem privkey.pem > alerts.pem`, and give --cert alerts.pem alone',
    )
  }
  if (kind !== 'haproxy' && certificate !== undefined && certificate.key === undefined) {
    throw new ProxyError('needs-certificate', 'the certificate has no key', 'give --key, the file with its private key')
  }
}
