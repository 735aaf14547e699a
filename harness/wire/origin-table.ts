// Origins and hosts of hostile and of honest callers, judged against one list. Shared by the pure table and the real sockets.

/** What the table's listener allows. */
export const ALLOWED = [
  'http://127.0.0.1:53220',
  'https://good.com',
  'https://app.good.com:8443',
  'https://xn--mnchen-3ya.de',
  'http://[::1]:53220',
] as const

/** Header lines in order; the names may be any case. */
export type Lines = readonly (readonly [name: string, value: string])[]

const origin = (value: string): Lines => [['Origin', value]]

export const HONEST: readonly (readonly [what: string, headers: Lines])[] = [
  ['the exact origin', origin('https://good.com')],
  ['a loopback origin', origin('http://127.0.0.1:53220')],
  ['an IPv6 literal that is on the list', origin('http://[::1]:53220')],
  ['a port of its own', origin('https://app.good.com:8443')],
  ['punycode, as browsers send it', origin('https://xn--mnchen-3ya.de')],
  ['Sec-WebSocket-Origin alone', [['Sec-WebSocket-Origin', 'https://good.com']]],
  [
    'both headers, the same',
    [
      ['Origin', 'https://good.com'],
      ['Sec-WebSocket-Origin', 'https://good.com'],
    ],
  ],
  [
    'both headers, each allowed',
    [
      ['Origin', 'https://good.com'],
      ['Sec-WebSocket-Origin', 'http://127.0.0.1:53220'],
    ],
  ],
  [
    'Origin twice, the same',
    [
      ['Origin', 'https://good.com'],
      ['ORIGIN', 'https://good.com'],
    ],
  ],
]

export const FOREIGN: readonly (readonly [what: string, headers: Lines])[] = [
  ['no origin at all', []],
  ['an empty one', origin('')],
  ['an upper-case host, which no browser sends', origin('https://GOOD.com')],
  ['an upper-case scheme', origin('HTTPS://good.com')],
  ['the default port spelled out', origin('https://good.com:443')],
  ['a port with a leading zero', origin('http://127.0.0.1:053220')],
  ['an allowed address in hexadecimal', origin('http://0x7f.1:53220')],
  ['an allowed address as one number', origin('http://2130706433:53220')],
  ['an allowed address percent-encoded', origin('http://%3127.0.0.1:53220')],
  ['null, as sandboxed frames and files send it', origin('null')],
  ['a star', origin('*')],
  ['a trailing slash', origin('https://good.com/')],
  ['a path', origin('https://good.com/ws')],
  ['a query', origin('https://good.com?x')],
  ['a fragment', origin('https://good.com#x')],
  ['a trailing dot', origin('https://good.com.')],
  ['http for https', origin('http://good.com')],
  ['https for http', origin('https://127.0.0.1:53220')],
  ['ws for http', origin('ws://127.0.0.1:53220')],
  ['a sub-domain', origin('https://www.good.com')],
  ['a parent domain', origin('https://com')],
  ['the allowed name as a prefix', origin('https://good.com.evil.com')],
  ['the allowed name as a suffix', origin('https://evilgood.com')],
  ['the allowed name as the user', origin('https://good.com@evil.com')],
  ['the allowed name as user and password', origin('https://good.com:443@evil.com')],
  ['a backslash before the allowed name', origin('https://evil.com\\good.com')],
  ['the allowed name behind a slash', origin('https://evil.com/good.com')],
  ['another port', origin('https://good.com:8443')],
  ['no port where the list has one', origin('https://app.good.com')],
  ['a port that is none', origin('https://good.com:99999')],
  ['a Unicode name that only looks the same', origin('https://g\u00f6od.com')],
  ['the Unicode name of an allowed punycode name, as Latin-1', origin('https://m\u00fcnchen.com')],
  ['localhost where the list has 127.0.0.1', origin('http://localhost:53220')],
  ['another loopback address', origin('http://127.0.0.2:53220')],
  ['127. as a prefix of a name', origin('http://127.0.0.1.evil.com:53220')],
  ['localhost as a prefix of a name', origin('http://localhost.evil.com:53220')],
  ['all addresses', origin('http://0.0.0.0:53220')],
  ['a private address', origin('http://10.0.0.1:53220')],
  ['a mapped IPv4 address', origin('http://[::ffff:127.0.0.1]:53220')],
  ['a file', origin('file://')],
  ['a file with a path', origin('file:///tmp/evil.html')],
  ['an extension', origin('chrome-extension://abcdefghijklmnop')],
  ['a data URL', origin('data:text/html,x')],
  ['no scheme', origin('good.com')],
  ['no host', origin('https://')],
  ['two in one header', origin('https://good.com https://evil.com')],
  ['two in one header, by comma', origin('https://good.com, https://evil.com')],
  ['the allowed one twice in one header', origin('https://good.com, https://good.com')],
  [
    'Origin twice, the second foreign',
    [
      ['Origin', 'https://good.com'],
      ['Origin', 'https://evil.com'],
    ],
  ],
  [
    'Origin twice, the first foreign',
    [
      ['Origin', 'https://evil.com'],
      ['origin', 'https://good.com'],
    ],
  ],
  [
    'Origin allowed, Sec-WebSocket-Origin foreign',
    [
      ['Origin', 'https://good.com'],
      ['Sec-WebSocket-Origin', 'https://evil.com'],
    ],
  ],
  [
    'Origin foreign, Sec-WebSocket-Origin allowed',
    [
      ['Sec-WebSocket-Origin', 'https://good.com'],
      ['Origin', 'https://evil.com'],
    ],
  ],
  [
    'Origin null, Sec-WebSocket-Origin allowed',
    [
      ['Origin', 'null'],
      ['Sec-WebSocket-Origin', 'https://good.com'],
    ],
  ],
  [
    'Origin allowed, Sec-WebSocket-Origin empty',
    [
      ['Origin', 'https://good.com'],
      ['Sec-WebSocket-Origin', ''],
    ],
  ],
]

