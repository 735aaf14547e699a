// Who may fire besides having the token (behaviours 7 and 8): no page that is not allowed, no other protocol; and who is in the log.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../harness/wire/raw-http.ts'
import { TUNNELS } from '../../harness/wire/tunnels.ts'

function post(path: string, headers: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n${headers}Content-Length: 0\r\n\r\n`
}

describe('a page', () => {
  const FORBIDDEN = '{"ok":false,"error":"forbidden origin","code":"forbidden-origin"}'

  it.each([
    ['a foreign one', 'Origin: https://evil.example\r\n'],
    ['one that hides its name', 'Origin: null\r\n'],
    ['one under a name that was pointed at us', 'Origin: http://evil.example:53219\r\nSec-Fetch-Site: same-origin\r\n'],
    ['an allowed one together with another', 'Origin: http://127.0.0.1:53220\r\nOrigin: https://evil.example\r\n'],
    ['one whose browser names the site alone', 'Sec-Fetch-Site: cross-site\r\n'],
  ])('fires nothing when it is not allowed, even with the token: %s', async (_what, headers) => {
    const { createHook, app, directory } = await startApp()
    const hook = await createHook()
    const answer = await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n${headers}`))
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(app.runner.counts()).toMatchObject({ running: 0, waiting: 0 })
    await expect
      .poll(() => readFileSync(join(directory, 'hookline.log'), 'utf8'))
      .toContain('refused a fire: it comes from a page')
  })

  it('learns nothing more without the token, or while the listener is off', async () => {
    const { createHook, writeConfig } = await startApp()
    const hook = await createHook()
    const foreign = 'Origin: https://evil.example\r\n'
    const ask = (path: string) => rawRequest(post(path, foreign)).then(({ status, body }) => [status, body])
    expect(await ask(`/hook/${hook.id}`)).toEqual([403, FORBIDDEN])
    expect(await ask('/hook/unknown')).toEqual([403, FORBIDDEN])
    writeConfig({ listener: { enabled: false } })
    expect(await ask(`/hook/${hook.id}`)).toEqual([403, FORBIDDEN])
  })

  it.each([
    'Origin: http://127.0.0.1:53220\r\nSec-Fetch-Site: same-site\r\n',
    'Sec-Fetch-Site: none\r\n',
    'Sec-Fetch-Site: same-origin\r\n',
  ])('may fire when it is allowed, and so may what is not a page: %j', async (headers) => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const answer = await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n${headers}`))
    expect(answer.status).toBe(200)
  })
})

describe('a sender behind a tunnel', () => {
  it.each(TUNNELS)('fires through $name with the token, and not without', async ({ host, adds }) => {
    const { createHook, runsDone, done } = await startApp()
    const hook = await createHook()
    const added = adds.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const fire = (token: string) =>
      rawRequest(`POST /hook/${hook.id} HTTP/1.1\r\nHost: ${host}\r\n${added}${token}Content-Length: 0\r\n\r\n`)
    expect((await fire('')).status).toBe(401)
    expect((await fire(`X-Hook-Token: ${hook.secret}\r\n`)).status).toBe(200)
    await runsDone(1)
    expect(done).toHaveLength(1)
  })

  it.each(TUNNELS)('cannot have /health through $name', async ({ host, adds }) => {
    await startApp()
    const added = adds.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    expect((await rawRequest(`GET /health HTTP/1.1\r\nHost: ${host}\r\n${added}\r\n`)).status).toBe(403)
  })
})

describe('a wrong token', () => {
  it('is in the log with the hook, and not with the token', async () => {
    const { createHook, directory } = await startApp()
    const hook = await createHook()
    const guess = '0123456789abcdef'.repeat(2)
    await rawRequest(post(`/hook/${hook.id}`, `X-Hook-Token: ${guess}\r\n`))
    const log = () => readFileSync(join(directory, 'hookline.log'), 'utf8')
    await expect.poll(log).toContain('refused a fire: invalid token')
    expect(log()).toContain(hook.id)
    expect(log()).toContain(`"hook":"${hook.name}"`)
    expect(log()).not.toContain(guess)
    expect(log()).not.toContain(hook.secret)
  })
})

describe('another protocol', () => {
  it.each(['HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'RTSP/1.0', 'RTSP/2.0'])('%s fires nothing', async (protocol) => {
    const { createHook, app, directory } = await startApp()
    const hook = await createHook()
    const request = post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`).replace('HTTP/1.1', protocol)
    const client = new RawClient().send(`\r\n${request}${request}`)
    expect((await client.answer()).status).toBe(400)
    expect(await client.ended()).toBe('')
    expect(app.runner.counts()).toMatchObject({ running: 0, waiting: 0 })
    expect(readFileSync(join(directory, 'runs.jsonl'), { encoding: 'utf8', flag: 'a+' })).toBe('')
  })

  it('is found out when its name comes in pieces', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const request = post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`).replace('HTTP/1.1', 'RTSP/1.0')
    const client = await new RawClient().connected()
    client.send(request.slice(0, request.indexOf('RTSP') + 2))
    await new Promise((sent) => setTimeout(sent, 50))
    client.send(request.slice(request.indexOf('RTSP') + 2))
    expect((await client.answer()).status).toBe(400)
  })

  it('is what HTTP/1.0 is not', async () => {
    const { createHook } = await startApp()
    const hook = await createHook()
    const request = post(`/hook/${hook.id}`, `X-Hook-Token: ${hook.secret}\r\n`).replace('HTTP/1.1', 'HTTP/1.0')
    expect((await rawRequest(request)).status).toBe(200)
  })
})
