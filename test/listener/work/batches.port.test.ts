// Clients that understand batches, beside those that do not: each gets its own frames, and the same lines.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { linesOf } from '../../../src/client/public.ts'
import { LISTENER_FEATURES } from '../../../src/protocol/frames.ts'

const SCRIPT = 'repeat 60 (echo line)'

/** Every line under the id, up to its end. */
async function linesUntilDone(client: WsClient) {
  const lines: string[] = []
  let frames = 0
  for (;;) {
    const frame = await client.nextFrame()
    if (frame.t === 'cmd:done') return { lines, frames, done: frame }
    if (frame.t !== 'cmd:output') continue
    frames += 1
    lines.push(...linesOf(frame).map(({ text }) => text))
  }
}

describe('output in batches', () => {
  it('has all the lines in fewer frames, for commands and for hooks; other clients get one frame a line', async () => {
    const app = await startApp()
    const [batched, plain] = [
      await WsClient.welcomed(app, { features: ['batches', 'from a later time'] }),
      await WsClient.welcomed(app),
    ]
    for (const client of [batched, plain]) {
      client.send({ t: 'cmd:exec', id: 'c', command: SCRIPT })
      client.send({ t: 'subscribe', topics: ['hook-output'] })
    }
    const own = [await linesUntilDone(batched), await linesUntilDone(plain)]
    expect(own.map(({ lines }) => lines)).toEqual([Array(60).fill('line'), Array(60).fill('line')])
    expect(own[0]?.frames).toBeLessThan(20)
    expect(own[1]?.frames).toBe(60)

    await fire(await app.createHook(SCRIPT))
    const heard = [await linesUntilDone(batched), await linesUntilDone(plain)]
    expect(heard.map(({ lines }) => lines.length)).toEqual([60, 60])
    expect(heard[0]?.frames).toBeLessThan(20)
    expect(heard[0]?.done).toEqual(heard[1]?.done)
    expect(plain.received.join()).not.toMatch(/"lines"|"dropped"/)

    for (const client of [batched, plain]) client.send({ t: 'unsubscribe', topics: ['hook-output'] })
    await Promise.all([batched.settled(), plain.settled()])
    await fire(await app.createHook(SCRIPT))
    await app.runsDone(4)
    expect([...batched.untaken, ...plain.untaken]).toEqual([])
  })

  it('is known by the welcome: a client that names features is told those of hookline, others get the frame that there was', async () => {
    const app = await startApp()
    const batched = await WsClient.welcomed(app, { features: [] })
    const plain = await WsClient.welcomed(app)
    expect(JSON.parse(batched.received[0] ?? '')).toMatchObject({ t: 'welcome', features: [...LISTENER_FEATURES] })
    expect(Object.keys(JSON.parse(plain.received[0] ?? ''))).toEqual(['t', 'listenerId', 'user'])
  })
})
