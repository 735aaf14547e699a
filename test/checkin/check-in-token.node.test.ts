// Who is signed in is told to the web app that the operator has set, and to nobody else on the way there or in its place.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { makeAuthority } from '../../harness/network/own-authority.ts'
import { canBeAnotherUser } from '../../harness/process/other-user.ts'
import { checkIn, checkOut } from '../../src/checkin/check-in.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'
import { isOwnServer } from '../../src/trust/peer-user.ts'

const input = { platform: 'linux', listenerId: '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b', version: '1.2.3' }
const TOKEN = 'header.claims.signature'
const ours = async () => true

interface Received {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function listening(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function webApp(answer: RequestListener = (_request, response) => response.end('{}'), host = '127.0.0.1') {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ method: request.method, headers: request.headers, body: await text(request) })
    answer(request, response)
  })
  onTestFinished(() => server.closeAllConnections())
  const port = await listening(server, host)
  return { received, webUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

/** What is asked for it, and how often. */
function token(answer: () => Promise<string | undefined> = async () => TOKEN) {
  const asked = { times: 0 }
  return {
    asked,
    token: () => {
      asked.times += 1
      return answer()
    },
  }
}

describe('a check-in of somebody who is signed in', () => {
  it.each(['127.0.0.1', '::1'])('has the token as a bearer, to a program of this user on %s', async (host) => {
    const { received, webUrl } = await webApp(undefined, host)
    const outcome = await checkIn({ ...input, webUrl, token: token().token, isOwnPeer: isOwnServer })
    expect(outcome).toEqual({ outcome: 'sent' })
    expect(received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(input)
    expect(received).toHaveLength(1)
  })

  it.each([
    ['is not known to be of this user', async () => false],
    ['cannot be known', undefined],
  ])('has none where the program that listens %s', async (_name, isOwnPeer) => {
    const { received, webUrl } = await webApp()
    const outcome = await checkIn({ ...input, webUrl, token: token().token, ...(isOwnPeer && { isOwnPeer }) })
    expect(outcome).toEqual({
      outcome: 'sent',
      missingSignIn: { message: `${webUrl} is not known to be of this user` },
    })
    expect(received).toHaveLength(1)
    expect(received[0]?.headers).not.toHaveProperty('authorization')
  })

  it('has none, and asks for none, on its way elsewhere without TLS', async () => {
    const { asked, token: ask } = token()
    const { received, webUrl } = await webApp()
    // No name or address of this machine's own, though it leads there.
    const elsewhere = webUrl.replace('127.0.0.1', '0.0.0.0')
    const outcome = await checkIn({ ...input, webUrl: elsewhere, token: ask, isOwnPeer: ours })
    expect(outcome).toEqual({ outcome: 'sent', missingSignIn: { message: `${elsewhere} is not https` } })
    expect(received[0]?.headers).not.toHaveProperty('authorization')
    expect(asked.times).toBe(0)
  })

  it('tells nothing to a server whose certificate is not one, whatever the environment says', async () => {
    const { server: own } = makeAuthority(tempDirectory(), 'localhost')
    const received: unknown[] = []
    const server = createTlsServer(
      { cert: readFileSync(own.cert), key: readFileSync(own.key) },
      (request, response) => {
        received.push(request.headers)
        response.end()
      },
    )
    const port = await listening(server, '127.0.0.1')
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    })
    const webUrl = `https://localhost:${port}`
    const outcome = await checkIn({ ...input, webUrl, token: token().token, isOwnPeer: ours })
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'unreachable' })
    expect(received).toEqual([])
  })

  it.each([301, 302, 303, 307, 308])('follows no redirect with status %i with it', async (status) => {
    const elsewhere = await webApp()
    const { webUrl } = await webApp((_request, response) =>
      response.writeHead(status, { location: `${elsewhere.webUrl}/api/cli/checkin` }).end(),
    )
    const outcome = await checkIn({ ...input, webUrl, token: token().token, isOwnPeer: ours })
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'refused' })
    expect(elsewhere.received).toEqual([])
  })

  it('is sent without it where it cannot be had, and says why', async () => {
    const { received, webUrl } = await webApp()
    const cause = new SignInError('sign-in-ended', 'id.example.com no longer renews the sign-in')
    const failing = token(async () => {
      throw cause
    })
    const outcome = await checkIn({ ...input, webUrl, token: failing.token, isOwnPeer: ours })
    expect(outcome).toEqual({ outcome: 'sent', missingSignIn: { message: cause.message, cause } })
    expect(received).toHaveLength(1)
    const none = await checkIn({ ...input, webUrl, token: token(async () => undefined).token, isOwnPeer: ours })
    expect(none).toEqual({ outcome: 'sent' })
    expect(received[1]?.headers).not.toHaveProperty('authorization')
  })
})

describe('a check-out', () => {
  const { listenerId, version } = input

  it('tells the web app, with the token, that this machine is no longer that of the person', async () => {
    const { received, webUrl } = await webApp()
    expect(await checkOut({ webUrl, listenerId, version, token: token().token, isOwnPeer: isOwnServer })).toBe(true)
    expect(received).toMatchObject([{ method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } }])
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ listenerId })
  })

  it('is not sent where the token may not be, and nothing comes of one that is not taken', async () => {
    const { received, webUrl } = await webApp((_request, response) => response.writeHead(404).end())
    const own = { listenerId, version, token: token().token }
    expect(await checkOut({ ...own, webUrl, isOwnPeer: async () => false })).toBe(false)
    expect(await checkOut({ ...own, webUrl: webUrl.replace('127.0.0.1', '0.0.0.0'), isOwnPeer: ours })).toBe(false)
    expect(await checkOut({ ...own, webUrl: 'nonsense', isOwnPeer: ours })).toBe(false)
    expect(received).toEqual([])
    expect(await checkOut({ ...own, webUrl, isOwnPeer: ours })).toBe(false)
    expect(received).toHaveLength(1)
  })
})

describe('a program that listens', () => {
  it.skipIf(!canBeAnotherUser)(
    'as another user is not ours, and is told nothing (skipped: only root may become another user)',
    async () => {
      const program = `const server = require('node:http').createServer((request, response) => {
      process.stdout.write(JSON.stringify(request.headers.authorization ?? 'nobody') + '\\n'); response.end() })
      server.listen(0, '127.0.0.1', () => process.stdout.write(server.address().port + '\\n'))`
      const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/' })
      onTestFinished(async () => {
        child.kill('SIGKILL')
        await once(child, 'close')
      })
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        said += part
      })
      await expect.poll(() => said).toMatch(/^\d+\n/)
      const webUrl = `http://127.0.0.1:${said.trim()}`
      // Root is trusted as this user is; here this user is root, and so the other one is not.
      const outcome = await checkIn({ ...input, webUrl, token: token().token, isOwnPeer: isOwnServer })
      expect(outcome).toMatchObject({
        outcome: 'sent',
        missingSignIn: { message: expect.stringContaining('not known to be of this user') },
      })
      await expect.poll(() => said).toContain('"nobody"')
    },
  )

  it('is not known where the tables of the system cannot be read', async () => {
    const { webUrl } = await webApp()
    const { hostname, port } = new URL(webUrl)
    const ends = { localAddress: '127.0.0.1', localPort: 1, remoteAddress: hostname, remotePort: Number(port) }
    expect(await isOwnServer(ends)).toBe(true)
    expect(await isOwnServer(ends, ['/nowhere'])).toBe(false)
    expect(await isOwnServer({ ...ends, remotePort: 1 })).toBe(false)
  })
})
