// What an approved page may not decide: where keys are read from, what files are named after accounts, and what only the terminal says.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { KEY_SOURCES } from '../../../src/protocol/rows.ts'

async function start() {
  const app = await startApp()
  await app.app.ports.accounts.add({ name: 'main', exchange: 'binance', credentials: { from: 'vault' } })
  const client = await WsClient.welcomed(app)
  let lastId = 0
  const upsert = async (account: object) => {
    client.send({ t: 'mutate:account', id: `m${++lastId}`, op: 'upsert', account })
    return client.nextFrame()
  }
  const run = async (command: string, account = 'main') => {
    client.send({ t: 'cmd:exec', id: `r${++lastId}`, command, account })
    return client.nextFrame('cmd:done')
  }
  const stored = () => readFileSync(join(app.directory, 'accounts.json'), 'utf8')
  return { app, client, upsert, run, stored }
}

/** But for what hookline keeps of the account that it has, which a start writes a moment later. */
function filesIn(directory: string): readonly string[] {
  const isOwn = (name: string) => /^\.?(last-seen|tasks-driver|paper-paper|practice-market)\./.test(name)
  return readdirSync(directory)
    .filter((name) => !isOwn(name))
    .sort()
}

describe('a page', () => {
  it.each<[string, unknown]>([
    ...KEY_SOURCES.map((from): [string, unknown] => [from, { from }]),
    ['a file of its choice', { from: 'file', path: '/etc/shadow' }],
    ['an entry of the keychain', { from: 'keychain', path: 'login' }],
    ['text', 'environment'],
    ['nothing', null],
    ['an empty text', ''],
  ])('cannot say where the keys of an account are: %s', async (_what, credentials) => {
    const { upsert, stored } = await start()
    const before = stored()
    for (const name of ['main', 'other']) {
      expect(await upsert({ name, exchange: 'binance', credentials })).toMatchObject({
        t: 'mutate:err',
        error: expect.stringContaining('`account.credentials` cannot be stored'),
      })
    }
    expect(stored()).toBe(before)
  })

  it('that names a place under the name of a prototype changes no place', async () => {
    const { client, upsert, stored, app } = await start()
    const before = stored()
    client.send(
      '{"t":"mutate:account","id":"p","op":"upsert","account":{"name":"main","exchange":"binance","__proto__":{"credentials":{"from":"file","path":"/etc/shadow"}}}}' as never,
    )
    await client.nextFrame()
    expect(app.app.ports.accounts.find('main')?.credentials).toEqual({ from: 'vault' })
    expect(stored()).not.toContain('shadow')
    expect(await upsert({ name: 'main', exchange: 'binance', kind: 'linear' })).toMatchObject({ t: 'mutate:ack' })
    expect(before).toContain('vault')
  })

  it.each(['../main', 'a/b', 'a\\b', '.', '..', 'a.json', 'a\u0000', 'é', 'a b', '', 'x'.repeat(33)])(
    'cannot add an account that would name another file: %j',
    async (name) => {
      const { app, upsert } = await start()
      const files = filesIn(app.directory)
      expect(await upsert({ name, exchange: 'paper' })).toMatchObject({ t: 'mutate:err' })
      expect(filesIn(app.directory)).toEqual(files)
    },
  )

  it.each(['__proto__', 'constructor', 'keys-main', 'hookline-vault'])(
    'may call an account %s, which is a name like another',
    async (name) => {
      const { app, upsert, run } = await start()
      expect(await upsert({ name, exchange: 'paper' })).toMatchObject({ t: 'mutate:ack', data: { name } })
      expect(await run('buy $250 at -1%; cancel', name)).toMatchObject({ success: true })
      expect(existsSync(join(app.directory, `keys-${name}.json`))).toBe(false)
    },
  )

  it.each<[string, object]>([
    ['a kind of market that there is not', { kind: 'futures' }],
    ['a kind that is no text', { kind: 5 }],
    ['prices that are no venue', { prices: '../../etc/passwd' }],
    ['prices that are no text', { prices: { from: 'binance' } }],
    ['a switch that is no boolean', { demo: 'yes' }],
  ])('cannot store %s: the row would be set aside, and its account gone', async (_what, fields) => {
    const { app, upsert, stored } = await start()
    const before = stored()
    expect(await upsert({ name: 'main', exchange: 'binance', ...fields })).toMatchObject({ t: 'mutate:err' })
    expect(stored()).toBe(before)
    expect(app.app.ports.accounts.find('main')).toMatchObject({ credentials: { from: 'vault' } })
  })

  it.each([
    'account add other binance',
    'account keys main --to file',
    'account check main',
    'account remove main',
    'vault unlock',
    'vault lock',
    'vault change',
    'vault',
    'guards set main order off',
    'guards set main day $9999999',
    'resume',
    'sim off',
    'sim on',
    'margin cross',
  ])('cannot say `%s`', async (command) => {
    const { run, stored } = await start()
    const before = stored()
    expect(await run(command, 'paper')).toMatchObject({
      success: false,
      error: expect.stringMatching(/only (in the terminal|at hookline's own prompt)/),
    })
    expect(stored()).toBe(before)
  })

  it('cannot raise a leverage', async () => {
    const { run } = await start()
    expect(await run('leverage BTCUSDT 125', 'paper')).toMatchObject({ success: false })
  })
})
