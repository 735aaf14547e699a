// What pages are told of the focus and of the switches: whether or not the account in focus answers.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

async function start(...topics: string[]) {
  const app = await startApp()
  const client = await WsClient.welcomed(app)
  client.send({ t: 'subscribe', topics })
  const type = (command: string) => app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
  return { app, client, type }
}

describe('state:focus', () => {
  it('is what commands without an account use, told at once and at each change', async () => {
    const { app, client, type } = await start('focus')
    expect(await client.nextFrame()).toEqual({
      t: 'state:focus',
      account: 'paper',
      symbol: 'BTCUSDT',
      exchange: 'paper',
    })
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    await type('account use second; symbol ETHUSDT')
    const last = { t: 'state:focus', account: 'second', symbol: 'ETHUSDT', exchange: 'paper' }
    for (;;) if (JSON.stringify(await client.nextFrame('state:focus')) === JSON.stringify({ ...last })) break
    client.send({ t: 'cmd:exec', id: 'a', command: 'symbol' })
    expect(await client.nextFrame('cmd:output')).toMatchObject({ text: expect.stringMatching(/^ETHUSDT /) })
  })

  it('names an account whose exchange does not answer, and says why; its figures are not shown as those of the one before', async () => {
    const { app, client, type } = await start('focus', 'portfolio')
    expect(await client.nextFrame('state:portfolio')).toMatchObject({ account: 'paper' })
    await app.app.ports.accounts.add({ name: 'live', exchange: 'bitmex', apiKey: 'k', secret: 's' })
    await type('account use live')
    const focus = { t: 'state:focus', account: 'live', symbol: 'BTCUSDT', exchange: 'bitmex' }
    for (;;) {
      const frame = await client.nextFrame('state:focus')
      if (frame.problem === undefined) continue
      const problem = expect.stringContaining('account live is on bitmex, which this version cannot trade on')
      expect(frame).toEqual({ ...focus, problem })
      break
    }
    // What was sent before the focus moved is of the account before, and right.
    const portfolios = () => client.untaken.filter(({ t }) => t === 'state:portfolio').length
    const before = portfolios()
    client.send({ t: 'unsubscribe', topics: ['portfolio'] }).send({ t: 'subscribe', topics: ['portfolio', 'hooks'] })
    await client.nextFrame('state:hooks')
    expect(portfolios()).toBe(before)

    await type('account use paper')
    await expect.poll(portfolios).toBeGreaterThan(before)
    expect(await client.nextFrame('state:portfolio')).toMatchObject({ account: 'paper' })
  })

  it('says that an account is stale while nothing is heard of its venue', async () => {
    const { client, type } = await start('focus', 'portfolio')
    await client.nextFrame('state:portfolio')
    const focus = { t: 'state:focus', account: 'paper', symbol: 'BTCUSDT', exchange: 'paper' }
    await type('paper faults gap 2')
    let frame = await client.nextFrame('state:focus')
    while (frame.stale !== true) frame = await client.nextFrame('state:focus')
    expect(frame).toEqual({ ...focus, stale: true })
    while (frame.stale === true) frame = await client.nextFrame('state:focus')
    expect(frame).toEqual(focus)
  })

  it('has no exchange where there is no such account', async () => {
    const { app, client, type } = await start('focus')
    await client.nextFrame('state:focus')
    await app.app.ports.accounts.add({ name: 'gone', exchange: 'paper' })
    await type('account use gone')
    expect(await client.nextFrame('state:focus')).toMatchObject({ account: 'gone', exchange: 'paper' })
    await app.app.ports.accounts.remove('gone')
    expect(await client.nextFrame('state:focus')).toEqual({ t: 'state:focus', account: 'gone', symbol: 'BTCUSDT' })
  })

  it('stays when config.json names another default', async () => {
    const { app, client } = await start('focus')
    await client.nextFrame('state:focus')
    app.writeConfig({ defaultAccount: 'other', defaultSymbol: 'ETHUSDT' })
    client.send({ t: 'subscribe', topics: ['focus'] })
    expect(await client.nextFrame('state:focus')).toMatchObject({ account: 'paper', symbol: 'BTCUSDT' })
  })
})

describe('state:flags', () => {
  it('says which switches are off and how many files are invalid, at once and at each change', async () => {
    const { app, client } = await start('flags')
    const on = { t: 'state:flags', remoteExec: true, accountSync: true, invalidFiles: 0 }
    expect(await client.nextFrame()).toEqual(on)
    app.writeConfig({ listener: { remoteExec: false } })
    expect(await client.nextFrame()).toEqual({ ...on, remoteExec: false })
    app.writeConfig({})
    expect(await client.nextFrame()).toEqual(on)
    replaceFile(app.directory, 'hooks.json', { hooks: [{ id: 'no id' }, { id: 'nor this' }] })
    const files = [
      { file: 'hooks.json', kind: 'row', message: expect.stringMatching(/^line 1: /) },
      { file: 'hooks.json', kind: 'row', message: expect.stringMatching(/^line 1: /) },
    ]
    expect(await client.nextFrame()).toEqual({ ...on, invalidFiles: 1, files })
    replaceFile(app.directory, 'tasks.json', 'not tasks')
    const { files: told = [], ...flags } = await client.nextFrame('state:flags')
    expect(flags).toEqual({ ...on, invalidFiles: 2 })
    expect(told.map(({ file }) => file).toSorted()).toEqual(['hooks.json', 'hooks.json', 'tasks.json'])
    expect(JSON.stringify(told)).not.toContain(app.directory)
  })

  it('says what holds up orders, on which accounts, since when and by whom; names none while accounts are hidden', async () => {
    const { app, client, type } = await start('flags')
    await client.nextFrame()
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    await type('halt second')
    const held = { account: 'second', guard: 'halted', since: expect.any(Number), by: 'the terminal' }
    expect(await client.nextFrame()).toEqual({
      t: 'state:flags',
      remoteExec: true,
      accountSync: true,
      invalidFiles: 0,
      accounts: [held],
    })
    await type('halt paper; sim on')
    let frame = await client.nextFrame('state:flags')
    while (frame.simulated !== true) frame = await client.nextFrame('state:flags')
    expect(frame).toMatchObject({ guard: 'halted', since: expect.any(Number), by: 'the terminal', simulated: true })
    app.writeConfig({ listener: { accountSync: false } })
    frame = await client.nextFrame('state:flags')
    while (frame.accountSync) frame = await client.nextFrame('state:flags')
    expect(frame.accounts).toBeUndefined()
    await type('panic')
    while (frame.panic === undefined) frame = await client.nextFrame('state:flags')
    expect(frame.panic).toEqual({ since: expect.any(Number), by: 'the terminal' })
  })
})
