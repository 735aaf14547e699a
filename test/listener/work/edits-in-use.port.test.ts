// A page's edit of an account that is traded on waits for the operator (behaviour 17).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { EDIT_LIMITS } from '../../../src/listener/approvals/edit-questions.ts'

const KEYS = { apiKey: 'their-key', secret: 'their-secret' }

async function start(listen: 'attended' | 'unattended' = 'attended') {
  const app = await startApp({ listen })
  await app.app.ports.accounts.add({ name: 'live', exchange: 'bybit', apiKey: 'my-key', secret: 'my-secret' })
  await app.app.ports.hooks.create({ name: 'dip', command: 'balance', account: 'live' })
  const client = await WsClient.welcomed(app)
  const shown = () => app.edits.at(-1)?.question
  const upsert = (more: object) =>
    client.send({ t: 'mutate:account', id: 'm', op: 'upsert', account: { name: 'live', exchange: 'bybit', ...more } })
  /** Once the operator has had the time to read. */
  const answer = async (decision: 'allowed' | 'denied') => {
    await vi.waitUntil(() => app.app.answerEdit(decision).outcome === decision)
  }
  const onDisk = () => readFileSync(join(app.directory, 'accounts.json'), 'utf8')
  return { app, client, shown, upsert, answer, onDisk }
}

describe('new keys for an account that a hook is pinned to', () => {
  it('are stored once the operator has allowed them', async () => {
    const { client, shown, upsert, answer, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'change', name: 'live', fields: ['apiKey', 'secret'], uses: ['hook dip'] })
    expect(onDisk()).not.toContain('their-')
    await answer('allowed')
    expect(await client.nextFrame()).toMatchObject({ t: 'mutate:ack', id: 'm', data: { name: 'live' } })
    expect(onDisk()).toContain('their-secret')
  })

  it('are not stored when the operator says no', async () => {
    const { client, shown, upsert, answer, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    await answer('denied')
    expect(await client.nextFrame('mutate:err')).toMatchObject({
      error: 'the operator did not allow it; account live is as it was',
    })
    expect(onDisk()).not.toContain('their-')
  })

  it('are refused in words where no operator is', async () => {
    const { app, client, upsert, onDisk } = await start('unattended')
    upsert(KEYS)
    expect(await client.nextFrame('mutate:err')).toMatchObject({
      error: expect.stringContaining("account live is in use (hook dip), and no one is at hookline's terminal"),
    })
    expect([app.edits, onDisk().includes('their-')]).toEqual([[], false])
  })

  it('are dropped when the page leaves before the answer', async () => {
    const { app, client, shown, upsert, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    await client.leave()
    await vi.waitUntil(() => shown() === undefined)
    expect(app.edits.at(-1)).toMatchObject({ ended: 'left' })
    expect(app.app.answerEdit('allowed')).toEqual({ outcome: 'no-question' })
    expect(onDisk()).not.toContain('their-')
  })

  it('are refused when the trust of the page went while the question was shown, before any watcher has told of it', async () => {
    const { app, client, shown, upsert, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    const shownAt = performance.now()
    await vi.waitUntil(() => performance.now() - shownAt > EDIT_LIMITS.readMs)
    replaceFile(app.directory, 'trusted-clients.json', { clients: [] })
    expect(app.app.answerEdit('allowed').outcome).toBe('allowed')
    expect((await client.closed()).code).toBe(4409)
    expect(onDisk()).not.toContain('their-')
  })

  it('lose against what the operator changed while the question was shown', async () => {
    const { app, client, shown, upsert, answer, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    await app.app.ports.accounts.remove('live')
    await answer('allowed')
    expect(await client.nextFrame('mutate:ack')).toMatchObject({ data: { applied: false } })
    expect(onDisk()).not.toContain('their-')
  })

  it('are refused when accountSync went off while the question was shown', async () => {
    const { app, client, shown, upsert, answer, onDisk } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    app.writeConfig({ listener: { accountSync: false } })
    await answer('allowed')
    expect(await client.nextFrame('mutate:err')).toMatchObject({ error: 'accountSync disabled' })
    expect(onDisk()).not.toContain('their-')
  })
})

describe('the operator is asked', () => {
  it.each<[string, object, object]>([
    ['when an account is taken to its testnet, or from it', { testnet: true }, { fields: ['testnet true'] }],
    [
      'when it moves to another exchange',
      { exchange: 'okx' },
      { fields: ['exchange okx, was bybit', 'apiKey', 'secret'] },
    ],
  ])('%s', async (_when, more, expected) => {
    const { shown, upsert } = await start()
    upsert(more)
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject(expected)
  })

  it('when the account in focus is deleted', async () => {
    const { client, shown, app, answer } = await start()
    client.send({ t: 'mutate:account', id: 'd', op: 'delete', name: 'paper' })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'delete', name: 'paper', uses: ['in focus'] })
    await answer('denied')
    await client.nextFrame('mutate:err')
    expect(app.app.ports.accounts.find('paper')).toBeDefined()
  })

  it('when an account that a running task uses is deleted', async () => {
    const { app, client, shown } = await start()
    await app.app.ports.accounts.add({ name: 'other', exchange: 'paper' })
    const task = { kind: 'chase', account: 'other', symbol: 'BTCUSDT', command: 'chase', runId: 'r', progress: 0 }
    const tasks = [{ ...task, id: 't', status: 'running', startedAt: 1, updatedAt: 1 }]
    replaceFile(app.directory, 'tasks.json', { version: 1, tasks })
    client.send({ t: 'mutate:account', id: 'd', op: 'delete', name: 'other' })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'delete', uses: ['task chase BTCUSDT'] })
  })

  it.each([
    ['master', { masterAccount: 'other', copiers: [{ account: 'paper', weight: 1, mode: 'Market' as const }] }],
    ['copier', { masterAccount: 'paper', copiers: [{ account: 'other', weight: 1, mode: 'Market' as const }] }],
  ])('when the %s of a row that is on is deleted, and when one of that name is made', async (_, sides) => {
    const { app, client, shown, answer } = await start()
    await app.app.ports.accounts.add({ name: 'other', exchange: 'paper' })
    const config = crossTradeConfig({ enabled: true, ...sides })
    replaceFile(app.directory, 'cross-trade.json', { configs: [config] })
    const uses = [`cross-trade row ${config.id.slice(0, 8)}`]
    client.send({ t: 'mutate:account', id: 'd', op: 'delete', name: 'other' })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'delete', uses })
    await answer('allowed')
    await client.nextFrame('mutate:ack')
    const account = { name: 'other', exchange: 'bybit', ...KEYS, updatedAt: Date.now() + 60_000 }
    client.send({ t: 'mutate:account', id: 'u', op: 'upsert', account })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'add', uses })
  })

  it('when an account with a position or a resting order is deleted', async () => {
    const { app, client, shown } = await start()
    await app.app.ports.accounts.add({ name: 'other', exchange: 'paper' })
    const command = 'buy 0.01 BTCUSDT stop -2%'
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command, account: 'other' })
    client.send({ t: 'mutate:account', id: 'd', op: 'delete', name: 'other' })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'delete', uses: ['1 position and 1 resting order'] })
  })

  it('when someone makes an account of the name that a hook is pinned to', async () => {
    const { app, shown, upsert } = await start()
    await app.app.ports.accounts.remove('live')
    upsert({ ...KEYS, updatedAt: Date.now() + 60_000 })
    await vi.waitUntil(shown)
    expect(shown()).toMatchObject({ op: 'add', name: 'live', uses: ['hook dip'] })
  })

  it('about one thing at a time: a client waits for the edit, an edit for the client', async () => {
    const { app, client, shown, upsert, answer } = await start()
    upsert(KEYS)
    await vi.waitUntil(shown)
    await WsClient.hello()
    await vi.waitUntil(() => app.app.ports.clients?.pending().length === 1)
    expect(app.questions).toEqual([])
    await answer('denied')
    await vi.waitUntil(() => app.questions.at(-1)?.question)
    upsert({ ...KEYS, uid: '7' })
    await client.settled()
    expect(shown()).toBeUndefined()
    expect(app.app.answerEdit('allowed')).toEqual({ outcome: 'no-question' })
    await vi.waitUntil(async () => (await app.app.answer('denied')).outcome === 'denied')
    await vi.waitUntil(shown)
    // What was typed for the client must not allow the edit.
    expect(app.app.answerEdit('allowed').outcome).toBe('too-soon')
  })
})

