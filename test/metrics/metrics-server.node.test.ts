// Who reads the figures, and who does not: real sockets (behaviour 149).
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../harness/patience.ts'
import { canBeAnotherUser, sendAsAnotherUser } from '../../harness/process/other-user.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { METRICS_LIMITS, startMetricsServer } from '../../src/metrics/metrics-server.ts'
import { loadMetricsToken, type MetricsAddress, metricsTokenPath } from '../../src/stores/metrics.ts'

const TOKEN = 'a'.repeat(43)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Started {
  readonly port: number
  readonly reads: () => number
  readonly pass: (ms: number) => void
}

async function start(): Promise<Started> {
  const port = await freePort()
  const { reads, pass } = await serve({ kind: 'loopback', host: '127.0.0.1', port }, TOKEN)
  return { port, reads, pass }
}

async function serve(address: MetricsAddress, token?: string) {
  let count = 0
  let now = 0
  const bugs: unknown[] = []
  const server = await startMetricsServer({
    address,
    ...(token === undefined ? {} : { token }),
    text() {
      count += 1
      return `# read ${count}\n`
    },
    now: () => now,
    onBug: (error) => bugs.push(error),
  })
  onTestFinished(async () => {
    await server.close()
    expect(bugs).toEqual([])
  })
  return { server, reads: () => count, pass: (ms: number) => (now += ms) }
}

async function ask(port: number, head: string): Promise<{ readonly status: number; readonly all: string }> {
  const client = new RawClient(port)
  client.send(head.replaceAll('\n', '\r\n'))
  const all = await client.ended()
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(all)?.[1]), all }
}

const bearer = (port: number, token = TOKEN) =>
  `GET /metrics HTTP/1.1\nHost: 127.0.0.1:${port}\nAuthorization: Bearer ${token}\n\n`

