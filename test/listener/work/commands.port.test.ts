// `cmd:exec`: a line from an approved client, run as if typed, under the client's own id (behaviour 14, 15, 18, 19, 30).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { commands } from '../../../src/commands/catalogue.ts'
import type { CommandForm } from '../../../src/commands/kit/command.ts'
import type { ServerFrame } from '../../../src/protocol/frames.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { startRepl } from '../../../src/repl/repl.ts'

/** The frames of one id up to its `cmd:done`. */
async function run(client: WsClient, id: string, frame: object): Promise<ServerFrame[]> {
  client.send({ t: 'cmd:exec', id, ...frame })
  const frames: ServerFrame[] = []
  for (;;) {
    const next = await client.nextFrame()
    frames.push(next)
    if (next.t === 'cmd:done') return frames
  }
}

const printed = (id: string, text: string) => ({ t: 'cmd:output', id, kind: 'print', text })
const done = (id: string) => ({ t: 'cmd:done', id, success: true })
const refused = (id: string, error: string) => [
  { t: 'cmd:output', id, kind: 'error', text: error },
  { t: 'cmd:done', id, success: false, error },
]

describe('a command', () => {
  it('runs as if typed: chains, groups, variables and aliases', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    expect(await run(client, 'a', { command: 'echo one; echo two & echo three' })).toEqual([
      printed('a', 'one'),
      printed('a', 'two'),
      printed('a', 'three'),
      done('a'),
    ])
    await app.app.ports.aliases.set('greet', 'echo @word')
    await run(client, 'b', { command: 'set @word hi' })
    expect(await run(client, 'c', { command: 'repeat 2 (greet)' })).toEqual([
      printed('c', 'hi'),
      printed('c', 'hi'),
      done('c'),
    ])
  })

  it('that fails says why, points at the place, names what did not run, and is done once, without success', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const frames = await run(client, 'a', { command: 'ehco hi; echo after' })
    expect(frames).toEqual([
      { t: 'cmd:output', id: 'a', kind: 'error', text: expect.stringContaining('did you mean') },
      { t: 'cmd:output', id: 'a', kind: 'warn', text: 'not run: echo after' },
      { t: 'cmd:done', id: 'a', success: false, error: expect.stringContaining('ehco') },
    ])
    await client.settled()
    expect(client.untaken).toEqual([])
  })

  it('has an account and a symbol for this run only, and leaves the focus where it is', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    await run(client, 'buy', { command: 'buy 0.5', account: 'second', symbol: 'ethusdt' })
    const [held] = await run(client, 'a', { command: 'positions', account: 'second' })
    const [none] = await run(client, 'b', { command: 'positions' })
    const [symbol] = await run(client, 'c', { command: 'symbol' })
    expect(held).toMatchObject({ text: expect.stringContaining('ETHUSDT') })
    expect(none).toMatchObject({ text: expect.not.stringContaining('ETHUSDT') })
    expect(symbol).toMatchObject({ text: expect.stringMatching(/^BTCUSDT /) })
    expect(app.app.ports.config.read()).toMatchObject({ defaultAccount: 'paper', defaultSymbol: 'BTCUSDT' })
  })

  it('runs beside others of its session, each with its own account', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await app.app.ports.accounts.add({ name, exchange: 'paper' })
    for (const id of names) client.send({ t: 'cmd:exec', id, account: id, command: 'sleep 20ms; account' })
    for (let ended = 0; ended < names.length; ended++) await client.nextFrame('cmd:done')
    for (const frame of client.untaken) {
      if (frame.t === 'cmd:output') expect(frame.text).toMatch(new RegExp(`^\\* +${frame.id} `, 'm'))
    }
  })

  it('has its output before its end, and only for the client that sent it', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const other = await WsClient.welcomed(app)
    other.send({ t: 'subscribe', topics: ['hook-output'] })
    const frames = await run(client, 'a', { command: 'repeat 500 (echo x)' })
    expect(frames).toEqual([...Array.from({ length: 500 }, () => printed('a', 'x')), done('a')])
    await other.settled()
    expect(other.untaken).toEqual([])
  })

  it('can take the id of one that is done', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    for (let time = 0; time < 5; time++)
      expect(await run(client, 'same', { command: 'echo x' })).toEqual([printed('same', 'x'), done('same')])
  })

  it('of two sessions may have one id: each gets its own', async () => {
    const app = await startApp()
    const [one, two] = [await WsClient.welcomed(app), await WsClient.welcomed(app)]
    one.send({ t: 'cmd:exec', id: 'x', command: 'sleep 20ms; echo one' })
    two.send({ t: 'cmd:exec', id: 'x', command: 'sleep 20ms; echo two' })
    expect(await one.nextFrame('cmd:output')).toEqual(printed('x', 'one'))
    expect(await two.nextFrame('cmd:output')).toEqual(printed('x', 'two'))
  })

  it('prints the fill of its resting order under its id, after its end', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    // The next move of the price, whichever way it goes, fills one of the two.
    await run(client, 'buys', { command: 'buy 0.01 best' })
    await run(client, 'sells', { command: 'sell 0.01 best', account: 'second' })
    const late = await client.nextFrame('cmd:output')
    expect(late).toMatchObject({
      id: late.text.includes('bought') ? 'buys' : 'sells',
      text: expect.stringMatching(/(bought|sold) 0\.01 BTCUSDT at/),
    })
  })

  it('shows in the REPL, each line with the name of who sent it', async () => {
    const app = await startApp()
    const output = new PassThrough()
    const repl = startRepl({
      input: new PassThrough(),
      output,
      env: {},
      run: () => Promise.resolve({ success: true }),
      addSink: (sink) => app.app.runner.addSink(sink),
      completion: () => ({
        symbols: [],
        accounts: [],
        hooks: [],
        runs: [],
        tasks: [],
        variables: [],
        aliases: [],
        commands: [],
      }),
      promptState: () => ({ account: 'paper', symbol: 'BTCUSDT' }),
      historyFile: join(app.directory, 'history'),
    })
    const named = await WsClient.welcomed(app, { label: 'my\u001b[31m laptop' })
    await run(named, 'a', { command: 'echo one; hook list' })
    const clientId = 'b1946ac9-2492-4d23-8f4a-0c1f3a6d5e7b'
    const unnamed = await WsClient.welcomed(app, { label: '', clientId })
    await run(unnamed, 'a', { command: 'echo two; exit' })
    repl.stop()
    await repl.closed
    output.end()
    expect((await text(output)).split('\n').filter(Boolean)).toEqual([
      '[web:my [31m laptop] one',
      expect.stringMatching(/^\[web:my \[31m laptop\] no hooks;/),
      '[web:b1946ac9] two',
      expect.stringMatching(/^\[web:b1946ac9\] error: `exit` runs only/),
    ])
  })
})

