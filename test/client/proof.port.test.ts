// The client with a key against the real hookline, and against programs that have taken its port (behaviour 48).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { type SquatMode, startSquatter } from '../../harness/process/squatter.ts'
import { clientOf } from '../../harness/wire/client-of.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { type ClientKeys, keysOf, newKeyPair } from '../../src/client/client-keys.ts'
import { createMemoryPin, type PinStore } from '../../src/client/pinned-listener.ts'

const newKeys = async () => keysOf(await newKeyPair())

interface Paired {
  readonly app: RunningApp
  readonly keys: ClientKeys
  readonly pin: PinStore
  readonly client: ReturnType<typeof clientOf>
}

/** A client that the operator has approved. */
async function paired(): Promise<Paired> {
  const app = await startApp()
  const [keys, pin] = [await newKeys(), createMemoryPin()]
  const client = clientOf({ keys, pin, origin: ORIGIN })
  client.connect()
  await client.until('awaiting-approval')
  await app.app.ports.clients?.decide(client.clientId, 'approved')
  await client.until('welcomed')
  return { app, keys, pin, client }
}

describe('a client with a key', () => {
  it('is approved by it, pins hookline’s, and is known from then on', async () => {
    const { app, keys, pin, client } = await paired()
    const { listenerId } = await client.until('welcomed')
    const key = app.app.ports.listenerKey.publicKey()
    expect(pin.read()).toEqual({ listenerId, key })
    expect(client.state).toMatchObject({ name: 'welcomed', key })
    expect(app.app.ports.trustedClients.list()).toMatchObject([{ clientId: client.clientId, key: keys.publicKey }])
    client.disconnect()
    client.connect()
    await client.until('welcomed')
    expect((await client.exec('echo hello').result).success).toBe(true)
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('says its flags to hookline once that has proved itself', async () => {
    const { app, client } = await paired()
    client.disconnect()
    client.connect()
    client.setWebCrossTradeActive(true)
    await client.until('welcomed')
    expect((await client.exec('echo on').result).success).toBe(true)
    expect(app.app.ports.clients?.connected()).toEqual(new Map([[client.clientId, 1]]))
  })

  it('cannot be made where it could never prove itself', async () => {
    const keys = await newKeys()
    expect(() => clientOf({ keys })).toThrow('origin')
  })

  it('is stopped where it names another origin than its socket does', async () => {
    await startApp()
    const client = clientOf({ keys: await newKeys(), origin: 'http://localhost:53220' })
    client.connect()
    // Each side signs for the origin that it sees.
    await client.until('unproven-listener')
  })
})

const MODES: readonly (readonly [what: string, mode: SquatMode, proves: boolean])[] = [
  ['that welcomes everybody, under the id of hookline', 'welcome', false],
  ['that has a key of its own', 'own-key', true],
  ['that shows the key of hookline, and cannot sign with it', 'forged', false],
]

describe('another program on the port', () => {
  it.each(MODES)('%s hears a hello and nothing else', async (_what, mode, proves) => {
    const { app, keys, pin, client } = await paired()
    client.subscribe('accounts', 'hooks')
    const { listenerId, key = '' } = pin.read()
    await app.app.stop(0)
    const squatter = await startSquatter(mode, { listenerId: listenerId ?? '', key })
    if (process.getuid?.() === 0) expect(squatter.uid).not.toBe(0)
    client.connect()
    client.setWebCrossTradeActive(true)
    const state = await client.until('unproven-listener')
    expect(state.expected).toBe(key)
    expect(state.got !== undefined).toBe(proves)
    await squatter.leftAlone()
    await expect(client.exec('buy $100 BTCUSDT').result).rejects.toMatchObject({ delivery: 'not-sent' })
    const heard = squatter.heard.map((text) => JSON.parse(text))
    expect(heard.map(({ t }) => t)).toEqual(heard.map(() => 'hello'))
    expect(pin.read()).toEqual({ listenerId, key })

    // What it has heard opens nothing once hookline is back.
    await squatter.end()
    const back = await startApp({ directory: app.directory })
    const { nonce: _nonce, key: _key, ...keyless } = heard[0]
    for (const hello of [keyless, heard[0]]) {
      const thief = (await WsClient.open()).send(hello)
      if (hello.key) {
        await thief.nextFrame('challenge')
        thief.send({ t: 'proof', signature: 'A'.repeat(86) })
      }
      expect((await thief.closed()).code).toBe(4401)
    }
    expect(back.questions).toEqual([])
    client.connect()
    await client.until('welcomed')
    expect(keys.publicKey).toBe(heard[0].key)
    expect(readFileSync(join(app.directory, 'hookline.log'), 'utf8')).toContain('did not prove itself')
  })

  it('is taken for hookline once a person accepts the very key that was shown', async () => {
    const { pin, client, app } = await paired()
    const { listenerId = '', key = '' } = pin.read()
    await app.app.stop(0)
    const squatter = await startSquatter('own-key', { listenerId, key })
    client.connect()
    const { got = '' } = await client.until('unproven-listener')
    client.acceptListener('something else')
    expect(client.state.name).toBe('unproven-listener')
    client.acceptListener(got)
    expect((await client.until('welcomed')).key).toBe(got)
    await squatter.end()
  })
})

describe('a client without a key', () => {
  it('works as before, and does not take a pinned hookline for granted where it cannot prove itself', async () => {
    const { app, pin } = await paired()
    const plain = clientOf({ pin: createMemoryPin() })
    await app.app.ports.trustedClients.add({ clientId: plain.clientId, label: '', origin: ORIGIN })
    plain.connect()
    expect(await plain.until('welcomed')).not.toHaveProperty('key')
    const pinned = clientOf({ pin })
    await app.app.ports.trustedClients.add({ clientId: pinned.clientId, label: '', origin: ORIGIN })
    pinned.connect()
    await pinned.until('unproven-listener')
  })
})