describe('by an address', () => {
  test('a bearer of the token reads the figures, as OpenMetrics, and no one may keep or share them', async () => {
    const { port } = await start()
    const { status, all } = await ask(port, bearer(port))
    expect(status).toBe(200)
    expect(all).toContain('content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n')
    expect(all).toContain('cache-control: no-store\r\n')
    expect(all).not.toMatch(/access-control/i)
    expect(all.endsWith('\r\n\r\n# read 1\n')).toBe(true)
  })

  const token = `Authorization: Bearer ${TOKEN}\n`
  test.each([
    ['no token', 401, (host: string) => `GET /metrics HTTP/1.1\n${host}\n`],
    [
      'another token',
      401,
      (host: string) => `GET /metrics HTTP/1.1\n${host}Authorization: Bearer ${'b'.repeat(43)}\n\n`,
    ],
    ['a longer token', 401, (host: string) => `GET /metrics HTTP/1.1\n${host}Authorization: Bearer ${TOKEN}a\n\n`],
    ['the token twice', 401, (host: string) => `GET /metrics HTTP/1.1\n${host}${token}${token}\n`],
    [
      'the token as a password',
      401,
      (host: string) => `GET /metrics HTTP/1.1\n${host}Authorization: Basic ${TOKEN}\n\n`,
    ],
    ['the token in the address', 401, (host: string) => `GET /metrics?token=${TOKEN} HTTP/1.1\n${host}\n`],
    ['another path without a token', 401, (host: string) => `GET / HTTP/1.1\n${host}\n`],
    ['another path', 404, (host: string) => `GET /health HTTP/1.1\n${host}${token}\n`],
    ['POST', 405, (host: string) => `POST /metrics HTTP/1.1\n${host}${token}Content-Length: 0\n\n`],
    ['HEAD', 405, (host: string) => `HEAD /metrics HTTP/1.1\n${host}${token}\n`],
    [
      'an upgrade with no token',
      401,
      (host: string) => `GET /metrics HTTP/1.1\n${host}Upgrade: websocket\nConnection: Upgrade\n\n`,
    ],
    [
      'a page, also with the token',
      403,
      (host: string) => `GET /metrics HTTP/1.1\n${host}${token}Origin: https://evil.example\n\n`,
    ],
    ['a page without a name', 403, (host: string) => `GET /metrics HTTP/1.1\n${host}${token}Origin: null\n\n`],
    ['the console', 403, (host: string) => `GET /metrics HTTP/1.1\n${host}${token}Origin: http://127.0.0.1:53220\n\n`],
    [
      'an image of a page',
      403,
      (host: string) => `GET /metrics HTTP/1.1\n${host}${token}Sec-Fetch-Site: cross-site\n\n`,
    ],
    [
      'the preflight of a page',
      403,
      (host: string) =>
        `OPTIONS /metrics HTTP/1.1\n${host}Origin: https://evil.example\nAccess-Control-Request-Method: GET\n\n`,
    ],
    [
      'a name that was pointed here',
      421,
      (_: string, port: number) => `GET /metrics HTTP/1.1\nHost: evil.example:${port}\n${token}\n`,
    ],
    ['no name', 421, () => `GET /metrics HTTP/1.1\n${token}\n`],
    ['two names', 421, (host: string) => `GET /metrics HTTP/1.1\n${host}Host: evil.example\n${token}\n`],
    ['its address with another port', 421, () => `GET /metrics HTTP/1.1\nHost: 127.0.0.1:1\n${token}\n`],
  ])('refuses %s', async (_, wanted, head) => {
    const { port, reads } = await start()
    const { status, all } = await ask(port, head(`Host: 127.0.0.1:${port}\n`, port))
    expect(status).toBe(wanted)
    expect(all).not.toMatch(/access-control|# read/i)
    expect(reads()).toBe(0)
  })

  test('a flood of readers costs one reading of the figures a second', async () => {
    const { port, reads, pass } = await start()
    for (let round = 0; round < 20; round += 1) expect((await ask(port, bearer(port))).status).toBe(200)
    expect(reads()).toBe(1)
    pass(METRICS_LIMITS.freshMs)
    await ask(port, bearer(port))
    expect(reads()).toBe(2)
  })

  test('silent strangers keep no reader out, and are cut in time', async () => {
    const { port } = await start()
    const silent = await Promise.all(
      Array.from({ length: METRICS_LIMITS.sockets * 2 }, () => new RawClient(port).connected()),
    )
    const slow = await new RawClient(port).connected()
    slow.send('GET /metrics HTTP/1.1\r\nHost: ')
    expect((await ask(port, bearer(port))).status).toBe(200)
    const from = performance.now()
    await Promise.all([...silent, slow].map((client) => client.ended()))
    expect(performance.now() - from).toBeLessThan(METRICS_LIMITS.headersMs + METRICS_LIMITS.connectionCheckMs + BUSY_MS)
  })

  test('headers without an end are cut short', async () => {
    const { port } = await start()
    const { status } = await ask(port, `GET /metrics HTTP/1.1\nX: ${'x'.repeat(METRICS_LIMITS.headerBytes)}\n\n`)
    expect(status).toBe(431)
  })

  test('a second request on a connection is not answered', async () => {
    const { port } = await start()
    const { all } = await ask(port, bearer(port).repeat(2))
    expect(all.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test.skipIf(!canBeAnotherUser)('another user without the token gets nothing', async () => {
    const { port, reads } = await start()
    const head = Buffer.from(bearer(port, 'b'.repeat(43)).replaceAll('\n', '\r\n'))
    expect(await sendAsAnotherUser(head, { port })).toMatch(/^HTTP\/1\.1 401/)
    expect(reads()).toBe(0)
  })

  test('a port that another program has is refused in words', async () => {
    const { port } = await start()
    await expect(serve({ kind: 'loopback', host: '127.0.0.1', port }, TOKEN)).rejects.toMatchObject({
      code: 'store-write-failed',
      message: `cannot listen on 127.0.0.1:${port}: another program has it`,
    })
  })
})

function askSocket(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ socketPath: path, path: '/metrics', headers: { host: 'hookline' } }, (response) => {
      text(response).then(resolve, reject)
    })
    request.on('error', reject)
  })
}

