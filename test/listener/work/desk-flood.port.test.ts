// Whatever a page asks for without end: each is answered or refused, nobody else waits, and who is not approved gets nothing.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { CLIENT_SAMPLES, whole } from '../../../harness/wire/frame-samples.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

const ASKED = [
  'runs:query',
  'runs:show',
  'fills:query',
  'equity:query',
  'pnl:query',
  'trades:query',
  'orders:query',
  'markets:query',
  'copies:query',
  'copy:check',
  'market:watch',
  'portfolio:watch',
  'complete',
] as const
const sampleOf = (t: (typeof ASKED)[number]) => ({
  ...whole([t, CLIENT_SAMPLES[t]]),
  account: 'paper',
  cursor: undefined,
})
const COUNT = 500

describe.each(ASKED)('%s without end', (t) => {
  it('holds up neither a fire nor another page, and each that is answered is answered once', async () => {
    const app = await startApp()
    const [flood, other] = [await WsClient.welcomed(app), await WsClient.welcomed(app)]
    const hook = await app.createHook()
    const frame = t === 'complete' ? { ...sampleOf(t), cursor: 2 } : sampleOf(t)
    for (let n = 0; n < COUNT; n += 1) flood.send({ ...frame, id: `f${n}` })
    expect((await fire(hook)).status).toBe(200)
    other.send({ t: 'cmd:exec', id: 'o', command: 'echo on' })
    expect(await other.nextFrame('cmd:done')).toMatchObject({ id: 'o', success: true })
    flood.send({ t: 'cmd:exec', id: 'last', command: 'echo on' })
    while ((await flood.nextFrame('cmd:done')).id !== 'last');
    const seen = new Map<string, number>()
    for (const text of flood.received) {
      const { t: kind, id } = JSON.parse(text)
      if (
        id !== undefined &&
        (kind === 'error' || kind.endsWith(':page') || kind === 'copy:checked' || kind === 'complete:ok')
      )
        seen.set(id, (seen.get(id) ?? 0) + 1)
    }
    expect([...seen.values()].every((count) => count === 1)).toBe(true)
    expect(flood.ws.readyState).toBe(flood.ws.OPEN)
  })
})

describe('a client that nobody has approved', () => {
  it('gets no answer to any of them, and none when it is denied', async () => {
    const app = await startApp()
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'buy 0.01 BTCUSDT' })
    const clientId = crypto.randomUUID()
    const stranger = await WsClient.hello({ clientId, label: 'stranger' })
    // More than these, in one second, would end the session by themselves.
    for (const t of ASKED.slice(0, 6)) stranger.send(sampleOf(t))
    await stranger.settled()
    expect(stranger.received).toEqual([])
    expect(await app.app.ports.clients?.decide(clientId, 'denied')).toBe(true)
    expect(await stranger.closed()).toMatchObject({ code: 4001 })
    expect(stranger.received).toEqual(['{"t":"rejected"}'])
  })
})
