import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AccountFacts, DoctorFacts } from '../../src/app/doctor/facts.ts'
import { judge, OLDEST_NODE } from '../../src/app/doctor/judge.ts'
import { commands } from '../../src/commands/catalogue.ts'
import { namesOf } from '../../src/commands/kit/resolve.ts'
import type { SignInRow } from '../../src/stores/sign-in.ts'

const ACTIVE = { state: 'active', simulated: false, limits: {} } as const
const paper: AccountFacts = { name: 'paper', exchange: 'paper', keys: 'not-needed', guarding: ACTIVE }
const main: AccountFacts = { name: 'main', exchange: 'binance', keys: 'there', guarding: ACTIVE }
const LOCKED = { code: 'vault-locked', message: 'the vault is locked', hint: 'type `vault unlock`' }

/** Of a machine on which a fire trades. */
const WELL: DoctorFacts = {
  nodeVersion: '22.1.0',
  directory: { path: '/home/ada/.hookline', health: { is: 'usable', isPrivate: true, freeBytes: 5e9 } },
  problems: [],
  listener: { enabled: true, accountSync: true, remoteExec: true, allowedOrigins: undefined },
  port: { is: 'hookline', pid: 7, isOurs: true },
  console: { state: 'served', address: 'http://127.0.0.1:53220' },
  service: { state: 'running', pid: 7, isCurrent: true, isLingering: true, hasPassphrase: false },
  panic: undefined,
  defaultAccount: 'paper',
  accounts: [paper, main],
  hooks: [{ name: 'dip', account: 'main' }],
  fires: [{ hook: 'dip', problems: [] }],
  now: 1_000,
  tasks: { running: 0 },
  engine: { enabled: 0, isRunning: false },
  leftOpen: [],
  audit: undefined,
  leftKeys: [],
  signIn: undefined,
  venues: [],
}

const troublesOf = (change: Partial<DoctorFacts>) =>
  judge({ ...WELL, ...change })
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ verdict, check, what }) => `${verdict} ${check}: ${what}`)

