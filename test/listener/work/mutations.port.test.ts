// `mutate:*`: what a client changes, how it is answered, and what it is refused (behaviours 17, 121).
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig, fire, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { activityNotice } from '../../../src/app/notices.ts'
import { defined } from '../../../src/base/defined.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { EditBudget } from '../../../src/listener/sessions/session-edits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import type { AccountRow } from '../../../src/stores/accounts.ts'
import { ROW_LIMITS } from '../../../src/stores/rows.ts'

async function start() {
  const app = await startApp()
  const client = await WsClient.welcomed(app)
  let lastId = 0
  /** Sends the mutation and takes its answer: `data` of the ack, or the error. */
  const mutate = async (t: 'hook' | 'account' | 'cross-trade-config', fields: object): Promise<unknown> => {
    const id = `m${++lastId}`
    client.send({ t: `mutate:${t}`, id, ...fields })
    let answer = await client.nextFrame()
    // What the edit has changed may be told before it is answered.
    while (answer.t.startsWith('state:')) answer = await client.nextFrame()
    expect(answer).toMatchObject({ id })
    if (answer.t === 'mutate:ack') return answer.data
    if (answer.t === 'mutate:err') return answer.error
    throw new Error(`answered by ${JSON.stringify(answer)}`)
  }
  const readAccounts = (): AccountRow[] =>
    JSON.parse(readFileSync(join(app.directory, 'accounts.json'), 'utf8')).accounts
  const findAccount = (name: string) => readAccounts().find((row) => row.name === name)
  return { app, client, mutate, findAccount, ports: app.app.ports }
}

describe('a mutation', () => {
  it('is refused while 64 of its session are under way, and each of them is answered', async () => {
    const { client, findAccount } = await start()
    const total = WIRE_LIMITS.editsPerSession + 10
    for (let id = 0; id < total; id++) {
      const account = { name: `a${id}`, exchange: 'paper' }
      client.send({ t: 'mutate:account', id: `m${id}`, op: 'upsert', account, updatedAt: 1 })
    }
    const answers = []
    while (answers.length < total) answers.push(await client.nextFrame())
    const refused = answers.filter(({ t }) => t === 'mutate:err')
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(answer).toMatchObject({ error: 'more than 64 edits of this session are under way' })
    }
    const acked = answers.filter((answer) => answer.t === 'mutate:ack')
    for (const { id } of acked) expect(findAccount(id.replace('m', 'a'))).toBeDefined()
    expect(acked.length).toBeGreaterThanOrEqual(WIRE_LIMITS.editsPerSession)
    expect(acked.length + refused.length).toBe(total)
  })
})

describe('a client with a grant', () => {
  it('edits nothing, whatever its grant is', async () => {
    const { mutate, ports } = await start()
    const [row] = ports.trustedClients.list()
    const grantedAt = Date.now()
    await ports.trustedClients.grant(row?.clientId ?? '', { may: 'trade', grantedAt, until: grantedAt + 60_000 }, false)
    const edits = [
      ['hook', { op: 'create', name: 'dip', command: 'buy 1' }],
      ['account', { op: 'upsert', account: { name: 'mine', exchange: 'paper' } }],
      ['cross-trade-config', { op: 'upsert', config: crossTradeConfig() }],
    ] as const
    for (const [t, fields] of edits)
      expect(await mutate(t, fields)).toMatch(/^the grant of this client is `trade`, and does not allow/)
    expect(ports.hooks.list()).toEqual([])
    expect(ports.accounts.find('mine')).toBeUndefined()
  })
})

