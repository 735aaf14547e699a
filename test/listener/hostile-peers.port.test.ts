// Slow, silent, flooding and oversized peers: what they get, and that a legal fire is served meanwhile.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BUSY_MS } from '../../harness/patience.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../harness/wire/raw-http.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'

const HOST = 'Host: 127.0.0.1:53219\r\n'

function fire(hook: { id: string; secret: string }, extra = 'Content-Length: 0\r\n'): string {
  return `POST /hook/${hook.id} HTTP/1.1\r\n${HOST}X-Hook-Token: ${hook.secret}\r\n${extra}\r\n`
}

/** ms from now until the peer has ended the connection. */
async function lifetime(client: RawClient): Promise<number> {
  const from = performance.now()
  await client.ended()
  return performance.now() - from
}

describe('silence', () => {
  it('closes 500 silent sockets within the header limit while a legal fire is served', async () => {
    const { createHook, app } = await startApp()
    const hook = await createHook()
    const clients = await Promise.all(Array.from({ length: 500 }, () => new RawClient().connected()))
    const ends = clients.map(lifetime)
    const from = performance.now()
    expect((await rawRequest(fire(hook))).status).toBe(200)
    // Before any of them was ended for its silence.
    expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.headersMs)
    expect(app.ports.listenerStatus().sockets).toBeLessThanOrEqual(LISTENER_LIMITS.sockets)
    expect(Math.max(...(await Promise.all(ends)))).toBeLessThan(LISTENER_LIMITS.headersMs + BUSY_MS)
  })

  it('answers 408 to headers that come too slowly', async () => {
    await startApp()
    const client = new RawClient()
    client.send(`POST /hook/x HTTP/1.1\r\n${HOST}`)
    const drip = setInterval(() => client.send('x'), 250)
    const ended = lifetime(client)
    expect((await client.answer()).status).toBe(408)
    expect(await ended).toBeLessThan(LISTENER_LIMITS.headersMs + BUSY_MS)
    clearInterval(drip)
  })

  it('answers at once to a body that comes too slowly, and ends it within the request limit', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    client.send(fire(hook, 'Content-Length: 1000\r\n'))
    const ended = lifetime(client)
    const drip = setInterval(() => client.send('x'), 250)
    expect((await client.answer()).status).toBe(200)
    expect(await ended).toBeLessThan(LISTENER_LIMITS.requestMs + BUSY_MS)
    clearInterval(drip)
  })

  it('closes an idle keep-alive connection', async () => {
    await startApp()
    const client = new RawClient()
    await client.send(`GET /health HTTP/1.1\r\n${HOST}\r\n`).answer()
    expect(await lifetime(client)).toBeLessThan(LISTENER_LIMITS.keepAliveMs + BUSY_MS)
  })
})

describe('bodies', () => {
  it('gives no 100 to a wrong token, and no body is awaited', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const expecting = 'Expect: 100-continue\r\nContent-Length: 1000000\r\n'
    const wrong = new RawClient().send(fire({ id: hook.id, secret: '0'.repeat(32) }, expecting))
    expect((await wrong.answer()).status).toBe(401)
    expect(await wrong.ended()).toBe('')
    const right = new RawClient().send(fire(hook, expecting))
    expect((await right.answer()).status).toBe(200)
    expect(await right.ended()).toBe('')
  })

  it.each([
    ['a length', 'Content-Length: 100\r\n', 'x'.repeat(100)],
    ['chunks', 'Transfer-Encoding: chunked\r\n', `5\r\nhello\r\n0\r\n\r\n`],
  ])('ignores a body sent with %s and serves the next request on the same connection', async (_name, header, body) => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    expect((await client.send(fire(hook, header) + body).answer()).status).toBe(200)
    expect((await client.send(fire(hook)).answer()).status).toBe(200)
    client.close()
  })

  it('answers a 100 MB body, then ends the connection', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    client.send(fire(hook, `Content-Length: ${100 * 1024 * 1024}\r\n`))
    const chunk = Buffer.alloc(65_536, 'x')
    let sent = 0
    while (sent < 100 * 1024 * 1024 && !client.socket.destroyed) {
      sent += chunk.length
      if (!client.socket.write(chunk)) await Promise.race([once(client.socket, 'drain'), once(client.socket, 'close')])
    }
    expect((await client.answer()).status).toBe(200)
    await client.ended()
  })

  it('ends an endless chunked body', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    client.send(fire(hook, 'Transfer-Encoding: chunked\r\n'))
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const pour = setInterval(() => client.socket.destroyed || client.send(chunk), 5)
    const ended = lifetime(client)
    expect((await client.answer()).status).toBe(200)
    expect(await ended).toBeLessThan(LISTENER_LIMITS.lingerMs + BUSY_MS)
    clearInterval(pour)
  })
})

describe('floods', () => {
  it('answers 10 000 bad tokens in a row and then the good one', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const bad = fire({ id: hook.id, secret: '0'.repeat(32) })
    const client = new RawClient()
    for (let round = 0; round < 100; round++) {
      client.send(bad.repeat(100))
      for (let index = 0; index < 100; index++) expect((await client.answer()).status).toBe(401)
    }
    expect((await client.send(fire(hook)).answer()).status).toBe(200)
    client.close()
  })

  it('answers 1 000 fires in one burst, none with a 5xx, and does all runs in the order accepted', async () => {
    const { createHook, runsDone, done, directory } = await startApp()
    const hook = await createHook()
    const request = fire(hook)
    const clients = await Promise.all(Array.from({ length: 50 }, () => new RawClient().connected()))
    await Promise.all(
      clients.map(async (client) => {
        for (let index = 0; index < 20; index++) expect((await client.send(request).answer()).status).toBe(200)
        client.close()
      }),
    )
    await runsDone(1_000)
    const journal = readFileSync(join(directory, 'runs.jsonl'), 'utf8').split('\n').filter(Boolean)
    const started = journal.map((line) => JSON.parse(line)).filter((line) => line.t === 'start')
    expect(done.map(({ run }) => run.runId)).toEqual(started.map((line) => line.runId))
    expect(done.every(({ result }) => result.success)).toBe(true)
  })
})
