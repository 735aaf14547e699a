import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { checkIn } from '../../src/checkin/check-in.ts'
import { bundleChild, runChild } from '../stores/child-program.ts'

const input = { platform: 'linux', listenerId: '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b', version: '1.2.3' }
const SHORT_MS = 150

/** Listens on any free port of 127.0.0.1. @returns its URL */
async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A web app that keeps what it was sent. */
async function webApp(answer: RequestListener) {
  const received: Received[] = []
  const webUrl = await listening(
    createServer(async (request, response) => {
      const { method, url, headers } = request
      received.push({ method, url, headers, body: await text(request) })
      answer(request, response)
    }),
  )
  return { received, webUrl }
}

/** A server that is no good: it gets the bare socket. `hungUp` resolves when its first client has gone. */
async function badServer(serve: (socket: Socket) => void) {
  const server = createTcpServer(serve)
  const hungUp = new Promise<void>((resolve) => {
    server.once('connection', (socket: Socket) => socket.once('close', () => resolve()))
  })
  return { webUrl: await listening(server), hungUp }
}

describe('a check-in', () => {
  test('is one POST with platform, listenerId and version', async () => {
    const { received, webUrl } = await webApp((_request, response) => response.writeHead(204).end())
    await expect(checkIn({ ...input, webUrl })).resolves.toEqual({ outcome: 'sent' })
    expect(received).toHaveLength(1)
    const [sent] = received
    expect(JSON.parse(sent?.body ?? '')).toStrictEqual(input)
    expect(sent).toMatchObject({
      method: 'POST',
      url: '/api/cli/checkin',
      headers: {
        host: webUrl.slice('http://'.length),
        'content-type': 'application/json',
        'content-length': String(sent?.body.length),
        'user-agent': 'hookline/1.2.3',
      },
    })
  })

  test.each([
    ['/', '/api/cli/checkin'],
    ['/app', '/app/api/cli/checkin'],
    ['/app/', '/app/api/cli/checkin'],
    ['/a/b/?from=mail#top', '/a/b/api/cli/checkin'],
    ['?from=mail', '/api/cli/checkin'],
  ])('to a webUrl that ends in %s goes to %s', async (suffix, path) => {
    const { received, webUrl } = await webApp((_request, response) => response.end())
    await expect(checkIn({ ...input, webUrl: webUrl + suffix })).resolves.toEqual({ outcome: 'sent' })
    expect(received.map(({ url }) => url)).toEqual([path])
  })

  test.each(['darwin', 'win32', 'linux'])('is sent from %s', async (platform) => {
    const { received, webUrl } = await webApp((_request, response) => response.end())
    await expect(checkIn({ ...input, platform, webUrl })).resolves.toEqual({ outcome: 'sent' })
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ platform })
  })

  test.each(['freebsd', 'android', ''])('is skipped on "%s"', async (platform) => {
    const { received, webUrl } = await webApp((_request, response) => response.end())
    await expect(checkIn({ ...input, platform, webUrl })).resolves.toEqual({ outcome: 'skipped' })
    expect(received).toEqual([])
  })
})

describe('a check-in that fails is told and not tried again', () => {
  test.each([400, 404, 500, 503])('status %i', async (status) => {
    const { received, webUrl } = await webApp((_request, response) => response.writeHead(status).end('no'))
    const message = `${webUrl} answered the check-in with status ${status}`
    await expect(checkIn({ ...input, webUrl })).resolves.toEqual({ outcome: 'failed', code: 'refused', message })
    expect(received).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', async (status) => {
    const elsewhere = await webApp((_request, response) => response.end())
    const { webUrl } = await webApp((_request, response) =>
      response.writeHead(status, { Location: `${elsewhere.webUrl}/api/cli/checkin` }).end(),
    )
    await expect(checkIn({ ...input, webUrl })).resolves.toMatchObject({ outcome: 'failed', code: 'refused' })
    expect(elsewhere.received).toEqual([])
  })

  test('nobody listens', async () => {
    const server = createTcpServer()
    const webUrl = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    await expect(checkIn({ ...input, webUrl })).resolves.toMatchObject({
      outcome: 'failed',
      code: 'unreachable',
      cause: { code: 'ECONNREFUSED' },
    })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['hangs up at once', (socket) => socket.destroy()],
    ['hangs up after the request', (socket) => socket.once('data', () => socket.destroy())],
    ['speaks no HTTP', (socket) => socket.end('220 mail.test ESMTP\r\n')],
    [
      'sends headers without end',
      (socket) => {
        const more = () => void (socket.writable && socket.write(`X: ${'x'.repeat(65_536)}\r\n`, more))
        socket.write('HTTP/1.1 200 OK\r\n', more)
      },
    ],
    [
      'switches to another protocol',
      (socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    ],
  ])('the server %s', async (_what, serve) => {
    const { webUrl } = await badServer(serve)
    await expect(checkIn({ ...input, webUrl })).resolves.toMatchObject({ outcome: 'failed', code: 'unreachable' })
  })

  test.each<[string, (socket: Socket) => void]>([
    ['accepts and says nothing', () => {}],
    [
      'drips its headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('X: x\r\n'), 20)
        socket.on('close', () => clearInterval(drip))
      },
    ],
    [
      'says again and again that it goes on',
      (socket) => {
        const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
        socket.on('close', () => clearInterval(drip))
      },
    ],
  ])('the server %s', async (_what, serve) => {
    const { webUrl, hungUp } = await badServer((socket) => {
      socket.resume()
      serve(socket)
    })
    const message = `${webUrl} did not answer the check-in within ${SHORT_MS} ms`
    const outcome = checkIn({ ...input, webUrl, timeoutMs: SHORT_MS })
    await expect(outcome).resolves.toEqual({ outcome: 'failed', code: 'timeout', message })
    await hungUp
  })

  test.each(['', 'hookline.test', 'ftp://hookline.test/', 'http://'])('the webUrl "%s"', async (webUrl) => {
    await expect(checkIn({ ...input, webUrl })).resolves.toMatchObject({ outcome: 'failed', code: 'invalid-url' })
  })
})

test('reads no body: it hangs up on one without end', async () => {
  let written = 0
  const { webUrl, hungUp } = await badServer((socket) => {
    const chunk = Buffer.alloc(65_536, 'x')
    const more = () => {
      written += chunk.length
      if (socket.writable) socket.write(chunk, more)
    }
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n', more))
  })
  await expect(checkIn({ ...input, webUrl })).resolves.toEqual({ outcome: 'sent' })
  await hungUp
  expect(written).toBeLessThan(16 * 1024 * 1024)
})

test('is sent, but keeps no process alive on a server that hangs', async () => {
  let received = ''
  const { webUrl, hungUp } = await badServer((socket) => socket.on('data', (bytes) => (received += String(bytes))))
  const directory = tempDirectory()
  const program = await bundleChild(
    directory,
    `import { checkIn } from '../checkin/check-in.ts'
     void checkIn({ ...${JSON.stringify(input)}, webUrl: process.argv[2], timeoutMs: 60_000 })
     console.log('started')`,
  )
  await expect(runChild(program, [webUrl])).resolves.toBe('started\n')
  await hungUp
  expect(received).toContain(JSON.stringify(input))
})
