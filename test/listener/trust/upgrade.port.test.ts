// The guard at the real door: what strangers get is a bare status, no socket, and no hint of why.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import {
  ALLOWED,
  FOREIGN,
  FOREIGN_HOSTS,
  FORWARDING,
  HONEST,
  type Lines,
  OTHER_PATHS,
  OWN_HOSTS,
} from '../../../harness/wire/origin-table.ts'
import { RawClient } from '../../../harness/wire/raw-http.ts'
import {
  clientFrameBytes,
  type HandshakeOptions,
  handshake,
  knock,
  ORIGIN,
  WsClient,
} from '../../../harness/wire/ws-client.ts'

const CONFIG = { listener: { allowedOrigins: ALLOWED } }
const GOOD = { Origin: 'https://good.com' }

/** Everything after the handshake that a test did not ask for is a failure: a refusal ends the connection. */
async function answerTo(options: HandshakeOptions): Promise<number> {
  const client = await knock(options)
  const { status, headers, body } = await client.answer()
  if (status === 101) return status
  expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length'])
  expect(headers).toMatchObject({ connection: 'close', 'content-length': '0' })
  expect(body + (await client.ended())).toBe('')
  return status
}

function grouped(lines: Lines): Record<string, string[]> {
  const headers: Record<string, string[]> = { Origin: [] }
  for (const [name, value] of lines) headers[name] = [...(headers[name] ?? []), value]
  return headers
}

describe('the upgrade', () => {
  it('is judged by all its headers, however many there are', async () => {
    const { warnings } = await startApp()
    const filler = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`a${index}`, '']))
    expect((await (await knock({ headers: filler })).answer()).status).toBe(101)
    const proxied = await knock({ headers: { ...filler, 'X-Forwarded-For': '203.0.113.7' } })
    expect((await proxied.answer()).status).toBe(403)
    const twoHosts = await knock({ headers: { ...filler, Host: ['127.0.0.1:53219', 'evil.example'] } })
    expect((await twoHosts.answer()).status).toBe(400)
    expect(warnings).toEqual([])
  })

  it('lets every honest origin and Host in', async () => {
    await startApp({ config: CONFIG })
    for (const [what, lines] of HONEST) expect(await answerTo({ headers: grouped(lines) }), what).toBe(101)
    for (const Host of OWN_HOSTS) expect(await answerTo({ headers: { ...GOOD, Host } }), Host).toBe(101)
  })

  it('gives every foreign origin, Host, proxy and path the bare status, and leaves no socket behind', async () => {
    const { app } = await startApp({ config: CONFIG })
    for (const [what, lines] of FOREIGN) expect(await answerTo({ headers: grouped(lines) }), what).toBe(403)
    for (const Host of FOREIGN_HOSTS) expect(await answerTo({ headers: { ...GOOD, Host } }), Host).toBe(403)
    for (const name of FORWARDING) expect(await answerTo({ headers: { ...GOOD, [name]: '10.0.0.1' } }), name).toBe(403)
    for (const path of OTHER_PATHS) {
      expect(await answerTo({ requestLine: `GET ${path} HTTP/1.1`, headers: GOOD }), path).toBe(404)
    }
    await expect.poll(() => app.ports.listenerStatus().sockets).toBe(0)
  })

  it.each(['POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH'])('by %s is not there', async (method) => {
    await startApp({ config: CONFIG })
    expect(await answerTo({ requestLine: `${method} /ws HTTP/1.1`, headers: GOOD })).toBe(404)
  })

  it('tells the log, and only the log, what came and what was expected', async () => {
    const { directory } = await startApp({ config: CONFIG })
    expect(await answerTo({ headers: { Origin: 'https://evil.com' } })).toBe(403)
    const log = () => readFileSync(join(directory, 'hookline.log'), 'utf8')
    await expect.poll(log).toMatch(/https:\/\/evil\.com.*https:\/\/good\.com/)
  })

  it('cannot be used to forge lines of the log', async () => {
    const { directory } = await startApp({ config: CONFIG })
    expect(await answerTo({ headers: { Origin: 'https://evil.com\u009b31m' } })).toBe(403)
    expect(await answerTo({ headers: { Origin: 'https://x"}\\n{"level":"error"' } })).toBe(403)
    const lines = () => readFileSync(join(directory, 'hookline.log'), 'utf8').trimEnd().split('\n')
    await expect.poll(() => lines().some((line) => line.includes('level'))).toBe(true)
    for (const line of lines()) {
      expect(line).not.toContain('\u009b')
      expect(() => JSON.parse(line)).not.toThrow()
    }
  })

  it('follows the list in config.json without a restart', async () => {
    const { writeConfig } = await startApp()
    expect(await answerTo({ headers: GOOD })).toBe(403)
    writeConfig(CONFIG)
    expect(await answerTo({ headers: GOOD })).toBe(101)
    writeConfig({ listener: { allowedOrigins: [ORIGIN] } })
    expect(await answerTo({ headers: GOOD })).toBe(403)
  })

  it('is refused to all by a list with an entry that is not an origin, and the operator is told once', async () => {
    const { warnings, writeConfig } = await startApp()
    writeConfig({ listener: { allowedOrigins: [ORIGIN, '*'] } })
    expect(await answerTo({})).toBe(403)
    await expect.poll(() => warnings.filter((text) => text.includes('listener.allowedOrigins'))).toHaveLength(1)
    writeConfig({ listener: { allowedOrigins: [ORIGIN] } })
    expect(await answerTo({})).toBe(101)
  })

  it('is refused with 503 while the listener is disabled', async () => {
    const { nextEvent, writeConfig } = await startApp()
    const disabled = nextEvent('disabled')
    writeConfig({ listener: { enabled: false } })
    expect(await answerTo({})).toBe(503)
    await disabled
    expect(await answerTo({})).toBe(503)
  })

  it('is refused with 503 while there is no identity to pin', async () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'listener.json'), '{"listenerId":')
    const { app } = await startApp({ directory })
    expect(await answerTo({})).toBe(503)
    expect(app.problems().map(({ path }) => path)).toEqual([join(directory, 'listener.json')])
  })
})

