// The three flags of config.json, edited in the middle of everything: each is read at every use, none needs a restart
// (behaviours 135, 136, 137).
import { describe, expect, it } from 'vitest'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { knock, WsClient } from '../../../harness/wire/ws-client.ts'
import { busy } from './busy-session.ts'

describe('listener.enabled', () => {
  it('turned off ends every session with 4403, refuses upgrades and fires, and turned on takes them again', async () => {
    const { app, hook, client, set } = await busy()
    const waiting = await WsClient.hello({ label: 'unknown' })
    await expect.poll(() => app.questions.at(-1)?.question?.label).toBe('unknown')
    const silent = await WsClient.open()
    set({ enabled: false })
    expect(await fire(hook)).toMatchObject({ status: 503, body: { error: 'listener disabled' } })
    const refused = await knock()
    expect((await refused.answer()).status).toBe(503)
    for (const each of [client, waiting, silent]) expect(await each.closed()).toMatchObject({ code: 4403 })
    expect(app.questions.at(-1)?.question).toBeUndefined()
    set({ enabled: true })
    expect((await fire(hook)).status).toBe(200)
    const back = await WsClient.welcomed(app)
    back.send({ t: 'cmd:exec', id: 'a', command: 'echo back' })
    expect(await back.nextFrame('cmd:done')).toMatchObject({ success: true })
  })

  it('holds for the very next frame, before any watcher has told of the edit', async () => {
    const { app, client, set } = await busy()
    set({ enabled: false })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo too late' })
    client.send({ t: 'mutate:hook', id: 'b', op: 'create', name: 'late', command: 'echo' })
    expect(await client.closed()).toMatchObject({ code: 4403 })
    expect(client.untaken).toEqual([])
    expect(app.done).toEqual([])
    expect(app.app.ports.hooks.list()).toHaveLength(1)
  })

  it('turned off ends what pages run, before their next step', async () => {
    const { app, client, set } = await busy()
    client.send({ t: 'cmd:exec', id: 'a', command: 'sleep 10m; echo on' })
    await client.settled()
    set({ enabled: false })
    await client.closed()
    await app.runsDone(1)
    expect(app.output).toEqual(['warn not run: echo on', 'error stopped: listener.enabled is off; no order was sent'])
  })

  it('of a wrong type counts as off, and says so', async () => {
    const { app, client, set } = await busy()
    set({ enabled: 'no' })
    client.send({ t: 'cmd:exec', id: 'b', command: 'echo on' })
    expect(await client.closed()).toMatchObject({ code: 4403 })
    await expect.poll(() => app.warnings.join()).toContain('listener.enabled must be true or false, and counts as off')
  })
})

