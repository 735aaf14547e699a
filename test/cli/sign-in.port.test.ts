// Signing in with the built program, at a real provider, from the first `login` to `logout`: what it changes, and what it does not.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isPrompt, openTerminal, RunningHookline, run } from '../../harness/process/hookline.ts'
import { type RealProvider, startRealProvider } from '../../harness/sign-in/real-provider.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'

const TAB = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const STRANGER = '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9'

interface WebApp {
  readonly url: string
  /** The request of this number, from 0: a check-in, or a check-out. */
  asked(method: 'POST' | 'DELETE', index: number): Promise<IncomingHttpHeaders>
}

/** A hosted web app that would like to have more than it is given. */
async function webApp(): Promise<WebApp> {
  const received: { readonly method: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      received.push({ method: request.method, headers: request.headers })
      const wishes = { trusted: [STRANGER], listener: { allowedOrigins: ['https://evil.example.com'] }, exec: 'buy $1' }
      response.setHeader('set-cookie', 'session=1').setHeader('content-type', 'application/json')
      response.end(JSON.stringify(wishes))
      server.emit('checked-in')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async asked(method, index) {
      while (received.length <= index) await once(server, 'checked-in')
      expect(received[index]?.method).toBe(method)
      return received[index]?.headers ?? {}
    },
  }
}

function directoryWith(config: object): string {
  const directory = join(tempDirectory(), 'state')
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config))
  return directory
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

/** As a person: reads the code off the shell, and approves it in a browser. @returns what the program printed */
async function login(directory: string, real: RealProvider, more: readonly string[] = []) {
  const program = new RunningHookline(directory, ['login', '--json', ...more])
  await program.prints('"login-code"')
  const [code] = linesOf(program.stdout)
  await real.approve(String(code?.addressWithCode))
  const ended = await program.ended()
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  return linesOf(ended.stdout)
}

const read = (directory: string, file: string) => readFileSync(join(directory, file), 'utf8')

describe('a person who signs in', () => {
  it('is known to the web app and to approved pages, gets no right by it, and is gone with `logout`', async () => {
    const real = await startRealProvider()
    const web = await webApp()
    const directory = directoryWith({ webUrl: web.url })
    const signedIn = (await login(directory, real, ['--issuer', real.issuer])).find(({ type }) => type === 'sign-in')
    expect(signedIn).toMatchObject({ signedIn: true, issuer: real.issuer, email: 'ana@example.com', keys: 'file' })
    const whoami = linesOf((await run(directory, ['whoami', '--json'])).stdout)
    expect(whoami[0]).toMatchObject({ type: 'sign-in', signedIn: true, subject: 'ana' })
    expect((await run(directory, ['exec', 'status'])).stdout).toContain(
      `ana@example.com at ${new URL(real.issuer).host}`,
    )

    await run(directory, ['clients', 'trust', TAB, '--origin', web.url])
    const before = ['config.json', 'trusted-clients.json'].map((file) => read(directory, file))
    const hookline = await RunningHookline.listening(directory)
    const { authorization = '' } = await web.asked('POST', 0)
    await verifyAsServer(authorization.replace(/^Bearer /, ''), real)

    const approved = await WsClient.hello({ clientId: TAB }, web.url)
    expect((await approved.nextFrame('welcome')).user).toEqual({ email: 'ana@example.com' })
    // The very token, and the address that it proves, open nothing.
    const stranger = await WsClient.open(web.url)
    const proofs = { authorization, token: authorization.slice(7), user: { email: 'ana@example.com' } }
    stranger.send({ t: 'hello', clientId: STRANGER, ...proofs })
    stranger.send({ t: 'cmd:exec', id: '1', command: 'halt', ...proofs })
    expect((await stranger.closed()).code).toBe(4001)
    expect(stranger.received.map((text) => JSON.parse(text).t)).toEqual(['rejected'])
    expect(['config.json', 'trusted-clients.json'].map((file) => read(directory, file))).toEqual(before)
    expect(read(directory, 'runs.jsonl')).not.toContain('halt')

    expect((await run(directory, ['logout'])).stdout).toBe('signed out ana@example.com\n')
    expect(real.requests).toContain('POST /token/revocation')
    expect(await web.asked('DELETE', 1)).toMatchObject({ authorization })
    const later = await WsClient.hello({ clientId: TAB }, web.url)
    expect((await later.nextFrame('welcome')).user).toEqual({ email: '' })
    hookline.signal('SIGTERM')
    await hookline.ended()
    await RunningHookline.listening(directory)
    expect(await web.asked('POST', 2)).not.toHaveProperty('authorization')
    expect(readdirSync(directory).filter((name) => name.startsWith('keys-'))).toEqual([])
    const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
    const token = authorization.slice('Bearer '.length)
    expect(files.filter(({ name }) => read(directory, name).includes(token))).toEqual([])
  })

  it('has nothing of a sign-in that Ctrl-C ended, and a prompt that goes on', async () => {
    const real = await startRealProvider()
    const directory = tempDirectory()
    const terminal = await openTerminal(directory, { columns: 100, rows: 60 })
    await terminal.type(`login --issuer ${real.issuer}`)
    terminal.send('\r')
    await terminal.shows('or scan it with a phone:')
    await terminal.shows('waiting for approval')
    expect(terminal.lines().join('\n')).toMatch(/enter {2}[A-Z]{4}-[A-Z]{4}/)
    terminal.send('\u0003')
    await terminal.shows('the sign-in was canceled')
    await terminal.until((screen) => isPrompt(screen.typed()))
    terminal.send('whoami\r')
    await terminal.shows('no sign-in found')
    expect(readdirSync(directory).filter((name) => /sign-in|keys-/.test(name))).toEqual([])
    expect(readdirSync(directory)).not.toContain('config.json')
    terminal.send('exit\r')
    expect(await terminal.exit()).toBe(0)
  })
})

