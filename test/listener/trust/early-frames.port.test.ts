// What a client says between its hello and its welcome (behaviours 12, 141).
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { ProvingClient } from '../../../harness/wire/proving-client.ts'
import { RawSession } from '../../../harness/wire/raw-session.ts'
import { clientFrameBytes, ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../../src/listener/approvals/approvals.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

async function approve(app: RunningApp, clientId: string): Promise<void> {
  await expect.poll(() => app.questions.at(-1)?.question?.clientId).toBe(clientId)
  await new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))
  await app.app.answer('approved')
}

const execute = (id: string, command: string) => ({ t: 'cmd:exec', id, command })
const second = () => new Promise((resolve) => setTimeout(resolve, 1_000))

describe('frames that come with hello', () => {
  it('wait while the operator is asked, and are taken up in their order', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    client.send({ t: 'client:state', webCrossTradeActive: true })
    for (const id of ['1', '2', '3']) client.send(execute(id, `echo ${id}`))
    client.send('{').send({ t: 'subscribe', topics: ['hooks'] })
    await expect.poll(() => app.questions.length).toBe(1)
    await client.settled()
    expect([client.received, app.done]).toEqual([[], []])
    await approve(app, 'tab')
    await client.nextFrame('welcome')
    for (const id of ['1', '2', '3']) expect(await client.nextFrame('cmd:done')).toMatchObject({ id, success: true })
    await client.nextFrame('error')
    await client.nextFrame('state:hooks')
    expect(app.output).toEqual(['print 1', 'print 2', 'print 3'])
  })

  it('wait while a client proves itself', async () => {
    const app = await startApp()
    const client = await ProvingClient.challenged({ clientId: 'tab' })
    await app.app.ports.trustedClients.add({
      clientId: 'tab',
      label: '',
      origin: ORIGIN,
      key: client.key.publicKey,
    })
    client.ws.send(execute('1', 'echo early'))
    await client.ws.settled()
    expect(app.done).toEqual([])
    client.prove()
    expect((await client.ws.nextFrame()).t).toBe('welcome')
    await client.ws.nextFrame('cmd:done')
  })

  it('are dropped with a client that is denied', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    client.send(execute('1', 'echo early'))
    await expect.poll(() => app.questions.at(-1)?.question?.clientId).toBe('tab')
    await new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))
    await app.app.answer('denied')
    expect((await client.closed()).code).toBe(4001)
    expect([app.done, client.received.length]).toEqual([[], 1])
  })

  it(`are ${WIRE_LIMITS.earlyFrames} at most, then 4400, and the question goes with them`, async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    for (let frame = 0; frame < WIRE_LIMITS.earlyFrames; frame++) client.send({ t: 'subscribe', topics: [] })
    await expect.poll(() => app.questions.at(-1)?.question?.clientId).toBe('tab')
    await client.settled()
    await second()
    client.send({ t: 'subscribe', topics: [] })
    expect((await client.closed()).code).toBe(4400)
    expect(app.questions.at(-1)?.question).toBeUndefined()
  })

  it('have 16 KiB together', async () => {
    await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    for (let frame = 0; frame < 2; frame++) client.send(execute('1', `echo ${'x'.repeat(8_000)}`))
    await client.settled()
    client.send(execute('1', `echo ${'x'.repeat(500)}`))
    expect((await client.closed()).code).toBe(4400)
  })

  it('are each of 16 KiB at most, whether they come whole or in pieces', async () => {
    await startApp()
    const whole = await WsClient.hello()
    whole.send(`{"t":"client:state","filler":"${'x'.repeat(WIRE_LIMITS.firstFrameBytes)}"}`)
    expect((await whole.closed()).code).toBe(1009)

    const dripping = await RawSession.open()
    dripping.send(clientFrameBytes(JSON.stringify({ t: 'hello', clientId: randomUUID() })))
    const bytes = clientFrameBytes(`{"t":"client:state","filler":"${'x'.repeat(100_000)}"}`)
    for (let at = 0; at < WIRE_LIMITS.firstFrameBytes + 4_000; at += 1_000) {
      dripping.send(bytes.subarray(at, at + 1_000))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await dripping.closeCode()).toBe(1009)
  })
})

describe('before its welcome a client', () => {
  const flags = { t: 'client:state', webCrossTradeActive: false }

  it(`may send ${WIRE_LIMITS.earlyFramesPerSecond} messages in a second, and go on in the next`, async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    for (let round = 0; round < 2; round++) {
      for (let frame = 0; frame < WIRE_LIMITS.earlyFramesPerSecond - 3; frame++) client.send(flags)
      // Two pings.
      await client.settled()
      await second()
    }
    await approve(app, 'tab')
    await client.nextFrame('welcome')
  })

  it('is told 4400 for more of them', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    for (let frame = 0; frame < WIRE_LIMITS.earlyFramesPerSecond; frame++) client.send(flags)
    expect((await client.closed()).code).toBe(4400)
    expect(app.questions.at(-1)?.question).toBeUndefined()
  })

  it('is not read any further once it has been told so', async () => {
    await startApp()
    const session = await RawSession.open()
    const flood = Buffer.concat(Array.from({ length: 2_000 }, () => clientFrameBytes(JSON.stringify(flags))))
    session.send(clientFrameBytes(JSON.stringify({ t: 'hello', clientId: randomUUID() })), flood)
    const closing = once(session.client.socket, 'close')
    expect(await session.closeCode()).toBe(4400)
    await closing
  })

  it('once it is welcomed is held to neither', async () => {
    const client = await WsClient.welcomed(await startApp())
    for (let frame = 0; frame < 10 * WIRE_LIMITS.earlyFramesPerSecond; frame++) client.send(flags)
    await client.settled()
  })
})

describe('a field that is null or empty, or a label that is too long', () => {
  it('is no reason to refuse a client', async () => {
    const { app, questions } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const nothing = { key: null, nonce: '', webCrossTradeActive: null }
    const client = (await WsClient.open()).send({ t: 'hello', clientId: 'tab', label: null, ...nothing })
    await client.nextFrame('welcome')
    client.send({ ...execute('1', 'echo ok'), account: null, symbol: '' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
    const long = await WsClient.hello({ clientId: 'other', label: 'x'.repeat(WIRE_LIMITS.labelLength + 1) })
    await expect.poll(() => questions.at(-1)?.question?.label).toBe('x'.repeat(WIRE_LIMITS.labelLength))
    await long.settled()
  })
})

describe('a topic that nobody knows', () => {
  it('is answered by an error, and the others are subscribed', async () => {
    const client = await WsClient.welcomed(await startApp())
    client.send({ t: 'subscribe', topics: ['hooks', 'weather', 'accounts'] })
    expect((await client.nextFrame('error')).error).toMatch(/^`topics\.1` must be one of accounts, /)
    await Promise.all([client.nextFrame('state:hooks'), client.nextFrame('state:accounts')])
    client.send({ t: 'unsubscribe', topics: ['weather', 'hooks'] })
    expect((await client.nextFrame('error')).error).toMatch(/^`topics\.0` must be one of/)
  })
})
