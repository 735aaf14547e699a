import { describe, expect, it } from 'vitest'
import {
  ALLOWED,
  FOREIGN,
  FOREIGN_HOSTS,
  FORWARDING,
  HONEST,
  type Lines,
  OTHER_PATHS,
  OWN_HOSTS,
} from '../../../harness/wire/origin-table.ts'
import { BARE_TUNNELS, TUNNELS } from '../../../harness/wire/tunnels.ts'
import { judgeUpgrade } from '../../../src/listener/http/upgrade-guard.ts'
import type { RequestHead } from '../../../src/protocol/request-head.ts'
import type { Config } from '../../../src/stores/config.ts'

const GOOD: Lines = [['Origin', 'https://good.com']]

interface Asked {
  readonly method?: string
  readonly url?: string
  readonly hosts?: readonly string[]
  readonly headers?: Lines
}

/** As `node:http` hands a request over: names in lower case, repeated values joined, but for `Host`, of which the first counts. */
function head({ method = 'GET', url = '/ws', hosts = ['127.0.0.1:53219'], headers = GOOD }: Asked): RequestHead {
  const lines = [...hosts.map((host) => ['Host', host] as const), ...headers]
  const byName = new Map<string, string>()
  for (const [name, value] of lines) {
    const key = name.toLowerCase()
    const former = byName.get(key)
    if (former === undefined) byName.set(key, value)
    else if (key !== 'host') byName.set(key, `${former}, ${value}`)
  }
  return { method, url, httpVersion: '1.1', rawHeaders: lines.flat(), headers: Object.fromEntries(byName) }
}

function configOf(listener: Partial<Config['listener']> = {}, webUrl = 'http://127.0.0.1:53220'): Config {
  return {
    defaultAccount: 'paper',
    defaultSymbol: 'BTCUSDT',
    webUrl,
    auth: {},
    notices: { channels: [] },
    metrics: {},
    web: { enabled: true },
    listener: { enabled: true, accountSync: true, remoteExec: true, allowedOrigins: ALLOWED, ...listener },
  }
}

function judge(asked: Asked, config = configOf()) {
  const verdict = judgeUpgrade(head(asked), config)
  return verdict.ok ? verdict.origin : verdict.status
}

describe('an origin', () => {
  it.each(HONEST)('that is %s is let in', (_what, headers) => {
    const [[, first]] = headers as [[string, string]]
    expect(judge({ headers })).toBe(new URL(first).origin)
  })

  it.each(FOREIGN)('that is %s is refused', (_what, headers) => {
    expect(judge({ headers })).toBe(403)
  })

  it('is that of the Origin header, which pages cannot choose, where both are allowed', () => {
    const headers: Lines = [
      ['Sec-WebSocket-Origin', 'http://127.0.0.1:53220'],
      ['Origin', 'https://good.com'],
    ]
    expect(judge({ headers })).toBe('https://good.com')
  })
})

describe('without a list', () => {
  const config = configOf({ allowedOrigins: undefined })

  it.each(['http://127.0.0.1:53220', 'http://localhost:53220'])('%s, where the console is, is let in', (origin) => {
    expect(judge({ headers: [['Origin', origin]] }, config)).toBe(origin)
  })

  it.each(['https://127.0.0.1:53220', 'http://127.0.0.1:53219', 'http://127.0.0.1', 'https://good.com', 'null'])(
    '%s is refused',
    (origin) => {
      expect(judge({ headers: [['Origin', origin]] }, config)).toBe(403)
    },
  )

  it('a web app elsewhere is let in by its origin, and nobody on this machine', () => {
    const elsewhere = configOf({ allowedOrigins: undefined }, 'https://good.com/app/')
    expect(judge({}, elsewhere)).toBe('https://good.com')
    expect(judge({ headers: [['Origin', 'http://127.0.0.1:53220']] }, elsewhere)).toBe(403)
  })
})

describe('a list', () => {
  it.each([
    ['a wildcard', '*'],
    ['a wildcard for sub-domains', 'https://*.good.com'],
    ['a wildcard port', 'https://good.com:*'],
    ['null', 'null'],
    ['a host without scheme', 'good.com'],
    ['a trailing slash', 'https://good.com/'],
    ['a path', 'https://good.com/app'],
    ['a WebSocket URL', 'wss://good.com'],
    ['two origins in one text', 'https://good.com https://a.test'],
    ['a pattern', '^https://.*$'],
    ['nothing', ''],
  ])('with %s in it lets nobody in, not even who is on it', (_what, entry) => {
    const config = configOf({ allowedOrigins: ['https://good.com', entry] })
    expect(judge({}, config)).toBe(403)
    expect(judge({ headers: [['Origin', entry]] }, config)).toBe(403)
  })

  it('that is empty lets nobody in', () => {
    expect(judge({}, configOf({ allowedOrigins: [] }))).toBe(403)
  })
})