describe('listener.accountSync', () => {
  it('turned off stops the snapshots of accounts and their mutations, and nothing else', async () => {
    const { app, client, hook, set } = await busy()
    set({ accountSync: false })
    const account = { name: 'live', exchange: 'bybit' }
    client.send({ t: 'mutate:account', id: 'a', op: 'upsert', account })
    expect(await client.nextFrame()).toEqual({ t: 'mutate:err', id: 'a', error: 'accountSync disabled' })
    client.send({ t: 'mutate:account', id: 'b', op: 'delete', name: 'paper' })
    expect(await client.nextFrame()).toEqual({ t: 'mutate:err', id: 'b', error: 'accountSync disabled' })
    client.send({ t: 'subscribe', topics: ['accounts'] })
    expect(await client.nextFrame()).toEqual({ t: 'error', error: 'accounts: accountSync disabled' })

    await app.app.ports.accounts.add({ name: 'typed', exchange: 'paper' })
    await app.createHook()
    await client.nextFrame('state:hooks')
    client.send({ t: 'mutate:hook', id: 'c', op: 'revoke', hookId: hook.id })
    await client.nextFrame('mutate:ack')
    await client.nextFrame('state:hooks')
    client.send({ t: 'cmd:exec', id: 'd', command: 'echo on' })
    await client.nextFrame('cmd:done')
    expect(client.received.filter((text) => text.includes('state:accounts'))).toHaveLength(1)
  })

  it('turned off hides accounts in every other way too, and leaves trading as it is', async () => {
    const { app, client, set } = await busy()
    client.send({ t: 'subscribe', topics: ['portfolio', 'focus', 'flags'] })
    await client.nextFrame('state:portfolio')
    expect(await client.nextFrame('state:focus')).toMatchObject({ account: 'paper', exchange: 'paper' })
    expect(await client.nextFrame('state:flags')).toMatchObject({ accountSync: true })
    set({ accountSync: false })
    expect(await client.nextFrame('state:flags')).toMatchObject({ accountSync: false })
    expect(await client.nextFrame('state:focus')).toEqual({ t: 'state:focus', account: 'paper', symbol: 'BTCUSDT' })
    const count = () => client.received.filter((text) => text.includes('state:portfolio')).length
    const before = count()
    const listing = await app.createHook('account')
    await fire(listing)
    expect(await client.nextFrame('cmd:done')).toMatchObject({ hookId: listing.id, error: 'accountSync disabled' })
    for (const [command, success] of [
      ['account list', false],
      ['buy $100 BTCUSDT', true],
      ['positions', false],
    ] as const) {
      client.send({ t: 'cmd:exec', id: command, command })
      expect(await client.nextFrame('cmd:done')).toMatchObject({ id: command, success })
    }
    const late = await WsClient.welcomed(app)
    late.send({ t: 'subscribe', topics: ['portfolio'] })
    expect(await late.nextFrame()).toEqual({ t: 'error', error: 'portfolio: accountSync disabled' })
    await client.settled()
    expect(count()).toBe(before)
    set({ accountSync: true })
    expect((await late.nextFrame('state:portfolio')).positions).toHaveLength(1)
  })

  it('turned on again sends what has changed meanwhile', async () => {
    const { app, client, set } = await busy()
    set({ accountSync: false })
    await app.app.ports.accounts.add({ name: 'typed', exchange: 'paper' })
    set({ accountSync: true })
    const { accounts } = await client.nextFrame('state:accounts')
    expect(accounts.map(({ name }) => name)).toEqual(['paper', 'typed'])
  })

  it('turned on again serves who subscribed while it was off, though nothing has changed', async () => {
    const { app, client, set } = await busy()
    set({ accountSync: false })
    const late = await WsClient.welcomed(app)
    late.send({ t: 'subscribe', topics: ['accounts'] })
    expect(await late.nextFrame()).toEqual({ t: 'error', error: 'accounts: accountSync disabled' })
    set({ accountSync: true })
    for (const each of [late, client])
      expect((await each.nextFrame('state:accounts')).accounts.map(({ name }) => name)).toEqual(['paper'])
  })
})

describe('listener.remoteExec', () => {
  it('turned off refuses commands and fires, keeps the hooks, and turned on takes them again', async () => {
    const { app, client, hook, set } = await busy()
    set({ remoteExec: false })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo x' })
    expect(await client.nextFrame()).toEqual({
      t: 'cmd:output',
      id: 'a',
      kind: 'error',
      text: 'remoteExec disabled',
    })
    expect(await client.nextFrame()).toEqual({ t: 'cmd:done', id: 'a', success: false, error: 'remoteExec disabled' })
    expect(await fire(hook)).toMatchObject({ status: 423, body: { error: 'remoteExec disabled' } })
    client.send({ t: 'mutate:hook', id: 'b', op: 'create', name: 'made', command: 'echo made' })
    await client.nextFrame('mutate:ack')
    expect((await client.nextFrame('state:hooks')).hooks).toHaveLength(2)
    expect(app.done).toEqual([])
    set({ remoteExec: true })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo x' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: 'a', success: true })
    expect((await fire(hook)).status).toBe(200)
  })

  it('turned off ends what pages run, tells them why and what they had sent, and keeps the session', async () => {
    const { client, set } = await busy()
    client.send({ t: 'cmd:exec', id: 'a', command: 'buy 0.001 BTCUSDT; sleep 10m; buy 0.001 BTCUSDT' })
    await client.nextFrame('cmd:output')
    expect((await client.nextFrame('cmd:output')).text).toMatch(/has no stop/)
    set({ remoteExec: false })
    expect(await client.nextFrame('cmd:output')).toMatchObject({ text: 'not run: buy 0.001 BTCUSDT' })
    const { text } = await client.nextFrame('cmd:output')
    expect(text).toMatch(/^stopped: remoteExec is off; already sent: bought 0.001 BTCUSDT at /)
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: false, error: 'stopped: remoteExec is off' })
    await client.settled()
  })

  it('holds from one command to the next, however fast they come', async () => {
    const { client, set } = await busy()
    for (let round = 0; round < 40; round++) {
      const remoteExec = round % 2 === 0
      set({ remoteExec })
      client.send({ t: 'cmd:exec', id: `${round}`, command: 'echo x' })
      expect(await client.nextFrame('cmd:done')).toMatchObject({ id: `${round}`, success: remoteExec })
    }
  })
})
