// Proposals over the real socket (behaviour 146): an agent asks to be let in, proposes, is approved by a person, and sees what became of it.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { proposalQuestions } from '../../../src/listener/requests/questions.ts'
import type { Frame } from '../../../src/protocol/frames.ts'
import { GRANT_MS, type GrantLevel } from '../../../src/protocol/rows.ts'
import type { Grant } from '../../../src/stores/client-grants.ts'
import { openConsoleKey } from '../../../src/stores/identity.ts'
import { newTicket } from '../../../src/trust/console-tickets.ts'

const AGENT = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const LINE = { line: 'buy 0.01 stop -2%', account: 'paper', symbol: 'BTCUSDT', reason: 'support held' }

async function agent(app: RunningApp, may: GrantLevel): Promise<WsClient> {
  const client = await WsClient.welcomed(app, { clientId: AGENT, label: 'Agent', features: [] })
  const now = Date.now()
  await app.app.ports.trustedClients.grant(AGENT, { may, grantedAt: now, until: now + GRANT_MS }, true)
  return client
}

/** What the topic says of the one proposal, once it is in that state. */
async function stateOf(client: WsClient, state: string): Promise<Frame<'state:proposals'>['proposals'][number]> {
  for (;;) {
    const [row] = (await client.nextFrame('state:proposals')).proposals
    if (row?.state === state) return row
  }
}

const placed = async ({ app }: RunningApp) => {
  const { venue } = await app.connect('paper')
  return (await venue.fetchPositions()).length + (await venue.fetchOpenOrders()).length
}

describe('an agent', () => {
  it('proposes, and a person at this terminal says yes to what was shown', async () => {
    const app = await startApp()
    const client = await agent(app, 'propose')
    client.send({ t: 'subscribe', topics: ['proposals'] })
    client.send({ t: 'propose', id: 'a', ...LINE })
    const { proposal } = await client.nextFrame('proposed')
    expect(proposal).toMatchObject({
      state: 'proposed',
      line: LINE.line,
      preview: { ok: true, orders: [{ side: 'buy' }] },
    })
    expect(await stateOf(client, 'proposed')).toMatchObject({
      id: proposal.id,
      clientId: AGENT,
      reason: 'support held',
    })
    expect(await placed(app)).toBe(0)
    // A line of exec is typed by a program, and a page is no person.
    for (const source of ['exec', 'web'] as const)
      expect(
        await app.app.runner.run({ runId: randomUUID(), source, command: `approve ${proposal.id}`, clientId: AGENT }),
      ).toMatchObject({ success: false })
    expect(await placed(app)).toBe(0)
    const { ended } = await app.app.ports.proposals.approve(await app.app.ports.proposals.find(proposal.id))
    expect(await ended).toMatchObject({ success: true })
    expect(await placed(app)).toBeGreaterThan(0)
    const begun = await stateOf(client, 'begun')
    expect(begun.preview).toBeUndefined()
    const { run } = app.done.find(({ run }) => run.runId === begun.runId) ?? {}
    expect(run).toMatchObject({ source: 'web', clientId: AGENT, pageOrigin: ORIGIN, proposal: proposal.id })
    client.send({ t: 'runs:show', id: 'r', runId: begun.runId ?? '' })
    expect(await client.nextFrame('runs:run')).toMatchObject({ run: { state: 'done' } })
  })

  it('withdraws, and is told by a code why it may not', async () => {
    const app = await startApp()
    const client = await agent(app, 'propose')
    client.send({ t: 'propose', id: 'a', ...LINE })
    const { proposal } = await client.nextFrame('proposed')
    client.send({ t: 'withdraw', id: 'b', proposal: proposal.id })
    expect(await client.nextFrame('withdrawn')).toMatchObject({ id: 'b', proposal: { state: 'withdrawn' } })
    client.send({ t: 'withdraw', id: 'c', proposal: proposal.id })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'c', code: 'not-open' })
    client.send({ t: 'propose', id: 'd', ...LINE, line: 'hook create x "buy 1"' })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'd', code: 'not-proposable' })
    client.send({ t: 'propose', id: 'e', ...LINE, reason: 'r'.repeat(301) })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'e', error: expect.stringContaining('`reason`') })
  })

  it('that may only look proposes nothing', async () => {
    const app = await startApp()
    const client = await agent(app, 'look')
    client.send({ t: 'propose', id: 'a', ...LINE })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'a', code: 'not-granted' })
  })

  it('that may propose places nothing itself in 500 tries, by whatever frame', async () => {
    const app = await startApp()
    const client = await agent(app, 'propose')
    const lines = [
      'buy 0.01',
      'price; buy 0.01',
      'price && sell 0.01',
      'cancel nothing || buy 0.01',
      'repeat 3 (buy 0.01)',
      'approve p-k7mq2rtz',
      'clients grant 3f9c2a71 trade',
      'hook create x "buy 1"',
      'alias z "buy 0.01"',
      'when last > 1 (buy 0.01)',
    ]
    for (let n = 0; n < 500; n += 1) {
      const command = lines[n % lines.length] ?? ''
      if (n % 5 === 4) client.send({ t: 'propose', id: `p${n}`, ...LINE, line: command })
      else client.send({ t: 'cmd:exec', id: `c${n}`, command, account: 'paper', symbol: 'BTCUSDT' })
      if (n % 5 === 4) await client.nextFrame()
      else await client.nextFrame('cmd:done')
    }
    expect(await placed(app)).toBe(0)
    expect(app.app.ports.hooks.list()).toEqual([])
    expect(app.app.ports.trustedClients.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'propose' })
  }, 60_000)
})

