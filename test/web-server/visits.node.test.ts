// Visits to the console: what a window gets, which document has a ticket, and that a person is never shown raw JSON.
import { createHash } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { canBeAnotherUser, sendAsAnotherUser } from '../../harness/process/other-user.ts'
import { ENTRY_PAGE } from '../../src/protocol/console.ts'
import { openConsoleKey } from '../../src/stores/identity.ts'
import { proofOfServer, TicketDesk } from '../../src/trust/console-tickets.ts'
import { PAGE, type Serving, serve } from './serving.ts'

const WINDOW = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
const BUILT = { 'index.html': '<!doctype html><head><title>console</title></head>', 'sw.js': 'self' }
const hostOf = ({ server }: Serving) => `127.0.0.1:${server.port}`

/** Both that `localhost` may mean. */
const ADDRESSES = ['127.0.0.1', '::1'] as const
const hasAddress = (address: string) =>
  Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === address))

/** As the entry page asks. */
function enter(serving: Serving, changes: Readonly<Record<string, string>> = {}, path = '/') {
  const own = { Host: hostOf(serving), Origin: `http://${hostOf(serving)}`, 'Sec-Fetch-Site': 'same-origin' }
  return serving.ask(path, { method: 'POST', headers: { ...own, ...WINDOW, ...changes } })
}

const ticketIn = (body: string) => /<meta name="hookline-ticket" content="([^"]+)">/.exec(body)?.[1]

