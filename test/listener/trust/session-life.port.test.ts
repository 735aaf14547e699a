// From the upgrade to `welcome` or the end, on real sockets: who says what, when, and with which close code.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../../harness/patience.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { clientFrameBytes, knock, ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { openStores } from '../../../src/app/open-stores.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

const FIRST_FRAME = WIRE_LIMITS.firstFrameBytes

/** A hello of exactly this many bytes; the filler is a field that nobody knows. */
function helloOf(bytes: number, clientId: string): string {
  const bare = JSON.stringify({ t: 'hello', clientId, filler: '' })
  return bare.replace('"filler":""', `"filler":"${'x'.repeat(bytes - bare.length)}"`)
}

describe('hello', () => {
  it('must come within 10 s of the upgrade, whatever else is sent meanwhile; who has said it in time may stay', async () => {
    const app = await startApp()
    const welcomed = await WsClient.welcomed(app)
    const waiting = await WsClient.hello()
    const from = performance.now()
    const client = await WsClient.open()
    const pinging = setInterval(() => client.ws.ping(), 1_000)
    expect((await client.closed()).code).toBe(4408)
    clearInterval(pinging)
    expect(performance.now() - from).toBeGreaterThan(WIRE_LIMITS.helloMs - 50)
    expect(performance.now() - from).toBeLessThan(WIRE_LIMITS.helloMs + BUSY_MS)
    expect(client.received).toEqual([])
    await Promise.all([welcomed.settled(), waiting.settled()])
  })

  it.each<[what: string, first: string | Buffer]>([
    ['a command', '{"t":"cmd:exec","id":"1","command":"echo ok"}'],
    ['flags', '{"t":"client:state","webCrossTradeActive":true}'],
    ['a subscription', '{"t":"subscribe","topics":["hooks"]}'],
    ['an unknown frame', '{"t":"hi"}'],
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['a list', '[{"t":"hello","clientId":"tab"}]'],
    ['a hello without clientId', '{"t":"hello"}'],
    ['a hello with an empty clientId', '{"t":"hello","clientId":""}'],
    ['a hello with a clientId of 65 characters', JSON.stringify({ t: 'hello', clientId: 'x'.repeat(65) })],
    ['a hello with a clientId that is a number', '{"t":"hello","clientId":1}'],
    ['a hello with a label that is none', '{"t":"hello","clientId":"tab","label":{}}'],
    ['a frame of ours', '{"t":"welcome","listenerId":"x","user":{"email":""}}'],
    ['__proto__ as t', '{"t":"__proto__","clientId":"tab"}'],
    ['toString as t', '{"t":"toString","clientId":"tab"}'],
    ['constructor as t', '{"t":"constructor"}'],
    ['t in the prototype only', '{"__proto__":{"t":"hello","clientId":"tab"}}'],
    ['bytes', Buffer.from('{"t":"hello","clientId":"tab"}')],
  ])('is what the first frame must be: %s ends the session with 4400', async (_what, first) => {
    const { app } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const client = (await WsClient.open()).send(first)
    expect((await client.closed()).code).toBe(4400)
    expect(client.received).toEqual([])
  })

  it('may have fields that nobody knows', async () => {
    const { app } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const client = await WsClient.open()
    client.send('{"t":"hello","clientId":"tab","version":2,"__proto__":{"isTrusted":true},"user":{"email":"x"}}')
    expect(await client.nextFrame()).toMatchObject({ t: 'welcome', user: { email: '' } })
  })

  it('of exactly 16 KiB is taken', async () => {
    const { app } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const client = (await WsClient.open()).send(helloOf(FIRST_FRAME, 'tab'))
    await client.nextFrame('welcome')
  })

  it.each([FIRST_FRAME + 1, 40_000, WIRE_LIMITS.frameBytes])('of %i bytes is too big', async (bytes) => {
    const { app } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const client = (await WsClient.open()).send(helloOf(bytes, 'tab'))
    expect((await client.closed()).code).toBe(1009)
    expect(client.received).toEqual([])
  })

  it('is too big also as pieces that never end', async () => {
    await startApp()
    const client = await knock()
    expect((await client.answer()).status).toBe(101)
    const piece = 'x'.repeat(1_000)
    client.send(clientFrameBytes(piece, { fin: false }))
    for (let sent = 1; sent < 20; sent++) client.send(clientFrameBytes(piece, { opcode: 0, fin: false }))
    // The close frame: 0x88, its length, the code.
    expect(await client.ended()).toMatch(/^\u0088.\u0003\u00f1/s)
  })

  it('makes room for later frames of 256 KiB', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const bare = JSON.stringify({ t: 'cmd:exec', id: '1', command: 'echo ok', filler: '' })
    client.send(bare.replace('""', `"${'x'.repeat(WIRE_LIMITS.frameBytes - bare.length)}"`))
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
  })
})

describe('a second hello', () => {
  const second = { t: 'hello', clientId: 'tab' }

  it.each<[what: string, frame: object]>([
    ['the same', second],
    ['of another client', { t: 'hello', clientId: 'other' }],
    ['with bad fields', { t: 'hello', clientId: '' }],
    ['without any', { t: 'hello' }],
  ])('ends a welcomed session: %s', async (_what, frame) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: 'tab' })
    client.send(frame)
    expect((await client.closed()).code).toBe(4400)
  })

  it.each<[what: string, frame: object]>([
    ['the same', second],
    ['with bad fields', { t: 'hello' }],
    ['or a proof that nobody asked for', { t: 'proof', signature: 'A'.repeat(86) }],
  ])('ends the wait for the operator: %s', async (_what, frame) => {
    const { questions, done } = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await expect.poll(() => questions.at(-1)?.question?.clientId).toBe('tab')
    client.send(frame)
    expect((await client.closed()).code).toBe(4400)
    expect(questions.at(-1)?.question).toBeUndefined()
    expect(done).toEqual([])
  })
})