describe('a Host', () => {
  it.each(OWN_HOSTS)('%s is ours', (host) => {
    expect(judge({ hosts: [host] })).toBe('https://good.com')
  })

  it.each(FOREIGN_HOSTS)('"%s" is refused', (host) => {
    expect(judge({ hosts: [host] })).toBe(403)
  })

  it.each([
    ['is missing', []],
    ['comes twice', ['127.0.0.1:53219', '127.0.0.1:53219']],
    ['comes twice, once foreign', ['127.0.0.1:53219', 'evil.com']],
  ])('that %s is a malformed request', (_what, hosts) => {
    expect(judge({ hosts })).toBe(400)
  })
})

describe.each(TUNNELS)('a page that came through $name', ({ host, adds }) => {
  it('is refused by the name that it called', () => {
    expect(judge({ hosts: [host], headers: GOOD })).toBe(403)
  })

  it('is refused by all that is added, and where the tunnel says our own name, by each line alone', () => {
    expect(judge({ headers: [...GOOD, ...adds] })).toBe(403)
    for (const line of adds) expect(judge({ headers: [...GOOD, line] }), line[0]).toBe(403)
  })
})

describe.each(BARE_TUNNELS)('a page that came through %s, which adds nothing,', () => {
  it.each(['203.0.113.9:53219', 'vps.example.com:53219', 'vps.example.com'])('is refused by the name %s', (host) => {
    expect(judge({ hosts: [host], headers: GOOD })).toBe(403)
  })
})

describe('a proxy or tunnel', () => {
  it.each(FORWARDING)('that adds %s is refused, whatever its value', (name) => {
    for (const value of ['127.0.0.1', '']) expect(judge({ headers: [...GOOD, [name, value]] })).toBe(403)
  })

  it.each([
    'User-Agent',
    'Cookie',
    'Pragma',
    'Sec-Fetch-Site',
    'Sec-WebSocket-Protocol',
    'X-Request-Id',
    'Cfx',
    'Viaduct',
  ])('is not suspected for %s, which browsers or pages may send', (name) => {
    expect(judge({ headers: [...GOOD, [name, 'x']] })).toBe('https://good.com')
  })
})

describe('a path and method', () => {
  it.each(['/ws', '/ws?', '/ws?token=x&y=/'])('GET %s is the WebSocket', (url) => {
    expect(judge({ url })).toBe('https://good.com')
  })

  it.each(OTHER_PATHS)('GET %s is not there', (url) => {
    expect(judge({ url })).toBe(404)
  })

  it.each(['POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'CONNECT', 'get'])('%s /ws is not there', (method) => {
    expect(judge({ method })).toBe(404)
  })

  it.each(['http://127.0.0.1:53219/ws', 'ws', '*', ''])('a target "%s" is malformed', (url) => {
    expect(judge({ url })).toBe(400)
  })
})

describe('several reasons at once', () => {
  const everything: Asked = {
    hosts: ['evil.com'],
    headers: [
      ['Origin', 'https://evil.com'],
      ['Via', 'x'],
    ],
  }

  it('a listener that is off says only that, to well-formed requests', () => {
    const off = configOf({ enabled: false })
    expect(judge({}, off)).toBe(503)
    expect(judge({ ...everything, url: '/x', method: 'POST' }, off)).toBe(503)
    expect(judge({ hosts: [] }, off)).toBe(400)
  })

  it('a wrong path is told before a wrong caller', () => {
    expect(judge({ ...everything, url: '/x' })).toBe(404)
    expect(judge({ ...everything, method: 'POST' })).toBe(404)
  })

  it('the log gets both the value that came and what was expected', () => {
    const reasonOf = (asked: Asked) => {
      const verdict = judgeUpgrade(head(asked), configOf())
      return verdict.ok ? '' : verdict.reason
    }
    expect(reasonOf({ hosts: ['evil.com'] })).toMatch(/evil\.com.*127\.0\.0\.1:53219/)
    expect(reasonOf({ headers: [['Origin', 'https://evil.com']] })).toMatch(/https:\/\/evil\.com.*https:\/\/good\.com/)
    expect(reasonOf({ headers: [...GOOD, ['CF-Ray', 'x']] })).toContain('cf-ray')
  })
})
