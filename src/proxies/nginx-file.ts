// nginx: a file for the `http` block, as `/etc/nginx/conf.d` is included there.
import { DOWN_STATUS, hasIpv6, heading, type ProxyRoute, type ProxySpec, shortId, UPSTREAM } from './proxy-spec.ts'

export function nginxFile(spec: ProxySpec): string {
  const { domain, routes, senders, entry, rate } = spec
  const id = shortId(spec)
  return [
    ...heading(spec, [
      `sudo install -m 0600 FILE /etc/nginx/conf.d/${id}.conf && sudo nginx -t && sudo systemctl reload nginx`,
    ]),
    '',
    ...(rate === undefined ? [] : [`limit_req_zone ${id} zone=${id}:32k rate=${rate.count}r/${rate.per};`]),
    '# No path is in it: the path is a secret.',
    `log_format ${id} '$time_iso8601 $remote_addr $status, hookline $upstream_status, $request_length bytes, $request_time s';`,
    ...(senders === 'any'
      ? []
      : [`geo $${id} {`, '    default 0;', ...senders.map((sender) => `    ${sender} 1;`), '}']),
    '# nginx counts its times between two reads: what took over 5 s in all goes on without a host, and hookline refuses it.',
    `map $request_time $${id}_host {`,
    '    default "";',
    `    "~^[0-4][.]" ${domain};`,
    '}',
    `upstream ${id} {`,
    `    server ${UPSTREAM} max_fails=0;`,
    '    # hookline keeps them for longer, so that none is dead when it is used.',
    '    keepalive 16;',
    '    keepalive_timeout 2s;',
    '}',
    'server {',
    ...listening(spec),
    `    server_name ${domain};`,
    ...(entry.at === 'tunnel' ? [] : tls(entry)),
    '    server_tokens off;',
    `    access_log /var/log/nginx/hookline.log ${id};`,
    '    # Its lines would have the path.',
    '    error_log /dev/null crit;',
    '    client_header_timeout 2s;',
    '    client_body_timeout 2s;',
    '    client_max_body_size 64k;',
    '    # Never on the disk.',
    '    client_body_buffer_size 64k;',
    '    keepalive_timeout 30s;',
    '    lingering_time 2s;',
    '    lingering_timeout 1s;',
    '    # A sender must not send again what may have run.',
    `    error_page 500 502 503 504 507 =${DOWN_STATUS} @down;`,
    `    location @down { return ${DOWN_STATUS}; }`,
    '    error_page 501 505 =400 @refused;',
    '    location @refused { return 400; }',
    `    if ($host != "${domain}") { return 404; }`,
    '    if ($request_method != POST) { return 404; }',
    '    if ($http_upgrade) { return 404; }',
    ...(senders === 'any' ? [] : [`    if ($${id} = 0) { return 403; }`]),
    '    location / { return 404; }',
    ...routes.flatMap((route) => location(route, spec)),
    '}',
    '',
  ].join('\n')
}

function listening({ entry, senders }: ProxySpec): readonly string[] {
  if (entry.at === 'tunnel') return [`    listen 127.0.0.1:${entry.port};`]
  return ['    listen 443 ssl;', ...(hasIpv6(senders) ? ['    listen [::]:443 ssl;'] : [])]
}

function tls({ certificate, clientCa }: Extract<ProxySpec['entry'], { at: 'proxy' }>): readonly string[] {
  return [
    ...(certificate === undefined
      ? []
      : [
          `    ssl_certificate "${certificate.cert}";`,
          `    ssl_certificate_key "${certificate.key ?? certificate.cert}";`,
        ]),
    '    ssl_protocols TLSv1.2 TLSv1.3;',
    '    ssl_session_tickets off;',
    ...(clientCa === undefined
      ? []
      : [`    ssl_client_certificate "${clientCa}";`, '    ssl_verify_client on;', '    ssl_verify_depth 3;']),
  ]
}

function location({ hookId, path, token }: ProxyRoute, spec: ProxySpec): readonly string[] {
  return [
    `    location = /${path} {`,
    '        # Spelt just so: no escapes, no dots, no query.',
    `        if ($request_uri != "/${path}") { return 404; }`,
    ...limiting(spec),
    `        proxy_pass http://${shortId(spec)}/hook/${hookId};`,
    '        proxy_http_version 1.1;',
    '        # Only what is named here goes on.',
    '        proxy_pass_request_headers off;',
    `        proxy_set_header Host $${shortId(spec)}_host;`,
    '        proxy_set_header X-Forwarded-For $remote_addr;',
    '        proxy_set_header Connection "";',
    '        proxy_set_header Content-Type $content_type;',
    '        proxy_set_header Idempotency-Key $http_idempotency_key;',
    '        proxy_set_header Webhook-Id $http_webhook_id;',
    `        proxy_set_header X-Hook-Token ${token};`,
    '        # The whole body is buffered before it is sent to hookline, once.',
    '        proxy_request_buffering on;',
    '        proxy_next_upstream off;',
    '        proxy_connect_timeout 1s;',
    '        proxy_send_timeout 1s;',
    '        proxy_read_timeout 2s;',
    '        proxy_intercept_errors on;',
    '    }',
  ]
}

/** The zone lets one through at each interval; with a burst, so many at once. */
function limiting(spec: ProxySpec): readonly string[] {
  if (spec.rate === undefined) return []
  const burst = spec.rate.count === 1 ? '' : ` burst=${spec.rate.count - 1} nodelay`
  return [`        limit_req zone=${shortId(spec)}${burst};`, '        limit_req_status 429;']
}
