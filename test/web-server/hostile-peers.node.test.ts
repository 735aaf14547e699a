// Slow, silent and flooding peers: what they get, and that others are served meanwhile.
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { BUSY_MS } from '../../harness/patience.ts'
import type { RawClient } from '../../harness/wire/raw-http.ts'
import { WEB_SERVER_LIMITS } from '../../src/web-server/web-server-limits.ts'
import { type Serving, serve } from './serving.ts'

const { headersMs, requestMs, connectionCheckMs, keepAliveMs, headerBytes, sockets } = WEB_SERVER_LIMITS
const JSON_TYPE = 'Content-Type: application/json\r\n'

function patchHead({ server }: Serving, length: number | string): string {
  return `PATCH /api/settings HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${JSON_TYPE}Content-Length: ${length}\r\n\r\n`
}

/** ms from now until the server has ended the connection. */
async function lifetime(client: RawClient): Promise<number> {
  const from = performance.now()
  await client.ended()
  return performance.now() - from
}

/** Sends `text` again and again until the connection ends. */
function drip(client: RawClient, text: string): void {
  const timer = setInterval(() => client.send(text), 100)
  client.socket.once('close', () => clearInterval(timer))
}

test('slow peers are told and cut in time, and others are served meanwhile', async () => {
  const serving = await serve()
  const host = `Host: 127.0.0.1:${serving.server.port}\r\n`
  const [silent, head, body, idle] = await Promise.all([1, 2, 3, 4].map(() => serving.connect()))
  if (!silent || !head || !body || !idle) throw new Error('not connected')
  head.send(`GET / HTTP/1.1\r\n${host}`)
  drip(head, 'X: x\r\n')
  body.send(patchHead(serving, 10_000))
  drip(body, ' ')
  idle.send(`GET / HTTP/1.1\r\n${host}\r\n`)
  expect((await idle.answer()).status).toBe(200)
  const lifetimes = Promise.all([silent, head, body, idle].map(lifetime))
  expect((await head.answer()).status).toBe(408)
  expect((await serving.ask('/')).status).toBe(200)
  expect((await body.answer()).status).toBe(408)
  const longest = [headersMs, headersMs, requestMs, keepAliveMs].map((limit) => limit + connectionCheckMs + BUSY_MS)
  for (const [index, ms] of (await lifetimes).entries()) expect(ms).toBeLessThan(longest[index] ?? 0)
  expect(serving.failures).toEqual([])
})

describe('a peer', () => {
  test('that hangs up in the middle of a body changes nothing', async () => {
    const serving = await serve()
    const client = await serving.connect()
    client.send(`${patchHead(serving, 100)}{"trustedListenerIds":`)
    client.socket.end()
    await client.ended()
    client.close()
    expect(await serving.ask('/api/settings')).toMatchObject({
      body: expect.stringMatching(/^\{"cli":\{"checkins":\{\}\},"trustedOn":\[\],"now":\d+\}$/),
    })
    expect(serving.failures).toEqual([])
  })

  test('with headers over the limit gets 431', async () => {
    const serving = await serve()
    const client = await serving.connect()
    client.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${serving.server.port}\r\nX: ${'x'.repeat(headerBytes)}\r\n\r\n`)
    expect((await client.answer()).status).toBe(431)
    await client.ended()
  })

  test('that hides a second Host behind a thousand headers gets 400', async () => {
    const serving = await serve()
    const client = await serving.connect()
    const filler = Array.from({ length: 1_100 }, (_, index) => `a${index}:\r\n`).join('')
    client.send(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${serving.server.port}\r\n${filler}Host: evil.example\r\n\r\n`)
    expect((await client.answer()).status).toBe(400)
  })

  test('that says two lengths, or a length and chunks, gets 400', async () => {
    const serving = await serve()
    for (const length of ['2\r\nContent-Length: 3', '2\r\nTransfer-Encoding: chunked', '-1', '2x']) {
      const client = await serving.connect()
      client.send(`${patchHead(serving, length)}{}`)
      expect((await client.answer()).status).toBe(400)
      await client.ended()
    }
  })

  test('that sends 100 MB is answered at once', async () => {
    const serving = await serve()
    const client = await serving.connect()
    client.send(patchHead(serving, 100_000_000))
    expect((await client.answer()).status).toBe(413)
    const chunk = Buffer.alloc(1_000_000, ' ')
    for (let sent = 0; sent < 100 && client.socket.writable; sent++) {
      if (!client.socket.write(chunk)) await Promise.race([once(client.socket, 'drain'), client.ended()])
    }
    expect((await serving.ask('/')).status).toBe(200)
  })

  test('that wants another protocol gets an ordinary answer', async () => {
    const serving = await serve()
    const client = await serving.connect()
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
    client.send(`GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:${serving.server.port}\r\n${upgrade}\r\n`)
    expect((await client.answer()).status).toBe(404)
  })
})

test('of silent connections over the limit the oldest makes room, and others are served meanwhile', async () => {
  const serving = await serve()
  const [oldest, ...rest] = await Promise.all(Array.from({ length: sockets }, () => serving.connect()))
  expect((await serving.ask('/')).status).toBe(200)
  await oldest?.ended()
  expect(rest.filter(({ socket }) => !socket.readable)).toEqual([])
})

test('an answer under way survives the end of the server, a silent peer does not hold it up', async () => {
  const serving = await serve()
  await serving.connect()
  const client = await serving.connect()
  const body = '{"trustedListenerIds":{}}'
  client.send(patchHead(serving, body.length) + body.slice(0, 5))
  // The server has read that far once a later connection has its answer.
  await serving.ask('/')
  const from = performance.now()
  const closed = serving.server.close()
  client.send(body.slice(5))
  expect((await client.answer()).status).toBe(200)
  await closed
  expect(performance.now() - from).toBeLessThan(WEB_SERVER_LIMITS.drainMs + BUSY_MS)
  await expect(serving.ask('/')).rejects.toThrow('ECONNREFUSED')
})