describe('mutate:hook', () => {
  it('creates a hook that fires, and sends no secret back', async () => {
    const { app, client, mutate, ports } = await start()
    const row = await mutate('hook', { op: 'create', name: 'dip', command: 'echo made', account: 'paper' })
    const [hook] = ports.hooks.list()
    const { secret, ...scrubbed } = hook as NonNullable<typeof hook>
    expect(row).toEqual(scrubbed)
    expect(client.received.join()).not.toContain(secret)
    expect((await fire({ id: scrubbed.id, secret })).status).toBe(200)
    await app.runsDone(1)
    expect(app.output).toEqual(['print made'])
    expect(app.activities).toContainEqual({
      type: 'hook',
      op: 'create',
      label: 'tab',
      name: 'dip',
      hookId: scrubbed.id,
    })
  })

  it('rotates: the old secret is dead over HTTP as soon as the ack is here, the new one works', async () => {
    const { client, mutate, ports, app } = await start()
    const old = await app.createHook()
    const row = await mutate('hook', { op: 'rotate', hookId: old.id })
    expect(row).toEqual({ id: old.id, name: old.name, command: old.command, createdAt: old.createdAt })
    expect(await fire(old)).toMatchObject({ status: 401, body: { error: 'invalid token' } })
    const renewed = ports.hooks.resolve(old.id)
    expect((await fire(renewed)).status).toBe(200)
    expect(client.received.join()).not.toContain(renewed.secret)
  })

  it('revokes: the hook is unknown over HTTP as soon as the ack is here', async () => {
    const { mutate, ports, app } = await start()
    const hook = await app.createHook()
    expect(await mutate('hook', { op: 'revoke', hookId: hook.id.slice(0, 8) })).toMatchObject({ id: hook.id })
    expect(await fire(hook)).toMatchObject({ status: 404, body: { error: 'unknown hook' } })
    expect(ports.hooks.list()).toEqual([])
  })

  it('runs a pinned hook on its account and another on the one in focus when it fires', async () => {
    const { app, mutate, ports } = await start()
    await ports.accounts.add({ name: 'second', exchange: 'paper' })
    await mutate('hook', { op: 'create', name: 'pinned', command: 'echo pinned', account: 'paper' })
    await mutate('hook', { op: 'create', name: 'free', command: 'echo free' })
    await ports.focus.set({ account: 'second' })
    for (const hook of ports.hooks.list()) await fire(hook)
    await app.runsDone(2)
    const accounts = ports.runs().map(({ command, account }) => [command, account])
    expect(Object.fromEntries(accounts)).toEqual({ 'echo pinned': 'paper', 'echo free': 'second' })
  })

  it.each<[string, object, RegExp]>([
    ['an unknown account', { op: 'create', name: 'x', command: 'echo', account: 'nobody' }, /no account nobody/],
    ['a body that does not parse', { op: 'create', name: 'x', command: 'echo "' }, /no closing "/],
    ['a body with an unknown command', { op: 'create', name: 'x', command: 'ehco' }, /unknown command `ehco`/],
    ['a body no hook may run', { op: 'create', name: 'x', command: 'clients revoke --all' }, /runs only/],
    ['a name that is taken', { op: 'create', name: 'HOOK-1', command: 'echo' }, /a hook named `hook-1` already exists/],
    ['a name with controls', { op: 'create', name: 'a\u0007', command: 'echo' }, /cannot be the name/],
    ['a name with a zero-width space', { op: 'create', name: 'pin\u200bned', command: 'echo' }, /cannot be the name/],
    ['no name', { op: 'create', command: 'echo' }, /mutate:hook with op create needs `name`/],
    ['no command', { op: 'create', name: 'x' }, /mutate:hook with op create needs `command`/],
    ['no hookId to rotate', { op: 'rotate', name: 'x' }, /mutate:hook with op rotate needs `hookId`/],
    ['no hookId to revoke', { op: 'revoke' }, /mutate:hook with op revoke needs `hookId`/],
    ['a short prefix', { op: 'rotate', hookId: '1234567' }, /too short/],
    ['--all for an id', { op: 'revoke', hookId: '--all' }, /no hook is named/],
    ['an id of no hook', { op: 'revoke', hookId: 'f'.repeat(32) }, /no hook has an id/],
    ['an unknown op', { op: 'delete', hookId: 'f'.repeat(32) }, /`op` must be one of create, rotate, revoke/],
    ['no op', {}, /`op` must be one of/],
  ])('refuses %s', async (_name, fields, error) => {
    const { app, mutate, ports } = await start()
    const hook = await app.createHook()
    expect(await mutate('hook', fields)).toMatch(error)
    expect(ports.hooks.list()).toEqual([hook])
  })

  it('refuses while the file is bad, and leaves it as it is', async () => {
    const { app, mutate } = await start()
    const path = join(app.directory, 'hooks.json')
    writeFileSync(path, '{"hooks": [}')
    expect(await mutate('hook', { op: 'create', name: 'x', command: 'echo' })).toMatch(/^hooks\.json: line 1/)
    expect(readFileSync(path, 'utf8')).toBe('{"hooks": [}')
  })
})

describe('mutate:account', () => {
  const keys = { apiKey: 'the-key', secret: 'the-secret', password: 'the-password' }

  it('adds an account whose credentials are kept and never sent back', async () => {
    const { client, mutate, findAccount } = await start()
    client.send({ t: 'subscribe', topics: ['accounts'] })
    await client.nextFrame('state:accounts')
    const account = { name: 'live', exchange: 'bybit', ...keys }
    expect(await mutate('account', { op: 'upsert', account, updatedAt: 5 })).toEqual({
      name: 'live',
      exchange: 'bybit',
      hasCredentials: true,
      createdAt: 5,
      updatedAt: 5,
    })
    expect(findAccount('live')).toMatchObject(keys)
    const { accounts } = await client.nextFrame('state:accounts')
    expect(accounts.find(({ name }) => name === 'live')).toMatchObject({ hasCredentials: true })
    for (const key of Object.values(keys)) expect(client.received.join()).not.toContain(key)
  })

  it('keeps the credentials that an edit leaves out, unless the exchange is another', async () => {
    const { mutate, findAccount } = await start()
    const edit = (exchange: string, updatedAt: number, more = {}) =>
      mutate('account', { op: 'upsert', account: { name: 'live', exchange, ...more }, updatedAt })
    await edit('bybit', 1, keys)
    expect(await edit('bybit', 2)).toMatchObject({ hasCredentials: true, updatedAt: 2 })
    expect(findAccount('live')).toMatchObject(keys)
    expect(await edit('okx', 3)).toMatchObject({ hasCredentials: false })
    expect(JSON.stringify(findAccount('live'))).not.toContain('the-')
  })

  it('is won by the strictly later edit: an equal or older one changes nothing and is told so', async () => {
    const { mutate, findAccount } = await start()
    const edit = (exchange: string, updatedAt: number) =>
      mutate('account', { op: 'upsert', account: { name: 'a', exchange }, updatedAt })
    await edit('bybit', 10)
    expect(await edit('okx', 10)).toEqual({ applied: false })
    expect(await edit('okx', 9)).toEqual({ applied: false })
    expect(findAccount('a')).toMatchObject({ exchange: 'bybit', updatedAt: 10 })
    expect(await edit('okx', 11)).toMatchObject({ exchange: 'okx', updatedAt: 11 })
  })

  it('deletes into a tombstone without credentials, which an older edit does not bring back and a later one does', async () => {
    const { mutate, findAccount, ports } = await start()
    const upsert = (updatedAt: number) =>
      mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'bybit', ...keys }, updatedAt })
    await upsert(10)
    expect(await mutate('account', { op: 'delete', name: 'a', updatedAt: 20 })).toEqual({
      name: 'a',
      deletedAt: expect.any(Number),
    })
    expect(ports.accounts.find('a')).toBeUndefined()
    expect(findAccount('a')).not.toHaveProperty('apiKey')
    expect(await upsert(15)).toEqual({ applied: false })
    // However long ago the edit was made: the tombstone stays for 30 days from now.
    await mutate('account', { op: 'upsert', account: { name: 'other', exchange: 'paper' } })
    expect(await upsert(20)).toEqual({ applied: false })
    expect(await upsert(21)).toMatchObject({ name: 'a', hasCredentials: true })
  })

  it('deletes what is not there yet: the older edit that comes after loses', async () => {
    const { mutate, ports } = await start()
    await mutate('account', { op: 'delete', name: 'a', updatedAt: 20 })
    const account = { name: 'a', exchange: 'paper' }
    expect(await mutate('account', { op: 'upsert', account, updatedAt: 19 })).toEqual({ applied: false })
    expect(ports.accounts.find('a')).toBeUndefined()
  })

  it('without `updatedAt` is an edit made now', async () => {
    const { mutate } = await start()
    const before = Date.now()
    const row = await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'paper' } })
    expect((row as AccountRow).updatedAt).toBeGreaterThanOrEqual(before)
    expect((row as AccountRow).updatedAt).toBeLessThanOrEqual(Date.now())
  })

  it('from more than a day ahead of this machine is refused: it would win over every other', async () => {
    const { client } = await start()
    const account = { name: 'a', exchange: 'paper' }
    for (const updatedAt of [Date.now() + 25 * 60 * 60 * 1_000, 8.64e15]) {
      client.send({ t: 'mutate:account', id: 'far', op: 'upsert', account, updatedAt })
      expect(await client.nextFrame('mutate:err')).toMatchObject({ id: 'far', error: expect.stringContaining('ahead') })
    }
  })

  it('takes effect on the next command', async () => {
    const { client, mutate } = await start()
    await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'paper' } })
    const balance = async () => {
      client.send({ t: 'cmd:exec', id: 'b', command: 'balance', account: 'a' })
      await client.nextFrame('cmd:output')
      return client.nextFrame('cmd:done')
    }
    expect(await balance()).toMatchObject({ success: true })
    await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'bybit' }, updatedAt: Date.now() + 1_000 })
    expect(await balance()).toMatchObject({ success: false, error: expect.stringContaining('bybit') })
    await mutate('account', { op: 'delete', name: 'a', updatedAt: Date.now() + 2_000 })
    expect(await balance()).toMatchObject({ success: false, error: expect.stringContaining('no account a') })
  })

  it.each<[string, object, RegExp]>([
    [
      'what can name no exchange',
      { op: 'upsert', account: { name: 'a', exchange: 'mt gox' } },
      /cannot be an exchange/,
    ],
    [
      'a tombstone that is no delete',
      { op: 'upsert', account: { name: 'a', exchange: 'paper', deletedAt: 1 } },
      /`account.deletedAt` cannot be stored/,
    ],
    [
      'a row of more than 16,384 characters',
      { op: 'upsert', account: { name: 'a', exchange: 'paper', note: 'x'.repeat(17_000) } },
      /longer than 16384 characters/,
    ],
    [
      'a switch that is no boolean',
      { op: 'upsert', account: { name: 'a', exchange: 'bybit', testnet: 'yes' } },
      /^`account.testnet` must be of type boolean$/,
    ],
    ['a name that is no name', { op: 'upsert', account: { name: '../a', exchange: 'paper' } }, /cannot be the name/],
    ['another case of a name', { op: 'upsert', account: { name: 'PAPER', exchange: 'paper' } }, /account `paper`/],
    ['no account', { op: 'upsert', name: 'a' }, /mutate:account with op upsert needs `account`/],
    ['no name', { op: 'delete', account: { name: 'a', exchange: 'paper' } }, /with op delete needs `name`/],
    ['an account without exchange', { op: 'upsert', account: { name: 'a' } }, /`account.exchange` must be/],
    ['a time before the epoch', { op: 'delete', name: 'a', updatedAt: -1 }, /`updatedAt` must be at least 0/],
    ['a time that is no time', { op: 'delete', name: 'a', updatedAt: 'soon' }, /`updatedAt` must be of type number/],
    ['an unknown op', { op: 'remove', name: 'a' }, /`op` must be one of upsert, delete/],
    [
      'a key that is no text, without repeating it',
      { op: 'upsert', account: { name: 'a', exchange: 'bybit', apiKey: 98_765 } },
      /^`account.apiKey` must be of type string$/,
    ],
  ])('refuses %s', async (_name, fields, error) => {
    const { mutate, ports } = await start()
    expect(await mutate('account', fields)).toMatch(error)
    expect(ports.accounts.list().map(({ name }) => name)).toEqual(['paper'])
  })
})

