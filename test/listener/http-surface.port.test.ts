// The HTTP tables (behaviours 113, 114, 115), and what becomes of requests no ordinary client would send.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../harness/wire/raw-http.ts'
import type { Hook } from '../../src/stores/hooks.ts'

const HOST = 'Host: 127.0.0.1:53219\r\n'

function post(path: string, headers: string, body = ''): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

describe('the status table', () => {
  it('accepts a fire with the right token and answers at once with its run', async () => {
    const { createHook, runsDone, done, output } = await startApp()
    const hook = await createHook('echo ok')
    const answer = await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({ ok: true, runId: expect.any(String), command: 'echo ok' })
    await runsDone(1)
    expect(done[0]?.run.runId).toBe(JSON.parse(answer.body).runId)
    expect(done[0]?.result).toEqual({ success: true })
    expect(output).toEqual(['print ok'])
  })

  it('names the pinned account in the answer', async () => {
    const { createHook } = await startApp()
    const hook = await createHook('echo ok', { account: 'paper' })
    const answer = await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`))
    expect(JSON.parse(answer.body)).toEqual({
      ok: true,
      runId: expect.any(String),
      command: 'echo ok',
      account: 'paper',
    })
  })

  it('answers without waiting for the run', async () => {
    const { createHook, app } = await startApp()
    const hook = await createHook('sleep 60s')
    const answer = await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`))
    expect(answer.status).toBe(200)
    expect(app.runner.counts().running).toBe(1)
  })

  const unknown = '{"ok":false,"error":"unknown hook"}'
  it.each([
    ['another id', () => '0'.repeat(32)],
    ['a short id', (id: string) => id.slice(1)],
    ['a long id', (id: string) => `${id}0`],
    ['another id in upper case', (id: string) => id.toUpperCase()],
    ['no id', () => ''],
    ['a percent-encoded id', (id: string) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
    ['a property of objects', () => '__proto__'],
    ['a slash behind the id', (id: string) => `${id}/`],
  ])('answers 404 to %s', async (_name, change) => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const other = `${hook.id.startsWith('a') ? 'b' : 'a'}${hook.id.slice(1)}`
    const answer = await rawRequest(post(`/hook/${change(other)}`, `X-Hook-Token: ${hook.secret}\r\n`))
    expect([answer.status, answer.body]).toEqual([404, unknown])
  })

  it.each([
    ['no token', () => ''],
    ['an empty token', () => 'X-Hook-Token: \r\n'],
    ['a wrong token', () => `X-Hook-Token: ${'0'.repeat(32)}\r\n`],
    ['a short token', (secret: string) => `X-Hook-Token: ${secret.slice(1)}\r\n`],
    ['a long token', (secret: string) => `X-Hook-Token: ${secret}0\r\n`],
    ['one character', () => 'X-Hook-Token: a\r\n'],
    ['an 8 KB token', (secret: string) => `X-Hook-Token: ${secret.repeat(256)}\r\n`],
    [
      'another token in upper case',
      (secret: string) => `X-Hook-Token: ${secret.replace(/\d/g, 'a').toUpperCase()}\r\n`,
    ],
    ['non-ASCII bytes of the right length', () => `X-Hook-Token: ${'\xe9'.repeat(32)}\r\n`],
    ['the right token twice', (secret: string) => `X-Hook-Token: ${secret}\r\nX-Hook-Token: ${secret}\r\n`],
    ['two halves', (secret: string) => `X-Hook-Token: ${secret.slice(16)}\r\nX-Hook-Token: ${secret.slice(18)}\r\n`],
    ['the token in another header', (secret: string) => `Authorization: Bearer ${secret}\r\n`],
  ])('answers 401 to %s', async (_name, header) => {
    const { createHook, done } = await startApp()
    const hook = await createHook()
    const answer = await rawRequest(post(`/hook/${hook.id}`, header(hook.secret)))
    expect([answer.status, answer.body]).toEqual([401, '{"ok":false,"error":"invalid token"}'])
    expect(done).toEqual([])
  })

  it('takes id and token in either case: they are hex', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const header = `X-Hook-Token: ${hook.secret.toUpperCase()}\r\n`
    expect((await rawRequest(post(`/hook/${hook.id.toUpperCase()}`, header))).status).toBe(200)
  })

  it('answers 423 while remoteExec is off, and leaves the hook intact', async () => {
    const { createHook, writeConfig } = await startApp({ config: { listener: { remoteExec: false } } })
    const hook = await createHook()
    const request = post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`)
    const answer = await rawRequest(request)
    expect([answer.status, answer.body]).toEqual([423, '{"ok":false,"error":"remoteExec disabled"}'])
    writeConfig({ listener: { remoteExec: true } })
    expect((await rawRequest(request)).status).toBe(200)
  })

  it('answers 503 once listener.enabled is off, fresh at the next request', async () => {
    const { createHook, writeConfig } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    const request = post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`)
    expect((await client.send(request).answer()).status).toBe(200)
    writeConfig({ listener: { enabled: false } })
    const answer = await client.send(request).answer()
    expect([answer.status, answer.body]).toEqual([503, '{"ok":false,"error":"listener disabled"}'])
    writeConfig({})
    expect((await client.send(request).answer()).status).toBe(200)
    client.close()
  })

  it('lets 503 win over 404, 404 over 401, and 401 over 423', async () => {
    const { createHook, writeConfig } = await startApp({ config: { listener: { remoteExec: false } } })
    const hook = await createHook()
    const stranger = post(`/hook/${'0'.repeat(32)}`, '')
    const noToken = post(`/hook/${hook.id}`, '')
    expect((await rawRequest(stranger)).status).toBe(404)
    expect((await rawRequest(noToken)).status).toBe(401)
    writeConfig({ listener: { enabled: false, remoteExec: false } })
    expect((await rawRequest(stranger)).status).toBe(503)
    expect((await rawRequest(noToken)).status).toBe(503)
  })

  it('answers 429 with Retry-After when ten thousand runs wait, and accepts again when there is room', async () => {
    const { createHook, fire, app, directory } = await startApp()
    const slow: Hook[] = []
    for (let index = 0; index < 5; index++) slow.push(await createHook('sleep 10m'))
    for (const hook of slow) for (let index = 0; index < 2_000; index++) fire(hook)
    await expect.poll(() => app.runner.counts()).toEqual({ running: 100, waiting: 9_900 })
    for (const hook of slow) for (let index = 0; index < 20; index++) fire(hook)
    const other = await createHook()
    const token = `X-Hook-Token: ${other.secret}\r\n`
    const answer = await rawRequest(post(`/hook/${other.id}`, token))
    expect([answer.status, answer.body]).toEqual([429, '{"ok":false,"error":"too many runs","code":"too-many-runs"}'])
    expect(answer.headers['retry-after']).toBe('1')
    const log = () => readFileSync(join(directory, 'hookline.log'), 'utf8')
    await expect.poll(log).toContain('too many runs')
    app.runner.interrupt(({ source }) => source === 'hook')
    await expect.poll(() => app.runner.hasRoom(other.id)).toBe(true)
    expect((await rawRequest(post(`/hook/${other.id}`, token))).status).toBe(200)
  })

  it('answers 429 to a hook of which two thousand fires wait, and 200 to another', async () => {
    const { createHook, fire, app } = await startApp()
    const slow = await createHook('sleep 10m')
    const other = await createHook()
    for (let index = 0; index < 20; index++) fire(slow)
    await expect.poll(() => app.runner.counts().running).toBe(20)
    for (let index = 0; index < 2_000; index++) fire(slow)
    const answered = async ({ id, secret }: Hook) =>
      (await rawRequest(post(`/hook/${id}`, `X-Hook-Token: ${secret}\r\n`))).status
    expect([await answered(slow), await answered(other)]).toEqual([429, 200])
  })
})

