import { describe, expect, it } from 'vitest'
import { isFromOwnPage, judgeHosted } from '../../src/web-hosting/hosted-guard.ts'

const PUBLIC = new URL('https://console.example')

/** @param what a path, with its method where that is not GET */
function judge(what: string, headers: Readonly<Record<string, string>>) {
  const [path = '', method = 'GET'] = what.split(' ').reverse()
  const all = { host: 'console.example', ...headers }
  const rawHeaders = Object.entries(all).flat()
  return judgeHosted({ method, url: path, httpVersion: '1.1', headers: all, rawHeaders }, PUBLIC)
}

type Asked = readonly [who: string, what: string, headers: Record<string, string>]

const VISIT = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

describe('a hosted console', () => {
  it.each<Asked>([
    ['its own page', '/api/settings', { 'sec-fetch-site': 'same-origin', origin: 'https://console.example' }],
    ['an address typed', '/', { 'sec-fetch-site': 'none' }],
    ['a program', 'POST /api/cli/checkin', {}],
    ['a link from elsewhere', '/hooks/dip', VISIT],
    ['the way back from the sign-in service', '/auth/callback?code=1&state=2', VISIT],
    ['a load balancer by its own name for it', '/healthz', { host: '10.0.0.7:53220' }],
    ['any case of its name', '/', { host: 'Console.Example' }],
  ])('answers %s', (_who, what, headers) => {
    expect(judge(what, headers)).toEqual({ ok: true })
  })

  it.each<Asked>([
    ['another host', '/', { host: 'evil.example' }],
    ['its host with a port', '/', { host: 'console.example:8443' }],
    ['another site’s request', '/api/settings', { 'sec-fetch-site': 'cross-site' }],
    ['another origin', '/api/settings', { origin: 'https://evil.example' }],
    ['the null origin', '/api/settings', { origin: 'null' }],
    ['its origin without TLS', '/api/settings', { origin: 'http://console.example' }],
    ['a frame', '/', { ...VISIT, 'sec-fetch-dest': 'iframe' }],
    ['a link to what is no page', '/api/settings', VISIT],
    ['a link that begins a sign-in', '/auth/sign-in', VISIT],
    ['a form', 'POST /auth/callback', VISIT],
    ['a health check that writes', 'POST /healthz', { host: 'evil.example' }],
  ])('refuses %s', (_who, what, headers) => {
    expect(judge(what, headers)).toMatchObject({ ok: false, status: 403 })
  })

  it('refuses a request without a host', () => {
    const request = { method: 'GET', url: '/', httpVersion: '1.1', headers: {}, rawHeaders: [] }
    expect(judgeHosted(request, PUBLIC)).toMatchObject({ ok: false, status: 400 })
  })

  it('cuts what a stranger put into the reason', () => {
    const verdict = judge('/', { host: 'x'.repeat(5_000) })
    expect('reason' in verdict && verdict.reason.length).toBe(300)
  })
})

describe('a change', () => {
  it.each([
    [undefined, 'same-origin', true],
    ['https://console.example', 'same-origin', true],
    ['https://console.example', undefined, true],
    [undefined, undefined, false],
    [undefined, 'none', false],
    ['https://console.example', 'same-site', false],
    ['https://console.example', 'cross-site', false],
  ])('by origin %s and site %s is of its own page: %s', (origin, site, isOwn) => {
    expect(isFromOwnPage(origin, site)).toBe(isOwn)
  })
})
