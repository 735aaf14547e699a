// The files that `hookline proxy` writes, as texts: what they say, and what is refused because they could not say it safely.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isProxyFile, previewFile, proxyFile } from '../../src/proxies/proxy-file.ts'
import {
  PROXY_KINDS,
  ProxyError,
  type ProxyKind,
  type ProxySpec,
  pathsIn,
  readDomain,
  readFilePath,
  readPath,
  readPort,
  readRate,
  readSenders,
  TRADING_VIEW,
} from '../../src/proxies/proxy-spec.ts'

const DIP = {
  hookId: '3f9c2a7100000000000000000000000a',
  name: 'dip',
  path: 'dip-path-of-22-letters',
  token: 'd'.repeat(32),
}
const FLAT = {
  hookId: '8dff030700000000000000000000000b',
  name: 'flat',
  path: 'flat_path_of_22_letters',
  token: 'f'.repeat(32),
}

const AT_TUNNEL: ProxySpec = {
  domain: 'alerts.example',
  routes: [DIP],
  senders: 'any',
  entry: { at: 'tunnel', port: 53280 },
}

function whole(kind: ProxyKind): ProxySpec {
  const key = kind === 'haproxy' ? {} : { key: '/etc/a #1; 100%/key.pem' }
  return {
    domain: 'alerts.example',
    routes: [DIP, FLAT],
    senders: [...TRADING_VIEW, '203.0.113.0/24', '2001:db8::/32'],
    entry: { at: 'proxy', certificate: { cert: '/etc/a #1; 100%/cert.pem', ...key }, clientCa: '/etc/ca.pem' },
    ...(kind === 'caddy' ? {} : { rate: { count: 10, per: 'm' } }),
  }
}

/** @returns the code of the refusal */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ProxyError) return error.code
    throw error
  }
  return 'nothing was refused'
}

describe.each(PROXY_KINDS)('the file of %s', (kind) => {
  it('has everything in it that was asked for', () => {
    expect(proxyFile(kind, whole(kind))).toMatchSnapshot()
  })

  it('behind a tunnel listens on the loopback, without TLS', () => {
    expect(proxyFile(kind, AT_TUNNEL)).toMatchSnapshot()
  })

  it('is known as ours, and gives its paths back', () => {
    const text = proxyFile(kind, whole(kind))
    expect(isProxyFile(text)).toBe(true)
    expect([...pathsIn(text)]).toEqual([DIP, FLAT].map(({ hookId, path }) => [hookId, path]))
  })

  it('as a preview has no secret in it', () => {
    const text = previewFile(kind, whole(kind))
    for (const { path, token } of [DIP, FLAT]) {
      expect(text).not.toContain(path)
      expect(text).not.toContain(token)
    }
    expect(text).toContain(DIP.hookId)
    expect(text.split('\n')).toHaveLength(proxyFile(kind, whole(kind)).split('\n').length)
  })

  it('names the secret path nowhere but where it leads, and the token once', () => {
    const text = proxyFile(kind, AT_TUNNEL)
    expect(text.split(DIP.token)).toHaveLength(2)
    expect(
      text.split('\n').filter((line) => /log|stick-table|limit_req/.test(line) && line.includes(DIP.path)),
    ).toEqual([])
  })
})

describe('the files', () => {
  const lines = (text: string): number => text.split('\n').length
  const anyOf = (read: (text: string) => unknown) =>
    fc
      .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...`ab/.-_0 1;#{}$"'\\\n\t`) }))
      .map((text) => {
        try {
          return read(text)
        } catch (error) {
          if (error instanceof ProxyError) return undefined
          throw error
        }
      })

  it('have as many lines whatever is typed', () => {
    const path = anyOf((text) => readFilePath(`/${text}`))
    fc.assert(
      fc.property(
        fc.constantFrom(...PROXY_KINDS),
        path,
        path,
        anyOf((text) => readDomain(`${text}.example`)),
        (kind, cert, ca, domain) => {
          const spec = whole(kind)
          if (spec.entry.at === 'tunnel' || spec.entry.certificate === undefined) return
          const entry = {
            ...spec.entry,
            certificate: { ...spec.entry.certificate, ...(cert === undefined ? {} : { cert: String(cert) }) },
            clientCa: String(ca ?? '/etc/ca.pem'),
          }
          const text = proxyFile(kind, { ...spec, entry, domain: String(domain ?? 'alerts.example') })
          expect(lines(text)).toBe(lines(proxyFile(kind, spec)))
          for (const each of [entry.certificate.cert, entry.clientCa])
            expect(text).toContain(kind === 'haproxy' ? `'${each}'` : `"${each}"`)
        },
      ),
    )
  })
})