describe('limits of an earlier account of that name', () => {
  it('do not hold for the one that a page adds, where they let more through than the defaults', async () => {
    const { app, client } = await start()
    const { guards } = app.app.ports
    await guards.setLimits('free', { order: '900000', day: 'off', band: 'off', position: '100', rate: '3' })
    await guards.restrict('free', 'halted', 'the terminal')
    client.send({ t: 'mutate:account', id: 'm', op: 'upsert', account: { name: 'free', exchange: 'okx', ...KEYS } })
    await client.nextFrame('mutate:ack')
    expect(guards.read('free')).toMatchObject({ state: 'halted', limits: { position: '100', rate: '3' } })
    expect(Object.keys(guards.read('free').limits)).toEqual(['position', 'rate'])
  })
})

describe('nobody is asked', () => {
  it('about an account that nothing uses, the same keys again, or a field that trades nothing', async () => {
    const { app, client, upsert } = await start()
    for (const more of [{ apiKey: 'my-key', secret: 'my-secret' }, { note: 'mine' }]) {
      upsert(more)
      expect(await client.nextFrame()).toMatchObject({ t: 'mutate:ack' })
    }
    const account = { name: 'free', exchange: 'okx', ...KEYS }
    for (const exchange of ['okx', 'bybit']) {
      client.send({ t: 'mutate:account', id: 'm', op: 'upsert', account: { ...account, exchange } })
      expect(await client.nextFrame()).toMatchObject({ t: 'mutate:ack' })
    }
    expect(app.edits).toEqual([])
  })

  it('about an edit that has lost already', async () => {
    const { app, client, upsert } = await start()
    upsert({ ...KEYS, updatedAt: 1 })
    expect(await client.nextFrame()).toMatchObject({ t: 'mutate:ack', data: { applied: false } })
    expect(app.edits).toEqual([])
  })

  it('about the ninth edit, or the second of a client', async () => {
    const { app, client, shown, upsert } = await start()
    const others = await Promise.all(Array.from({ length: EDIT_LIMITS.pending }, () => WsClient.welcomed(app)))
    upsert(KEYS)
    upsert({ ...KEYS, uid: '7' })
    expect(await client.nextFrame('mutate:err')).toMatchObject({ error: expect.stringContaining('await an answer') })
    await vi.waitUntil(shown)
    for (const other of others) other.send({ t: 'mutate:account', id: 'm', op: 'delete', name: 'live' })
    const answered = await Promise.race(others.map((other) => other.nextFrame('mutate:err')))
    expect(answered).toMatchObject({ error: expect.stringContaining('await an answer') })
  })
})
