// Caddy: a whole Caddyfile, in words that Debian's 2.6 knows and that are in newer ones too. That leaves out its buffers, whose names have changed: a body
// goes on as it comes, and one that is cut off fills no slot.
import { DOWN_STATUS, heading, MAX_BODY_BYTES, type ProxyRoute, type ProxySpec, UPSTREAM } from './proxy-spec.ts'

export function caddyFile(spec: ProxySpec): string {
  const { domain, routes, entry } = spec
  return [
    ...heading(spec, [
      'sudo install -o caddy -g caddy -m 0600 FILE /etc/caddy/Caddyfile && sudo systemctl restart caddy',
      'Caddy has no limit of alerts in a minute: give the hook one, `hook edit <name> --rate 10/1m`.',
    ]),
    '{',
    '    # Every user of the machine could read the token there.',
    '    admin off',
    `    auto_https ${entry.at === 'tunnel' ? 'off' : 'disable_redirects'}`,
    '    servers {',
    '        protocols h1',
    '        max_header_size 16KB',
    '        timeouts {',
    '            read_header 2s',
    '            # Longer than the 5 s of hookline, which refuses a slow body: where this ends first, Caddy answers 200 and nothing ran.',
    '            read_body 10s',
    '            # From the head of the request on.',
    '            write 15s',
    '            idle 30s',
    '        }',
    '    }',
    '    # Its lines would have the path.',
    '    log default {',
    '        exclude http.log http.handlers',
    '    }',
    '}',
    entry.at === 'tunnel' ? `http://${domain}:${entry.port} {` : `https://${domain} {`,
    ...(entry.at === 'tunnel' ? ['    bind 127.0.0.1'] : tls(entry)),
    ...LOGGING,
    ...routes.flatMap((route, index) => handling(route, `@alert${index + 1}`, spec)),
    '    handle {',
    '        respond 404',
    '    }',
    '    # A sender must not send again what may have run.',
    '    handle_errors {',
    '        @known vars {http.error.status_code} 400 404 413',
    '        respond @known {http.error.status_code}',
    `        respond ${DOWN_STATUS}`,
    '    }',
    '}',
    '# Who calls another name.',
    ...(entry.at === 'tunnel' ? [`http://:${entry.port} {`, '    bind 127.0.0.1'] : ['https:// {']),
    '    respond 404',
    '}',
    '',
  ].join('\n')
}

/** No path is in it: the path is a secret. */
const LOGGING = [
  '    log {',
  '        output stderr',
  '        format filter {',
  '            wrap json',
  '            fields {',
  '                request>uri delete',
  '                request>headers delete',
  '                resp_headers delete',
  '            }',
  '        }',
  '    }',
]

function tls({ certificate, clientCa }: Extract<ProxySpec['entry'], { at: 'proxy' }>): readonly string[] {
  const files = certificate === undefined ? '' : ` "${certificate.cert}" "${certificate.key ?? certificate.cert}"`
  return [
    `    tls${files} {`,
    '        protocols tls1.2 tls1.3',
    ...(clientCa === undefined
      ? []
      : [
          '        client_auth {',
          '            mode require_and_verify',
          `            trusted_ca_cert_file "${clientCa}"`,
          '        }',
        ]),
    '    }',
  ]
}

/** What hookline would take for a page's, a tunnel's or its own. */
const DROPPED = ['X-*', 'Sec-*', '*Forward*', 'Origin', 'Via', 'Cookie', 'Authorization', 'Expect']

function handling({ hookId, path, token }: ProxyRoute, matcher: string, { senders }: ProxySpec): readonly string[] {
  const length = '{http.request.header.Content-Length}'
  return [
    `    ${matcher} {`,
    '        method POST',
    '        # Spelt just so: no escapes, no dots, no query.',
    `        vars {http.request.uri} /${path}`,
    '        not header Upgrade *',
    ...(senders === 'any' ? [] : [`        remote_ip ${senders.join(' ')}`]),
    '    }',
    `    handle ${matcher} {`,
    `        @large expression \`${length} != "" && int(${length}) > ${MAX_BODY_BYTES}\``,
    '        respond @large 413',
    '        request_body {',
    `            max_size ${MAX_BODY_BYTES}`,
    '        }',
    ...DROPPED.map((name) => `        request_header -${name}`),
    `        reverse_proxy ${UPSTREAM} {`,
    `            rewrite /hook/${hookId}`,
    `            header_up X-Hook-Token ${token}`,
    '            # One connection for each alert, so that none is sent again on another.',
    '            transport http {',
    '                versions 1.1',
    '                dial_timeout 1s',
    '                response_header_timeout 2s',
    '                keepalive off',
    '                compression off',
    '            }',
    '            @down status 5xx',
    '            handle_response @down {',
    `                respond ${DOWN_STATUS}`,
    '            }',
    '        }',
    '    }',
  ]
}
