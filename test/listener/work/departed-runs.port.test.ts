// The runs of a page that leaves: they go on for half a minute, or to their end where they are detached (behaviour 30).
import { expect, it } from 'vitest'
import { BUSY_MS } from '../../../harness/patience.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'

it('the runs of a session that left end after 30 s, but for detached ones, though its client has come back', async () => {
  const app = await startApp()
  const clientId = 'aaaaaaaa-0001'
  const client = await WsClient.welcomed(app, { clientId })
  client.send({ t: 'cmd:exec', id: 'left', command: 'sleep 10m; echo never' })
  client.send({ t: 'cmd:exec', id: 'short', command: 'sleep 100ms; echo short' })
  client.send({ t: 'cmd:exec', id: 'kept', command: 'sleep 10m', detach: true })
  await client.settled()
  await client.leave()
  const from = performance.now()
  const again = await WsClient.welcomed(app, { clientId })
  again.send({ t: 'cmd:exec', id: 'left', command: 'sleep 10m' })
  await app.runsDone(2)
  expect(performance.now() - from).toBeGreaterThan(LISTENER_LIMITS.departedRunMs - 50)
  expect(performance.now() - from).toBeLessThan(LISTENER_LIMITS.departedRunMs + BUSY_MS)
  const ends = app.done.map(({ run: { replyId }, result }) => [replyId, result])
  expect(ends).toEqual([
    ['short', { success: true }],
    ['left', { success: false, error: 'stopped: its page has left', cut: true }],
  ])
  expect(app.output).toEqual([
    'print short',
    'warn not run: echo never',
    'error stopped: its page has left; no order was sent',
  ])
  // The detached one, and that of the session which is still here.
  expect(app.app.runner.counts().running).toBe(2)
  await again.settled()
})
