// When the listener binds, who has the port, and how it ends (behaviours 26, 135).
import { once } from 'node:events'
import { connect, Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../harness/patience.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { leave, squatSilently, squatWithHttp } from '../../harness/wire/port-squatter.ts'
import { RawClient, rawRequest } from '../../harness/wire/raw-http.ts'
import { knock } from '../../harness/wire/ws-client.ts'
import { App } from '../../src/app/app.ts'
import { quietEvents } from '../../src/app/app-events.ts'
import { withFileLock } from '../../src/stores/file-lock.ts'
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

  it('says at once that it is off, and on again without binding anew', async () => {
    const { app, events, writeConfig, nextEvent } = await startApp()
    writeConfig({ listener: { enabled: false } })
    expect(app.ports.listenerStatus().state).toBe('disabled')
    expect(await isRefused()).toBe(false)
    const enabled = nextEvent('enabled')
    writeConfig({ listener: { enabled: true } })
    await enabled
    expect(app.ports.listenerStatus().state).toBe('listening')
    expect(events.map(({ type }) => type)).toEqual(['listening', 'disabled', 'enabled'])
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

/** From now on the system refuses the port with `code`. @returns lets it be bound again */
function refusePort(code: string): () => void {
  const refusal = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
    setImmediate(() => this.emit('error', Object.assign(new Error(`listen ${code}: no`), { code })))
    return this
  })
  onTestFinished(() => refusal.mockRestore())
  return () => refusal.mockRestore()
}

describe('a port that the system refuses', () => {
  it('is told once with the reason, shown by `listener` and `status`, and bound as soon as it may be', async () => {
    const allow = refusePort('EADDRNOTAVAIL')
    const { app, events, nextEvent, output } = await startApp()
    expect(events).toMatchObject([{ type: 'failed', error: { message: 'listen EADDRNOTAVAIL: no' } }])
    expect(app.ports.listenerStatus()).toMatchObject({ state: 'failed', reason: 'listen EADDRNOTAVAIL: no' })
    for (const command of ['listener', 'status']) await app.runner.run({ runId: command, source: 'repl', command })
    expect(output.join('\n').match(/cannot listen: listen EADDRNOTAVAIL: no; tried again every second/g)).toHaveLength(
      2,
    )
    await vi.waitUntil(() => vi.mocked(Server.prototype.listen).mock.calls.length >= 2, { timeout: 3_000 })
    expect(app.ports.listenerStatus().state).toBe('failed')
    const listening = nextEvent('listening')
    allow()
    await listening
    expect(app.ports.listenerStatus().state).toBe('listening')
    expect(events.map(({ type }) => type)).toEqual(['failed', 'listening'])
  })

  it('is told again when the reason changes', async () => {
    const allow = refusePort('EADDRNOTAVAIL')
    const { events, nextEvent } = await startApp()
    const changed = nextEvent('failed')
    allow()
    refusePort('EACCES')
    await changed
    expect(events).toMatchObject([{ error: { code: 'EADDRNOTAVAIL' } }, { error: { code: 'EACCES' } }])
  })

  it('holds up no stop', async () => {
    refusePort('EACCES')
    const { app, events } = await startApp()
    await app.stop(0)
    expect(events).toHaveLength(1)
    expect(app.ports.listenerStatus().state).toBe('not-started')
  })
})

describe('the very first start', () => {
  it('answers fires before it has an identity, and says that it listens once pages are let in', async () => {
    const directory = tempDirectory()
    const hook = await openHookStore(directory).create({ name: 'early', command: 'echo ok' })
    const told: string[] = []
    const app = new App({
      env: { HOOKLINE_CONFIG_DIR: directory },
      listen: 'attended',
      isConsoleServed: async () => true,
      events: { ...quietEvents, listener: ({ type }) => void told.push(type) },
    })
    onTestFinished(() => app.stop(0))
    const statusOfPage = async () => (await (await knock()).answer()).status
    const starting = await withFileLock(join(directory, 'listener.json'), async () => {
      const started = app.start()
      await vi.waitUntil(async () => !(await isRefused()))
      expect((await rawRequest(fire(hook))).status).toBe(200)
      expect(await statusOfPage()).toBe(503)
      expect(told).toEqual([])
      return { started }
    })
    await starting.started
    expect(told).toEqual(['listening'])
    expect(await statusOfPage()).toBe(101)
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

  it('frees the port for both of two who ask it to end', async () => {
    const { app } = await startApp()
    await Promise.all([app.stop(0), app.stop(0)])
    expect(await isRefused()).toBe(true)
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