describe('an account row', () => {
  it('keeps all that its venue may ask for, and what hookline does not know, and shows none of it', async () => {
    const { client, mutate, findAccount } = await start()
    const account = {
      name: 'extra',
      exchange: 'Bybit',
      apiKey: 'k-1',
      secret: 'k-2',
      uid: 'k-3',
      accountId: 'k-4',
      login: 'k-5',
      password: 'k-6',
      twofa: 'k-7',
      privateKey: 'k-8',
      walletAddress: 'k-9',
      token: 'k-10',
      apiSecret: 'k-11',
      passphrase: 'k-12',
      testnet: true,
      subaccount: 'k-13',
      options: { defaultType: 'k-14' },
    }
    const shown = await mutate('account', { op: 'upsert', account, updatedAt: 5 })
    const asked = { name: 'extra', exchange: 'bybit', demo: true, hasCredentials: true }
    expect(shown).toEqual({ ...asked, createdAt: 5, updatedAt: 5 })
    expect(findAccount('extra')).toEqual({ ...account, exchange: 'bybit', createdAt: 5, updatedAt: 5 })
    client.send({ t: 'subscribe', topics: ['accounts'] }).send({ t: 'cmd:exec', id: 'a', command: 'account' })
    await client.nextFrame('cmd:done')
    expect(client.received.join()).not.toContain('k-')
  })

  it('takes what it is told of a switch, and keeps one that an edit does not name', async () => {
    const { mutate, findAccount } = await start()
    const edit = (updatedAt: number, more: object) =>
      mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'bybit', ...more }, updatedAt })
    await edit(1, { apiKey: 'k', secret: 's', testnet: true })
    await edit(2, { testnet: null, apiKey: '' })
    expect(findAccount('a')).toMatchObject({ testnet: true, apiKey: 'k' })
    await edit(3, { testnet: false })
    expect(findAccount('a')).toMatchObject({ testnet: false, apiKey: 'k', secret: 's' })
  })

  it.each([
    ['the frame', { updatedAt: 20 }, 10, 20],
    ['the row', {}, 20, 20],
  ])('is dated by %s', async (_who, frame, ofRow, dated) => {
    const { mutate } = await start()
    const edit = (exchange: string, updatedAt: number, more: object) =>
      mutate('account', { op: 'upsert', account: { name: 'a', exchange, updatedAt }, ...more })
    await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'paper' }, updatedAt: 15 })
    expect(await edit('okx', ofRow, frame)).toMatchObject({ exchange: 'okx', updatedAt: dated })
    expect(await edit('bybit', 16, {})).toEqual({ applied: false })
  })

  it('may be dated in ISO text', async () => {
    const { mutate } = await start()
    const account = { name: 'a', exchange: 'paper', updatedAt: '2026-01-01T00:00:00.000Z' }
    expect(await mutate('account', { op: 'upsert', account })).toMatchObject({ updatedAt: Date.UTC(2026, 0, 1) })
  })

  it('of an exchange that hookline does not know is kept, and not traded on', async () => {
    const { client, mutate } = await start()
    const row = await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'bitunix' } })
    expect(row).toMatchObject({ exchange: 'bitunix' })
    client.send({ t: 'cmd:exec', id: 'b', command: 'balance', account: 'a' })
    const error = 'account a is on bitunix, which this version cannot trade on'
    expect(await client.nextFrame('cmd:done')).toMatchObject({ error: expect.stringContaining(error) })
  })

  it('that came back to its page as it was sent is taken', async () => {
    const { mutate } = await start()
    const row = (await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'okx' } })) as AccountRow
    const again = { ...row, exchange: 'bybit', updatedAt: row.updatedAt + 1 }
    expect(await mutate('account', { op: 'upsert', account: again })).toEqual(again)
  })
})

