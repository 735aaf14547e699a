// Another user of this machine opens a WebSocket (behaviour 11), with an origin that is allowed and the id of a client that is trusted.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canBeAnotherUser, sendAsAnotherUser, type Visit } from '../../../harness/process/other-user.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { rawRequest } from '../../../harness/wire/raw-http.ts'
import { clientFrameBytes, handshake, ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'

async function withTrustedClient() {
  const running = await startApp()
  const clientId = randomUUID()
  await running.app.ports.trustedClients.add({ clientId, label: 'tab', origin: ORIGIN })
  const frames = [
    { t: 'hello', clientId },
    { t: 'cmd:exec', id: 'x', command: 'echo from another user' },
  ]
  const bytes = Buffer.concat([
    Buffer.from(handshake()),
    ...frames.map((frame) => clientFrameBytes(JSON.stringify(frame))),
  ])
  const log = () => readFileSync(join(running.directory, 'hookline.log'), 'utf8')
  return { ...running, clientId, bytes, log }
}

describe.runIf(canBeAnotherUser)('another user', () => {
  it.each<Visit>([{}, { leaves: 'end' }, { host: '::ffff:127.0.0.1' }])(
    'gets a bare 403, and the log says why: %j',
    async (visit) => {
      const { bytes, log, done } = await withTrustedClient()
      const answer = await sendAsAnotherUser(bytes, visit)
      expect(answer).toBe('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      await expect.poll(log).toContain(`the caller is user 65534; hookline runs as user ${process.getuid?.()}`)
      expect(done).toEqual([])
    },
  )

  it.each<Visit>([{ leaves: 'at once' }, { leaves: 'reset' }])(
    'gets nothing run by leaving before it is judged: %j',
    async (visit) => {
      const { bytes, clientId, done, runsDone, app } = await withTrustedClient()
      for (let attempt = 0; attempt < 5; attempt++) await sendAsAnotherUser(bytes, visit)
      // What it sent has been read by the time a client that came later has its command run.
      const page = await WsClient.hello({ clientId })
      await page.nextFrame('welcome')
      page.send({ t: 'cmd:exec', id: 'y', command: 'echo ours' })
      await runsDone(1)
      expect(done.map(({ run }) => run.command)).toEqual(['echo ours'])
      expect(app.runner.counts()).toMatchObject({ running: 0, waiting: 0 })
    },
  )

  it('may fire with a token: that is what a token is for', async () => {
    const { createHook, runsDone } = await startApp()
    const hook = await createHook()
    const lines = `Host: 127.0.0.1:53219\r\nConnection: close\r\nX-Hook-Token: ${hook.secret}\r\nContent-Length: 0\r\n`
    const answer = await sendAsAnotherUser(Buffer.from(`POST /hook/${hook.id} HTTP/1.1\r\n${lines}\r\n`))
    expect(answer).toContain('HTTP/1.1 200 OK')
    await runsDone(1)
  })
})

describe('our own user', () => {
  it('is let in, and so are its sockets of IPv6', async () => {
    const { clientId } = await withTrustedClient()
    await (await WsClient.hello({ clientId })).nextFrame('welcome')
    if (!canBeAnotherUser) return
    const answer = sendAsAnotherUser(Buffer.from(handshake()), {
      leaves: 'answered',
      host: '::ffff:127.0.0.1',
      user: 0,
    })
    expect(await answer).toContain('HTTP/1.1 101')
  })

  it('may knock many times at once', async () => {
    await startApp()
    const answers = await Promise.all(Array.from({ length: 50 }, () => rawRequest(handshake())))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 101))
  })
})