describe('strangers', () => {
  it.each(['127.0.0.2', '::1'])('is bound to the loopback address and no other: not to %s', async (host) => {
    await startApp()
    const socket = connect({ host, port: 53219 })
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('gives a page no leave to send a token', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const asking = 'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-hook-token\r\n'
    for (const origin of ['https://evil.example', 'http://127.0.0.1:53220']) {
      const preflight = `OPTIONS /hook/${hook.id} HTTP/1.1\r\n${HOST}Origin: ${origin}\r\n${asking}\r\n`
      const { status, headers } = await rawRequest(preflight)
      expect(status).toBe(404)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('an offer of another protocol', () => {
  it.each(['h2c', 'TLS/1.0', 'WebSocketx'])('is ignored: %s', async (protocol) => {
    const { createHook, runsDone } = await startApp()
    const hook = await createHook()
    const client = new RawClient()
    const offer = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`
    const answer = await client
      .send(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n${offer}`, 'body'))
      .answer()
    expect(answer.status).toBe(200)
    await client.ended()
    await runsDone(1)
  })
})

describe('health and everything else', () => {
  it('tells its pid and port, uncached', async () => {
    await startApp()
    const { status, body, headers } = await rawRequest(`GET /health HTTP/1.1\r\n${HOST}\r\n`)
    expect([status, JSON.parse(body)]).toEqual([200, { ok: true, pid: process.pid, port: 53219 }])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  it.each([
    ['http://127.0.0.1:53220', 'http://127.0.0.1:53220'],
    ['http://localhost:53220', 'http://localhost:53220'],
    ['http://localhost:53221', undefined],
    ['https://evil.example', undefined],
    ['null', undefined],
  ])('lets a page of %s read health: %s', async (origin, allowed) => {
    await startApp()
    const { headers } = await rawRequest(`GET /health?x=1 HTTP/1.1\r\n${HOST}Origin: ${origin}\r\n\r\n`)
    expect(headers['access-control-allow-origin']).toBe(allowed)
    expect(headers.vary).toBe('Origin')
  })

  it.each(['evil.example:53219', '127.0.0.1', '[::1]:53219', 'alerts.example'])(
    'tells nothing to a page under another name: %s',
    async (host) => {
      await startApp()
      const { status, body } = await rawRequest(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect([status, body]).toEqual([403, '{"ok":false,"error":"forbidden host"}'])
    },
  )

  it.each(['127.0.0.1:53219', 'localhost:53219', 'LOCALHOST:53219'])('is told under our own: %s', async (host) => {
    await startApp()
    expect((await rawRequest(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(200)
  })

  it.each([
    'GET /',
    'POST /health',
    'PUT /health',
    'OPTIONS /health',
    'GET /health/',
    'GET //health',
    'GET /HEALTH',
    `GET /hook/${'0'.repeat(32)}`,
    `PUT /hook/${'0'.repeat(32)}`,
    `OPTIONS /hook/${'0'.repeat(32)}`,
    'POST /hook',
    'POST /',
    'POST /hooks/x',
    'GET /ws',
    'DELETE /hook/x',
    'PATCH /x',
    'TRACE /health',
  ])('answers 404 to %s', async (target) => {
    await startApp()
    const { status, body, headers } = await rawRequest(
      `${target} HTTP/1.1\r\n${HOST}Origin: http://127.0.0.1:53220\r\n\r\n`,
    )
    expect(status).toBe(404)
    expect(body).toBe('{"ok":false,"error":"not found"}')
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each([
    ['a duplicate Host', `GET /health HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
    ['two different Hosts', `GET /health HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`, 400],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400],
    ['HTTP/1.0 without Host', 'GET /health HTTP/1.0\r\n\r\n', 400],
    ['an absolute-form target', `GET http://127.0.0.1:53219/health HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['an asterisk-form target', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['20 KB of headers', `GET /health HTTP/1.1\r\n${HOST}X-Fill: ${'x'.repeat(20_480)}\r\n\r\n`, 431],
    [
      'a length and a chunked body',
      `POST /x HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['an unknown method', `BREW /health HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a bare line feed in the head', 'GET /health HTTP/1.1\nHost: 127.0.0.1:53219\n\n', 400],
    ['noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ])('answers %s with %s', async (_name, bytes, status) => {
    await startApp()
    const client = new RawClient()
    expect((await client.send(bytes).answer()).status).toBe(status)
    await client.ended()
  })

  it('answers HEAD with 404 and no body', async () => {
    await startApp()
    const client = new RawClient()
    const received = await client.send(`HEAD /health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`).ended()
    expect(received).toMatch(/^HTTP\/1\.1 404 /)
    expect(received.endsWith('\r\n\r\n')).toBe(true)
  })

  it('ends a CONNECT without an answer and serves on', async () => {
    await startApp()
    const client = new RawClient()
    expect(await client.send(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`).ended()).toBe('')
    expect((await rawRequest(`GET /health HTTP/1.1\r\n${HOST}\r\n`)).status).toBe(200)
  })
})