describe('a refused command', () => {
  it('has one line of error and one end with the same text', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const unknown = 'no account nobody found (`account` lists them)'
    expect(await run(client, 'a', { command: 'echo x', account: 'nobody' })).toEqual(refused('a', unknown))
    app.writeConfig({ listener: { remoteExec: false } })
    expect(await run(client, 'a', { command: 'echo x' })).toEqual(refused('a', 'remoteExec disabled'))
    expect(app.output).toEqual([`error ${unknown}`])
  })

  it.each([
    ['without a command', {}, '`command` must be of type string'],
    ['with an empty command', { command: '' }, '`command` must not be empty'],
    [
      'with too long a command',
      { command: 'x'.repeat(WIRE_LIMITS.commandLength + 1) },
      `\`command\` must be at most ${WIRE_LIMITS.commandLength} characters`,
    ],
    [
      'on an account with too long a name',
      { command: 'echo', account: 'x'.repeat(WIRE_LIMITS.nameLength + 1) },
      `\`account\` must be at most ${WIRE_LIMITS.nameLength} characters`,
    ],
    ['on a symbol that is none', { command: 'echo', symbol: 7 }, '`symbol` must be of type string'],
  ])('%s ends like any other', async (_name, fields, error) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    expect(await run(client, 'a', fields)).toEqual(refused('a', error))
    expect(await run(client, 'a', { command: 'echo x' })).toEqual([printed('a', 'x'), done('a')])
  })

  it.each([
    ['no id', {}],
    ['an empty id', { id: '' }],
    ['too long an id', { id: 'x'.repeat(WIRE_LIMITS.idLength + 1) }],
    ['a number for an id', { id: 1 }],
  ])('with %s is answered by an error without one', async (_name, id) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'cmd:exec', command: 'echo x', ...id })
    expect(await client.nextFrame()).toEqual({ t: 'error', error: expect.stringMatching(/^`id` must/) })
    await client.settled()
    expect(app.done).toEqual([])
  })

  it('whose id is still running is answered by an error: the `cmd:done` belongs to the first', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'cmd:exec', id: 'a', command: 'sleep 50ms; echo first' })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo second' })
    client.send({ t: 'cmd:exec', id: 'a', command: '' })
    expect(await client.nextFrame()).toEqual({ t: 'error', id: 'a', error: 'a command with this id is still running' })
    expect(await client.nextFrame()).toEqual({ t: 'error', id: 'a', error: '`command` must not be empty' })
    expect(await client.nextFrame()).toEqual(printed('a', 'first'))
    expect(await client.nextFrame()).toEqual(done('a'))
    await client.settled()
    expect(client.untaken).toEqual([])
  })

  it('is the 65th under way in its session; another session is not held up, and there is room again after', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const other = await WsClient.welcomed(app)
    for (let id = 1; id <= WIRE_LIMITS.runsPerSession; id++)
      client.send({ t: 'cmd:exec', id: `${id}`, command: 'sleep 10m' })
    expect(await run(client, 'over', { command: 'echo x' })).toEqual(
      refused('over', `more than ${WIRE_LIMITS.runsPerSession} commands of this session are under way`),
    )
    expect(await run(other, 'a', { command: 'echo x' })).toEqual([printed('a', 'x'), done('a')])
    app.app.runner.interrupt(({ replyId }) => replyId === '7')
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: '7', success: false })
    client.send({ t: 'cmd:exec', id: 'again', command: 'echo x' })
    expect(await client.nextFrame('cmd:done')).toEqual(done('again'))
  })
})

