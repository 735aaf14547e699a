import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assetsIn } from '../../src/web-server/assets.ts'
import { buildOf, PAGE, serve } from './serving.ts'

const SCRIPT = 'export const answer = 42'
const FILES = {
  'index.html': PAGE,
  'assets/index-BQ2x_3aZ.js': SCRIPT,
  'assets/index-D-xY12_z.css': 'body{}',
  'assets/mono-Ab3dEf9h.woff2': 'font',
  'favicon.svg': '<svg/>',
  'assets/plain.js': SCRIPT,
  'notes.unknown': 'text',
}

describe('a file of the build', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', 'no-store'],
    ['/?from=terminal', 'text/html; charset=utf-8', 'no-store'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/trade/BTCUSDT', 'text/html; charset=utf-8', 'no-store'],
    ['/hooks', 'text/html; charset=utf-8', 'no-store'],
    ['/settings/clients?from=header', 'text/html; charset=utf-8', 'no-store'],
    ['/assets/index-BQ2x_3aZ.js', 'text/javascript; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/index-D-xY12_z.css', 'text/css; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/mono-Ab3dEf9h.woff2', 'font/woff2', 'max-age=31536000, immutable'],
    ['/favicon.svg', 'image/svg+xml; charset=utf-8', 'no-cache'],
    ['/assets/plain.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/notes.unknown', 'application/octet-stream', 'no-cache'],
  ])('%s has its type and how long it keeps', async (path, type, keeps) => {
    const { ask } = await serve(FILES)
    const { status, headers } = await ask(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': keeps })
  })

  test('comes whole, byte for byte', async () => {
    const large = 'é'.repeat(1_000_000)
    const { ask } = await serve({ 'assets/big-12345678.js': large })
    const { headers, body } = await ask('/assets/big-12345678.js')
    expect(headers['content-length']).toBe('2000000')
    expect(body).toBe(large)
  })

  test('is the new one when it is built anew, without a restart', async () => {
    const folder = buildOf(FILES)
    const assets = assetsIn(folder)
    writeFileSync(join(folder, 'index.html'), 'new')
    expect(Buffer.from((await assets.find('/'))?.bytes ?? []).toString()).toBe('new')
    rmSync(folder, { recursive: true })
    expect(await assets.find('/')).toBeUndefined()
  })

  test('is described by HEAD without being sent', async () => {
    const { ask } = await serve(FILES)
    const whole = await ask('/assets/index-BQ2x_3aZ.js')
    const head = await ask('/assets/index-BQ2x_3aZ.js', { method: 'HEAD' })
    const described = ({ headers: { date, ...headers } }: typeof head) => headers
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(described(head)).toEqual(described(whole))
    expect(head.headers['content-length']).toBe(String(SCRIPT.length))
  })
})

describe('what is no file of the build', () => {
  const SECRET = 'not for the web'

  /** A build with secrets all around it, which a link inside the build points to as well. */
  async function besieged() {
    const folder = buildOf({ ...FILES, '../secret.txt': SECRET, '../web-secret/secret.txt': SECRET })
    symlinkSync(join(folder, '../secret.txt'), join(folder, 'link.txt'))
    symlinkSync(join(folder, '..'), join(folder, 'up'))
    mkdirSync(join(folder, 'empty'))
    return assetsIn(folder)
  }

  const PATHS = [
    '/../secret.txt',
    '/../../../../../../../../etc/passwd',
    '/..%2fsecret.txt',
    '/..%2Fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/..%5csecret.txt',
    '/..%00/secret.txt',
    '/secret.txt%00.js',
    '/%c0%ae%c0%ae/secret.txt',
    '/%2fetc%2fpasswd',
    '//etc/passwd',
    '///etc/passwd',
    '/../web-secret/secret.txt',
    '/-secret/secret.txt',
    '/./index.html/.',
    '/index.html/',
    '/assets',
    '/assets/',
    '/link.txt',
    '/up/secret.txt',
    '/empty',
    '/__proto__',
    '/constructor',
    '/console',
    '/hook/7',
    '/trade//BTCUSDT',
    '/trade/a/b/c',
    '/trades',
    '/INDEX.HTML',
    '/index',
  ]

  test.each(PATHS)('%s is not found by the source', async (path) => {
    expect(await (await besieged()).find(path)).toBeUndefined()
  })

  test.each(PATHS)('%s gets 404 from the server', async (path) => {
    const { connect, server, ask } = await serve({
      ...FILES,
      '../secret.txt': SECRET,
      '../web-secret/secret.txt': SECRET,
    })
    const bytes = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`
    const { status, body } = await (await connect()).send(bytes).answer()
    expect([status, body]).toEqual([404, '{"ok":false,"error":"not found"}'])
    expect((await ask('/')).status).toBe(200)
  })

  test('a backslash gets 400', async () => {
    const { connect, server } = await serve(FILES)
    const bytes = `GET /..\\secret.txt HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`
    expect((await (await connect()).send(bytes).answer()).status).toBe(400)
  })
})

describe('before the first build', () => {
  test('the console is a page that tells what to do', async () => {
    const { ask } = await serve({})
    const { status, headers, body } = await ask('/')
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      503,
      'text/html; charset=UTF-8',
      'no-store',
    ])
    expect(body).toContain('<code>npm run build</code>')
    expect((await ask('/assets/index.js')).status).toBe(404)
    expect((await ask('/api/settings')).status).toBe(200)
  })

  test('the folder may appear while the server runs', async () => {
    const folder = buildOf({})
    const assets = assetsIn(folder)
    expect(await assets.find('/')).toBeUndefined()
    mkdirSync(dirname(join(folder, 'index.html')), { recursive: true })
    writeFileSync(join(folder, 'index.html'), PAGE)
    expect(await assets.find('/')).toMatchObject({ type: 'text/html; charset=utf-8', isHashed: false })
  })
})
