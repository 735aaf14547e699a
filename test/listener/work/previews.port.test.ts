// `preview` over the real socket: what a line would do, while nothing is sent and nothing is written.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunningApp } from '../../../harness/process/running-app.ts'
import { clientOf } from '../../../harness/wire/client-of.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { busy } from './busy-session.ts'

describe('preview', () => {
  it('tells the orders of a line, and neither journal has anything of it', async () => {
    const { app, client } = await busy()
    const runs = app.done.length
    client.send({ t: 'preview', id: 'a', command: 'buy $250 BTCUSDT stop -2%', account: 'paper' })
    const answer = await client.nextFrame('preview:ok')
    expect(answer).toMatchObject({
      t: 'preview:ok',
      id: 'a',
      preview: { ok: true, account: 'paper', orders: [{ symbol: 'BTCUSDT', side: 'buy', type: 'market' }], errors: [] },
    })
    expect(app.done.length).toBe(runs)
    const { venue } = await app.app.connect('paper')
    expect([await venue.fetchPositions(), await venue.fetchOpenOrders()]).toEqual([[], []])
    expect(fileOf(app.app.directory, 'orders.jsonl')).toBe('')
    expect(fileOf(app.app.directory, 'runs.jsonl')).not.toContain('buy $250')
  })

  it('answers a line that would fail with its errors, and a frame that cannot be read as an error', async () => {
    const { client } = await busy()
    client.send({ t: 'preview', id: 'a', command: 'buy 100' })
    expect(await client.nextFrame()).toMatchObject({
      preview: { ok: false, errors: [{ code: 'bare-number', column: 5 }] },
    })
    client.send('{"t":"preview","id":"b","command":""}')
    expect(await client.nextFrame()).toEqual({ t: 'preview:err', id: 'b', error: '`command` must not be empty' })
  })

  it('refuses what a page may not run', async () => {
    const { client } = await busy()
    client.send({ t: 'preview', id: 'a', command: 'buy 0.001; vault status' })
    expect(await client.nextFrame('preview:ok')).toMatchObject({ preview: { ok: false, orders: [{}], errors: [{}] } })
  })

  it('is refused while remoteExec is off', async () => {
    const { client, set } = await busy()
    set({ remoteExec: false })
    client.send({ t: 'preview', id: 'a', command: 'buy $250' })
    expect(await client.nextFrame('preview:err')).toMatchObject({ id: 'a', code: 'switched-off' })
  })

  it('of the client resolves with the newest, and rejects what that took the place of', async () => {
    const { app } = await busy()
    const client = clientOf({})
    await app.app.ports.trustedClients.add({ clientId: client.clientId, label: 'tab', origin: ORIGIN })
    client.connect()
    await client.until('welcomed')
    const [first, second] = await Promise.allSettled([client.preview('buy $250'), client.preview('sell $250')])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'superseded', delivery: 'sent' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { ok: true, orders: [{ side: 'sell' }] } })
    client.disconnect()
    await expect(client.preview('buy $250')).rejects.toMatchObject({ code: 'not-connected', delivery: 'not-sent' })
  })
})

describe('hooks:test', () => {
  it('tells what a fire would order, and what of it a limit would stop, and counts as no fire', async () => {
    const { app, client } = await busy()
    const hook = await app.createHook('buy {size:usd<=500} BTCUSDT', { limits: { max: '100' }, account: 'paper' })
    client.send({ t: 'hooks:test', id: 'a', hookId: hook.id, body: 'size=90' })
    expect(await client.nextFrame('preview:ok')).toMatchObject({
      id: 'a',
      preview: { ok: true, account: 'paper', orders: [{ symbol: 'BTCUSDT', side: 'buy' }] },
    })
    client.send({ t: 'hooks:test', id: 'b', hookId: hook.id, body: '{"size":"400"}' })
    expect(await client.nextFrame('preview:ok')).toMatchObject({ id: 'b', preview: { ok: false } })
    client.send({ t: 'hooks:test', id: 'c', hookId: hook.id, body: 'size=501' })
    expect(await client.nextFrame('preview:err')).toMatchObject({ id: 'c', code: 'bad-alert' })
    client.send({ t: 'hooks:test', id: 'd', hookId: 'nobody' })
    expect(await client.nextFrame('preview:err')).toMatchObject({ id: 'd', code: 'unknown-hook' })
    expect(app.done).toEqual([])
    expect(fileOf(app.app.directory, 'orders.jsonl')).toBe('')
  })
})