describe('every id', () => {
  it('has exactly one `cmd:done`, whatever becomes of it', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const lines = ['echo x', 'nonsense', 'echo "', 'sleep 30ms', 'exit', 'echo a & sleep 10ms & nonsense; echo b', '']
    const ids = Array.from({ length: 280 }, (_, index) => `id ${index}`)
    for (const [index, id] of ids.entries()) {
      const account = index % 11 === 0 ? { account: 'nobody' } : {}
      client.send({ t: 'cmd:exec', id, command: lines[index % lines.length], ...account })
    }
    const ended: string[] = []
    while (ended.length < ids.length) ended.push((await client.nextFrame('cmd:done')).id)
    await client.settled()
    expect(ended.toSorted()).toEqual(ids.toSorted())
    expect(client.untaken.filter(({ t }) => t !== 'cmd:output')).toEqual([])
  })
})

describe('only at this machine', () => {
  const forms = commands.flatMap((command): [path: string, form: CommandForm][] =>
    'forms' in command
      ? command.forms.map((form) => [`${command.name} ${form.name}`, form])
      : [[command.name, command]],
  )
  const local = forms.filter(([, { where }]) => where !== 'anywhere' && where !== 'by hand').map(([path]) => path)

  it.each(local)('`%s` is refused from a client', async (path) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const frames = await run(client, 'a', { command: `${path} x` })
    const error = expect.stringMatching(new RegExp(`^\`${path}\` runs only .*\\(type it there\\)$`))
    expect(frames).toEqual(refused('a', error))
  })

  it('is everything that behaviour 19 keeps there', () => {
    expect(local).toEqual([
      'watch',
      'account add',
      'account check',
      'account prove',
      'account use',
      'account balances',
      'account keys',
      'account reset',
      'account remove',
      'vault status',
      'vault unlock',
      'vault lock',
      'vault change',
      'paper faults',
      'paper replay',
      'unalias',
      'when',
      'every',
      'at',
      'tasks resume',
      'hook replay',
      'hook resume',
      'cross-trade add',
      'cross-trade copier',
      'cross-trade enable',
      'cross-trade remove',
      'cross-trade resync',
      'cross-trade start',
      'switch on',
      'clients list',
      'clients grant',
      'clients revoke',
      'clients trust',
      'approve',
      'deny',
      'proposals',
      'audit list',
      'audit verify',
      'notices list',
      'notices add',
      'notices test',
      'notices listen',
      'notices quiet',
      'notices remove',
      'login',
      'logout',
      'whoami',
      'history',
      'resume',
      'guards set',
      'sim',
      'times',
      'clear',
      'exit',
    ])
  })

  it('the symbol in focus is set', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    expect((await run(client, 'a', { command: 'symbol ETHUSDT' })).at(-1)).toMatchObject({ success: false })
    expect(app.app.ports.config.read().defaultSymbol).toBe('BTCUSDT')
  })

  it('the token of a hook is shown', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    await run(client, 'a', { command: 'hook create dip "echo hi"' })
    const [created] = app.app.ports.hooks.list()
    for (const [id, command] of Object.entries({ b: 'hook show', c: 'hook rotate' }))
      expect(JSON.stringify(await run(client, id, { command: `${command} ${created?.id}` }))).toContain('<hidden>')
    expect(JSON.stringify(await run(client, 'd', { command: 'hooks' }))).toContain('<hidden>')
    const [rotated] = app.app.ports.hooks.list()
    expect(rotated?.secret).not.toBe(created?.secret)
    const all = client.received.join('\n')
    expect(all).toContain(created?.id)
    expect(all).not.toContain(created?.secret)
    expect(all).not.toContain(rotated?.secret)
  })
})