describe('the doctor', () => {
  it('finds nothing where a fire trades', () => {
    expect(troublesOf({})).toEqual([])
    expect(judge(WELL).length).toBeGreaterThan(8)
  })

  it('names lines missing from the audit log, and keys left in a file', () => {
    expect(
      troublesOf({ audit: 'line 3 says that audit-head.json was missing', leftKeys: ['/x/keys-main.json'] }),
    ).toEqual([
      'warn audit: line 3 says that audit-head.json was missing',
      'warn keys: /x/keys-main.json has keys in plain text that no account uses',
    ])
  })

  it('names who may read the figures, and that nothing serves them though hookline runs', () => {
    const [address, tokenPath] = ['127.0.0.1:9464', '/home/ada/.hookline/metrics-token']
    const metricsOf = (change: Partial<DoctorFacts>) =>
      judge({ ...WELL, ...change }).filter(({ check }) => check === 'metrics')
    expect(metricsOf({})).toEqual([])
    expect(metricsOf({ metrics: { address, tokenPath, isServed: true } })).toEqual([
      { check: 'metrics', verdict: 'ok', what: `${address} is open to the bearer of the token in ${tokenPath}` },
    ])
    expect(metricsOf({ metrics: { address: '/run/h.sock', isServed: true } })).toEqual([
      { check: 'metrics', verdict: 'ok', what: '/run/h.sock is open to this user' },
    ])
    expect(metricsOf({ metrics: { address, tokenPath, isServed: false } })).toEqual([
      {
        check: 'metrics',
        verdict: 'warn',
        what: 'nothing listens on 127.0.0.1:9464',
        next: 'restart hookline: it reads `metrics.listen` when it starts',
      },
    ])
    expect(metricsOf({ metrics: { address, tokenPath, isServed: false }, port: { is: 'none' } })).toEqual([])
  })

  it('says who has the console’s port, and that hookline does not serve it; neither keeps a fire from trading', () => {
    const address = 'http://127.0.0.1:53220'
    expect(troublesOf({ console: { state: 'held', address, user: 65_534 } })).toEqual([
      'warn console: not served: a program of user 65534 has port 53220; pages from there are refused',
    ])
    expect(troublesOf({ console: { state: 'not-served', address } })).toEqual([
      'warn console: not served, though hookline runs',
    ])
    expect(troublesOf({ console: { state: 'unknown', address } })).toEqual([
      'warn console: not known: console-key.json cannot be read',
    ])
    expect(troublesOf({ console: { state: 'off', address } })).toEqual([])
    expect(troublesOf({ console: { state: 'not-served', address }, port: { is: 'none' } })).toEqual([
      'fails port: nothing listens on 127.0.0.1:53219',
    ])
  })

  it('says of everything that is not well what to do next', () => {
    const ill: DoctorFacts = {
      ...WELL,
      nodeVersion: '18.0.0',
      directory: { path: '/x', health: { is: 'usable', isPrivate: false, freeBytes: 1e6 } },
      listener: { ...WELL.listener, enabled: false, remoteExec: false },
      port: { is: 'another' },
      panic: { since: 1, by: 'web', pid: 1 },
      accounts: [],
      hooks: [{ name: 'a' }, { name: 'b', account: 'gone' }],
      tasks: { running: 2 },
      engine: { enabled: 1, isRunning: false },
      venues: [{ account: 'main', error: 'timed out' }],
    }
    const troubles = judge(ill).filter(({ verdict }) => verdict !== 'ok')
    expect(troubles.length).toBeGreaterThan(10)
    expect(troubles.filter(({ next }) => next === undefined || next === '')).toEqual([])
  })

  it('says who is signed in, and that a sign-in has ended, which keeps no fire from trading', () => {
    const signIn: SignInRow = {
      id: '0123456789abcdef',
      issuer: 'https://id.example.com',
      clientId: 'hookline',
      subject: 's',
      email: 'ana@example.com',
      signedInAt: 1,
      expiresAt: 3_600_000,
      isRenewable: true,
      keys: { from: 'file' },
    }
    expect(judge({ ...WELL, signIn }).find(({ check }) => check === 'sign-in')).toEqual({
      check: 'sign-in',
      verdict: 'ok',
      what: 'ana@example.com at id.example.com; its token serves until 1970-01-01 01:00:00 UTC and is renewed then',
    })
    expect(troublesOf({ signIn: { ...signIn, endedAt: 500 } })).toEqual([
      'warn sign-in: ana@example.com at id.example.com; ended at 1970-01-01 00:00:00 UTC: the provider no longer renews it',
    ])
  })

  it('knows the oldest Node that package.json admits', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).engines.node).toBe(`>=${OLDEST_NODE}`)
    expect(troublesOf({ nodeVersion: '20.18.9' })).toEqual([`fails node: Node 20.18.9 is older than ${OLDEST_NODE}`])
    expect(troublesOf({ nodeVersion: '20.19.0' })).toEqual([])
  })

  it.each<[string, DoctorFacts['directory']['health'], readonly string[]]>([
    ['missing', { is: 'missing' }, ['warn directory: /d does not exist yet']],
    [
      'unusable',
      { is: 'unusable', reason: 'the disk is full (ENOSPC)' },
      ['fails directory: /d cannot be used: the disk is full (ENOSPC)'],
    ],
    ['open to others', { is: 'usable', isPrivate: false }, ['warn directory: other users can read /d']],
    ['nearly full', { is: 'usable', isPrivate: true, freeBytes: 50e6 }, ['warn disk: 50 MB free']],
    [
      'full',
      { is: 'usable', isPrivate: true, freeBytes: 4e6 },
      ['fails disk: 4 MB free: each order is recorded before it is sent'],
    ],
  ])('tells of a directory that is %s', (_name, health, told) => {
    expect(troublesOf({ directory: { path: '/d', health } })).toEqual(told)
  })

  it('fails for a file that fires need, and warns of others and of single rows', () => {
    const problem = (name: string, kind: 'file' | 'row') => ({
      kind,
      path: `/d/${name}.json`,
      line: 3,
      message: 'is bad',
    })
    expect(troublesOf({ problems: [problem('hooks', 'file')] })).toEqual(['fails files: /d/hooks.json, line 3: is bad'])
    expect(troublesOf({ problems: [problem('hooks', 'row')] })).toEqual(['warn files: /d/hooks.json, line 3: is bad'])
    expect(troublesOf({ problems: [problem('vars', 'file')] })).toEqual(['warn files: /d/vars.json, line 3: is bad'])
  })

  it.each<[DoctorFacts['port'], string]>([
    [{ is: 'none' }, 'fails port: nothing listens on 127.0.0.1:53219'],
    [
      { is: 'another', who: 'nginx, pid 12' },
      'fails port: 127.0.0.1:53219 is used by nginx, pid 12, which does not answer as hookline does',
    ],
    [
      { is: 'another' },
      'fails port: 127.0.0.1:53219 is used by another program, which does not answer as hookline does',
    ],
    [{ is: 'hookline', pid: 9, isOurs: false }, 'fails port: the hookline of another user (pid 9) has 127.0.0.1:53219'],
  ])('says who has the port: %j', (port, told) => {
    const { service: _, ...rest } = WELL
    const findings = judge({ ...rest, port }).filter(({ verdict }) => verdict !== 'ok')
    expect(findings.map(({ verdict, check, what }) => `${verdict} ${check}: ${what}`)).toEqual([told])
  })

  it('warns of a service that is down, waits, is of an older hookline, or ends at a logout', () => {
    const service = { state: 'running', pid: 8, isCurrent: false, isLingering: false } as const
    expect(troublesOf({ service })).toEqual([
      'warn service: it waits for the port, which pid 7 has',
      'warn service: its file is not what this hookline would write',
      'warn service: it ends when you log out',
    ])
    expect(troublesOf({ service: { state: 'failed', isCurrent: true } })).toEqual(['warn service: it is failed'])
  })

  it('fails for each switch that is off, and for panic', () => {
    expect(troublesOf({ listener: { ...WELL.listener, enabled: false } })).toEqual([
      'fails switches: listener.enabled is off: no process listens',
    ])
    expect(troublesOf({ listener: { ...WELL.listener, remoteExec: false } })).toEqual([
      'fails switches: listener.remoteExec is off: hooks do not fire',
    ])
    expect(troublesOf({ listener: { ...WELL.listener, accountSync: false } })).toEqual([])
    expect(troublesOf({ panic: { since: 0, by: 'the terminal', pid: 1 } })).toEqual([
      'fails panic: panic is on (turned on from a terminal)',
    ])
  })

  it('fails for a hook whose fire would not trade, once where the cause is one of all hooks', () => {
    const problems = [
      { code: 'once', text: 'a fire would be skipped: its one run is used up' },
      { code: 'panic', text: 'panic is on: no hook runs' },
    ]
    expect(troublesOf({ fires: [{ hook: 'dip', problems }] })).toEqual([
      'fails hook dip: a fire would be skipped: its one run is used up',
    ])
  })

  it('guesses no command for an alias that is gone, whichever is spelt like it', () => {
    const names = commands.flatMap(namesOf)
    for (const path of names) {
      const problem = { code: 'unknown-command', text: 'unknown command `half`', hint: `did you mean \`${path}\`?` }
      const found = judge({ ...WELL, fires: [{ hook: 'dip', problems: [problem] }] })
      const next = found.find(({ check }) => check === 'hook dip')?.next ?? ''
      expect(next).toContain('define that alias again')
      expect(next).not.toContain('did you mean')
    }
    expect(names).toContain('halt')
  })

  it.each(['cooldown', 'rate'])('warns of a hook that waits for its %s', (code) => {
    const fires = [{ hook: 'dip', problems: [{ code, text: `skipped: ${code} of 1m` }] }]
    const [found] = judge({ ...WELL, fires }).filter(({ verdict }) => verdict !== 'ok')
    expect(found).toMatchObject({ check: 'hook dip', verdict: 'warn', next: expect.stringMatching(/^wait/) })
  })

  it('fails for a hook whose account is gone, in any case of its name', () => {
    expect(troublesOf({ hooks: [{ name: 'dip', account: 'MAIN' }] })).toEqual([])
    expect(troublesOf({ hooks: [{ name: 'dip', account: 'gone' }] })).toEqual([
      'fails hooks: hook dip trades on account gone, which was removed',
    ])
    const missing = 'the default account old does not exist'
    expect(troublesOf({ defaultAccount: 'old' })).toEqual([`warn hooks: ${missing}`])
    expect(troublesOf({ defaultAccount: 'old', hooks: [{ name: 'dip' }] })).toEqual([`fails hooks: ${missing}`])
    expect(troublesOf({ hooks: [] })).toEqual(['warn hooks: there are none'])
  })

  it('fails for an account that fires trade on, and warns of one that they do not', () => {
    const noKeys = { code: 'missing-keys', message: 'account main has no keys' }
    const accounts = [paper, { ...main, keys: noKeys }]
    expect(troublesOf({ accounts })).toEqual(['fails account main: account main has no keys'])
    expect(troublesOf({ accounts, hooks: [{ name: 'dip' }] })).toEqual(['warn account main: account main has no keys'])
    const halted = [{ ...main, guarding: { ...ACTIVE, state: 'halted', by: 'hook dip' } } as const, paper]
    expect(troublesOf({ accounts: halted })).toEqual(['fails account main: halted, by hook dip: nothing is opened'])
    const simulated = [{ ...main, guarding: { ...ACTIVE, simulated: true } } as const, paper]
    expect(troublesOf({ accounts: simulated })).toEqual(['fails account main: simulated: orders are not sent'])
  })

  it('knows that a vault is unlocked in one process only', () => {
    const accounts = [paper, { ...main, keys: LOCKED }]
    const service = WELL.service && { ...WELL.service, hasPassphrase: true }
    expect(troublesOf({ accounts, ...(service && { service }) })).toEqual([])
    expect(troublesOf({ accounts })).toEqual([
      'fails account main: the vault is locked, and the service does not have its passphrase',
    ])
    expect(troublesOf({ accounts, port: { is: 'hookline', pid: 99, isOurs: true } })).toContain(
      'warn account main: the vault is locked here; whether it is in the process that listens is not known',
    )
  })

  it('knows that a service does not have the environment of a shell', () => {
    const accounts = [paper, { ...main, keys: 'in-environment' } as const]
    expect(troublesOf({ accounts })).toEqual([
      'warn account main: its keys are in the environment of this shell, which the service does not have',
    ])
    const { service: _, ...rest } = WELL
    expect(judge({ ...rest, accounts }).filter(({ verdict }) => verdict !== 'ok')).toEqual([])
  })

  it('warns of orders that an ended process has left open, and fails where their journal cannot be read', () => {
    expect(troublesOf({ leftOpen: ['main', 'paper'] })).toEqual([
      'warn orders: orders from an exited process are unmanaged on main, paper',
    ])
    expect(troublesOf({ leftOpen: { error: 'orders.jsonl is damaged' } })).toEqual([
      'fails orders: orders.jsonl is damaged',
    ])
  })

  it('warns of tasks that no process drives, and of a copier without its engine', () => {
    expect(troublesOf({ tasks: { running: 2, driver: 7 }, engine: { enabled: 1, isRunning: true } })).toEqual([])
    expect(troublesOf({ tasks: { running: 1 }, engine: { enabled: 1, isRunning: false } })).toEqual([
      'warn tasks: 1 task under way, and no process drives them',
      'warn copier: its engine does not run',
    ])
  })

  it('fails for a venue that does not answer, or whose clock is another', () => {
    expect(troublesOf({ venues: [{ account: 'main', latencyMs: 40, clockDifferenceMs: -999 }] })).toEqual([])
    expect(troublesOf({ venues: [{ account: 'main', latencyMs: 40, clockDifferenceMs: -1_500 }] })).toEqual([
      'fails venue of main: it answers in 40 ms, but the clocks differ by 1500 ms',
    ])
    expect(troublesOf({ venues: [{ account: 'main', error: 'these keys may not trade' }] })).toEqual([
      'fails venue of main: these keys may not trade',
    ])
  })

  it('shows no control character of a name from outside', () => {
    const name = 'x\u001b[31m\u202e'
    const all = judge({
      ...WELL,
      accounts: [{ ...main, name }],
      hooks: [{ name, account: name }],
      defaultAccount: name,
    })
    expect(JSON.stringify(all)).not.toMatch(/\\u001b|\u202e/)
  })
})