describe('an edit that was made', () => {
  it('is told to the operator, without values', async () => {
    const { app, mutate } = await start()
    const account = { name: 'a', exchange: 'bybit', apiKey: 'hidden-key', secret: 'hidden-secret' }
    await mutate('account', { op: 'upsert', account, updatedAt: 1 })
    await mutate('account', { op: 'upsert', account: { name: 'a', exchange: 'bybit', note: 1 }, updatedAt: 2 })
    await mutate('account', { op: 'upsert', account, updatedAt: 1 })
    await mutate('account', { op: 'delete', name: 'a' })
    const config = crossTradeConfig()
    await mutate('cross-trade-config', { op: 'upsert', config })
    await mutate('cross-trade-config', { op: 'delete', configId: config.id })
    const told = app.activities.filter(({ type }) => type !== 'connected').map((each) => activityNotice(each).text)
    expect(told).toEqual([
      '[web:tab] added account a on bybit',
      '[web:tab] changed account a on bybit: nothing that trades',
      '[web:tab] deleted account a on bybit',
      `[web:tab] wrote cross-trade row ${config.id.slice(0, 8)} of ${config.masterAccount}, which waits for a yes at the terminal (the whole row): \`cross-trade enable ${config.id.slice(0, 8)}\``,
      `[web:tab] deleted cross-trade row ${config.id.slice(0, 8)} of ${config.masterAccount}`,
    ])
    expect(JSON.stringify(app.activities)).not.toContain('hidden')
  })
})

