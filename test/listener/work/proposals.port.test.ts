// Proposals over the real socket (behaviour 146): an agent asks to be let in, proposes, is approved by a person, and sees what became of it.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import type { Frame } from '../../../src/protocol/frames.ts'
import { GRANT_MS, type GrantLevel } from '../../../src/protocol/rows.ts'

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
