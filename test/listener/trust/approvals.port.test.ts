// The operator's word at work: real clients, real files, the real registry of questions.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../../src/listener/approvals/approvals.ts'
import { openTrustedClients } from '../../../src/stores/trusted-clients.ts'

const TWIN = 'http://localhost:53220'

/** Resolves once the operator is asked about this client, and has had the time to read. */
async function asked({ questions }: RunningApp, clientId: string): Promise<void> {
  await expect.poll(() => questions.at(-1)?.question?.clientId).toBe(clientId)
  await new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))
}

function storedClients(directory: string): unknown {
  return JSON.parse(readFileSync(join(directory, 'trusted-clients.json'), 'utf8')).clients
}

async function runs({ app }: RunningApp, command: string): Promise<string> {
  const result = await app.runner.run({ runId: randomUUID(), source: 'repl', command })
  return result.success ? 'ok' : (result.error ?? '')
}

describe('an unknown client', () => {
  it('hears nothing until the operator has decided, then is welcomed and written down', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab-0001', label: 'Console' })
    await asked(app, 'tab-0001')
    expect(app.questions).toEqual([
      { question: { clientId: 'tab-0001', label: 'Console', origin: ORIGIN }, waiting: 1 },
    ])
    expect(client.received).toEqual([])
    expect(await app.app.answer('approved')).toMatchObject({ outcome: 'approved' })
    await client.nextFrame('welcome')
    expect(storedClients(app.directory)).toEqual([
      { clientId: 'tab-0001', label: 'Console', origin: ORIGIN, approvedAt: expect.any(Number) },
    ])
    const again = await WsClient.hello({ clientId: 'tab-0001' })
    await again.nextFrame('welcome')
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('that asks for a grant gets `look` for a plain yes, and more where the answer names it', async () => {
    const app = await startApp()
    const grant = { may: 'propose', perOrder: '50' } as const
    for (const [clientId, may, level] of [
      ['agent-01', undefined, 'look'],
      ['agent-02', 'propose', 'propose'],
    ] as const) {
      const client = await WsClient.hello({ clientId, label: 'Agent', grant })
      await asked(app, clientId)
      expect(app.questions.at(-1)?.question).toMatchObject({ asks: grant })
      await expect(app.app.answer('approved', 'trade')).rejects.toMatchObject({ code: 'more-than-asked' })
      expect(await app.app.answer('approved', may)).toMatchObject({ outcome: 'approved' })
      await client.nextFrame('welcome')
      expect(storedClients(app.directory)).toContainEqual(
        expect.objectContaining({ clientId, grant: expect.objectContaining({ may: level, perOrder: '50' }) }),
      )
    }
  })

  it('that names a limit which hookline does not know is not asked about', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'agent', grant: { may: 'trade', perday: '5' } as never })
    expect((await client.closed()).code).toBe(4400)
    expect(app.questions).toEqual([])
  })

  it('that is denied gets `rejected`, then 4001, and leaves no trace', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    await app.app.answer('denied')
    expect((await client.closed()).code).toBe(4001)
    expect(client.received).toEqual(['{"t":"rejected"}'])
    expect(() => storedClients(app.directory)).toThrow()
  })

  it('of a denied origin is turned away unasked with 4429', async () => {
    const app = await startApp()
    const denied = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    await app.app.answer('denied')
    await denied.closed()
    const next = await WsClient.hello({ clientId: 'tab-2' })
    expect((await next.closed()).code).toBe(4429)
    expect(next.received).toEqual([])
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('takes its question with it when it leaves', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    await client.leave()
    await expect.poll(() => app.questions.at(-1)).toEqual({ question: undefined, waiting: 0 })
    expect(await app.app.answer('approved')).toEqual({ outcome: 'no-question' })
    expect(() => storedClients(app.directory)).toThrow()
  })

  it('may tell its flags while it waits', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    client.send({ t: 'client:state', webCrossTradeActive: true })
    await client.settled()
    await app.app.answer('approved')
    await client.nextFrame('welcome')
  })

  it('on a second connection waits beside the first: one answer lets both in', async () => {
    const app = await startApp()
    const first = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    const second = await WsClient.hello({ clientId: 'tab' })
    await second.settled()
    await app.app.answer('approved')
    await Promise.all([first.nextFrame('welcome'), second.nextFrame('welcome')])
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('stays asked about when its approval cannot be written down', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    const file = join(app.directory, 'trusted-clients.json')
    await mkdir(file)
    await expect(app.app.answer('approved')).rejects.toMatchObject({ name: 'StoreError' })
    await client.settled()
    expect(client.received).toEqual([])
    await rm(file, { recursive: true })
    await app.app.answer('approved')
    await client.nextFrame('welcome')
  })
})

