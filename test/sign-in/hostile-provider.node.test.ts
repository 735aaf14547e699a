// Providers that are no good, on real sockets: each ends in one line, in time, and takes nothing along.
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openProvider } from '../../src/sign-in/provider.ts'
import { readIssuer } from '../../src/sign-in/safe-address.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'

const SHORT_MS = 200
const never = new AbortController().signal

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serving = (answer: RequestListener) => listening(createServer(answer))
const open = (issuer: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  openProvider({ issuer: readIssuer(issuer), clientId: 'hookline', now: Date.now, signal: never, ...more })

async function failure(work: Promise<unknown>): Promise<SignInError> {
  const error = await work.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(SignInError)
  const { message, hint } = error as SignInError
  expect(`${message} ${hint}`).not.toMatch(/[\n\u001b]/)
  return error as SignInError
}

/** A description of this issuer, with changes. */
function described(changes: (issuer: string) => object = () => ({})): RequestListener {
  return (request, response) => {
    const issuer = `http://${request.headers.host}`
    const usual = { issuer, device_authorization_endpoint: `${issuer}/device`, token_endpoint: `${issuer}/token` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...usual, jwks_uri: `${issuer}/keys`, ...changes(issuer) }))
  }
}

describe('a provider', () => {
  it('that is not there', async () => {
    const closed = createTcpServer()
    closed.listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const free = (closed.address() as AddressInfo).port
    closed.close()
    await once(closed, 'close')
    expect(await failure(open(`http://127.0.0.1:${free}`))).toMatchObject({
      code: 'provider-unreachable',
      message: `127.0.0.1:${free} cannot be reached: ECONNREFUSED`,
    })
  })

  it.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    [
      'sends its head letter by letter',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'),
    ],
    [
      'sends its body letter by letter',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n')
        drip(socket, '{'.repeat(1_000))
      },
    ],
  ])('that %s is given up', async (_name, serve) => {
    const issuer = await listening(createTcpServer(serve))
    const error = await failure(open(issuer, { timeoutMs: SHORT_MS }))
    expect(error).toMatchObject({ code: 'provider-timeout', message: `${new URL(issuer).host} did not answer in time` })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['says so', (response) => response.setHeader('content-length', 10_000_000).write('{')],
    ['does not say so', flood],
  ])('that answers too much, and %s', async (_name, answer) => {
    const issuer = await serving((_request, response) => {
      response.setHeader('content-type', 'application/json')
      answer(response)
    })
    const error = await failure(open(issuer))
    expect(error).toMatchObject({
      code: 'provider-malformed',
      message: `${new URL(issuer).host} answered more than 256 KiB`,
    })
  })

  it.each([301, 302, 303, 307, 308])('that redirects with %i is not followed, not even to itself', async (status) => {
    const paths: string[] = []
    const issuer = await serving((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    expect(await failure(open(issuer))).toMatchObject({ code: 'provider-redirects' })
    expect(paths).toEqual(['/.well-known/openid-configuration'])
  })

  it.each<[string, string, string]>([
    ['HTML', 'text/html', '<html>sign in here</html>'],
    ['no JSON', 'application/json', '{"issuer":'],
    ['a list', 'application/json', '[]'],
    ['nothing', 'application/json', ''],
    ['an issuer that is none', 'application/json', '{"issuer":"\\u001b[31m"}'],
    ['another issuer', 'application/json', '{"issuer":"https://other.example.com"}'],
  ])('that describes itself by %s', async (_name, type, body) => {
    const issuer = await serving((_request, response) => response.setHeader('content-type', type).end(body))
    expect(await failure(open(issuer))).toMatchObject({
      code: 'provider-malformed',
      hint: 'check the address of the issuer',
    })
  })

  it.each([404, 500, 503])('that answers %i', async (status) => {
    const issuer = await serving((_request, response) => response.writeHead(status).end())
    expect((await failure(open(issuer))).code).toBe(status === 404 ? 'provider-malformed' : 'provider-unreachable')
  })

  it.each([
    ['without TLS', 'http://id.example.com/device'],
    ['of another kind', 'ftp://id.example.com/device'],
    ['with a password', 'https://a:b@id.example.com/device'],
  ])('that asks for codes at an address %s', async (_name, address) => {
    const issuer = await serving(described(() => ({ device_authorization_endpoint: address })))
    const provider = await open(issuer)
    const { code } = await failure(provider.askForCode('n'))
    expect(['unsafe-address', 'provider-malformed']).toContain(code)
  })

  it('is left alone once the person has pressed Ctrl-C', async () => {
    const stop = new AbortController()
    const issuer = await serving(() => stop.abort())
    expect(await failure(open(issuer, { signal: stop.signal }))).toMatchObject({ code: 'interrupted' })
  })
})

describe('a provider elsewhere', () => {
  it('has nothing to ask of this machine', async () => {
    const asked: string[] = []
    const provider = openProvider({
      issuer: readIssuer('https://id.example.com'),
      clientId: 'hookline',
      now: Date.now,
      signal: never,
      fetch: async (input) => {
        asked.push(String(input))
        const device = 'https://127.0.0.1:53220/device'
        const body = { issuer: 'https://id.example.com', device_authorization_endpoint: device }
        return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
      },
    })
    expect((await failure((await provider).askForCode('n'))).code).toBe('unsafe-address')
    expect(asked).toEqual(['https://id.example.com/.well-known/openid-configuration'])
  })
})

/** A letter at a time, for as long as anyone listens. */
function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '')
    at += 1
  }, 10)
  socket.on('close', () => clearInterval(timer))
}

function flood(response: ServerResponse): void {
  const part = Buffer.alloc(64 * 1_024, ' ')
  const endless = new Readable({ read: () => void endless.push(part) })
  response.on('close', () => endless.destroy())
  endless.pipe(response)
}
