import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterEach, describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { makeAuthority } from '../../../harness/network/own-authority.ts'
import { createTransport } from '../../../src/exchanges/ccxt/transport.ts'

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const get = (url: string) => ({ url, method: 'GET', headers: {} })

async function serve(answer: RequestListener): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(answer)
  servers.push({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('the transport', () => {
  it('sends method, headers and body as they are, and gives status, headers and text of any status', async () => {
    const seen: unknown[] = []
    const { url } = await serve((request, response) => {
      request.setEncoding('utf8')
      request.on('data', (body) => seen.push([request.method, request.url, request.headers['x-key'], body]))
      request.on('end', () => response.writeHead(429, { 'Retry-After': '7' }).end('{"code":-1003}'))
    })
    const transport = createTransport()
    const answer = await transport({ url: `${url}/a?b=1`, method: 'POST', headers: { 'X-Key': 'k' }, body: 'c=ü' })
    expect(seen).toEqual([['POST', '/a?b=1', 'k', 'c=ü']])
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' }, text: '{"code":-1003}' })
  })

  it.each(['/a/b?c=d&e=%20f,g', '/a/../b', '/.a', '/a?b=ü{}"', '', '?a=b', '/a#b', '//a/b', '/a?b=c@d'])(
    'asks for what the URL names: %s',
    async (path) => {
      const seen: unknown[] = []
      const { url } = await serve((request, response) => {
        seen.push(request.url, request.headers.host)
        response.end('{}')
      })
      const transport = createTransport()
      await transport(get(url))
      await transport(get(`${url}${path}`))
      const { pathname, search, host } = new URL(`${url}${path}`)
      expect(seen).toEqual(['/', host, `${pathname}${search}`, host])
    },
  )

  it('uses a connection again, and none that is idle keeps the process alive', async () => {
    const { url, server } = await serve((_request, response) => response.end('{}'))
    let connections = 0
    server.on('connection', (socket) => {
      connections += 1
      socket.unref()
    })
    const transport = createTransport()
    await transport(get(url))
    await transport(get(url))
    await new Promise((resolve) => setImmediate(resolve))
    expect([connections, keepingAlive(url)]).toEqual([1, 0])
  })

  it('unpacks what is packed', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"a":1}'))
    })
    expect((await createTransport()(get(url))).text).toBe('{"a":1}')
  })

  it('follows no redirect: neither keys nor orders go where the venue is not', async () => {
    const paths: unknown[] = []
    const { url } = await serve((request, response) => {
      paths.push(request.url)
      response.writeHead(302, { Location: '/elsewhere' }).end()
    })
    await expect(createTransport()(get(`${url}/order`))).rejects.toMatchObject({ failure: 'redirect' })
    expect(paths).toEqual(['/order'])
  })

  it('reads no more than it may, also of what unpacks to much', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)))
    })
    const answer = createTransport({ maxBytes: 10_000 })(get(url))
    await expect(answer).rejects.toMatchObject({ failure: 'too-large' })
  })

  it('tells half an answer from a whole one', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{"orderId":', () => response.destroy())
    })
    await expect(createTransport()(get(url))).rejects.toMatchObject({ name: 'TransportError' })
  })

  it('tells half of a packed answer from a whole one', async () => {
    const packed = gzipSync(Buffer.from(JSON.stringify([...Array(2_000).keys()])))
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length) })
      response.write(packed.subarray(0, packed.length / 2), () => response.destroy())
    })
    await expect(createTransport()(get(url))).rejects.toMatchObject({ name: 'TransportError' })
  })

  it('waits so long for the whole answer, and no longer', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200)
      response.write('{')
    })
    const answer = createTransport({ answerMs: 100 })(get(url))
    await expect(answer).rejects.toMatchObject({ name: 'TimeoutError', failure: 'timeout', neverLeft: false })
  })

  it('waits shorter for the connection than for the answer', async () => {
    const silent = createTcpServer()
    servers.push(silent)
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const answer = createTransport({ connectMs: 100, answerMs: 60_000 })(get(`https://127.0.0.1:${port}`))
    await expect(answer).rejects.toMatchObject({ failure: 'timeout', neverLeft: true })
  })

  it('knows that a request may have arrived where the connection broke under it', async () => {
    const { url } = await serve((request) => request.socket.destroy())
    await expect(createTransport()(get(url))).rejects.toMatchObject({ failure: 'connection', neverLeft: false })
  })

  it('says that nobody is there, and nothing of the request', async () => {
    const { url, server } = await serve(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    const failure = await createTransport()(get(`${url}/order?signature=abc`)).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'TransportError',
      failure: 'connection',
      systemCode: 'ECONNREFUSED',
      neverLeft: true,
    })
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('signature')
  })
})

/** Connections to a server that keep this process alive. */
function keepingAlive(url: string): number {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles: () => readonly unknown[] }
  return handles().filter((handle) => handle instanceof Socket && handle.remotePort === Number(new URL(url).port))
    .length
}

/** As many as one host gets, and each is answered this late. */
const CONNECTIONS = 32
const ANSWERED_MS = 100
const CONNECT_MS = 1_000

/** Asks as often as there are connections, and then for what waits for one of them. Prints what became of that. */
const CLIENT = `
import { createTransport } from './transport.mjs'
const transport = createTransport({ connectMs: ${CONNECT_MS}, answerMs: 30_000 })
const ask = (path) => transport({ url: process.argv[2] + path, method: 'POST', headers: {}, body: '' })
const first = Array.from({ length: ${CONNECTIONS} }, () => ask('/first'))
const last = ask('/last').then(({ status }) => ({ status }), ({ failure, neverLeft }) => ({ failure, neverLeft }))
await Promise.all(first)
process.stdout.write(JSON.stringify(await last))
process.exit()
`

it('a request that waited for a connection of others is not ended as one that makes its own', async () => {
  const directory = tempDirectory()
  const { ca, server: identity } = makeAuthority(directory, 'localhost')
  const server = createTlsServer(
    { cert: readFileSync(identity.cert), key: readFileSync(identity.key) },
    ({ url }, response) => setTimeout(() => response.end(), url === '/last' ? 2 * CONNECT_MS : ANSWERED_MS),
  )
  servers.push({ close: () => server.close().closeAllConnections() })
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve))
  const outfile = join(directory, 'transport.mjs')
  const entry = 'src/exchanges/ccxt/transport.ts'
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' })
  const program = join(directory, 'client.mjs')
  writeFileSync(program, CLIENT)
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const child = spawn(process.execPath, [program, url], { env: { ...process.env, NODE_EXTRA_CA_CERTS: ca } })
  const [printed, warnings] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect({ printed, warnings }).toEqual({ printed: '{"status":200}', warnings: '' })
})
