// What commands leave in the audit log (behaviour 49), and what they never do.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Clients } from '../../src/commands/kit/ports.ts'

const CLIENT = { clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93', label: 'Console', origin: 'http://127.0.0.1:53220' }

const waiting: Clients = { connected: () => new Map(), pending: () => [CLIENT], decide: async () => true }

async function audited(options: Parameters<typeof createSession>[0] = {}) {
  const session = await createSession(options)
  const deeds = () => session.ports.audit.read().map(({ what, details }) => [what, details])
  return { session, deeds }
}

describe('a line of the audit log', () => {
  it.each<[string, readonly (readonly [string, object])[]]>([
    ['alias z "cancel; close"', [['alias set', { name: 'z', text: 'cancel; close' }]]],
    [
      'alias z "close"; unalias z',
      [
        ['alias set', {}],
        ['alias remove', { name: 'z' }],
      ],
    ],
    ['set @size $250', [['variable set', { name: 'size', text: '$250' }]]],
    [
      'set @size 1; unset @size',
      [
        ['variable set', {}],
        ['variable remove', { name: 'size' }],
      ],
    ],
    ['account add second paper', [['account add', { name: 'second', exchange: 'paper' }]]],
    ['account use paper', [['account use', { name: 'paper' }]]],
    [
      'account add second paper; account remove second',
      [
        ['account add', {}],
        ['account remove', { name: 'second' }],
      ],
    ],
    [`clients trust ${CLIENT.clientId}`, [['client trust', { ...CLIENT, label: '' }]]],
    [
      `clients trust ${CLIENT.clientId}; clients revoke ${CLIENT.clientId}`,
      [
        ['client trust', {}],
        ['client revoke', { ...CLIENT, label: '' }],
      ],
    ],
    ['clients revoke --all', [['client revoke', { all: true, count: 0 }]]],
    [
      'panic; panic; resume',
      [
        ['panic', {}],
        ['resume', { begunBy: 'the terminal' }],
      ],
    ],
    [`approve ${CLIENT.clientId}`, [['client approve', CLIENT]]],
    [`deny ${CLIENT.clientId}`, [['client deny', CLIENT]]],
    ['hook revoke --all', [['hook revoke', { all: true, count: 0 }]]],
    [
      'hook create dip "echo $250" --account paper',
      [
        ['hook create', { name: 'dip', command: 'echo $250', account: 'paper' }],
        ['hook token shown', { name: 'dip' }],
      ],
    ],
  ])('comes of `%s`', async (line, expected) => {
    const { session, deeds } = await audited({ clients: waiting })
    await session.run(line)
    expect(deeds()).toMatchObject(expected)
  })

  it('says who did it: source, run, process and user', async () => {
    const { session } = await audited()
    await session.run('alias z "close"', { source: 'exec' })
    const [entry] = session.ports.audit.read()
    expect(entry?.by).toEqual({ source: 'exec', runId: expect.any(String), pid: process.pid, user: expect.any(String) })
  })

  it('comes of each change of a hook, and of its token being shown, which it is only to people', async () => {
    const { session, deeds } = await audited()
    await session.run('hook create dip "echo x"', { source: 'web' })
    const [hook] = session.ports.hooks.list()
    const id = hook?.id ?? ''
    await session.run(`hook show ${id}`, { source: 'hook' })
    expect(deeds()).toMatchObject([['hook create', { hookId: id }]])
    await session.run(`hook show ${id}; hook rotate ${id}; hook revoke ${id}`)
    expect(deeds().slice(1)).toMatchObject([
      ['hook token shown', { hookId: id }],
      ['hook rotate', { hookId: id }],
      ['hook token shown', { hookId: id }],
      ['hook revoke', { hookId: id, name: 'dip', command: 'echo x' }],
    ])
  })

  it('comes of no deed that was refused, of no look, and of no variable that a hook sets', async () => {
    const { session, deeds } = await audited()
    await session.run('alias buy "close"; account remove paper; hook revoke 00000000; clients; hooks; account; audit')
    await session.run('set @last 1', { source: 'hook' })
    await session.run('alias z "close"', { source: 'web' })
    expect(deeds()).toEqual([])
  })
})

describe('secrets', () => {
  it('are in no line, also where people paste them', async () => {
    const { session } = await audited()
    await session.run('hook create dip "echo x"')
    const [hook] = session.ports.hooks.list()
    const [apiKey, secret, password] = [1, 2, 3].map(() => randomBytes(24).toString('base64url'))
    await session.ports.accounts.add({
      name: 'live',
      exchange: 'bybit',
      apiKey: apiKey ?? '',
      secret: secret ?? '',
      password: password ?? '',
    })
    await session.run(
      `alias a "echo ${hook?.secret}"; set @b ${apiKey}; set @c x${secret}y; hook create e "echo ${password}"`,
    )
    await session.run(`hook show ${hook?.id}; hook rotate ${hook?.id}; account remove live`)
    const text = readFileSync(join(session.directory, 'audit.jsonl'), 'utf8')
    expect(text.split('\n').length).toBeGreaterThan(8)
    const tokens = [hook?.secret, ...session.ports.hooks.list().map((each) => each.secret), apiKey, secret, password]
    expect(tokens.filter((token) => text.includes(token ?? ''))).toEqual([])
    expect(text).toContain('x<hidden>y')
  })

  it('are in no line in capitals either', async () => {
    const { session } = await audited()
    await session.run('hook create dip "echo x"')
    const token = session.ports.hooks.list()[0]?.secret.toUpperCase() ?? ''
    await session.run(`alias a "echo ${token}"; hook create e "echo x${token}y"`)
    const text = readFileSync(join(session.directory, 'audit.jsonl'), 'utf8')
    expect(text).not.toContain(token)
    expect(text).toContain('echo x<hidden>y')
  })
})

describe('a log that cannot be written', () => {
  it('stops no deed, and says at each that it does not have it', async () => {
    const { session } = await audited()
    await session.run('hook create dip "echo x"')
    const directory = join(session.directory, 'audit.jsonl')
    rmSync(directory)
    mkdirSync(directory)
    const lines = await session.run('hook revoke --all')
    expect(session.ports.hooks.list()).toEqual([])
    expect(lines[0]).toBe('success revoked 1 hook')
    expect(lines[1]).toMatch(/^warn this is not in the audit log: /)
  })
})

describe('the command audit', () => {
  it('lists the last deeds with who and what', async () => {
    const { session } = await audited()
    await session.run('alias xa "close"; alias xb "close"; alias xc "close"')
    const lines = await session.run('audit list 2')
    expect(lines.join('\n')).not.toContain('name xa')
    expect(lines.at(-1)).toMatch(/3 +\d{4}-.* alias set +terminal +name xc, text close/)
    expect(await session.run('audit list --since 1h')).toHaveLength(4)
    expect(await session.run('audit list --since soon')).toEqual([expect.stringContaining('error bad-')])
  })

  it('shows keys, ids and times as other lists do', async () => {
    const key = 'BCm7HSAfdC2FDsnmodhJ5lTX4iWTyApJ9MZkpISJr9y4o8Fj0VPVrs53J28'
    const { session } = await audited()
    await session.ports.audit.record('client approve', { ...CLIENT, key }, { source: 'repl' })
    expect((await session.run('audit list')).join('\n')).toMatch(/client 3f9c2a71, .*key …j0VPVrs53J28/s)
    await session.run('hook create dip "echo ok"; panic; resume')
    const lines = await session.run('audit list')
    expect(lines.join('\n')).toMatch(/ hook [0-9a-f]{8}, name /)
    expect(lines.at(-1)).toMatch(/ since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, begun by /)
  })

  it.each([
    ['until', 'until'],
    ['since', 'since'],
    ['expiresAt', 'expires at'],
  ])('shows the moment of `%s` as a time, and its doer in words', async (name, shown) => {
    const session = await createSession()
    const at = Date.UTC(2026, 10, 23, 3, 25, 39)
    await session.ports.audit.record('hook pause', { name: 'dip', [name]: at }, { source: 'repl' })
    expect((await session.run('audit')).at(-1)).toMatch(
      new RegExp(` hook pause +terminal +name dip, ${shown} 2026-11-23 03:25:39 UTC`),
    )
  })

  it('shows of the switches what has changed', async () => {
    const { session } = await audited()
    const details = {
      now: { enabled: true, remoteExec: false },
      before: { enabled: true, remoteExec: true, allowedOrigins: [] },
    }
    await session.ports.audit.record('switches', details, { source: 'file' })
    const line = (await session.run('audit')).at(-1)
    expect(line).toMatch(/switches +file +remote exec false, allowed origins default$/)
  })

  it('verifies, and names the first line that was changed', async () => {
    const { session } = await audited()
    await session.run('alias xa "close"; alias xb "close"')
    expect(await session.run('audit verify')).toEqual([
      expect.stringMatching(/^success 2 entries are as written; the last hash is [0-9a-f]{64}$/),
    ])
    const path = join(session.directory, 'audit.jsonl')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"name":"xa"', '"name":"xx"'))
    expect(await session.run('audit verify')).toEqual([
      expect.stringMatching(/^error audit-broken: audit.jsonl, line 1: does not follow/),
    ])
  })

  it.each(['web', 'hook'] as const)('is refused to a %s', async (source) => {
    const { session } = await audited()
    for (const line of ['audit', 'audit verify'])
      expect(await session.run(line, { source })).toEqual([expect.stringContaining('not-allowed-here')])
  })
})