describe('rows that pages add', () => {
  it('are at most as many as the limits say, what is there can still be changed', async () => {
    const { app, client, mutate, ports } = await start()
    const row = (index: number) => ({ name: `n${index}`, exchange: 'paper', createdAt: 1, updatedAt: 1 })
    const rows = Array.from({ length: ROW_LIMITS.accounts }, (_, index) => ({ ...row(index), deletedAt: Date.now() }))
    replaceFile(app.directory, 'accounts.json', { accounts: [row(0), ...rows.slice(1)] })
    expect(await mutate('account', { op: 'upsert', account: { name: 'more', exchange: 'okx' } })).toMatch(
      /^there are 500/,
    )
    expect(await mutate('account', { op: 'delete', name: 'more' })).toMatch(/^there are 500/)
    expect(await mutate('account', { op: 'delete', name: 'n0' })).toMatchObject({ name: 'n0' })
    await ports.accounts.add({ name: 'mine', exchange: 'paper' })

    const config = crossTradeConfig()
    const configs = Array.from({ length: ROW_LIMITS.crossTrade }, () => ({ ...config, id: randomUUID() }))
    replaceFile(app.directory, 'cross-trade.json', { configs })
    expect(await mutate('cross-trade-config', { op: 'upsert', config })).toMatch(/^there are 500/)
    expect(await mutate('cross-trade-config', { op: 'delete', configId: config.id })).toMatch(/^there are 500/)

    const hex = (index: number) => index.toString(16).padStart(32, '0')
    const hooks = Array.from({ length: ROW_LIMITS.hooks }, (_, index) => ({
      id: hex(index),
      name: `h${index}`,
      secret: hex(index),
      command: 'echo',
      createdAt: 1,
    }))
    replaceFile(app.directory, 'hooks.json', { hooks })
    expect(await mutate('hook', { op: 'create', name: 'more', command: 'echo' })).toMatch(/^there are 1000 hooks/)
    const [{ clientId } = { clientId: '' }] = ports.trustedClients.list()
    const variables = Array.from({ length: ROW_LIMITS.variables }, (_, index) => [`page:${clientId}/v${index}`, '1'])
    replaceFile(app.directory, 'vars.json', Object.fromEntries(variables))
    for (const [command, fails] of [
      ['hook create more "echo"', true],
      ['set @more 1', true],
      ['set @v0 2', false],
    ] as const) {
      client.send({ t: 'cmd:exec', id: command, command })
      expect(await client.nextFrame('cmd:done')).toMatchObject({ id: command, success: !fails })
    }
  })

  it('are added and changed no more often than the limit of a minute says, of whatever kind', async () => {
    const { app, client } = await start()
    const budget = new EditBudget(() => 59_999)
    for (let edits = 0; edits < LISTENER_LIMITS.editsPerMinute; edits++) expect(budget.take('a')).toBeUndefined()
    expect(budget.take('a')).toBe('more than 600 edits of this client in a minute (wait a minute)')
    expect(budget.take('b')).toBeUndefined()

    for (let edits = 0; edits < LISTENER_LIMITS.editsPerMinute; edits++)
      client.send({ t: 'mutate:hook', id: `${edits}`, op: 'rotate' })
    const refused = 'more than 600 edits of this client in a minute (wait a minute)'
    await client.settled()
    while (client.untaken.length > 0) await client.nextFrame()
    // A minute may have begun meanwhile: the second one is refused as well.
    for (let edits = 0; edits <= LISTENER_LIMITS.editsPerMinute; edits++)
      client.send({ t: 'mutate:hook', id: 'x', op: 'rotate' })
    await client.settled()
    expect(client.untaken).toContainEqual({ t: 'mutate:err', id: 'x', error: refused })
    expect(app.warnings).toEqual([])
  })
})