describe('by a socket', () => {
  const place = () => join(tempDirectory(), 'metrics.sock')

  test('its user reads the figures, its mode is 0600, and nothing else is left beside it', async () => {
    const path = place()
    const before = process.umask(0)
    const { server } = await serve({ kind: 'socket', path }).finally(() => process.umask(before))
    expect(await askSocket(path)).toBe('# read 1\n')
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(join(path, '..'))).toEqual(['metrics.sock'])
    await server.close()
    expect(existsSync(path)).toBe(false)
  })

  test('a page is refused there too', async () => {
    const path = place()
    await serve({ kind: 'socket', path })
    const socket = connect(path)
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403/)
  })

  test.skipIf(!canBeAnotherUser)('another user cannot connect', async () => {
    const path = place()
    chmodSync(join(path, '..'), 0o755)
    await serve({ kind: 'socket', path })
    const program = `require('node:net').connect(${JSON.stringify(path)})
      .on('connect', () => process.stdout.write('in')).on('error', ({ code }) => process.stdout.write(code))`
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/' })
    expect(await text(child.stdout)).toBe('EACCES')
  })

  test('one that an ended process has left is replaced', async () => {
    const path = place()
    const left = createServer().listen(path)
    await once(left, 'listening')
    const moved = `${path}.moved`
    const { renameSync } = await import('node:fs')
    renameSync(path, moved)
    left.close()
    await once(left, 'close')
    renameSync(moved, path)
    expect(lstatSync(path).isSocket()).toBe(true)
    await serve({ kind: 'socket', path })
    expect(await askSocket(path)).toBe('# read 1\n')
  })

  test('one that a living process has is left alone', async () => {
    const path = place()
    await serve({ kind: 'socket', path })
    await expect(serve({ kind: 'socket', path })).rejects.toMatchObject({
      message: `cannot listen on ${path}: another process listens there`,
    })
    expect(await askSocket(path)).toBe('# read 1\n')
  })

  test('a file of that name is not touched', async () => {
    const path = place()
    writeFileSync(path, 'mine')
    await expect(serve({ kind: 'socket', path })).rejects.toMatchObject({
      message: `cannot listen on ${path}: something else has that name`,
    })
    expect(statSync(path).isFile()).toBe(true)
  })

  test.each([
    ['that others may write to', 0o777, 'others may write to its directory'],
    ['of many users', 0o1777, 'others may write to its directory'],
  ])('a directory %s is refused', async (_, mode, why) => {
    const folder = join(tempDirectory(), 'shared')
    mkdirSync(folder)
    chmodSync(folder, mode)
    const path = join(folder, 'metrics.sock')
    await expect(serve({ kind: 'socket', path })).rejects.toMatchObject({ message: `cannot listen on ${path}: ${why}` })
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    ['a directory that does not exist', (folder: string) => join(folder, 'no', 's'), 'its directory does not exist'],
    ['a path that is too long', (folder: string) => join(folder, 'x'.repeat(120)), 'its path is too long'],
  ])('%s is refused in words', async (_, pathIn, why) => {
    const path = pathIn(tempDirectory())
    await expect(serve({ kind: 'socket', path })).rejects.toMatchObject({ message: `cannot listen on ${path}: ${why}` })
  })
})

describe('the token', () => {
  test('is made once, for this user alone, and stays', async () => {
    const directory = tempDirectory()
    const [one, other] = await Promise.all([loadMetricsToken(directory), loadMetricsToken(directory)])
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(other).toBe(one)
    expect(await loadMetricsToken(directory)).toBe(one)
    expect((statSync(metricsTokenPath(directory)).mode & 0o777).toString(8)).toBe('600')
  })

  test.each([
    ['that others may read', TOKEN, 0o644, 'metrics-token cannot be used: it may be read by other users'],
    ['that holds something else', 'secret', 0o600, 'metrics-token does not hold a token'],
    ['that is empty', '', 0o600, 'metrics-token does not hold a token'],
  ])('a file %s is refused, and stays', async (_, content, mode, message) => {
    const directory = tempDirectory()
    const path = metricsTokenPath(directory)
    writeFileSync(path, content, { mode })
    chmodSync(path, mode)
    await expect(loadMetricsToken(directory)).rejects.toMatchObject({ code: 'store-corrupt', message })
    expect(statSync(path).size).toBe(content.length)
  })
})
