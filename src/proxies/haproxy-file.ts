// HAProxy: a whole haproxy.cfg.
import {
  DOWN_STATUS,
  hasIpv6,
  heading,
  MAX_BODY_BYTES,
  type ProxyRoute,
  type ProxySpec,
  UPSTREAM,
} from './proxy-spec.ts'

/** Room for a whole body and the head before it. */
const BUFFER_BYTES = MAX_BODY_BYTES + 32 * 1_024

const BASE = [
  'global',
  '    user haproxy',
  '    group haproxy',
  '    chroot /var/lib/haproxy',
  '    log /dev/log local0',
  '    maxconn 200',
  `    tune.bufsize ${BUFFER_BYTES}`,
  '    ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets',
  '',
  'defaults',
  '    mode http',
  '    log global',
  '    # No path is in it: the path is a secret.',
  '    log-format "%ci %ST, %U bytes, %Tt ms"',
  '    option dontlognull',
  '    # The whole body is buffered before it is sent to hookline, once.',
  '    option http-buffer-request',
  '    option http-server-close',
  '    timeout http-request 2s',
  '    timeout http-keep-alive 30s',
  '    timeout client 3s',
  '    timeout connect 1s',
  '    timeout queue 1s',
  '    timeout server 2s',
  '    retries 0',
  '    no option redispatch',
  '',
]

export function haproxyFile(spec: ProxySpec): string {
  const { domain, routes, senders } = spec
  const paths = routes.map(({ path }) => `/${path}`).join(' ')
  const deny = (status: number, when: string) => `    http-request deny deny_status ${status} ${when}`
  return [
    ...heading(spec, ['sudo install -m 0600 FILE /etc/haproxy/haproxy.cfg && sudo systemctl reload haproxy']),
    ...BASE,
    'frontend alerts',
    `    bind ${bound(spec)}`,
    '    # A sender must not send again what may have run.',
    `    http-after-response set-status ${DOWN_STATUS} reason "Failed Dependency" if { status ge 500 }`,
    deny(404, `unless { req.hdr(host),field(1,:) -i -m str ${domain} }`),
    '    # Spelt just so: no escapes, no dots, no query.',
    deny(404, `unless { pathq -m str ${paths} }`),
    deny(404, 'unless { method POST }'),
    deny(404, 'if { req.hdr(upgrade) -m found }'),
    ...(senders === 'any' ? [] : [deny(403, `unless { src ${senders.join(' ')} }`)]),
    deny(413, `if { req.body_size gt ${MAX_BODY_BYTES} }`),
    ...limiting(spec),
    '    # Only what is named here goes on.',
    '    http-request del-header ^(?!(content-length|content-type|transfer-encoding|idempotency-key|webhook-id|host)$) -m reg',
    `    http-request set-header Host ${domain}`,
    '    http-request set-header X-Forwarded-For %[src]',
    ...routes.flatMap(leading),
    '    default_backend hookline',
    '',
    'backend hookline',
    '    http-reuse never',
    `    server hookline ${UPSTREAM}`,
    '',
  ].join('\n')
}

function bound({ entry, senders }: ProxySpec): string {
  if (entry.at === 'tunnel') return `127.0.0.1:${entry.port} proto h1`
  const { certificate, clientCa } = entry
  const crt = certificate === undefined ? '' : ` crt '${certificate.cert}'`
  const verify = clientCa === undefined ? '' : ` ca-file '${clientCa}' verify required`
  const address = hasIpv6(senders) ? ':443,:::443 v6only' : ':443'
  return `${address} ssl${crt}${verify} alpn http/1.1 proto h1`
}

/** One count for all, of what has passed the rules so far. */
function limiting({ rate }: ProxySpec): readonly string[] {
  if (rate === undefined) return []
  return [
    `    stick-table type integer size 1 expire 1${rate.per} store http_req_rate(1${rate.per})`,
    '    http-request track-sc0 int(1)',
    `    http-request deny deny_status 429 if { sc_http_req_rate(0) gt ${rate.count} }`,
  ]
}

function leading({ hookId, path, token }: ProxyRoute): readonly string[] {
  return [
    `    http-request set-header X-Hook-Token ${token} if { pathq -m str /${path} }`,
    `    http-request set-uri /hook/${hookId} if { pathq -m str /${path} }`,
  ]
}
