// Pages at the console's origin: any program that gets its port could serve them, so that the list of origins alone lets none in (behaviour 9).
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { newTestKey, ProvingClient } from '../../../harness/wire/proving-client.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { defined } from '../../../src/base/defined.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { openConsoleKey } from '../../../src/stores/identity.ts'
import { newTicket } from '../../../src/trust/console-tickets.ts'

const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36' }
const NO_TICKET = 4402

const ticketOf = async ({ directory }: Pick<RunningApp, 'directory'>) =>
  newTicket(await openConsoleKey(directory).load(), Date.now())

/** A page that has no key. */
async function page(hello: object, origin = ORIGIN): Promise<WsClient> {
  const client = await WsClient.open(origin, BROWSER)
  return client.send({ t: 'hello', label: 'page', ...hello })
}

describe('while no server of this user has the port', () => {
  it('an upgrade from there is refused, and one from elsewhere is not', async () => {
    const other = 'https://desk.example'
    const config = { listener: { allowedOrigins: [ORIGIN, 'http://localhost:53220', 'http://[::1]:53220', other] } }
    await startApp({ isConsoleServed: false, config })
    for (const origin of [ORIGIN, 'http://localhost:53220', 'http://[::1]:53220'])
      await expect(WsClient.open(origin)).rejects.toThrow('403')
    await WsClient.open(other)
  })
})

describe('where web.enabled is false', () => {
  it('the origin is not allowed, and a page that is in goes when it is turned off', async () => {
    const running = await startApp()
    const client = await WsClient.welcomed(running)
    running.writeConfig({ web: { enabled: false } })
    expect((await client.closed()).code).toBe(4403)
    await expect(WsClient.open()).rejects.toThrow('403')
  })

  it.each([{ enabled: 'no' }, { enabeld: false }, false, [], null])('and so is %j, which is in doubt', async (web) => {
    await startApp({ config: { web } })
    await expect(WsClient.open()).rejects.toThrow('403')
  })
})

describe('a browser’s page', () => {
  it('is not let in and not asked about without a ticket, also under an approved clientId', async () => {
    const running = await startApp()
    const clientId = randomUUID()
    await running.app.ports.trustedClients.add({ clientId, label: 'page', origin: ORIGIN })
    for (const hello of [{ clientId }, { clientId: randomUUID() }, { clientId, ticket: 't.x.y.z' }])
      expect((await (await page(hello)).closed()).code).toBe(NO_TICKET)
    expect(running.questions).toEqual([])
  })

  it('is let in with one, which no other client can use, and then with what its welcome gave it', async () => {
    const running = await startApp()
    const [clientId, thief] = [randomUUID(), randomUUID()]
    for (const id of [clientId, thief])
      await running.app.ports.trustedClients.add({ clientId: id, label: 'page', origin: ORIGIN })
    const ticket = await ticketOf(running)
    const { ticket: pass = '' } = await (await page({ clientId, ticket })).nextFrame('welcome')
    expect((await (await page({ clientId: thief, ticket })).closed()).code).toBe(NO_TICKET)
    expect((await (await page({ clientId: thief, ticket: pass })).closed()).code).toBe(NO_TICKET)
    await (await page({ clientId, ticket: pass })).nextFrame('welcome')
  })

  it('that has brought one is let in only with one, also by a program in its name', async () => {
    const running = await startApp()
    const clientId = randomUUID()
    await running.app.ports.trustedClients.add({ clientId, label: 'page', origin: ORIGIN })
    await (await page({ clientId, ticket: await ticketOf(running) })).nextFrame('welcome')
    await expect.poll(() => running.app.ports.trustedClients.find(clientId)[0]).toMatchObject({ served: true })
    expect((await (await WsClient.hello({ clientId })).closed()).code).toBe(NO_TICKET)
  })

  it('with a key brings it with its proof', async () => {
    const running = await startApp()
    const key = newTestKey()
    const clientId = randomUUID()
    await running.app.ports.trustedClients.add({ clientId, label: 'page', origin: ORIGIN, key: key.publicKey })
    const enter = async (ticket: string | undefined) => {
      const client = await ProvingClient.challenged({ key, clientId, headers: BROWSER })
      client.ws.send({ t: 'proof', signature: client.signature(), ...defined({ ticket }) })
      return client.ws
    }
    expect((await (await enter(undefined)).closed()).code).toBe(NO_TICKET)
    const { ticket } = await (await enter(await ticketOf(running))).nextFrame('welcome')
    await (await enter(ticket)).nextFrame('welcome')
  })

  it('of another origin needs none', async () => {
    const origin = 'https://desk.example'
    const running = await startApp({ config: { listener: { allowedOrigins: [origin] } } })
    await page({ clientId: 'desk' }, origin)
    await expect.poll(() => running.questions.at(-1)?.question?.clientId).toBe('desk')
  })

  it('whose ticket is too long has said no hello', async () => {
    await startApp()
    const ticket = 'x'.repeat(WIRE_LIMITS.ticketLength + 1)
    expect((await (await page({ clientId: 'page', ticket })).closed()).code).toBe(4400)
  })
})

describe('a program', () => {
  it('of the plain protocol is asked about once, as everywhere', async () => {
    const running = await startApp()
    const client = await WsClient.hello({ clientId: 'bot' })
    await expect.poll(() => running.questions.at(-1)?.question?.clientId).toBe('bot')
    await expect.poll(() => running.app.answer('approved')).toMatchObject({ outcome: 'approved' })
    expect(await client.nextFrame('welcome')).not.toHaveProperty('ticket')
    await (await WsClient.hello({ clientId: 'bot' })).nextFrame('welcome')
  })
})