describe('a malformed handshake', () => {
  it.each<[what: string, options: HandshakeOptions]>([
    ['a key that is too short', { headers: { 'Sec-WebSocket-Key': 'short' } }],
    ['a key that is no base64', { headers: { 'Sec-WebSocket-Key': '!!!!!!!!!!!!!!!!!!!!!!==' } }],
    ['no key', { headers: { 'Sec-WebSocket-Key': undefined } }],
    ['version 12', { headers: { 'Sec-WebSocket-Version': '12' } }],
    ['no version', { headers: { 'Sec-WebSocket-Version': undefined } }],
    ['another protocol to upgrade to', { headers: { Upgrade: 'h2c' } }],
    ['no Connection header', { headers: { Connection: undefined } }],
    ['POST', { requestLine: 'POST /ws HTTP/1.1' }],
    ['no Host', { headers: { Host: undefined } }],
    ['two Hosts', { headers: { Host: ['127.0.0.1:53219', '127.0.0.1:53219'] } }],
    ['an absolute target', { requestLine: 'GET http://127.0.0.1:53219/ws HTTP/1.1' }],
    ['HTTP/1.0 without Host', { requestLine: 'GET /ws HTTP/1.0', headers: { Host: undefined } }],
  ])('with %s gets a 4xx, and its place is free again', async (_what, options) => {
    const { app } = await startApp()
    for (let attempt = 0; attempt < 3; attempt++) {
      const client = await knock(options)
      const { status } = await client.answer()
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      client.socket.end()
      await client.ended()
    }
    await expect.poll(() => app.ports.listenerStatus().sockets).toBe(0)
  })

  it('cut off in the middle leaves nothing behind', async () => {
    const { app } = await startApp()
    for (const length of [1, 20, handshake().length - 1]) {
      const client = await knock({})
      client.socket.destroy()
      const half = await knock({ requestLine: handshake().slice(0, length) })
      half.socket.destroy()
    }
    await expect.poll(() => app.ports.listenerStatus().sockets).toBe(0)
  })
})

describe('the handshake of an allowed page', () => {
  it('gets no compression', async () => {
    await startApp()
    const client = await knock({ headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate' } })
    const { status, headers } = await client.answer()
    expect(status).toBe(101)
    expect(headers).not.toHaveProperty('sec-websocket-extensions')
  })

  it('may bring its hello in the same packet', async () => {
    const { app } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const hello = clientFrameBytes('{"t":"hello","clientId":"tab"}')
    const client = new RawClient().send(Buffer.concat([Buffer.from(handshake()), hello]))
    expect((await client.answer()).status).toBe(101)
    client.socket.end()
    expect(await client.ended()).toContain('"t":"welcome"')
  })

  it('holds a place among the strangers until it has said hello', async () => {
    const { app } = await startApp()
    const client = await WsClient.open()
    expect(app.ports.listenerStatus().sockets).toBe(1)
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    client.send({ t: 'hello', clientId: 'tab' })
    await client.nextFrame('welcome')
    expect(app.ports.listenerStatus().sockets).toBe(0)
  })
})
