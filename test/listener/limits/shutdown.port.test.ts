// The end of hookline as its sessions see it.

import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { BUSY_MS } from '../../../harness/patience.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { RawSession } from '../../../harness/wire/raw-session.ts'
import { knock, WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'

describe('shutdown', () => {
  it('tells every session 1001, after the last word of its runs', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const waiting = await WsClient.hello({ label: 'unknown' })
    await expect.poll(() => app.questions.at(-1)?.question?.label).toBe('unknown')
    const silent = await WsClient.open()
    client.send({ t: 'cmd:exec', id: 'short', command: 'sleep 100ms; echo out' })
    client.send({ t: 'cmd:exec', id: 'long', command: 'sleep 10m; echo never' })
    await client.settled()
    await app.app.stop(300)
    for (const each of [client, waiting, silent])
      expect(await each.closed()).toEqual({ code: 1001, reason: 'hookline is shutting down' })
    const frames = client.untaken.map((frame) => ('text' in frame ? [frame.id, frame.text] : [frame.t]))
    expect(frames.slice(0, 2)).toEqual([['short', 'out'], ['cmd:done']])
    expect(client.untaken.at(-1)).toMatchObject({ t: 'cmd:done', id: 'long', success: false })
    expect(app.questions.at(-1)?.question).toBeUndefined()
  })

  it('does not wait for a client that ignores its close, or reads nothing', async () => {
    const app = await startApp()
    const deaf = [await RawSession.trusted(app), await RawSession.trusted(app)]
    deaf[1]?.client.socket.pause()
    const from = performance.now()
    await app.app.stop(0)
    expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.lingerMs + BUSY_MS)
    expect(await deaf[0]?.closeCode()).toBe(1001)
  })

  it('lets nobody in any more', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'cmd:exec', id: 'a', command: 'sleep 10m' })
    await client.settled()
    const half = connect(53219, '127.0.0.1')
    half.setEncoding('latin1').write('GET /ws HTTP/1.1\r\n')
    await once(half, 'connect')
    await client.settled()
    const stopping = app.app.stop(200)
    half.write(
      'Host: 127.0.0.1:53219\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://127.0.0.1:53220\r\n\r\n',
    )
    const [answer] = await once(half, 'data')
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    await stopping
    await expect(knock().then((knocking) => knocking.answer())).rejects.toThrow()
  })
})