describe('a known client', () => {
  it('from another allowed origin is asked about once more, and approved is known on both: no session ends', async () => {
    const app = await startApp()
    const here = await WsClient.welcomed(app, { clientId: 'tab', origin: ORIGIN })
    const there = await WsClient.hello({ clientId: 'tab', label: 'twin' }, TWIN)
    await asked(app, 'tab')
    expect(app.questions.at(-1)?.question).toEqual({ clientId: 'tab', label: 'twin', origin: TWIN })
    await here.settled()
    await app.app.answer('approved')
    await there.nextFrame('welcome')
    expect(storedClients(app.directory)).toMatchObject([
      { clientId: 'tab', origin: ORIGIN },
      { clientId: 'tab', origin: TWIN },
    ])
    await here.settled()
    for (const origin of [ORIGIN, TWIN]) await (await WsClient.hello({ clientId: 'tab' }, origin)).nextFrame('welcome')
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
    await app.app.ports.trustedClients.revoke('tab')
    for (const client of [here, there]) expect((await client.closed()).code).toBe(4409)
  })
})

describe('a flood', () => {
  it('of 1 000 unknown clients asks about one, lets eight wait and turns the rest away with 4429', async () => {
    const app = await startApp()
    const clients: WsClient[] = []
    for (let batch = 0; batch < 10; batch++) {
      clients.push(...(await Promise.all(Array.from({ length: 100 }, () => WsClient.hello()))))
    }
    const codes: number[] = []
    for (const client of clients) void client.closed().then(({ code }) => codes.push(code))
    await expect.poll(() => codes.length).toBe(1_000 - APPROVAL_LIMITS.pending)
    expect(new Set(codes)).toEqual(new Set([4429]))
    expect(app.questions).toHaveLength(1)
    expect(app.app.ports.clients?.pending()).toHaveLength(APPROVAL_LIMITS.pending)
    const known = await WsClient.welcomed(app)
    await known.settled()
  })
})

describe('approve and deny', () => {
  it('decide by prefix, whichever client is shown', async () => {
    const app = await startApp()
    const [one, two] = [
      await WsClient.hello({ clientId: 'aaaaaaaa-1' }),
      await WsClient.hello({ clientId: 'bbbbbbbb-2' }),
    ]
    await expect.poll(() => app.app.ports.clients?.pending()).toHaveLength(2)
    expect(await runs(app, 'approve bbbbbbb')).toMatch(/8 characters/)
    expect(await runs(app, 'approve cccccccc')).toMatch(/no waiting client/)
    expect(await runs(app, 'approve bbbbbbbb')).toBe('ok')
    await two.nextFrame('welcome')
    expect(await runs(app, 'deny aaaa')).toBe('ok')
    expect((await one.closed()).code).toBe(4001)
    expect(await runs(app, 'deny aaaaaaaa')).toMatch(/no client is awaiting approval/)
  })

  it.each(['web', 'hook'] as const)('are not for a run from %s', async (source) => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'aaaaaaaa-1' })
    await expect.poll(() => app.app.ports.clients?.pending()).toHaveLength(1)
    for (const command of ['approve aaaaaaaa', 'clients trust aaaaaaaa-1', 'clients', 'clients revoke --all']) {
      const { success } = await app.app.runner.run({ runId: randomUUID(), source, command })
      expect(success, command).toBe(false)
    }
    expect(client.received).toEqual([])
  })
})

describe('trust given elsewhere', () => {
  it('by another process admits a client that waits', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    await openTrustedClients(app.directory).add({ clientId: 'tab', label: '', origin: ORIGIN })
    await client.nextFrame('welcome')
    expect(app.questions.at(-1)).toEqual({ question: undefined, waiting: 0 })
  })

  it('on another origin does not', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: 'tab' })
    await asked(app, 'tab')
    const file = join(app.directory, 'trusted-clients.json')
    writeFileSync(file, JSON.stringify({ clients: [{ clientId: 'tab', label: '', origin: TWIN, approvedAt: 1 }] }))
    const there = await WsClient.hello({ clientId: 'tab' }, TWIN)
    await there.nextFrame('welcome')
    expect(client.received).toEqual([])
    expect(app.app.ports.clients?.pending()).toHaveLength(1)
  })
})

describe('without an operator', () => {
  it('an unknown client is denied, and the log says how to approve it', async () => {
    const app = await startApp({ listen: 'unattended' })
    const client = await WsClient.hello({ clientId: 'tab-0001', label: 'Console' })
    expect((await client.closed()).code).toBe(4001)
    expect(client.received).toEqual(['{"t":"rejected"}'])
    expect(app.warnings).toEqual([
      `Console was denied: no terminal is open to approve it; to let it in: hookline clients trust tab-0001 --origin ${ORIGIN}`,
    ])
    expect(await runs(app, `clients trust tab-0001 --origin ${ORIGIN}`)).toBe('ok')
    const again = await WsClient.hello({ clientId: 'tab-0001' })
    await again.nextFrame('welcome')
  })

  it('a page cannot make that line run anything in the shell it is pasted into', async () => {
    const app = await startApp({ listen: 'unattended' })
    const client = await WsClient.hello({ clientId: "x';touch /tmp/evil;$(id)`id`\u001b[2J", label: 'a\nb\u202e' })
    await client.closed()
    const [line = ''] = app.warnings
    expect(line).toContain("clients trust 'x'\\'';touch /tmp/evil;$(id)`id` [2J' --origin")
    expect(line).toMatch(/^a b {2}was denied/)
  })
})
