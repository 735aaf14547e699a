// The clients that the operator has approved, as the console lists and narrows them (behaviour 145).
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { GRANT_MS } from '../../../src/protocol/rows.ts'
import type { Grant } from '../../../src/stores/client-grants.ts'
import { openConsoleKey } from '../../../src/stores/identity.ts'
import { newTicket } from '../../../src/trust/console-tickets.ts'

const AGENT = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

async function client(running: RunningApp, clientId: string, grant?: Partial<Grant>): Promise<WsClient> {
  const session = await WsClient.welcomed(running, { clientId, label: 'Agent', features: [] })
  const now = Date.now()
  const whole: Grant = { may: 'look', grantedAt: now, until: now + GRANT_MS, ...grant }
  if (grant !== undefined) await running.app.ports.trustedClients.grant(clientId, whole, true)
  return session
}

async function consolePage(running: RunningApp, clientId: string = randomUUID()): Promise<WsClient> {
  await running.app.ports.trustedClients.add({ clientId, label: 'Console', origin: ORIGIN })
  const ticket = newTicket(await openConsoleKey(running.directory).load(), Date.now())
  const page = await WsClient.hello({ clientId, label: 'Console', features: [], ticket })
  await page.nextFrame('welcome')
  return page
}

async function listed(page: WsClient) {
  const { clients } = await page.send({ t: 'clients:query', id: 'q' }).nextFrame('clients:page')
  return clients
}

describe('the list of clients', () => {
  it('has the grant of each, what is used of it, and no id', async () => {
    const running = await startApp()
    const agent = await client(running, AGENT, { may: 'trade', perDay: '5000', accounts: ['paper'] })
    agent.send({ t: 'cmd:exec', id: 'c', command: 'buy 0.01', account: 'paper', symbol: 'BTCUSDT' })
    expect(await agent.nextFrame('cmd:done')).toMatchObject({ success: true })
    const page = await consolePage(running)
    const rows = await listed(page)
    expect(rows).toMatchObject([
      { label: 'Agent', connected: 1, hasKey: false, grant: { may: 'trade', perDay: '5000', accounts: ['paper'] } },
      { label: 'Console', isYou: true },
    ])
    expect(Number(rows[0]?.grant?.usedToday)).toBeGreaterThan(100)
    expect(rows[1]).not.toHaveProperty('grant')
    expect(JSON.stringify(rows)).not.toContain(AGENT)
  })

  it.each<[string, (running: RunningApp) => Promise<WsClient>]>([
    ['client without a grant that is no page of the console', (running) => client(running, randomUUID())],
    ['client that may trade', (running) => client(running, randomUUID(), { may: 'trade' })],
    [
      'page of the console that may look alone',
      async (running) => {
        const clientId = randomUUID()
        const page = await consolePage(running, clientId)
        const now = Date.now()
        const look: Grant = { may: 'look', grantedAt: now, until: now + GRANT_MS }
        await running.app.ports.trustedClients.grant(clientId, look, false)
        return page
      },
    ],
  ])('is shown to no %s', async (_who, connect) => {
    const running = await startApp()
    await client(running, AGENT, { may: 'trade' })
    const [row] = await listed(await consolePage(running))
    const other = await connect(running)
    other.send({ t: 'clients:query', id: 'a' }).send({ t: 'clients:narrow', id: 'b', client: row?.ref, to: 'none' })
    for (const id of ['a', 'b']) expect(await other.nextFrame('error')).toMatchObject({ id, code: 'not-granted' })
    expect(running.app.ports.trustedClients.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'trade' })
  })
})

describe('clients', () => {
  it('are narrowed and revoked, and never widened', async () => {
    const running = await startApp()
    const agent = await client(running, AGENT, { may: 'trade', perOrder: '100' })
    const page = await consolePage(running)
    const ref = (await listed(page))[0]?.ref
    const narrow = (to: string) => page.send({ t: 'clients:narrow', id: to, client: ref, to })
    for (const to of ['propose', 'look'] as const) {
      expect((await narrow(to).nextFrame('clients:narrowed')).clients[0]?.grant).toMatchObject({
        may: to,
        perOrder: '100',
      })
      expect(running.app.ports.trustedClients.grantOf(AGENT, ORIGIN)).toMatchObject({ may: to, perOrder: '100' })
    }
    narrow('propose')
    expect(await page.nextFrame('error')).toMatchObject({ id: 'propose', code: 'needs-person' })
    expect((await narrow('none').nextFrame('clients:narrowed')).clients).toMatchObject([{ label: 'Console' }])
    expect((await agent.closed()).code).toBe(4409)
    page.send({ t: 'clients:narrow', id: 'x', client: '0'.repeat(16), to: 'none' })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'x', code: 'not-found' })
    expect(running.activities.filter(({ type }) => type === 'client')).toHaveLength(3)
  })
})
