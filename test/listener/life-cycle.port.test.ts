// When the listener binds, who has the port, and how it ends (specification, Kill switches; behaviour 26).
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../harness/patience.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { leave, squatSilently, squatWithHttp } from '../../harness/wire/port-squatter.ts'
import { RawClient, rawRequest } from '../../harness/wire/raw-http.ts'
import { openHookStore } from '../../src/stores/hooks.ts'

const HEALTH = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n'

function fire(hook: { id: string; secret: string }): string {
  return `POST /hook/${hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${hook.secret}\r\nContent-Length: 0\r\n\r\n`
}

async function isRefused(): Promise<boolean> {
  const socket = connect(53219, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

describe('listener.enabled', () => {
  it('never binds while it is off at the start, and binds without a restart when turned on', async () => {
    const { app, events, writeConfig, nextEvent } = await startApp({ config: { listener: { enabled: false } } })
    expect(events).toEqual([{ type: 'disabled' }])
    expect(app.ports.listenerStatus().state).toBe('disabled')
    expect(await isRefused()).toBe(true)
    const listening = nextEvent('listening')
    writeConfig({ listener: { enabled: true } })
    await listening
    expect((await rawRequest(HEALTH)).status).toBe(200)
    expect(app.ports.listenerStatus().state).toBe('listening')
  })

  it('tells in /health that hooks cannot be fired while it is off', async () => {
    const { writeConfig } = await startApp()
    writeConfig({ listener: { enabled: false } })
    expect(JSON.parse((await rawRequest(HEALTH)).body).ok).toBe(false)
  })

  it('stays off when config.json is bad from the start, rather than guess', async () => {
    const { app, events } = await startApp({ config: { listener: { enabled: 'no' } } })
    expect(events).toEqual([{ type: 'disabled' }])
    expect(app.problems()).toMatchObject([{ path: expect.stringContaining('config.json') }])
    expect(await isRefused()).toBe(true)
  })
})

describe('a taken port', () => {
  it('names the pid of another hookline, goes on without a listener, and takes over when the port is free', async () => {
    const other = await squatWithHttp((_request, response) => response.end('{"ok":true,"pid":4242,"port":53219}'))
    const { app, events, nextEvent } = await startApp()
    await expect.poll(() => events).toEqual([{ type: 'port-taken', holderPid: 4242 }])
    expect(app.ports.listenerStatus()).toMatchObject({ state: 'port-taken', holderPid: 4242 })
    const listening = nextEvent('listening')
    await leave(other)
    await listening
    expect(JSON.parse((await rawRequest(HEALTH)).body).pid).toBe(process.pid)
    expect(events.map(({ type }) => type)).toEqual(['port-taken', 'listening'])
  })

  it.each([
    ['answers something else', (_request: unknown, response: { end(text: string): void }) => response.end('hello')],
    [
      'answers a pid that is none',
      (_request: unknown, response: { end(text: string): void }) => response.end('{"pid":"1;rm"}'),
    ],
    [
      'answers without end',
      (_request: unknown, response: { write(text: string): void }) => void response.write('{"pid":1'),
    ],
  ])('says that another program has it when it %s', async (_name, answer) => {
    await squatWithHttp(answer)
    const { events } = await startApp()
    await expect.poll(() => events).toEqual([{ type: 'port-taken', holderPid: undefined }])
  })

  it('is not held up by a holder that never answers', async () => {
    await squatSilently()
    const { events } = await startApp()
    // It has not been given up yet.
    expect(events).toEqual([])
    await expect.poll(() => events).toEqual([{ type: 'port-taken', holderPid: undefined }])
  })
})

describe('hooks made elsewhere', () => {
  it('fires a hook that another process has just made, and refuses one it has just rotated or revoked', async () => {
    const { directory } = await startApp()
    const elsewhere = openHookStore(directory)
    const client = new RawClient()
    const status = async (hook: { id: string; secret: string }) => (await client.send(fire(hook)).answer()).status
    for (let round = 0; round < 50; round++) {
      const hook = await elsewhere.create({ name: `made-${round}`, command: 'echo ok' })
      expect(await status(hook)).toBe(200)
      const rotated = await elsewhere.rotate(hook.id)
      expect(await status(hook)).toBe(401)
      expect(await status(rotated)).toBe(200)
      await elsewhere.revoke(hook.id)
      expect(await status(rotated)).toBe(404)
    }
    client.close()
  })
})

describe('shutdown', () => {
  it('answers 503 to new fires, lets running ones end, and then closes every connection', async () => {
    const { app, createHook, done, output } = await startApp()
    const slow = await createHook('sleep 300ms; echo finished')
    const client = new RawClient()
    expect((await client.send(fire(slow)).answer()).status).toBe(200)
    const busy = new RawClient()
    await busy.connected()
    busy.send('POST /hook/')
    await client.send(HEALTH).answer()
    const stopping = app.stop(5_000)
    expect(await isRefused()).toBe(true)
    const late = await busy.send(fire(slow).slice('POST /hook/'.length)).answer()
    expect([late.status, late.body]).toEqual([503, '{"ok":false,"error":"listener disabled"}'])
    await stopping
    expect(output).toEqual(['print finished'])
    expect(done.map(({ result }) => result.success)).toEqual([true])
    await busy.ended()
    await client.ended()
  })

  it('cuts runs that take longer than the grace time, and says so', async () => {
    const { app, createHook, done } = await startApp()
    const slow = await createHook('sleep 10m; echo never')
    expect((await rawRequest(fire(slow))).status).toBe(200)
    const from = performance.now()
    await app.stop(200)
    expect(performance.now() - from).toBeLessThan(BUSY_MS)
    expect(done).toHaveLength(1)
    expect(done[0]?.result.success).toBe(false)
  })

  it('stops while it waits for a taken port', async () => {
    const other = await squatSilently()
    const { app } = await startApp()
    await app.stop(0)
    await leave(other)
    expect(await isRefused()).toBe(true)
  })
})

describe('two apps on one directory', () => {
  it('leave one listener and share their hooks', async () => {
    const directory = tempDirectory()
    const first = await startApp({ directory })
    const second = await startApp({ directory })
    await expect.poll(() => second.events).toEqual([{ type: 'port-taken', holderPid: process.pid }])
    const hook = await second.createHook('echo shared')
    expect((await rawRequest(fire(hook))).status).toBe(200)
    await first.runsDone(1)
    expect(first.output).toEqual(['print shared'])
    expect(second.output).toEqual([])
  })
})
