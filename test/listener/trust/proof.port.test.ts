// Proof of identity (behaviour 48) on real sockets: who is let in by a key, and what a thief tries in its place.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { BUSY_MS } from '../../../harness/patience.ts'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { newTestKey, ProvingClient } from '../../../harness/wire/proving-client.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { isSignedBy } from '../../../src/client/client-keys.ts'
import { APPROVAL_LIMITS } from '../../../src/listener/approvals/approvals.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { signedBytes } from '../../../src/protocol/proof.ts'

const TWIN = 'http://localhost:53220'

const trust = ({ app }: RunningApp, row: { clientId: string; origin?: string; key?: string }) =>
  app.ports.trustedClients.add({ label: 'keyed', origin: ORIGIN, ...row })

const asked = ({ questions }: RunningApp, clientId: string) =>
  expect.poll(() => questions.at(-1)?.question?.clientId).toBe(clientId)

/** The operator has read the question. */
const read = () => new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))

const rowsOf = ({ directory }: RunningApp) =>
  JSON.parse(readFileSync(join(directory, 'trusted-clients.json'), 'utf8')).clients

describe('hookline', () => {
  it('proves itself with the key of its installation, whoever asks', async () => {
    const { app } = await startApp()
    const client = await ProvingClient.challenged()
    const { key, signature } = client.challenge
    expect(key).toBe(app.ports.listenerKey.publicKey())
    expect(await isSignedBy(key, signature, signedBytes('listener', client.exchange))).toBe(true)
    expect(await isSignedBy(key, signature, signedBytes('client', client.exchange))).toBe(false)
  })

  it('has made that key at its first start, keeps it to its user, and says it nowhere', async () => {
    const app = await startApp()
    const file = join(app.directory, 'listener-key.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { privateKey } = JSON.parse(readFileSync(file, 'utf8'))
    const client = await ProvingClient.proved()
    await asked(app, client.exchange.clientId)
    await read()
    await app.app.answer('approved')
    await client.ws.nextFrame('welcome')
    expect(client.ws.received.join()).not.toContain(privateKey)
    await app.app.stop(0)
    const again = await startApp({ directory: app.directory })
    expect(again.app.ports.listenerKey.publicKey()).toBe(client.challenge.key)
  })

  it('signs with a nonce of its own each time, whatever the client repeats', async () => {
    await startApp()
    const [one, two] = [await ProvingClient.challenged(), await ProvingClient.challenged()]
    expect(one.challenge.nonce).not.toBe(two.challenge.nonce)
  })

  it('lets no page in where its key is bad, and says so', async () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'listener-key.json'), '{"privateKey":"AAAA","createdAt":1}')
    const app = await startApp({ directory })
    await expect(WsClient.open()).rejects.toThrow('503')
    expect(app.app.problems()).toMatchObject([{ path: join(directory, 'listener-key.json'), kind: 'file' }])
    expect(readFileSync(join(directory, 'listener-key.json'), 'utf8')).toContain('AAAA')
  })

  it('tells nobody its listenerId whom it has not welcomed', async () => {
    const app = await startApp()
    const { listenerId } = JSON.parse(readFileSync(join(app.directory, 'listener.json'), 'utf8'))
    const [keyless, keyed] = [await WsClient.hello(), await ProvingClient.proved()]
    const health = await (await fetch('http://127.0.0.1:53219/health')).text()
    const other = await (await fetch('http://127.0.0.1:53219/')).text()
    await Promise.all([keyless.settled(), keyed.ws.settled()])
    for (const said of [health, other, ...keyless.received, ...keyed.ws.received])
      expect(said).not.toContain(listenerId)
  })
})

