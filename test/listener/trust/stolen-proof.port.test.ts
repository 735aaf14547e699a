// What a thief tries where a client is known by a key (behaviour 48), on real sockets: each attempt ends before `welcome`.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { newTestKey, ProvingClient, type Signing } from '../../../harness/wire/proving-client.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'

const TWIN = 'http://localhost:53220'

const trust = ({ app }: RunningApp, row: { clientId: string; key: string }) =>
  app.ports.trustedClients.add({ label: 'keyed', origin: ORIGIN, ...row })

describe('a thief', () => {
  it.each([ORIGIN, TWIN])(
    'that knows the name of a client with a key gets nowhere without it: on %s',
    async (origin) => {
      const app = await startApp()
      await trust(app, { clientId: 'tab', key: newTestKey().publicKey })
      const thief = await WsClient.hello({ clientId: 'tab' }, origin)
      thief.send({ t: 'cmd:exec', id: '1', command: 'buy 0.001 BTCUSDT' })
      expect((await thief.closed()).code).toBe(4401)
      expect([thief.received, app.questions, app.done]).toEqual([[], [], []])
    },
  )

  const attempts: readonly (readonly [what: string, attempt: (victim: ProvingClient) => Signing])[] = [
    ['with a key of its own', () => ({ by: newTestKey() })],
    ["as hookline's half", () => ({ as: 'listener' })],
    ['for another client', () => ({ over: { clientId: randomUUID() } })],
    ['for another origin', () => ({ over: { origin: TWIN } })],
    [
      'with the nonces changed about',
      ({ exchange }) => ({
        over: { listenerNonce: exchange.clientNonce, clientNonce: exchange.listenerNonce },
      }),
    ],
    [
      'with the keys changed about',
      ({ exchange }) => ({
        over: { listenerKey: exchange.clientKey, clientKey: exchange.listenerKey },
      }),
    ],
    ['for another nonce of hookline', ({ exchange }) => ({ over: { listenerNonce: exchange.clientNonce } })],
    ['for another nonce of the client', ({ exchange }) => ({ over: { clientNonce: exchange.listenerNonce } })],
    ['for another hookline', () => ({ over: { listenerKey: newTestKey().publicKey } })],
    [
      'for a clientId that runs over into the origin',
      ({ exchange }) => ({
        over: { clientId: `${exchange.clientId}h`, origin: exchange.origin.slice(1) },
      }),
    ],
  ]

  it.each(attempts)('is told 4401 for a proof %s', async (_what, attempt) => {
    const app = await startApp()
    const key = newTestKey()
    await trust(app, { clientId: 'tab', key: key.publicKey })
    const client = await ProvingClient.challenged({ clientId: 'tab', key })
    client.prove(attempt(client))
    expect((await client.ws.closed()).code).toBe(4401)
    expect(client.ws.untaken).toEqual([])
    expect(app.questions).toEqual([])
  })

  it('is told 4401 for a proof that it has heard before, and for hookline’s own signature sent back', async () => {
    const app = await startApp()
    const key = newTestKey()
    await trust(app, { clientId: 'tab', key: key.publicKey })
    const heard = await ProvingClient.challenged({ clientId: 'tab', key })
    const signature = heard.signature()
    heard.ws.send({ t: 'proof', signature })
    await heard.ws.nextFrame('welcome')
    const replay = await ProvingClient.challenged({ clientId: 'tab', key })
    replay.ws.send({ t: 'proof', signature })
    expect((await replay.ws.closed()).code).toBe(4401)
    const reflect = await ProvingClient.challenged({ clientId: 'tab', key })
    reflect.ws.send({ t: 'proof', signature: reflect.challenge.signature })
    expect((await reflect.ws.closed()).code).toBe(4401)
  })

  it('is told 4401 for a proof on one socket that is meant for another, open at the same time', async () => {
    const app = await startApp()
    const key = newTestKey()
    await trust(app, { clientId: 'tab', key: key.publicKey })
    const [one, two] = [
      await ProvingClient.challenged({ clientId: 'tab', key }),
      await ProvingClient.challenged({ clientId: 'tab', key }),
    ]
    two.ws.send({ t: 'proof', signature: one.signature() })
    expect((await two.ws.closed()).code).toBe(4401)
    one.prove()
    await one.ws.nextFrame('welcome')
  })

  it('cannot name the key of hookline as its own and have hookline sign for it', async () => {
    const { app } = await startApp()
    const own = app.ports.listenerKey.publicKey() ?? ''
    const client = await ProvingClient.challenged({ key: { ...newTestKey(), publicKey: own } })
    client.ws.send({ t: 'proof', signature: client.challenge.signature })
    expect((await client.ws.closed()).code).toBe(4401)
  })

  it('is in the log, and not in front of the operator', async () => {
    const app = await startApp()
    await trust(app, { clientId: 'tab', key: newTestKey().publicKey })
    await (await WsClient.hello({ clientId: 'tab', label: 'Thief' })).closed()
    await app.app.stop(0)
    expect(readFileSync(join(app.directory, 'hookline.log'), 'utf8')).toContain('did not prove itself')
    expect(app.activities).toEqual([])
  })
})

describe('an exchange that is not one', () => {
  const key = newTestKey().publicKey
  const nonce = 'A'.repeat(43)
  const hello = { t: 'hello', clientId: 'tab', key, nonce }
  const proof = { t: 'proof', signature: 'A'.repeat(86) }

  it.each<[what: string, frames: readonly object[]]>([
    ['a key without a nonce', [{ ...hello, nonce: undefined }]],
    ['a key that is not on the curve', [{ ...hello, key: `BA${'A'.repeat(85)}` }]],
    ['a proof before hello', [proof]],
    ['a proof that is not a signature', [hello, { t: 'proof', signature: 'x' }]],
    ['two proofs', [hello, proof, proof]],
    ['a proof of a client without a key', [{ t: 'hello', clientId: 'tab' }, proof]],
  ])('ends with 4400: %s', async (_what, frames) => {
    await startApp()
    const client = await WsClient.open()
    for (const frame of frames) client.send(frame)
    expect((await client.closed()).code).toBe(4400)
  })

  it('is answered by an error once the client is welcomed', async () => {
    const client = await WsClient.welcomed(await startApp())
    expect(await client.send(proof).nextFrame()).toMatchObject({ t: 'error' })
    await client.settled()
  })
})
