// The list of allowed origins is followed while pages are connected.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

const PAGE = 'http://127.0.0.1:53220'

describe('listener.allowedOrigins', () => {
  it('cuts a session when its origin is taken off the list', async () => {
    const running = await startApp()
    const client = await WsClient.welcomed(running)
    running.writeConfig({ listener: { allowedOrigins: ['https://elsewhere.example'] } })
    expect((await client.closed()).code).toBe(4403)
  })

  it('leaves a session whose origin stays on the list', async () => {
    const running = await startApp()
    const client = await WsClient.welcomed(running)
    running.writeConfig({ listener: { allowedOrigins: [PAGE, 'https://elsewhere.example'], remoteExec: false } })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo here' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: 'a', success: false, error: 'remoteExec disabled' })
  })
})
