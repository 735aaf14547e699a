// What holds for every route and every method: who is let in, and the headers that go out.
import { describe, expect, test } from 'vitest'
import { ENTRY_PAGE } from '../../src/protocol/console.ts'
import { CHECK_IN, LISTENER_ID, PAGE, type Serving, serve } from './serving.ts'

const FILES = { 'index.html': PAGE, 'assets/index-BQ2x_3aZ.js': 'let a' }
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const PATHS = [
  '/',
  '/trade/BTCUSDT',
  '/assets/index-BQ2x_3aZ.js',
  '/api/settings',
  '/api/cli/checkin',
  '/api/nothing',
  '/nothing',
]

const BODIES: Readonly<Record<string, object>> = {
  'POST /api/cli/checkin': CHECK_IN,
  'PATCH /api/settings': { trustedListenerIds: { laptop: LISTENER_ID } },
}

/** What those who are let in get. Elsewhere 404. */
const STATUS: Readonly<Record<string, number>> = {
  'GET /': 200,
  'HEAD /': 200,
  'POST /': 200,
  'GET /trade/BTCUSDT': 200,
  'HEAD /trade/BTCUSDT': 200,
  'POST /trade/BTCUSDT': 200,
  'GET /assets/index-BQ2x_3aZ.js': 200,
  'HEAD /assets/index-BQ2x_3aZ.js': 200,
  'GET /api/settings': 200,
  'HEAD /api/settings': 200,
  'POST /api/cli/checkin': 204,
  'PATCH /api/settings': 200,
}

const EVERY = METHODS.flatMap((method) => PATHS.map((path) => [method, path] as const))

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "connect-src 'self' ws://127.0.0.1:53219 http://127.0.0.1:53219; img-src 'self' data:; font-src 'self'; " +
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types hookline-worker"