/** What a web app can do by itself, with the issuer's keys. */
async function verifyAsServer(token: string, { issuer }: RealProvider): Promise<void> {
  const description = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { jwks_uri: address } = (await description.json()) as { readonly jwks_uri: string }
  const keys = createLocalJWKSet((await (await fetch(address)).json()) as JSONWebKeySet)
  const { payload } = await jwtVerify(token, keys, { issuer, audience: 'hookline' })
  expect(payload).toMatchObject({ sub: 'ana', email: 'ana@example.com', email_verified: true })
  await expect(jwtVerify(token, keys, { issuer, audience: 'another' })).rejects.toThrow()
}

describe('a start of somebody whose token has run out', () => {
  it('listens and ends as ever whatever the provider does, and the log says why the check-in told nobody', async () => {
    let hangsUp = true
    let asked = (): void => {}
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const provider = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => (hangsUp ? socket.destroy() : asked()))
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    onTestFinished(() => void provider.close())
    const web = await webApp()
    const directory = directoryWith({ webUrl: web.url })
    const path = signedInLongAgo(directory, `http://127.0.0.1:${(provider.address() as AddressInfo).port}`)

    const first = await RunningHookline.listening(directory)
    expect(await web.asked('POST', 0)).not.toHaveProperty('authorization')
    await expect.poll(() => read(directory, 'hookline.log')).toContain('the check-in was sent without the sign-in')
    first.signal('SIGTERM')
    expect(await first.ended()).toMatchObject({ code: 0 })

    hangsUp = false
    const second = await RunningHookline.listening(directory)
    await wasAsked
    second.signal('SIGTERM')
    expect(await second.ended()).toMatchObject({ code: 0 })
    expect(readFileSync(path, 'utf8')).toContain('refresh-1')
  })
})

/** @returns the file with the tokens */
function signedInLongAgo(directory: string, issuer: string): string {
  const id = '0123456789abcdef'
  const path = join(directory, `keys-sign-in.${id}.json`)
  const tokens = { nonce: 'n', idToken: 'old', refreshToken: 'refresh-1' }
  writeFileSync(path, JSON.stringify({ venue: 'sign-in', secret: JSON.stringify(tokens) }), { mode: 0o600 })
  const who = { issuer, clientId: 'hookline', subject: 'ana', email: 'ana@example.com' }
  const signIn = { id, ...who, signedInAt: 1, expiresAt: 2, isRenewable: true, keys: { from: 'file', path } }
  writeFileSync(join(directory, 'sign-in.json'), JSON.stringify({ signIn }))
  return path
}
