// Where each limit of a connection that is no session lies: one side of it and the other.
import { describe, expect, it } from 'vitest'
import { BUSY_MS } from '../../../harness/patience.ts'
import { HooklineProcess } from '../../../harness/process/hookline-process.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { leave, squatSilently } from '../../../harness/wire/port-squatter.ts'
import { RawClient, rawRequest } from '../../../harness/wire/raw-http.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'

/** Clocks and timers differ a little. */
const EARLY_MS = 50

const health = (header = '') => `GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n${header}\r\n`

describe('a request', () => {
  it('has at most so many bytes of headers', async () => {
    await startApp()
    const padding = (bytes: number) => `X-Padding: ${'x'.repeat(bytes)}\r\n`
    expect((await rawRequest(health(padding(LISTENER_LIMITS.headerBytes - 200)))).status).toBe(200)
    expect((await rawRequest(health(padding(LISTENER_LIMITS.headerBytes)))).status).toBe(431)
  })

  it('keeps its connection with a body of the size that may be, and loses it with one byte more', async () => {
    const { createHook } = await startApp()
    const { id, secret } = await createHook()
    const fire = (bytes: number) =>
      `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${secret}\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`
    const client = new RawClient()
    expect((await client.send(fire(LISTENER_LIMITS.bodyBytes)).answer()).status).toBe(200)
    expect((await client.send(health()).answer()).status).toBe(200)
    expect((await client.send(fire(LISTENER_LIMITS.bodyBytes + 1)).answer()).status).toBe(200)
    expect(await client.ended()).toBe('')
  })

  it('whose headers do not end is found out at the first look after their time', async () => {
    await startApp()
    const from = performance.now()
    const client = await new RawClient().connected()
    client.send('GET /health HTTP/1.1\r\n')
    await client.ended()
    const lasted = performance.now() - from
    expect(lasted).toBeGreaterThan(LISTENER_LIMITS.headersMs - EARLY_MS)
    expect(lasted).toBeLessThan(LISTENER_LIMITS.headersMs + LISTENER_LIMITS.connectionCheckMs + BUSY_MS)
  })
})

describe('a taken port', () => {
  it('is asked for its holder only so long', async () => {
    await squatSilently()
    const from = performance.now()
    const { events } = await startApp()
    await expect.poll(() => events).toEqual([{ type: 'port-taken', holderPid: undefined }])
    expect(performance.now() - from).toBeGreaterThan(LISTENER_LIMITS.probeMs - EARLY_MS)
    expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.probeMs + BUSY_MS)
  })

  it('is taken over at the next try', async () => {
    const other = await squatSilently()
    const { nextEvent } = await startApp()
    const listening = nextEvent('listening')
    await leave(other)
    const from = performance.now()
    await listening
    expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.takeOverMs + BUSY_MS)
  })
})

describe('the end', () => {
  it('leaves what is running so much time, and then cuts it', async () => {
    const hookline = await HooklineProcess.start()
    const client = await hookline.welcomed()
    client.send({ t: 'cmd:exec', id: 'a', command: 'sleep 10m' })
    await client.settled()
    const from = performance.now()
    hookline.signal('SIGTERM')
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: 'a', success: false })
    expect(performance.now() - from).toBeGreaterThan(LISTENER_LIMITS.drainMs - EARLY_MS)
    expect(await client.closed()).toMatchObject({ code: 1001 })
    expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.drainMs + BUSY_MS)
  })
})