/** Sends what the route wants, as somebody in particular. */
function askAs(serving: Serving, headers: Record<string, string>, method: string, path: string) {
  const body = BODIES[`${method} ${path}`]
  if (body === undefined) return serving.ask(path, { method, headers })
  return serving.ask(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

describe.each([
  ['a program', () => ({})],
  ['our page', (port: number) => ({ Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' })],
  ['our page in an old browser', (port: number) => ({ Origin: `http://127.0.0.1:${port}` })],
  [
    'our page by the other name',
    (port: number) => ({
      Host: `localhost:${port}`,
      Origin: `http://localhost:${port}`,
      'Sec-Fetch-Site': 'same-origin',
    }),
  ],
  ['a person', () => ({ 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' })],
] as [string, (port: number) => Record<string, string>][])('%s', (_who, headersAt) => {
  test('gets its answer on every route by every method', async () => {
    const serving = await serve(FILES)
    const answers = EVERY.map(async ([method, path]) => {
      const { status } = await askAs(serving, headersAt(serving.server.port), method, path)
      return `${method} ${path} ${status}`
    })
    expect(await Promise.all(answers)).toEqual(
      EVERY.map(([method, path]) => `${method} ${path} ${STATUS[`${method} ${path}`] ?? 404}`),
    )
    expect(serving.refused).toEqual([])
  })
})

describe.each([
  ['a page of another origin', () => ({ Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' })],
  ['a page of another origin in an old browser', () => ({ Origin: 'https://evil.test' })],
  ['a page on another port', () => ({ Origin: 'http://127.0.0.1:3000', 'Sec-Fetch-Site': 'same-site' })],
  ['a sandboxed page', () => ({ Origin: 'null', 'Sec-Fetch-Site': 'cross-site' })],
  [
    'an image, script or style of another page',
    () => ({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }),
  ],
  ['a page that has our address by a name of its own', (port: number) => ({ Host: `evil.test:${port}` })],
] as [string, (port: number) => Record<string, string>][])('%s', (_who, headersAt) => {
  test('gets 403 on every route by every method, nothing is written, and the log knows why', async () => {
    const serving = await serve(FILES)
    const headers = headersAt(serving.server.port)
    for (const [method, path] of EVERY) {
      const { status, body } = await askAs(serving, headers, method, path)
      expect([method, path, status, body]).toEqual([
        method,
        path,
        403,
        method === 'HEAD' ? '' : '{"ok":false,"error":"forbidden"}',
      ])
    }
    expect(serving.refused).toHaveLength(EVERY.length)
    expect(new Set(serving.refused).size).toBe(1)
    const value = headers.Origin ?? headers.Host ?? headers['Sec-Fetch-Site']
    expect(serving.refused[0]).toContain(value)
    expect(JSON.parse((await serving.ask('/api/settings')).body)).toEqual({
      cli: { checkins: {} },
      trustedOn: [],
      now: expect.any(Number),
    })
  })
})

test('a link from another site opens the console', async () => {
  const serving = await serve(FILES)
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
  expect(await serving.ask('/', { headers })).toMatchObject({ status: 200, body: ENTRY_PAGE.html })
  expect((await serving.ask('/api/settings', { headers })).status).toBe(403)
})

test('every answer has the policy and its companions, and none allows another origin anything', async () => {
  const serving = await serve(FILES)
  const foreign = { Origin: 'https://evil.test' }
  const answers = await Promise.all([
    ...EVERY.map(([method, path]) => askAs(serving, {}, method, path)),
    ...EVERY.map(([method, path]) => askAs(serving, foreign, method, path)),
    serving.ask('/', { method: 'OPTIONS', headers: { ...foreign, 'Access-Control-Request-Method': 'PATCH' } }),
    serving.ask('http://127.0.0.1/'),
    serving.ask('/a\\b'),
    serving.ask('/', { headers: { Host: 'bad host' } }),
    serving.ask('/api/settings', { method: 'PATCH', body: '{' }),
    serving.send('PATCH', '/api/settings', '{'),
  ])
  expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 204, 400, 403, 404, 415])
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'content-security-policy': CSP,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=(), '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      server: 'hookline-web/1.2.3',
    })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  }
})

test.each([
  ['two Hosts', (port: number) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
  ['no Host', () => 'GET / HTTP/1.1\r\n\r\n'],
  ['HTTP/1.0 without a Host', () => 'GET / HTTP/1.0\r\n\r\n'],
  ['an absolute target', (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
])('%s gets 400 and the end of the connection', async (_what, bytes) => {
  const { server, connect, refused } = await serve()
  const client = (await connect()).send(bytes(server.port))
  expect(await client.answer()).toMatchObject({ status: 400, body: '{"ok":false,"error":"bad request"}' })
  await client.ended()
  expect(refused).toEqual(['the request line or its Host is malformed'])
})

test('a service worker gets its script anew at every look; any but the console’s own is told to leave', async () => {
  const files = { ...FILES, 'sw.js': 'let worker', 'manifest.webmanifest': '{}' }
  const built = await serve(files)
  const headers = { 'Service-Worker': 'script' }
  expect(await built.ask('/sw.js', { headers })).toMatchObject({
    body: 'let worker',
    headers: { 'cache-control': 'no-store', 'content-type': 'text/javascript' },
  })
  expect((await built.ask('/manifest.webmanifest')).headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': expect.stringMatching(/^application\/manifest\+json/),
  })
  const older = await serve(FILES)
  const strangers = [
    '/',
    '/index.html',
    '/assets/index-BQ2x_3aZ.js',
    '/api/settings',
    '/api/nothing',
    '/evil/worker.js',
  ]
  const answers = [
    ...(await Promise.all(strangers.map((path) => built.ask(path, { headers })))),
    await older.ask('/sw.js', { headers }),
  ]
  for (const { status, headers: told, body } of answers) {
    expect([status, told['cache-control'], told['service-worker-allowed']]).toEqual([200, 'no-store', undefined])
    expect(told['content-type']).toMatch(/^text\/javascript/)
    expect(body).toContain('registration.unregister()')
  }
  const evil = { ...headers, Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' }
  expect((await built.ask('/evil/worker.js', { headers: evil })).status).toBe(403)
})

test('an answer to the API is kept by no cache', async () => {
  const { ask, send } = await serve()
  const answers = [
    await ask('/api/settings'),
    await ask('/api/nothing'),
    await send('POST', '/api/cli/checkin', CHECK_IN),
    await send('PATCH', '/api/settings', {}),
  ]
  expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
    [200, 'no-store'],
    [404, 'no-store'],
    [204, 'no-store'],
    [400, 'no-store'],
  ])
})