describe('what a proxy cannot do', () => {
  const withEntry = (entry: ProxySpec['entry']): ProxySpec => ({ ...AT_TUNNEL, entry })
  const cert = '/cert.pem'

  it.each<[ProxyKind, string, ProxySpec, string]>([
    ['caddy', 'a rate', { ...AT_TUNNEL, rate: { count: 1, per: 's' } }, 'not-supported'],
    ['nginx', 'TLS without a certificate', withEntry({ at: 'proxy' }), 'needs-certificate'],
    ['haproxy', 'TLS without a certificate', withEntry({ at: 'proxy' }), 'needs-certificate'],
    ['nginx', 'a certificate without its key', withEntry({ at: 'proxy', certificate: { cert } }), 'needs-certificate'],
    ['caddy', 'a certificate without its key', withEntry({ at: 'proxy', certificate: { cert } }), 'needs-certificate'],
    ['haproxy', 'a key of its own', withEntry({ at: 'proxy', certificate: { cert, key: cert } }), 'not-supported'],
    ['nginx', "senders' addresses behind a tunnel", { ...AT_TUNNEL, senders: TRADING_VIEW }, 'not-supported'],
  ])('%s refuses %s', (kind, _what, spec, code) => {
    expect(refusal(() => proxyFile(kind, spec))).toBe(code)
  })

  it('is not a certificate that Caddy gets itself', () => {
    expect(proxyFile('caddy', withEntry({ at: 'proxy' }))).toContain('    tls {\n')
  })
})

describe('what is typed', () => {
  it.each([
    '',
    'localhost',
    '203.0.113.7',
    'a..b',
    '-a.example',
    'a.example;',
    'a.example {',
    'ä.example',
    'a b.example',
    `${'a'.repeat(64)}.example`,
    'a.example\n',
  ])('%j is no domain', (text) => {
    expect(refusal(() => readDomain(text))).toBe('bad-domain')
  })

  it('is a domain in whatever case', () => {
    expect(readDomain('Alerts.xn--bcher-kva.Example')).toBe('alerts.xn--bcher-kva.example')
  })

  it.each([
    '',
    'trading-view',
    '1.2.3',
    '1.2.3.4/0',
    '1.2.3.4/8',
    '1.2.3.4/33',
    '1.2.3.4 5.6.7.8',
    '::1%lo',
    '::/0',
    '1.2.3.4/08',
    '1.2.3.4/8/8',
    'any,1.2.3.4',
  ])('%j is no list of senders', (text) => {
    expect(refusal(() => readSenders(text))).toBe('bad-senders')
  })

  it('is a list of senders, each once', () => {
    expect(readSenders('any')).toBe('any')
    expect(readSenders('tradingview,52.32.178.7,10.0.0.0/8,2001:db8::/32')).toEqual([
      ...TRADING_VIEW,
      '10.0.0.0/8',
      '2001:db8::/32',
    ])
  })

  it.each(['', '0/1m', '10', '10/m', '10/2m', '1.5/1s', '10/1h', '-1/1s', '99999/1s'])('%j is no rate', (text) => {
    expect(refusal(() => readRate(text))).toBe('bad-rate')
  })

  it('is a rate', () => {
    expect([readRate('10/1m'), readRate('2/1s')]).toEqual([
      { count: 10, per: 'm' },
      { count: 2, per: 's' },
    ])
  })

  it.each([
    '',
    'short',
    'a'.repeat(21),
    'a'.repeat(129),
    `${'a'.repeat(22)}/b`,
    `${'a'.repeat(22)}%2f`,
    `${'a'.repeat(22)};`,
    `${'ä'.repeat(22)}`,
  ])('%j is no secret path, and the refusal does not repeat it', (text) => {
    expect(refusal(() => readPath(text))).toBe('bad-path')
    if (text.length > 4) expect(() => readPath(text)).not.toThrow(text)
  })

  it('is a secret path, with its slash or without', () => {
    expect(readPath(`/${DIP.path}`)).toBe(DIP.path)
  })

  it.each(['0', '53219', '53220', '70000', '1e3', '', ' 80'])('%j is no port for a proxy', (text) => {
    expect(refusal(() => readPort(text))).toBe('bad-port')
  })

  it.each(['cert.pem', '/a"b', "/a'b", '/a\\b', '/a$b', '/a{b}', '/a`b', '/a\nb', '/a\u0000b', '/a\u0085b'])(
    '%j is no path that all three languages can hold',
    (text) => {
      expect(refusal(() => readFilePath(text))).toBe('unsuitable-path')
    },
  )

  it('is a path with blanks, # and ;', () => {
    expect(readFilePath('/etc/a #1; 100% é/cert.pem')).toBe('/etc/a #1; 100% é/cert.pem')
  })
})