describe('mutate:cross-trade-config', () => {
  it('keeps the fields that hookline does not know', async () => {
    const { app, mutate } = await start()
    const config = crossTradeConfig()
    const [copier] = config.copiers
    const edit = { ...config, note: 'mine', leverage: 3, copiers: [{ ...copier, note: 'his' }] }
    expect(await mutate('cross-trade-config', { op: 'upsert', config: edit })).toEqual(config)
    const file = readFileSync(join(app.directory, 'cross-trade.json'), 'utf8')
    expect(JSON.parse(file).configs).toEqual([edit])
  })

  it('does not say what only commands say: when a row was enabled, and what it begins with', async () => {
    const { app, mutate } = await start()
    const config = crossTradeConfig()
    replaceFile(app.directory, 'cross-trade.json', { configs: [{ ...config, enabledAt: 5 }] })
    const edit = { ...config, updatedAt: config.updatedAt + 1 }
    const page = { sync: true, enabledAt: 9, wokenAt: 9 }
    expect(await mutate('cross-trade-config', { op: 'upsert', config: { ...edit, ...page } })).toEqual(edit)
    const file = readFileSync(join(app.directory, 'cross-trade.json'), 'utf8')
    expect(JSON.parse(file).configs).toEqual([{ ...edit, enabledAt: 5 }])
  })

  it('is dated by the frame where both say a time', async () => {
    const { mutate } = await start()
    const config = crossTradeConfig({ updatedAt: 50 })
    await mutate('cross-trade-config', { op: 'upsert', config: { ...config, updatedAt: 101 } })
    expect(await mutate('cross-trade-config', { op: 'upsert', config, updatedAt: 200 })).toMatchObject({
      updatedAt: 200,
    })
  })

  it('is answered by the row as written, without what else the file has', async () => {
    const { app, client, mutate } = await start()
    const stored = crossTradeConfig({ masterSymbol: 'ETHUSDT' })
    replaceFile(app.directory, 'cross-trade.json', { configs: [{ ...stored, note: 'mine' }] })
    client.send({ t: 'subscribe', topics: ['cross-trade'] })
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ configs: [stored] })
    const { masterSymbol, ...edit } = { ...stored, masterWeight: 2, updatedAt: stored.updatedAt + 1 }
    expect(await mutate('cross-trade-config', { op: 'upsert', config: edit })).toEqual(edit)
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ configCount: 1, configs: [edit] })
    const file = readFileSync(join(app.directory, 'cross-trade.json'), 'utf8')
    expect(JSON.parse(file).configs).toEqual([{ ...edit, note: 'mine' }])
  })

  it('is won by the strictly later edit, whether its time stands in the row or in the frame', async () => {
    const { mutate } = await start()
    const { updatedAt, ...config } = crossTradeConfig()
    const edit = (masterWeight: number, times: { row?: number; frame?: number }) =>
      mutate('cross-trade-config', {
        op: 'upsert',
        config: { ...config, masterWeight, ...defined({ updatedAt: times.row }) },
        ...defined({ updatedAt: times.frame }),
      })
    expect(await edit(1, { frame: 10 })).toMatchObject({ masterWeight: 1, updatedAt: 10 })
    expect(await edit(2, { row: 10 })).toEqual({ applied: false })
    expect(await edit(3, { row: 50, frame: 9 })).toEqual({ applied: false })
    expect(await edit(4, { row: 11 })).toMatchObject({ masterWeight: 4, updatedAt: 11 })
  })

  it('without a time is made now and wins, also over one made in the same millisecond', async () => {
    const { client } = await start()
    const { updatedAt, ...config } = crossTradeConfig()
    for (let weight = 1; weight <= 5; weight++) {
      const edit = { ...config, masterWeight: weight }
      client.send({ t: 'mutate:cross-trade-config', id: `${weight}`, op: 'upsert', config: edit })
    }
    for (let weight = 1; weight <= 5; weight++)
      expect(await client.nextFrame('mutate:ack')).toMatchObject({ id: `${weight}`, data: { masterWeight: weight } })
  })

  it('deletes into a tombstone, which an older edit does not bring back', async () => {
    const { client, mutate } = await start()
    const config = crossTradeConfig({ updatedAt: 10 })
    await mutate('cross-trade-config', { op: 'upsert', config })
    const gone = await mutate('cross-trade-config', { op: 'delete', configId: config.id, updatedAt: 20 })
    expect(gone).toMatchObject({ id: config.id, deletedAt: expect.any(Number) })
    for (const updatedAt of [19, 20])
      expect(await mutate('cross-trade-config', { op: 'upsert', config: { ...config, updatedAt } })).toEqual({
        applied: false,
      })
    client.send({ t: 'subscribe', topics: ['cross-trade'] })
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ configCount: 0, configs: [] })
    const back = { ...config, updatedAt: 21 }
    expect(await mutate('cross-trade-config', { op: 'upsert', config: back })).toEqual(back)
  })

  it.each<[string, object, RegExp]>([
    ['no config', { op: 'upsert' }, /with op upsert needs `config`/],
    ['no configId', { op: 'delete' }, /with op delete needs `configId`/],
    ['an id that is no UUID', { op: 'delete', configId: 'x' }, /`configId` must be a uuid/],
    [
      'an unknown mode',
      { op: 'upsert', config: { ...crossTradeConfig(), copiers: [{ account: 'a', weight: 1, mode: 'Fast' }] } },
      /`config.copiers.0.mode` must be one of/,
    ],
    [
      'a weight that is no number',
      { op: 'upsert', config: { ...crossTradeConfig(), masterWeight: '1' } },
      /`config.masterWeight` must be/,
    ],
    [
      'too many copiers',
      {
        op: 'upsert',
        config: {
          ...crossTradeConfig(),
          copiers: Array.from({ length: 101 }, () => ({ account: 'a', weight: 1, mode: 'Market' })),
        },
      },
      /`config.copiers` must be at most 100/,
    ],
  ])('refuses %s', async (_name, fields, error) => {
    const { mutate } = await start()
    expect(await mutate('cross-trade-config', fields)).toMatch(error)
  })
})

describe('every mutation', () => {
  it('of many at once is answered once under its id, each in the order sent', async () => {
    const { client } = await start()
    const ids = Array.from({ length: 60 }, () => randomUUID())
    for (const [index, id] of ids.entries())
      client.send({ t: 'mutate:hook', id, op: 'create', name: `h${index % 40}`, command: 'echo x' })
    const answered: string[] = []
    while (answered.length < ids.length) {
      const answer = await client.nextFrame()
      if (answer.t === 'mutate:ack' || answer.t === 'mutate:err') answered.push(answer.id)
    }
    expect(answered).toEqual(ids)
    await client.settled()
    expect(client.untaken).toEqual([])
  })

  it('with an id that cannot be answered to is answered by an error', async () => {
    const { client } = await start()
    client.send({ t: 'mutate:hook', id: '', op: 'create', name: 'x', command: 'echo' })
    expect(await client.nextFrame()).toEqual({ t: 'error', error: '`id` must not be empty' })
  })
})