describe('the entry page', () => {
  test('has the hash of its script in its policy', () => {
    const hash = createHash('sha256').update(ENTRY_PAGE.script).digest('base64')
    expect(ENTRY_PAGE.html).toContain(`<script>${ENTRY_PAGE.script}</script>`)
    expect(ENTRY_PAGE.headers['Content-Security-Policy']).toContain(`script-src 'sha256-${hash}'`)
  })

  test.each(['none', 'same-origin', 'cross-site', 'same-site'])('answers a link from %s to any page', async (site) => {
    const serving = await serve(BUILT)
    for (const path of ['/', '/trade/BTCUSDT', '/journal?state=failed']) {
      // A worker of an older build hands the visit on, and says nothing of where to.
      for (const destination of ['document', 'empty']) {
        const headers = { Host: hostOf(serving), ...WINDOW, 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': destination }
        const { status, body } = await serving.ask(path, { headers })
        expect([status, body]).toEqual([200, ENTRY_PAGE.html])
      }
    }
  })
})

describe('a document', () => {
  test('has a ticket where a window of this user asks for it by POST, another each time', async () => {
    const serving = await serve(BUILT)
    const key = await openConsoleKey(serving.directory).load()
    const [one, two] = [await enter(serving), await enter(serving, {}, '/trade/BTCUSDT')]
    const tickets = [ticketIn(one.body), ticketIn(two.body)]
    const holder = { clientId: 'tab', origin: 'http://127.0.0.1:53220' }
    for (const ticket of tickets) expect(new TicketDesk().accept(key, ticket ?? '', holder, Date.now())).toBe(true)
    expect(new Set(tickets).size).toBe(2)
    expect(one.headers['cache-control']).toBe('no-store')
  })

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['a frame', { 'Sec-Fetch-Dest': 'iframe' }],
    ['an object', { 'Sec-Fetch-Dest': 'object' }],
    ['a script, or a worker that hands on a visit', { 'Sec-Fetch-Dest': 'empty' }],
    ['a fetch', { 'Sec-Fetch-Mode': 'cors' }],
    ['a navigation preload of a worker', { 'Service-Worker-Navigation-Preload': 'true' }],
  ])('has none for %s', async (_what, headers) => {
    const serving = await serve(BUILT)
    const { status, body } = await enter(serving, headers)
    expect([status, ticketIn(body)]).toEqual([200, undefined])
  })

  test('has none by GET, in whatever words', async () => {
    const serving = await serve(BUILT)
    for (const headers of [{}, WINDOW, { ...WINDOW, 'Sec-Fetch-Site': 'none' }]) {
      const { body } = await serving.ask('/', { headers: { Host: hostOf(serving), ...headers } })
      expect(ticketIn(body)).toBeUndefined()
    }
  })

  test.runIf(canBeAnotherUser).for(ADDRESSES)(
    'has none for a program of another user, which can write these headers too, at %s',
    async (address, { skip }) => {
      if (!hasAddress(address)) skip('this machine has no IPv6')
      const serving = await serve(BUILT)
      const host = hostOf(serving)
      const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
      const answer = await sendAsAnotherUser(Buffer.from(head), { port: serving.server.port, host: address })
      expect(answer).toContain('<title>console</title>')
      expect(ticketIn(answer)).toBeUndefined()
    },
  )

  test('keeps its opener out where the browser can do that', async () => {
    const serving = await serve(BUILT)
    const policy = async (userAgent: string) =>
      (await enter(serving, { 'User-Agent': userAgent })).headers['cross-origin-opener-policy']
    expect(await policy('Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36')).toBe(
      'noopener-allow-popups',
    )
    expect(await policy('Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/156.0.0.0 Safari/537.36')).toBe(
      'noopener-allow-popups',
    )
    expect(await policy('Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36')).toBe('same-origin')
    expect(await policy('Mozilla/5.0 (X11; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('same-origin')
  })

  test('has the browser’s cache of this address emptied, once for each start of the server', async () => {
    const serving = await serve(BUILT)
    const first = await enter(serving)
    const [cookie = ''] = first.headers['set-cookie'] ?? []
    expect(first.headers['clear-site-data']).toBe('"cache"')
    expect(cookie).toMatch(/^hookline-clean=[\w-]{22}; HttpOnly; SameSite=Strict; Path=\/$/)
    const own = cookie.split(';')[0] ?? ''
    expect((await enter(serving, { Cookie: `a=b; ${own}` })).headers['clear-site-data']).toBeUndefined()
    const other = await serve(BUILT)
    expect((await enter(other, { Cookie: own })).headers['clear-site-data']).toBe('"cache"')
  })

  test('names the hash of its import map in its policy', async () => {
    const map = '{"integrity":{"/assets/a-AAAAAAAA.js":"sha256-x"}}'
    const serving = await serve({ 'index.html': `<head></head><script type="importmap">${map}</script>` })
    const { headers } = await enter(serving)
    const hash = createHash('sha256').update(map).digest('base64')
    expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-${hash}'`)
  })
})

test('no file has an ETag, and none is confirmed: what another program left under its name is not ours', async () => {
  const serving = await serve({ ...BUILT, 'assets/a-AAAAAAAA.js': '1', 'icon.svg': '<svg/>' })
  for (const path of ['/', '/sw.js', '/assets/a-AAAAAAAA.js', '/icon.svg']) {
    for (const headers of [{}, { 'Service-Worker': 'script' }]) {
      const { status, headers: said } = await serving.ask(path, {
        headers: { Host: hostOf(serving), 'If-None-Match': '*', ...headers },
      })
      expect([path, status, said.etag, said['last-modified']]).toEqual([path, 200, undefined, undefined])
    }
  }
})

test('a window that may not have what it asks for is shown words, a program JSON', async () => {
  const serving = await serve({ 'index.html': PAGE })
  const ask = async (path: string, headers: Readonly<Record<string, string>>, method = 'GET') => {
    const {
      status,
      headers: said,
      body,
    } = await serving.ask(path, { method, headers: { Host: hostOf(serving), ...headers } })
    return `${status} ${said['content-type']?.split(';')[0]} ${body.includes('href="/"')}`
  }
  const foreign = { ...WINDOW, 'Sec-Fetch-Site': 'cross-site' }
  expect(await ask('/nothing', { ...WINDOW, 'Sec-Fetch-Site': 'none' })).toBe('404 text/html true')
  expect(await ask('/api/settings', foreign)).toBe('403 text/html true')
  expect(await ask('/', { ...foreign, Origin: 'https://other.test' }, 'POST')).toBe('403 text/html true')
  expect(await ask('/nothing', {})).toBe('404 application/json false')
  expect(await ask('/api/settings', { 'Sec-Fetch-Site': 'cross-site' })).toBe('403 application/json false')
})

describe('the proof that the server is of this user', () => {
  const NONCE = 'n'.repeat(43)

  test('is made with the key, and its answer ends before the port is free', async () => {
    const serving = await serve(BUILT)
    const key = await openConsoleKey(serving.directory).load()
    const answer = await fetch(`${serving.server.url}/api/proof?nonce=${NONCE}`)
    const reader = answer.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    expect(JSON.parse(first)).toEqual({ proof: proofOfServer(key, NONCE, hostOf(serving)) })
    const closed = serving.server.close()
    expect(await reader?.read()).toMatchObject({ done: true })
    await closed
  })

  test.runIf(canBeAnotherUser).for(ADDRESSES)('is given to no other user, at %s', async (address, { skip }) => {
    if (!hasAddress(address)) skip('this machine has no IPv6')
    const serving = await serve(BUILT)
    const head = `GET /api/proof?nonce=${NONCE} HTTP/1.1\r\nHost: ${hostOf(serving)}\r\nConnection: close\r\n\r\n`
    const visit = { port: serving.server.port, host: address }
    expect(await sendAsAnotherUser(Buffer.from(head), visit)).toMatch(/^HTTP\/1\.1 403 /)
  })

  test.each(['', 'short', `${NONCE}n`, `${NONCE.slice(1)}%00`])('is not given for "%s"', async (nonce) => {
    const serving = await serve(BUILT)
    expect((await fetch(`${serving.server.url}/api/proof?nonce=${nonce}`)).status).toBe(400)
  })
})