/** A page of the console that our server gave out. */
async function consolePage(running: RunningApp, clientId: string = randomUUID()): Promise<WsClient> {
  await running.app.ports.trustedClients.add({ clientId, label: 'Console', origin: ORIGIN })
  const ticket = newTicket(await openConsoleKey(running.directory).load(), Date.now())
  const page = await WsClient.hello({ clientId, label: 'Console', features: [], ticket })
  await page.nextFrame('welcome')
  return page
}

/** Another client with a row of its own. */
async function other(running: RunningApp, grant?: Partial<Grant>): Promise<WsClient> {
  const clientId = randomUUID()
  const client = await WsClient.welcomed(running, { clientId, label: 'Other', features: [] })
  const now = Date.now()
  if (grant !== undefined)
    await running.app.ports.trustedClients.grant(
      clientId,
      { may: 'look', grantedAt: now, until: now + GRANT_MS, ...grant },
      true,
    )
  return client
}

async function proposedBy(client: WsClient) {
  client.send({ t: 'propose', id: 'a', ...LINE })
  const { proposal } = await client.nextFrame('proposed')
  return { proposal: proposal.id, shown: proposal.digest }
}

describe('a page of the console', () => {
  it('approves what an agent proposes, as it was shown, and once', async () => {
    const running = await startApp()
    const client = await agent(running, 'propose')
    const page = await consolePage(running)
    const asked = await proposedBy(client)
    page.send({ t: 'approve', id: 'x', ...asked, shown: '0'.repeat(64) })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'x', code: 'changed' })
    expect(await placed(running)).toBe(0)
    for (const id of ['y', 'z']) page.send({ t: 'approve', id, ...asked })
    const { id, proposal } = await page.nextFrame('approved')
    expect([id, proposal]).toMatchObject(['y', { state: 'begun', clientId: AGENT }])
    expect(await page.nextFrame('error')).toMatchObject({ id: 'z', code: 'not-open' })
    await running.runsDone(1)
    expect(running.done).toMatchObject([{ run: { clientId: AGENT, runId: proposal.runId }, result: { success: true } }])
    expect(await placed(running)).toBeGreaterThan(0)
    expect(running.activities).toContainEqual(
      expect.objectContaining({ type: 'proposal', op: 'approve', label: 'Console' }),
    )
    await expect
      .poll(() => readFileSync(join(running.directory, 'audit.jsonl'), 'utf8'))
      .toMatch(new RegExp(`"proposal approve".*${asked.proposal}`))
  })

  it('denies one, which then cannot be approved', async () => {
    const running = await startApp()
    const client = await agent(running, 'propose')
    const page = await consolePage(running)
    const asked = await proposedBy(client)
    page.send({ t: 'deny', id: 'x', proposal: asked.proposal })
    expect(await page.nextFrame('denied')).toMatchObject({ id: 'x', proposal: { state: 'denied' } })
    page.send({ t: 'approve', id: 'y', ...asked })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'y', code: 'not-open' })
    expect(await placed(running)).toBe(0)
  })

  it('approves nothing under panic, without remoteExec, or while it sees no accounts', async () => {
    const running = await startApp()
    const client = await agent(running, 'propose')
    const page = await consolePage(running)
    const asked = await proposedBy(client)
    running.writeConfig({ listener: { accountSync: false, remoteExec: true } })
    page.send({ t: 'approve', id: 'a', ...asked })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'a', code: 'switched-off' })
    running.writeConfig({})
    await running.app.ports.panic.begin('test')
    page.send({ t: 'approve', id: 'p', ...asked })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'p', code: 'switched-off' })
    await running.app.ports.panic.end()
    running.writeConfig({ listener: { accountSync: true, remoteExec: false } })
    page.send({ t: 'approve', id: 'b', ...asked })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'b', code: 'switched-off' })
    expect(await placed(running)).toBe(0)
  })

  it('whose client was narrowed or revoked while the line is previewed approves nothing', async () => {
    const running = await startApp()
    const client = await agent(running, 'propose')
    const clientId = randomUUID()
    const page = await consolePage(running, clientId)
    const asked = await proposedBy(client)
    const { proposals, trustedClients } = running.app.ports
    const by = { clientId, origin: ORIGIN, label: 'Console', isServed: true }
    const slow = {
      ...proposals,
      async approve(...args: Parameters<typeof proposals.approve>) {
        const now = Date.now()
        await trustedClients.grant(clientId, { may: 'look', grantedAt: now, until: now + GRANT_MS }, true)
        return proposals.approve(...args)
      },
    }
    const answers = proposalQuestions({
      proposals: slow,
      trustedClients,
      showsAccounts: () => true,
      onDecision: () => {},
      onBug: () => {},
    })
    await expect(
      answers.approve({ t: 'approve', id: 'x', proposal: asked.proposal, shown: asked.shown ?? '' }, by),
    ).rejects.toMatchObject({ code: 'not-granted' })
    page.send({ t: 'approve', id: 'y', ...asked })
    expect(await page.nextFrame('error')).toMatchObject({ id: 'y', code: 'not-granted' })
    expect(await proposals.find(asked.proposal)).toMatchObject({ state: 'proposed' })
    expect(await placed(running)).toBe(0)
  })
})

