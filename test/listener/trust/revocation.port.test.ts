// Trust taken back, by whichever way: open sessions end within a second, and what their commands have not done is not done any more.
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exec } from '../../../harness/process/hookline.ts'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { openTrustedClients } from '../../../src/stores/trusted-clients.ts'

const CLIENT = 'aaaaaaaa-0001'
const TWIN = 'http://localhost:53220'

function fileOf({ directory }: RunningApp): string {
  return join(directory, 'trusted-clients.json')
}

async function runAtRepl({ app }: RunningApp, command: string): Promise<void> {
  const result = await app.runner.run({ runId: randomUUID(), source: 'repl', command })
  if (!result.success) throw new Error(result.error)
}

interface Row {
  readonly clientId: string
  readonly origin: string
}

/** Rewrites the file in place, as an editor does. */
function edit(app: RunningApp, change: (rows: readonly Row[]) => readonly Row[]): void {
  const { clients } = JSON.parse(readFileSync(fileOf(app), 'utf8'))
  writeFileSync(fileOf(app), JSON.stringify({ clients: change(clients) }))
}

/** Its chain has ended, without its last step. */
async function chainEnded({ done, output }: RunningApp): Promise<void> {
  await expect.poll(() => done.filter(({ run }) => run.source === 'web')).toHaveLength(1)
  expect(output).not.toContain('print never')
}

const CHAIN = { t: 'cmd:exec', id: '1', command: 'echo begin; sleep 60s; echo never' }

const WAYS: readonly (readonly [what: string, revoke: (app: RunningApp) => unknown])[] = [
  ['`clients revoke` with a prefix', (app) => runAtRepl(app, 'clients revoke aaaaaaaa')],
  ['`clients revoke` with the whole id', (app) => runAtRepl(app, `clients revoke ${CLIENT}`)],
  ['another store, as another process has one', (app) => openTrustedClients(app.directory).revoke(CLIENT)],
  ['`hookline exec` in a process of its own', (app) => exec(app.directory, 'clients revoke aaaaaaaa')],
  [
    'an editor that takes its row away',
    (app) => edit(app, (rows) => rows.filter(({ clientId }) => clientId !== CLIENT)),
  ],
  [
    'an editor that changes the origin in its row',
    (app) => edit(app, (rows) => rows.map((row) => (row.clientId === CLIENT ? { ...row, origin: TWIN } : row))),
  ],
]

describe('a revoked client', () => {
  it.each(WAYS)('by %s is cut off with 4409, and its chain ends', async (_what, revoke) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    const bystander = await WsClient.welcomed(app, { clientId: 'bbbbbbbb-0002' })
    client.send(CHAIN)
    await client.nextFrame('cmd:output')
    await revoke(app)
    expect((await client.closed()).code).toBe(4409)
    await chainEnded(app)
    await bystander.settled()
    const again = await WsClient.hello({ clientId: CLIENT })
    await expect.poll(() => app.questions.at(-1)?.question?.clientId).toBe(CLIENT)
    expect(again.received).toEqual([])
  })

  it('is everybody after `clients revoke --all`', async () => {
    const app = await startApp()
    const clients = [await WsClient.welcomed(app), await WsClient.welcomed(app)]
    await runAtRepl(app, 'clients revoke --all')
    for (const client of clients) expect((await client.closed()).code).toBe(4409)
  })

  it('is everybody once the file is gone and stays away', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    rmSync(fileOf(app))
    expect((await client.closed()).code).toBe(4409)
  })

  it('has all of its sessions cut', async () => {
    const app = await startApp()
    const clients = [
      await WsClient.welcomed(app, { clientId: CLIENT }),
      await WsClient.welcomed(app, { clientId: CLIENT }),
    ]
    await runAtRepl(app, `clients revoke ${CLIENT}`)
    for (const client of clients) expect((await client.closed()).code).toBe(4409)
  })

  it('has the chains of its gone sessions ended too', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    client.send(CHAIN)
    await client.nextFrame('cmd:output')
    await client.leave()
    await expect.poll(() => app.activities.at(-1)?.type).toBe('disconnected')
    await runAtRepl(app, `clients revoke ${CLIENT}`)
    await chainEnded(app)
  })

  it('gets nothing done with a frame that arrives before anybody has noticed', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    // Written and sent in one turn: no watcher can have told yet.
    writeFileSync(fileOf(app), '{"clients":[]}')
    client.send({ t: 'cmd:exec', id: '1', command: 'echo never' })
    client.send({ t: 'mutate:hook', id: '2', op: 'create', name: 'evil', command: 'echo evil' })
    client.send({ t: 'subscribe', topics: ['hooks', 'accounts'] })
    expect((await client.closed()).code).toBe(4409)
    expect(client.untaken).toEqual([])
    expect([app.done, app.app.ports.hooks.list()]).toEqual([[], []])
  })

  it('is trusted again once approved again', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    await runAtRepl(app, `clients revoke ${CLIENT}`)
    await client.closed()
    const again = await WsClient.hello({ clientId: CLIENT })
    await expect.poll(() => app.app.ports.clients?.pending()).toHaveLength(1)
    await runAtRepl(app, `approve ${CLIENT}`)
    await again.nextFrame('welcome')
  })
})

describe('trust stays', () => {
  it('while the file cannot be read: the last good content serves', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    const content = readFileSync(fileOf(app), 'utf8')
    writeFileSync(fileOf(app), content.slice(0, -10))
    await expect.poll(() => app.app.problems().map(({ path }) => path)).toEqual([fileOf(app)])
    await client.settled()
    writeFileSync(fileOf(app), content)
    await expect.poll(() => app.app.problems()).toEqual([])
    await client.settled()
  })

  it('with a client that leaves: its chain goes on', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { clientId: CLIENT })
    client.send({ t: 'cmd:exec', id: '1', command: 'echo begin; sleep 300ms; echo end' })
    await client.nextFrame('cmd:output')
    await client.leave()
    await app.runsDone(1)
    expect(app.output).toContain('print end')
  })
})

describe('a listener turned off', () => {
  it('gets nothing done with a frame that arrives before anybody has noticed', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    app.writeConfig({ listener: { enabled: false } })
    client.send({ t: 'cmd:exec', id: '1', command: 'echo never' })
    expect((await client.closed()).code).toBe(4403)
    expect([client.untaken, app.done]).toEqual([[], []])
  })

  it('takes back the questions of those who wait', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ clientId: CLIENT })
    await expect.poll(() => app.questions.at(-1)?.question?.clientId).toBe(CLIENT)
    app.writeConfig({ listener: { enabled: false } })
    expect((await client.closed()).code).toBe(4403)
    expect(app.questions.at(-1)?.question).toBeUndefined()
  })
})