export const OWN_HOSTS = ['127.0.0.1:53219', 'localhost:53219', 'LOCALHOST:53219', 'LocalHost:53219'] as const

/** Names under which a stranger's page could reach this port (DNS rebinding), and spellings nobody honest uses. */
export const FOREIGN_HOSTS = [
  '',
  '127.0.0.1',
  'localhost',
  '127.0.0.1:80',
  '127.0.0.1:5321',
  '127.0.0.1:532190',
  '127.0.0.1:053219',
  'localhost:53220',
  '127.evil.com:53219',
  'localhost.evil.com:53219',
  '127.0.0.1.nip.io:53219',
  'evil.com:53219',
  'evil.com',
  '0.0.0.0:53219',
  '127.0.0.2:53219',
  '127.1:53219',
  '2130706433:53219',
  '0x7f000001:53219',
  '[::1]:53219',
  '[::ffff:127.0.0.1]:53219',
  'localhost.:53219',
  '127.0.0.1.:53219',
  'user@127.0.0.1:53219',
  '127.0.0.1:53219, evil.com',
] as const

/** What proxies and tunnels add. */
export const FORWARDING = [
  'Forwarded',
  'Via',
  'X-Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Server',
  'X-FORWARDED-FOR',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'True-Client-IP',
  'X-Original-For',
  'X-Original-Host',
  'CF-Connecting-IP',
  'CF-Ray',
  'CF-Visitor',
  'CF-IPCountry',
  'CDN-Loop',
  'Ngrok-Skip-Browser-Warning',
  'Fly-Client-IP',
  'Fastly-Client-IP',
  'X-Envoy-External-Address',
  'X-Amzn-Trace-Id',
  'Tailscale-User-Login',
  'Tailscale-Funnel-Request',
  'Client-IP',
  'Proxy-Client-IP',
  'WL-Proxy-Client-IP',
  'X-ProxyUser-Ip',
  'X-Azure-ClientIP',
  'X-ARR-LOG-ID',
  'X-AppEngine-User-IP',
  'X-Vercel-Id',
  'X-NginX-Proxy',
  'X-Amz-Cf-Id',
  'X-Akamai-Config-Log-Detail',
  'Akamai-Origin-Hop',
  'X-Tunnel-Authorization',
  'X-Ngrok-Trace',
  'X-Proxy',
  'X-Proxy-Id',
  'X-Railway-Edge',
  'X-Request-Start',
  'X-Cloud-Trace-Context',
  'X-Scheme',
  'Rndr-Id',
  'Front-End-Https',
  'Proxy-Connection',
] as const

export const OTHER_PATHS = [
  '/',
  '/ws/',
  '/WS',
  '//ws',
  '/ws/x',
  '/wss',
  '/w',
  '/%77s',
  '/x/../ws',
  '/./ws',
  '/ws;x',
  '/ws%3Fx',
  '/health',
  '/hook/0123456789abcdef0123456789abcdef',
] as const