describe('a client with a key', () => {
  it('is asked about once it has proved itself, is written down with its key, and known by it', async () => {
    const app = await startApp()
    const client = await ProvingClient.challenged({ label: 'Console' })
    await client.ws.settled()
    expect(app.questions).toEqual([])
    client.prove()
    const { clientId, clientKey: key } = client.exchange
    await asked(app, clientId)
    expect(app.questions.at(-1)?.question).toEqual({ clientId, label: 'Console', origin: ORIGIN, key })
    await read()
    await app.app.answer('approved')
    await client.ws.nextFrame('welcome')
    expect(rowsOf(app)).toMatchObject([{ clientId, origin: ORIGIN, key }])
    const again = await ProvingClient.proved({ clientId, key: client.key })
    await again.ws.nextFrame('welcome')
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('that was approved without one is asked about again; a no leaves it as it was', async () => {
    const app = await startApp()
    const before = await WsClient.welcomed(app, { clientId: 'tab-of-old' })
    const upgrade = await ProvingClient.proved({ clientId: 'tab-of-old' })
    await asked(app, 'tab-of-old')
    expect(app.questions.at(-1)?.question).toMatchObject({ formerTrust: 'without-key' })
    await read()
    await app.app.answer('denied')
    expect((await upgrade.ws.closed()).code).toBe(4001)
    await before.settled()
    await (await WsClient.hello({ clientId: 'tab-of-old' })).nextFrame('welcome')
  })

  it('that was approved without one is known by its key alone after a yes', async () => {
    const app = await startApp()
    const before = await WsClient.welcomed(app, { clientId: 'tab-of-old' })
    const upgrade = await ProvingClient.proved({ clientId: 'tab-of-old' })
    await asked(app, 'tab-of-old')
    await read()
    await app.app.answer('approved')
    await upgrade.ws.nextFrame('welcome')
    expect((await before.closed()).code).toBe(4409)
    expect(rowsOf(app)).toMatchObject([{ clientId: 'tab-of-old', key: upgrade.key.publicKey }])
    expect((await (await WsClient.hello({ clientId: 'tab-of-old' })).closed()).code).toBe(4401)
  })

  it('that has another key than the approved one is asked about as such', async () => {
    const app = await startApp()
    await trust(app, { clientId: 'tab', key: newTestKey().publicKey })
    await ProvingClient.proved({ clientId: 'tab' })
    await asked(app, 'tab')
    expect(app.questions.at(-1)?.question).toMatchObject({ formerTrust: 'with-other-key' })
  })

  it('is asked about once on a second origin, which ends no session', async () => {
    const app = await startApp()
    const key = newTestKey()
    await trust(app, { clientId: 'tab', key: key.publicKey })
    const here = await ProvingClient.proved({ clientId: 'tab', key })
    await here.ws.nextFrame('welcome')
    const there = await ProvingClient.proved({ clientId: 'tab', key, origin: TWIN })
    await asked(app, 'tab')
    await read()
    await app.app.answer('approved')
    await there.ws.nextFrame('welcome')
    await here.ws.settled()
    expect(rowsOf(app)).toHaveLength(2)
    await (await ProvingClient.proved({ clientId: 'tab', key, origin: TWIN })).ws.nextFrame('welcome')
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('that waits is not replaced by one that says its name and has another key', async () => {
    const app = await startApp()
    const first = await ProvingClient.proved({ clientId: 'tab' })
    await asked(app, 'tab')
    const second = await ProvingClient.proved({ clientId: 'tab' })
    await expect.poll(() => app.app.ports.clients?.pending().length).toBe(2)
    await read()
    await app.app.answer('approved')
    await first.ws.nextFrame('welcome')
    await expect.poll(() => app.questions.at(-1)?.question?.key).toBe(second.key.publicKey)
    expect(app.questions.at(-1)?.question).toMatchObject({ formerTrust: 'with-other-key' })
    expect(second.ws.untaken).toEqual([])
  })

  it('is cut off when it is revoked, or its row has another key', async () => {
    const app = await startApp()
    const key = newTestKey()
    for (const change of [
      () => app.app.ports.trustedClients.revoke('tab'),
      () => trust(app, { clientId: 'tab', key: newTestKey().publicKey }),
    ]) {
      await trust(app, { clientId: 'tab', key: key.publicKey })
      const client = await ProvingClient.proved({ clientId: 'tab', key })
      await client.ws.nextFrame('welcome')
      await change()
      expect((await client.ws.closed()).code).toBe(4409)
    }
  })

  it('is let in at once when somebody trusts it, with its key, while it waits', async () => {
    const app = await startApp()
    const client = await ProvingClient.proved({ clientId: 'tab' })
    await asked(app, 'tab')
    await trust(app, { clientId: 'tab', key: newTestKey().publicKey })
    await client.ws.settled()
    expect(client.ws.untaken).toEqual([])
    await trust(app, { clientId: 'tab', key: client.key.publicKey })
    await client.ws.nextFrame('welcome')
  })

  it('is denied where nobody is asked, and the line that would let it in has its key', async () => {
    const app = await startApp({ listen: 'unattended' })
    const client = await ProvingClient.proved({ clientId: 'tab-of-nobody' })
    expect((await client.ws.closed()).code).toBe(4001)
    const line = `hookline clients trust tab-of-nobody --origin ${ORIGIN} --key ${client.key.publicKey}`
    expect(app.warnings.join()).toContain(line)
    await trust(app, { clientId: 'tab-of-nobody', key: client.key.publicKey })
    const again = await ProvingClient.proved({ clientId: 'tab-of-nobody', key: client.key })
    await again.ws.nextFrame('welcome')
  })

  it('has 10 s from the upgrade for its proof, too', async () => {
    await startApp()
    const from = performance.now()
    const client = await ProvingClient.challenged()
    expect((await client.ws.closed()).code).toBe(4408)
    expect(performance.now() - from).toBeGreaterThan(WIRE_LIMITS.helloMs - 100)
    expect(performance.now() - from).toBeLessThan(WIRE_LIMITS.helloMs + BUSY_MS)
  })
})
