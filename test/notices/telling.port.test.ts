// What is told of hooks, halts and to pages, over the whole app (behaviour 50).
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Received, receiveNotices } from '../../harness/network/notice-receiver.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { fire } from '../../harness/wire/wire-rows.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import { checkHookBody } from '../../src/hooks/registration.ts'
import { KEY, telling, toldTo } from './telling.ts'

describe('a hook', () => {
  it('that fails is told, signed, with its name and why', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('close NOSUCH && buy 0.01 NOSUCH'))
    await receiver.came(1)
    const text = expect.stringMatching(/^hook hook-1 failed: /)
    expect(toldTo(receiver)).toMatchObject([
      { type: 'notice.failed-hook', data: { severity: 'warn', hook: 'hook-1', text } },
    ])
    const [{ headers, body }] = receiver.received as [Received]
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(content).digest('base64')}`)
  })

  it('whose order a limit refused is told once, as that', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await app.app.ports.guards.setLimits('paper', { order: '100' })
    await fire(await app.createHook('buy $500 BTCUSDT'))
    await app.runsDone(1)
    await fire(await app.createHook('notify end'))
    await receiver.came(2)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.text])).toEqual([
      ['guard', expect.stringMatching(/^hook hook-1: the order is worth \$\d+\.\d\d, and the limit is \$100\.00/)],
      ['said', 'end'],
    ])
  })

  it('that buys is told as a fill, and what rests is not', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('buy 0.01 BTCUSDT at -20%; buy 0.01 BTCUSDT; notify end'))
    await receiver.came(2)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.text])).toEqual([
      ['fill', expect.stringMatching(/^bought 0\.01 BTCUSDT at /)],
      ['said', 'end'],
    ])
  })

  it('is told what its alert fills into a slot, and can say nothing but what the slot allows', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    const command = 'notify went {side:in(long,short)} "{side:in(long,short)}"'
    checkHookBody(command, lookup, {})
    const hook = await app.createHook(command)
    const post = (side: string) =>
      fetch(`http://127.0.0.1:53219/hook/${hook.id}`, {
        method: 'POST',
        headers: { 'X-Hook-Token': hook.secret },
        body: JSON.stringify({ side }),
      })
    expect((await post('long; buy $100')).status).toBe(422)
    expect((await post('short')).status).toBe(200)
    await receiver.came(1)
    expect(toldTo(receiver).map(({ data }) => data.text)).toEqual(['went short {side:in(long,short)}'])
  })

  it('that a limit skips is not told, and that five failures pause is, once', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    const calm = await app.createHook('echo ok', { limits: { cooldownMs: 60_000 } })
    for (let n = 0; n < 3; n++) app.fire(calm)
    const bad = await app.createHook('buy 0.01 NOSUCH')
    for (let n = 0; n < 5; n++) {
      app.fire(bad)
      await app.runsDone(n + 2)
    }
    await receiver.came(2)
    await expect.poll(() => app.unbegun.length).toBe(2)
    await app.app.stop(0)
    const told = toldTo(receiver).map(({ data }) => [data.kind, data.severity, data.hook])
    expect(told).toContainEqual(['paused-hook', 'urgent', 'hook-2'])
    expect(told.filter(([, , hook]) => hook !== 'hook-2')).toEqual([])
    expect(told.filter(([kind]) => kind === 'paused-hook')).toHaveLength(1)
  })

  it('whose run is cut short by a panic is told as that alone', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    app.fire(await app.createHook('sleep 50s; echo late'))
    await expect.poll(() => app.app.runner.counts().running).toBe(1)
    await app.app.runner.run({ runId: 'panic', source: 'repl', command: 'panic' })
    await app.runsDone(2)
    await receiver.came(1)
    await app.app.stop(0)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.text])).toEqual([
      ['halt', 'panic is on (turned on from a terminal)'],
    ])
  })

  it('that floods is cut after ten texts, and its runs go on', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('repeat 40 (notify text; echo on)'))
    await app.runsDone(1)
    expect(app.done[0]?.result).toEqual({ success: true, warned: true })
    expect(app.output.filter((line) => line === 'print on')).toHaveLength(40)
    expect(app.output.filter((line) => line.startsWith('warn not sent: too many notices'))).toHaveLength(30)
    expect(app.app.ports.notices.status()[1]).toMatchObject({ name: 'phone', leftOut: 0 })
  })
})

describe('halts and panic', () => {
  it('are told, whoever said so, and so is their end', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('halt paper'))
    await receiver.came(1)
    await app.app.ports.guards.release('paper')
    await receiver.came(2)
    await app.app.ports.panic.begin('the terminal')
    await receiver.came(3)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.severity, data.text])).toEqual([
      ['halt', 'urgent', 'account paper was halted by hook hook-1'],
      ['halt', 'info', 'account paper sends orders again'],
      ['halt', 'urgent', 'panic is on (turned on from a terminal)'],
    ])
  })
})

describe('the topic', () => {
  it('has the last notices at once, each new one after, and none while accounts are not shown', async () => {
    const app = await startApp()
    const hook = await app.createHook('notify one')
    await fire(hook)
    await app.runsDone(1)
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['notices'] })
    expect(await client.nextFrame('state:notices')).toMatchObject({ notices: [{ id: 1, text: 'one', count: 1 }] })
    await fire(hook)
    expect(await client.nextFrame('state:notices')).toMatchObject({ notices: [{ id: 1, text: 'one', count: 2 }] })
    app.writeConfig({ listener: { accountSync: false } })
    const late = await WsClient.welcomed(app)
    late.send({ t: 'subscribe', topics: ['notices'] })
    expect(await late.nextFrame('error')).toEqual({ t: 'error', error: 'notices: accountSync disabled' })
  })
})