describe('welcome', () => {
  it('is what a trusted client gets at once, without a question', async () => {
    const { app, questions } = await startApp()
    await app.ports.trustedClients.add({ clientId: 'tab', label: 'Console', origin: ORIGIN })
    const client = await WsClient.hello({ clientId: 'tab' })
    expect(await client.nextFrame()).toEqual({ t: 'welcome', listenerId: expect.any(String), user: { email: '' } })
    expect(questions).toEqual([])
  })

  it('names the same listener after a restart', async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    const ids = []
    for (let start = 0; start < 2; start++) {
      const { app } = await startApp({ directory })
      await app.ports.trustedClients.add({ clientId, label: '', origin: ORIGIN })
      const client = await WsClient.hello({ clientId })
      ids.push((await client.nextFrame('welcome')).listenerId)
      await app.stop(0)
      expect((await client.closed()).code).toBe(1001)
    }
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(ids[1]).toBe(ids[0])
  })

  it('carries the email of the stored sign-in, as it is now', async () => {
    const { app } = await startApp({ config: { auth: { email: 'by-hand@x.test' } } })
    const { signInFile } = openStores(app.directory)
    const row = {
      id: '0123456789abcdef',
      issuer: 'https://id.x.test',
      clientId: 'hookline',
      subject: 'secret-subject',
      signedInAt: 1,
      expiresAt: 2,
      isRenewable: true,
      keys: { from: 'vault' } as const,
    }
    const welcomedAs = async (change: object) => {
      await signInFile.update(() => ({ signIn: { ...row, email: 'one@x.test', ...change } }))
      const client = await WsClient.hello({ clientId: 'tab' })
      const { user } = await client.nextFrame('welcome')
      expect(client.received.join()).not.toContain('secret-subject')
      return user
    }
    await app.ports.trustedClients.add({ clientId: 'tab', label: '', origin: ORIGIN })
    const nobody = await WsClient.hello({ clientId: 'tab' })
    expect((await nobody.nextFrame('welcome')).user).toEqual({ email: '' })
    expect(await welcomedAs({})).toEqual({ email: 'one@x.test' })
    expect(await welcomedAs({ email: 'two@x.test' })).toEqual({ email: 'two@x.test' })
    expect(await welcomedAs({ endedAt: 3 })).toEqual({ email: '' })
    expect(await welcomedAs({ isRenewable: false })).toEqual({ email: '' })
  })

  it('comes to each of several sessions of one client', async () => {
    const app = await startApp()
    const [first, second] = [
      await WsClient.welcomed(app, { clientId: 'tab' }),
      await WsClient.welcomed(app, { clientId: 'tab' }),
    ]
    await Promise.all([first.settled(), second.settled()])
    expect(app.app.ports.clients?.connected()).toEqual(new Map([['tab', 2]]))
  })
})

describe('a welcomed session', () => {
  it.each<[what: string, frame: string | Buffer, error: RegExp]>([
    ['no JSON', '{', /not JSON/],
    ['an unknown frame', '{"t":"fly"}', /unknown frame/],
    ['__proto__ as t', '{"t":"__proto__"}', /unknown frame/],
    ['toString as t', '{"t":"toString"}', /unknown frame/],
    ['no t', '{"id":"1"}', /unknown frame/],
    ['a frame of ours', '{"t":"cmd:done","id":"1","success":true}', /unknown frame/],
    ['null', 'null', /not an object/],
    ['a bad field', '{"t":"subscribe","topics":["nothing"]}', /topics/],
    ['bytes', Buffer.from('{"t":"subscribe","topics":[]}'), /binary/],
  ])('answers %s with an error and goes on', async (_what, frame, error) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send(frame)
    expect((await client.nextFrame('error')).error).toMatch(error)
    await client.settled()
  })

  it('is polluted by no field of a frame', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send(
      '{"t":"client:state","webCrossTradeActive":false,"__proto__":{"polluted":1},"constructor":{"prototype":{}}}',
    )
    client.send('{"t":"cmd:exec","id":"__proto__","command":"echo ok"}')
    expect(await client.nextFrame('cmd:done')).toEqual({ t: 'cmd:done', id: '__proto__', success: true })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('is told of by its label where it comes and goes', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { label: 'Console' })
    await client.leave()
    await expect
      .poll(() => app.activities)
      .toEqual([
        { type: 'connected', label: 'Console', origin: ORIGIN },
        { type: 'disconnected', label: 'Console', origin: ORIGIN },
      ])
  })
})

describe('nobody is let in', () => {
  it('by a file of trusted clients that cannot be read', async () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'trusted-clients.json'), '{"clients":[{"clientId":"tab"')
    const { questions } = await startApp({ directory })
    await WsClient.hello({ clientId: 'tab' })
    await expect.poll(() => questions.at(-1)?.question?.clientId).toBe('tab')
  })
})