describe('hooks:replay', () => {
  it('answers with what a hook would have done in the past days, and nothing is sent', async () => {
    const { app, client } = await busy()
    const hook = await triggered(app, 'grid $500 BTCUSDT into 4 from -4% to +4%', 'every day 00:00')
    const runs = app.done.length
    client.send({ t: 'hooks:replay', id: 'a', hookId: hook.id, days: 2 })
    const answer = await client.nextFrame('hooks:replayed')
    expect(answer).toMatchObject({ id: 'a', hookId: hook.id, account: 'paper', symbol: 'BTCUSDT', frame: '1m' })
    expect(answer.bars).toBeGreaterThan(2_800)
    expect(answer.fires).toContainEqual({ state: 'done', count: expect.any(Number) })
    expect(answer.tasks[0]).toMatchObject({ kind: 'grid' })
    expect(answer.equity.length).toBeGreaterThan(100)
    expect(app.done.length).toBe(runs)
    expect([fileOf(app.app.directory, 'orders.jsonl'), fileOf(app.app.directory, 'tasks.jsonl')]).toEqual(['', ''])
  })

  it.each([
    ['more candles than a page may ask for', { days: Math.ceil(WIRE_LIMITS.replayCandles / 1_440) }, /50,000 candles/],
    ['more days than a page may ask for', { days: WIRE_LIMITS.replayDays + 1 }, /`days`/],
    ['a hook that is not there', { hookId: 'dip' }, /no such hook/],
    ['a hook without a condition', { hookId: 'plain' }, /no condition/],
  ])('refuses %s', async (_, asked: { days?: number; hookId?: string }, why) => {
    const { app, client, hook: plain } = await busy()
    const hook = await triggered(app, 'buy $50 BTCUSDT', 'rsi(14, 1m) < 30')
    const { days = 1, hookId: named = hook.id } = asked
    const hookId = named === 'plain' ? plain.id : named
    client.send({ t: 'hooks:replay', id: 'a', days, hookId })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'a', error: expect.stringMatching(why) })
  })

  it('is refused while accounts are hidden from pages, and while another one runs', async () => {
    const { app, client, set } = await busy()
    const hook = await triggered(app, 'buy $50 BTCUSDT')
    const other = await WsClient.welcomed(app)
    client.send({ t: 'hooks:replay', id: 'a', hookId: hook.id, days: 30 })
    other.send({ t: 'hooks:replay', id: 'b', hookId: hook.id, days: 1 })
    expect(await other.nextFrame('error')).toMatchObject({ id: 'b', error: expect.stringContaining('running already') })
    set({ accountSync: false })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'a' })
    other.send({ t: 'hooks:replay', id: 'c', hookId: hook.id, days: 1 })
    expect(await other.nextFrame('error')).toMatchObject({ id: 'c', error: 'accountSync disabled' })
    set({ accountSync: true })
    // The one that was cut off has ended, and lets others begin.
    other.send({ t: 'hooks:replay', id: 'd', hookId: hook.id, days: 1 })
    expect(await other.nextFrame()).toMatchObject({ t: 'hooks:replayed', id: 'd' })
  })
})

describe('hooks:counts', () => {
  it('tells how the fires of hooks went, and counts no test fire among them', async () => {
    const { app, client, hook } = await busy()
    client.send({ t: 'hooks:counts', id: 'a' })
    expect(await client.nextFrame('hooks:day')).toEqual({ t: 'hooks:day', id: 'a', hooks: [], left: [] })
    expect((await fire(hook)).status).toBe(200)
    await app.runsDone(1)
    client.send({ t: 'cmd:exec', id: 'b', command: `hook test ${hook.id}` })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
    client.send({ t: 'hooks:counts', id: 'c' })
    expect(await client.nextFrame('hooks:day')).toMatchObject({
      hooks: [{ hookId: hook.id, fires: 1, ok: 1, failed: 0, skipped: 0, expired: 0, last: { outcome: 'ok' } }],
    })
  })

  it('tells what is left of limits that count runs, whatever was fired before they were set', async () => {
    const { app, client, hook } = await busy()
    const left = async (id: string) => {
      client.send({ t: 'hooks:counts', id })
      return (await client.nextFrame('hooks:day')).left
    }
    expect((await fire(hook)).status).toBe(200)
    await app.runsDone(1)
    await app.app.ports.hooks.edit(hook.id, () => ({ limits: { max: '500' } }))
    expect(await left('a')).toEqual([])
    const counted = { cooldownMs: 3_600_000, rate: { fires: 2, ms: 3_600_000 }, perDay: 10 } as const
    await app.app.ports.hooks.edit(hook.id, () => ({ limits: counted }))
    expect(await left('b')).toEqual([{ hookId: hook.id, rate: 1, perDay: 9, cooldownMs: expect.any(Number) }])
    await app.app.ports.hooks.edit(hook.id, () => ({ limits: { perDay: 10 } }))
    expect((await fire(hook)).status).toBe(200)
    await app.runsDone(2)
    expect(await left('c')).toEqual([{ hookId: hook.id, perDay: 8 }])
  })
})

/** It fires by itself once in four hours, which is not while a test runs. */
function triggered(app: RunningApp, command: string, text = 'every 4h') {
  return app.createHook(command, { account: 'paper', when: { text, symbol: 'BTCUSDT', since: Date.now() } })
}

function fileOf(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