describe('a proposal', () => {
  const FEW = { accounts: ['paper'], until: Date.now() + GRANT_MS }
  const OTHERS: readonly (readonly [string, (running: RunningApp) => Promise<WsClient>])[] = [
    ['a client without a grant that is no page of the console', (running) => other(running)],
    ['a client that may look', (running) => other(running, { may: 'look' })],
    ['a client that may propose', (running) => other(running, { may: 'propose' })],
    ['a client that may trade up to a sum', (running) => other(running, { may: 'trade', perDay: '1000000' })],
    ['a client that may trade on some accounts', (running) => other(running, { may: 'trade', ...FEW })],
    ['a client whose grant to trade has ended', (running) => other(running, { may: 'trade', until: Date.now() - 1 })],
    ['a second connection of the one that proposed it', (running) => agent(running, 'trade')],
    ['the console, where it is the one that proposed it', (running) => consolePage(running, AGENT)],
  ]

  it.each(OTHERS)('is neither approved nor denied by %s', async (_who, connect) => {
    const running = await startApp()
    const asked = await proposedBy(await agent(running, 'trade'))
    const client = await connect(running)
    client.send({ t: 'approve', id: 'x', ...asked }).send({ t: 'deny', id: 'y', proposal: asked.proposal })
    for (const id of ['x', 'y']) expect(await client.nextFrame('error')).toMatchObject({ id, code: 'not-granted' })
    expect(await running.app.ports.proposals.find(asked.proposal)).toMatchObject({ state: 'proposed' })
    expect(await placed(running)).toBe(0)
  })
})

it('a client that may trade without limits approves what another proposes', async () => {
  const running = await startApp()
  const client = await agent(running, 'propose')
  const trader = await other(running, { may: 'trade' })
  trader.send({ t: 'approve', id: 'x', ...(await proposedBy(client)) })
  expect(await trader.nextFrame('approved')).toMatchObject({ id: 'x', proposal: { state: 'begun' } })
})

describe('the topic', () => {
  it('shows a client that may not trade its own proposals alone, also after its grant was narrowed', async () => {
    const running = await startApp()
    const client = await agent(running, 'propose')
    const [looker, trader] = [await other(running, { may: 'propose' }), await other(running, { may: 'trade' })]
    for (const each of [looker, trader]) each.send({ t: 'subscribe', topics: ['proposals'] })
    for (const each of [looker, trader])
      expect(await each.nextFrame('state:proposals')).toMatchObject({ proposals: [] })
    const asked = await proposedBy(client)
    expect((await trader.nextFrame('state:proposals')).proposals).toMatchObject([{ id: asked.proposal }])
    looker.send({ t: 'propose', id: 'a', ...LINE, line: 'buy 0.02' })
    const { proposal } = await looker.nextFrame('proposed')
    expect((await looker.nextFrame('state:proposals')).proposals).toMatchObject([{ id: proposal.id }])
    const { clientId } = running.app.ports.trustedClients.list().find(({ grant }) => grant?.may === 'trade') ?? {}
    const now = Date.now()
    await running.app.ports.trustedClients.grant(
      clientId ?? '',
      { may: 'look', grantedAt: now, until: now + GRANT_MS },
      true,
    )
    await expect.poll(async () => (await trader.nextFrame('state:proposals')).proposals).toEqual([])
  })
})