describe('a client that leaves', () => {
  it('leaves its runs behind: they go on to their end, and are in the journal', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app, { label: 'gone soon' })
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo before; sleep 150ms; echo after' })
    await client.nextFrame('cmd:output')
    await client.leave()
    expect(app.output).toEqual(['print before'])
    await app.runsDone(1)
    expect(app.output).toEqual(['print before', 'print after'])
    await app.app.stop(1_000)
    const journal = readFileSync(join(app.directory, 'runs.jsonl'), 'utf8')
    const [start, end] = journal
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    expect(start).toMatchObject({
      t: 'start',
      source: 'web',
      origin: 'gone soon',
      command: expect.stringMatching(/^echo/),
    })
    expect(end).toMatchObject({ t: 'done', runId: start.runId, ok: true })
  })

  it('and comes back is not sent what its old session asked for', async () => {
    const app = await startApp()
    const clientId = 'b1946ac9-2492-4d23-8f4a-0c1f3a6d5e7b'
    const client = await WsClient.welcomed(app, { clientId })
    client.send({ t: 'cmd:exec', id: 'a', command: 'sleep 100ms; echo late' })
    await client.settled()
    await client.leave()
    const back = await WsClient.welcomed(app, { clientId })
    await app.runsDone(1)
    await back.settled()
    expect(back.untaken).toEqual([])
    expect(await run(back, 'a', { command: 'echo now' })).toEqual([printed('a', 'now'), done('a')])
  })
})
