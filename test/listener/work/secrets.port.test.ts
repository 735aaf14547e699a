// No secret is ever on the wire, in the journal or in the log: a long session, and every secret of the files looked for in all of it.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { rawRequest } from '../../../harness/wire/raw-http.ts'
import { fire, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

const ENDS: ReadonlySet<string> = new Set([
  'cmd:done',
  'mutate:ack',
  'mutate:err',
  'preview:ok',
  'preview:err',
  'complete:ok',
  'error',
])

it('keeps every secret away from the wire, the journal and the log', async () => {
  const app = await startApp()
  const { hooks, accounts } = app.app.ports
  const client = await WsClient.welcomed(app)
  const secrets = new Set<string>()
  const note = () => {
    for (const { secret } of hooks.list()) secrets.add(secret)
    for (const { apiKey, secret, password } of accounts.list())
      for (const each of [apiKey, secret, password]) if (each !== undefined) secrets.add(each)
  }
  let lastId = 0
  const ask = async (frame: object) => {
    const id = `q${++lastId}`
    client.send({ id, ...frame })
    for (;;) {
      const answer = await client.nextFrame()
      const ended = ENDS.has(answer.t)
      if (ended && 'id' in answer && answer.id === id) break
    }
    note()
  }
  const exec = (command: string) => ask({ t: 'cmd:exec', command })
  client.send({ t: 'subscribe', topics: ['accounts', 'tasks', 'hooks', 'hook-output', 'cross-trade', 'notices'] })

  const keys = { apiKey: 'KEY-of-live', secret: 'SECRET-of-live', password: 'PASSWORD-of-live' }
  const live = { name: 'live', exchange: 'bybit' }
  await ask({ t: 'mutate:account', op: 'upsert', account: { ...live, ...keys } })
  await ask({ t: 'mutate:account', op: 'upsert', account: { ...live, ...keys, exchange: 'mtgox' } })
  await ask({ t: 'mutate:account', op: 'upsert', account: { ...live, ...keys, password: 7 } })
  await ask({ t: 'mutate:account', op: 'upsert', account: { name: 'live', exchange: 'bybit' } })
  await ask({ t: 'mutate:hook', op: 'create', name: 'dip', command: 'echo dip; hook list; hook show nothing1' })
  const { id } = hooks.list()[0] as { id: string }
  for (const line of [
    'hooks',
    `hook show ${id}`,
    `hook rotate ${id}`,
    'hook create typed "echo hi"',
    'account',
    'accounts list',
    'help hook',
    'status',
    'listener',
    'runs',
    'history',
    'balance',
  ])
    await exec(line)
  // What the operator pastes into a line is on that terminal, and kept without it. In upper case it is told apart from all the others.
  const pasted = hooks.resolve(id).secret.toUpperCase()
  for (const command of [`echo ${pasted}`, `hook show ${pasted}`]) {
    await app.app.runner.run({ runId: randomUUID(), source: 'repl', command })
  }
  expect(app.app.ports.runs(2).map(({ command }) => command)).toEqual(['hook show <hidden>', 'echo <hidden>'])
  await exec('runs')
  for (const command of [`set @t ${pasted}`, `alias leak "echo ${pasted}"`]) {
    await app.app.runner.run({ runId: randomUUID(), source: 'repl', command })
  }
  const lines = ['set', 'echo x@t', 'echo @t', 'alias', 'leak', 'set @own @t', 'no-such @t', 'buy @t', 'notify @t']
  for (const command of lines) {
    await exec(command)
    await ask({ t: 'preview', command })
  }
  for (const line of ['echo @', 'le', 'alias l', 'hook show ']) await ask({ t: 'complete', line, cursor: line.length })
  const saying = await app.createHook('echo @t; leak; set')
  await fire(saying)
  await expect.poll(() => app.done.filter(({ run }) => run.hookId === saying.id)).toHaveLength(1)
  await app.app.ports.hooks.revoke(saying.id)
  expect(client.received.filter((text) => text.includes('<hidden>')).length).toBeGreaterThan(5)
  await ask({ t: 'mutate:hook', op: 'rotate', hookId: id })
  await ask({ t: 'mutate:hook', op: 'create', name: 'dip', command: 'echo' })
  replaceFile(app.directory, 'tasks.json', { version: 1, tasks: [], apiKey: 'KEY-in-tasks' })
  replaceFile(app.directory, 'cross-trade.json', { configs: [], secret: 'SECRET-in-cross-trade' })
  await exec(`hook create looks "hook show ${id}; hook rotate ${id}; account"`)
  for (const hook of hooks.list()) await fire(hook)
  note()
  await expect.poll(() => app.done.filter(({ run }) => run.source === 'hook')).toHaveLength(4)
  note()
  // A sender that puts its token where a page's origin belongs: the log has why it was refused, and not the token.
  const { secret: misplaced } = hooks.resolve(id)
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  for (const head of [`GET /ws HTTP/1.1\r\n${upgrade}`, `POST /hook/${id} HTTP/1.1\r\nContent-Length: 0\r\n`]) {
    const { status } = await rawRequest(`${head}Host: 127.0.0.1:53219\r\nOrigin: http://${misplaced}\r\n\r\n`)
    expect(status).toBe(403)
  }
  await ask({ t: 'mutate:hook', op: 'revoke', hookId: id })
  await ask({ t: 'mutate:account', op: 'delete', name: 'live' })
  await exec('balance; account')
  await client.settled()
  await app.app.stop(1_000)

  expect(secrets.size).toBeGreaterThanOrEqual(3 + 5)
  expect(readFileSync(join(app.directory, 'hookline.log'), 'utf8').match(/refused a (WebSocket|fire)/g)).toHaveLength(2)
  const files = ['runs.jsonl', 'hookline.log', 'config.json', 'trusted-clients.json', 'listener.json']
  const texts = files.map((name) => join(app.directory, name)).filter((path) => existsSync(path))
  const seen = [...client.received, ...app.output, ...app.warnings, ...texts.map((path) => readFileSync(path, 'utf8'))]
  expect(client.received.length).toBeGreaterThan(40)
  const kept = readFileSync(join(app.directory, 'runs.jsonl'), 'utf8')
  expect([...client.received, kept].filter((text) => text.includes(pasted))).toEqual([])
  for (const secret of [...secrets, 'KEY-in-tasks', 'SECRET-in-cross-trade'])
    expect(seen.filter((text) => text.includes(secret))).toEqual([])
})
