import { describe, expect, test } from 'vitest'
import { judgeRequest } from '../../src/web-server/request-guard.ts'

const PORT = 53220

interface Given {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly rawHeaders?: readonly string[]
}

function judge({ method = 'GET', url = '/api/settings', headers = {}, rawHeaders }: Given) {
  const all = { host: '127.0.0.1:53220', ...headers }
  return judgeRequest(
    { method, url, httpVersion: '1.1', headers: all, rawHeaders: rawHeaders ?? Object.entries(all).flat() },
    PORT,
  )
}

describe('the Host', () => {
  test.each(['127.0.0.1:53220', 'localhost:53220', 'LOCALHOST:53220'])('%s is ours', (host) => {
    expect(judge({ headers: { host } })).toEqual({ ok: true })
  })

  test.each([
    '127.0.0.1',
    'localhost',
    '127.0.0.1:53219',
    '127.0.0.1:80',
    '127.0.0.2:53220',
    '0.0.0.0:53220',
    '[::1]:53220',
    'localhost.:53220',
    'localhost.evil.test:53220',
    '127.0.0.1.nip.io:53220',
    'evil.test',
    'user@127.0.0.1:53220',
    '127.0.0.1:53220@evil.test',
    '127.0.0.1:053220',
    '',
  ])('"%s" is refused, and the log gets both values', (host) => {
    const reason = `Host is ${host}, not 127.0.0.1:53220 or localhost:53220`
    expect(judge({ headers: { host } })).toEqual({ ok: false, status: 403, reason })
  })

  test('is cut in the log', () => {
    expect(judge({ headers: { host: 'x'.repeat(10_000) } })).toMatchObject({
      reason: expect.stringMatching(/^.{300}$/),
    })
  })

  test.each<[string, Given]>([
    ['no Host', { rawHeaders: [] }],
    ['two Hosts', { rawHeaders: ['Host', '127.0.0.1:53220', 'HOST', '127.0.0.1:53220'] }],
    ['an absolute-form target', { url: 'http://127.0.0.1:53220/' }],
    ['an asterisk', { method: 'OPTIONS', url: '*' }],
  ])('%s is malformed', (_what, given) => {
    expect(judge(given)).toMatchObject({ ok: false, status: 400 })
  })
})

describe('the Origin', () => {
  test.each([
    ['127.0.0.1:53220', 'http://127.0.0.1:53220'],
    ['localhost:53220', 'http://localhost:53220'],
  ])('at %s may be %s', (host, origin) => {
    expect(judge({ method: 'PATCH', headers: { host, origin } })).toEqual({ ok: true })
  })

  test.each([
    'null',
    '',
    '*',
    'http://evil.test',
    'https://127.0.0.1:53220',
    'http://localhost:53220',
    'http://127.0.0.1:53219',
    'http://127.0.0.1',
    'http://127.0.0.1:53220/',
    'http://127.0.0.1:53220.evil.test',
    'http://127.0.0.1:53220, http://evil.test',
  ])('at 127.0.0.1:53220 may not be "%s"', (origin) => {
    const reason = `Origin is ${origin}, not http://127.0.0.1:53220`
    for (const method of ['GET', 'POST', 'PATCH'])
      expect(judge({ method, headers: { origin } })).toEqual({ ok: false, status: 403, reason })
  })
})

describe('Sec-Fetch-Site', () => {
  const VISIT = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  test.each(['same-origin', 'none'])('may be %s', (site) => {
    expect(judge({ headers: { 'sec-fetch-site': site } })).toEqual({ ok: true })
  })

  test.each(['cross-site', 'same-site', 'Same-Origin', '', 'same-origin, cross-site'])('may not be "%s"', (site) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH'])
      for (const url of ['/', '/assets/index.js', '/api/settings'])
        expect(judge({ method, url, headers: { 'sec-fetch-site': site } })).toMatchObject({ ok: false, status: 403 })
  })

  test.each(['/', '/?from=mail'])('may be cross-site where a link to the console at %s is followed', (url) => {
    expect(judge({ url, headers: { 'sec-fetch-site': 'cross-site', ...VISIT } })).toEqual({ ok: true })
  })

  test.each<[string, Given]>([
    ['a form', { method: 'POST', url: '/', headers: VISIT }],
    ['a frame', { url: '/', headers: { ...VISIT, 'sec-fetch-dest': 'iframe' } }],
    ['a script', { url: '/', headers: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' } }],
    ['a link to a file', { url: '/assets/index.js', headers: VISIT }],
    ['a link to the settings', { url: '/api/settings', headers: VISIT }],
    ['a disguised link to the settings', { url: '/%61pi/settings', headers: VISIT }],
    ['a link with two slashes', { url: '//', headers: VISIT }],
  ])('may not be cross-site for %s', (_what, given) => {
    const headers = { ...given.headers, 'sec-fetch-site': 'cross-site' }
    expect(judge({ ...given, headers })).toMatchObject({ ok: false, status: 403 })
  })
})
