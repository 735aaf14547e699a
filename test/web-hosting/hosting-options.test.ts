import { describe, expect, it } from 'vitest'
import { createCookies } from '../../src/web-hosting/cookies.ts'
import { type HostingInput, readHostingOptions } from '../../src/web-hosting/hosting-options.ts'
import { newSecret } from '../../src/web-hosting/secrets.ts'
import { browserLabel } from '../../src/web-hosting/sign-in-routes.ts'

const GOOD: HostingInput = {
  issuer: 'https://id.example/realms/one',
  publicUrl: 'https://console.example',
  clientId: undefined,
  cliClientId: undefined,
  listen: undefined,
  databaseUrl: 'postgres://localhost/hookline',
  clientSecret: undefined,
}

describe('the options of a hosted console', () => {
  it('have defaults', () => {
    const options = readHostingOptions(GOOD)
    expect(options).toMatchObject({
      clientId: 'hookline-web',
      audiences: ['hookline', 'hookline-web'],
      listen: { host: '127.0.0.1', port: 53_220 },
    })
    expect([options.issuer.href, options.publicUrl.origin]).toEqual([GOOD.issuer, GOOD.publicUrl])
    expect(options).not.toHaveProperty('clientSecret')
  })

  it.each<readonly [string, Partial<HostingInput>]>([
    ['this machine without TLS', { issuer: 'http://127.0.0.1:9000', publicUrl: 'http://localhost:53220' }],
    ['this machine by IPv6', { publicUrl: 'http://[::1]:53220', listen: '[::1]:53220' }],
    ['every address of the machine', { listen: '0.0.0.0:8080' }],
  ])('may name %s', (_what, change) => {
    expect(() => readHostingOptions({ ...GOOD, ...change })).not.toThrow()
  })

  it.each<readonly [string, Partial<HostingInput>]>([
    ['no public address', { publicUrl: undefined }],
    ['no database', { databaseUrl: undefined }],
    ['an empty database', { databaseUrl: '' }],
    ['a database that is no address', { databaseUrl: 'host=db dbname=hookline' }],
    ['a database of another kind', { databaseUrl: 'mysql://db/hookline' }],
    ['a proxy that is no address', { trustedProxies: '10.0.0.0/8,proxy.internal' }],
    ['a proxy with too many bits', { trustedProxies: '10.0.0.0/33' }],
    ['no connections', { databaseConnections: '1' }],
    ['an issuer without TLS', { issuer: 'http://id.example' }],
    ['an issuer that only begins like this machine', { issuer: 'http://127.0.0.1.example' }],
    ['an issuer that is no address', { issuer: 'id.example' }],
    ['an issuer with a password', { issuer: 'https://a:b@id.example' }],
    ['a public address without TLS', { publicUrl: 'http://console.example' }],
    ['a public address with a path', { publicUrl: 'https://example.com/console' }],
    ['a public address with a query', { publicUrl: 'https://console.example/?a' }],
    ['a place to listen without a port', { listen: '127.0.0.1' }],
    ['a place to listen beyond the ports', { listen: '127.0.0.1:70000' }],
  ])('are refused with %s', (_what, change) => {
    expect(() => readHostingOptions({ ...GOOD, ...change })).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })
})

describe('a cookie', () => {
  const secret = newSecret()

  it('is kept from scripts, other sites and plain connections', () => {
    expect(createCookies(true).session.set(secret, 60)).toBe(
      `__Host-hookline-session=${secret}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60`,
    )
    expect(createCookies(false).session.clear).toBe('hookline-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
  })

  it.each([
    ['alone', `__Host-hookline-session=${secret}`, secret],
    ['among others', `a=b; __Host-hookline-session=${secret}; c=d`, secret],
    ['without its prefix', `hookline-session=${secret}`, undefined],
    ['twice', `__Host-hookline-session=${secret}; __Host-hookline-session=${newSecret()}`, undefined],
    ['that is none of ours', '__Host-hookline-session=abc', undefined],
    ['that is not there', undefined, undefined],
  ])('%s is read, or nothing', (_what, header, read) => {
    expect(createCookies(true).session.read(header)).toBe(read)
  })
})

describe('a browser', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/147.0 Safari/537.36 Edg/147.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/26 Safari/605', 'Safari on macOS'],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/147.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['<script>alert(1)</script>', 'A browser'],
    [undefined, 'A browser'],
  ])('is called by name: %s', (agent, label) => {
    expect(browserLabel(agent)).toBe(label)
  })
})
