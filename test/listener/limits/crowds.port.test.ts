// Many at once: silent ones, ones that come and go, and more than there is room for.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BUSY_MS } from '../../../harness/patience.ts'
import { HooklineProcess } from '../../../harness/process/hookline-process.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { RawClient } from '../../../harness/wire/raw-http.ts'
import { RawSession } from '../../../harness/wire/raw-session.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { clientFrameBytes, WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

describe('500 upgrades that say nothing', () => {
  it('do not keep a fire or a hello waiting, and are ended by the time a hello is due', async () => {
    const app = await startApp()
    const hook = await app.createHook()
    // The first page brings in the WebSocket side; who is made to make room before that is not even answered.
    const first = await WsClient.welcomed(app)
    first.ws.close()
    await first.closed()
    const from = performance.now()
    // Fewer at once than there are places: one that is made to make room before it is judged is not answered.
    const idle: RawSession[] = []
    while (idle.length < 500) idle.push(...(await Promise.all(Array.from({ length: 50 }, () => RawSession.open()))))
    const opened = performance.now()
    const codes = Promise.all(idle.map((session) => session.closeCode()))
    expect((await fire(hook)).status).toBe(200)
    const client = await WsClient.welcomed(app)
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
    // Before any of them was ended for its silence.
    expect(performance.now() - from).toBeLessThan(WIRE_LIMITS.helloMs)
    expect(app.app.ports.listenerStatus().sockets).toBeLessThanOrEqual(LISTENER_LIMITS.sockets)

    const ended = await codes
    expect(performance.now() - from).toBeGreaterThan(WIRE_LIMITS.helloMs)
    expect(performance.now() - opened).toBeLessThan(WIRE_LIMITS.helloMs + LISTENER_LIMITS.lingerMs + BUSY_MS)
    // The older half made room; the younger was told why.
    const told = ended.filter((code) => code === 4408).length
    expect(told).toBeGreaterThan(LISTENER_LIMITS.sockets - 20)
    expect(ended.filter((code) => code === undefined)).toHaveLength(500 - told)
    client.send({ t: 'cmd:exec', id: 'b', command: 'echo on' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: 'b', success: true })
  })
})

/** Rounds of twenty connections. */
const ROUNDS = runsOf(50, 8)

describe('hundreds of connections, twenty at once', () => {
  async function visit(open: () => Promise<WsClient>): Promise<void> {
    const client = await open()
    client.send({ t: 'subscribe', topics: ['accounts', 'hooks', 'hook-output', 'cross-trade'] })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    await client.nextFrame('cmd:done')
    await client.leave()
  }

  it('leave no session, socket or timer behind', async () => {
    const app = await startApp()
    const clientId = randomUUID()
    await WsClient.welcomed(app, { clientId })
    const open = async () => {
      const client = await WsClient.hello({ clientId })
      await client.nextFrame('welcome')
      return client
    }
    await visit(open)
    const count = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length
    const before = count()
    for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: 20 }, () => visit(open)))
    await expect.poll(() => app.app.ports.clients?.connected().get(clientId)).toBe(1)
    await expect.poll(() => app.app.ports.listenerStatus().sockets).toBe(0)
    await expect.poll(count).toBeLessThanOrEqual(before + 5)
  })

  it('leave the open files of the process as they were', async () => {
    const hookline = await HooklineProcess.start()
    const visits = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        await Promise.all(Array.from({ length: 20 }, () => visit(() => hookline.welcomed())))
    }
    await visits(ROUNDS)
    const files = hookline.openFiles()
    await visits(ROUNDS)
    await expect.poll(() => hookline.openFiles()).toBeLessThanOrEqual(files + 3)
  })
})

describe('approved sessions', () => {
  it('are as many as may be; one more is told to come later, and the others stay', async () => {
    const app = await startApp()
    const clientId = randomUUID()
    const first = await WsClient.welcomed(app, { clientId })
    const open = () => WsClient.hello({ clientId })
    const welcomed = async () => {
      const client = await open()
      await client.nextFrame('welcome')
      return client
    }
    // Those that come together share one look into the system's table of sockets, which is most of what one costs.
    const others: WsClient[] = []
    for (let left = LISTENER_LIMITS.sessions - 1; left > 0; left = LISTENER_LIMITS.sessions - 1 - others.length)
      others.push(...(await Promise.all(Array.from({ length: Math.min(64, left) }, welcomed))))
    const over = await open()
    expect(await over.closed()).toMatchObject({ code: 4429 })
    first.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    expect(await first.nextFrame('cmd:done')).toMatchObject({ success: true })
    await others[0]?.leave()
    await expect.poll(() => app.activities.at(-1)?.type).toBe('disconnected')
    await (await open()).nextFrame('welcome')
  })
})

it('a page that was upgraded says its hello behind 300 sockets that come after it and stay silent', async () => {
  const app = await startApp()
  await (await WsClient.welcomed(app)).ws.close()
  const page = await RawSession.open()
  const silent = Array.from({ length: 300 }, () => new RawClient())
  await Promise.all(silent.map((client) => client.connected()))
  expect((await fetch('http://127.0.0.1:53219/health')).status).toBe(200)
  page.send(clientFrameBytes('nonsense'))
  expect(await page.closeCode()).toBe(4400)
  for (const client of silent) client.close()
})
