import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { key } from '../../harness/wire/frame-samples.ts'
import type { Clients, PendingClient } from '../../src/commands/kit/ports.ts'
import { openListenerKey } from '../../src/stores/identity.ts'
import { StoreError } from '../../src/stores/store-error.ts'

const TAB = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const OTHER = '3f9c2a71-0000-4b7a-9c1f-2e8d6a4b0c93'
const ORIGIN = 'http://127.0.0.1:53220'
const TWIN = 'http://localhost:53220'

const waiting = (clientId: string, fields: Partial<PendingClient> = {}): PendingClient => ({
  clientId,
  label: 'Console',
  origin: ORIGIN,
  ...fields,
})

/** The listener's side, with clients that wait; keeps what was decided. */
function listenerWith(pending: readonly PendingClient[], connected: Readonly<Record<string, number>> = {}) {
  const decided: string[] = []
  const clients: Clients = {
    connected: () => new Map(Object.entries(connected)),
    pending: () => pending,
    async decide(clientId, decision, may) {
      decided.push(`${decision} ${clientId}${may === undefined ? '' : ` ${may}`}`)
      return true
    },
  }
  return { clients, decided }
}

const stored = (session: CommandSession) =>
  JSON.parse(readFileSync(join(session.directory, 'trusted-clients.json'), 'utf8')).clients

describe('clients trust', () => {
  it('writes the row, by default on the first allowed origin', async () => {
    const session = await createSession()
    expect(await session.run(`clients trust ${TAB}`)).toEqual([`success trusted client ${TAB} on ${ORIGIN}`])
    expect(stored(session)).toEqual([{ clientId: TAB, label: '', origin: ORIGIN, approvedAt: session.market.now() }])
    expect(session.ports.trustedClients.standingOf({ clientId: TAB, origin: ORIGIN })).toBe('trusted')
  })

  it('takes the key that the client must prove to have, and no other text', async () => {
    const session = await createSession()
    await session.run(`clients trust ${TAB} --key ${key}`)
    expect(stored(session)).toMatchObject([{ clientId: TAB, key }])
    const trust = session.ports.trustedClients
    expect(trust.standingOf({ clientId: TAB, origin: ORIGIN, key })).toBe('trusted')
    expect(trust.standingOf({ clientId: TAB, origin: ORIGIN })).toBe('keyed')
    expect(await session.run(`clients trust ${OTHER} --key ${key.slice(1)}`)).toEqual([
      expect.stringMatching(/^error invalid-value: a client's key is a P-256 public key/),
    ])
  })

  it('takes the first of listener.allowedOrigins', async () => {
    const session = await createSession()
    writeConfig(session, { listener: { allowedOrigins: ['https://app.test', ORIGIN] } })
    await session.run(`clients trust ${TAB}`)
    expect(session.ports.trustedClients.standingOf({ clientId: TAB, origin: 'https://app.test' })).toBe('trusted')
  })

  it.each([
    `clients trust ${TAB} --origin ${TWIN} --label "my tab"`,
    `clients trust --label "my tab" --origin=${TWIN} ${TAB}`,
    `client trust ${TAB} --label="my tab" --origin "HTTP://LocalHost:53220"`,
  ])('takes an origin and a label: %s', async (line) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([`success trusted client ${TAB} (my tab) on ${TWIN}`])
    expect(stored(session)).toMatchObject([{ clientId: TAB, label: 'my tab', origin: TWIN }])
  })

  it('warns of an origin that could not connect', async () => {
    const session = await createSession()
    expect(await session.run(`clients trust ${TAB} --origin https://app.test`)).toEqual([
      `success trusted client ${TAB} on https://app.test`,
      'warn https://app.test is not among the allowed origins: add it to listener.allowedOrigins in config.json',
    ])
  })

  it.each([
    ['clients trust', /^error missing-argument: the client's id is missing \| `help [a-z ]+` shows its arguments$/],
    [`clients trust ${TAB} ${OTHER}`, /^error unexpected-argument: /],
    [
      `clients trust ${TAB} --origin`,
      /^error missing-argument: the origin is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    [
      `clients trust ${TAB} --origin=`,
      /^error missing-argument: the origin is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    [
      `clients trust ${TAB} --label`,
      /^error missing-argument: the label is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    [
      `clients trust ${TAB} --origin app.test`,
      /^error bad-origin: app\.test is not an origin \| write scheme, host and port/,
    ],
    [`clients trust ${TAB} --origin ${ORIGIN}/`, /^error bad-origin: /],
    [`clients trust ${TAB} --origin null`, /^error bad-origin: /],
    [`clients trust ${TAB} --label ${'x'.repeat(201)}`, /^error too-long: a label has at most 200 characters$/],
    [`clients trust ${'x'.repeat(65)}`, /^error invalid-value: a clientId has 1 to 64 characters$/],
  ])('refuses `%s`', async (line, says) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
    expect(session.ports.trustedClients.list()).toEqual([])
    expect(await session.run('clients revoke --all')).toEqual(['info no client to revoke'])
  })

  it.each([
    [[], /^error no-origin: listener\.allowedOrigins in config\.json allows no origin \| fix it, or give --origin/],
    [[ORIGIN, '*'], /^error no-origin: .* allows no origin \(\* is not an origin\)/],
  ])('has no default where the list is %j', async (allowedOrigins, says) => {
    const session = await createSession()
    writeConfig(session, { listener: { allowedOrigins } })
    expect(await session.run(`clients trust ${TAB}`)).toEqual([expect.stringMatching(says)])
  })
})

describe('clients list', () => {
  it.each(['clients', 'clients list', 'client'])('`%s` tells who is trusted and who is connected', async (line) => {
    const { clients } = listenerWith([], { [TAB]: 2 })
    const session = await createSession({ clients })
    await session.run(`clients trust ${TAB} --label Console; clients trust ${OTHER} --key ${key}`)
    expect(await session.run(line)).toEqual([
      'print client id                             label    origin                  proof                approved (UTC)       connected',
      `print ${TAB}  Console  ${ORIGIN}  cannot prove itself  2026-01-01 00:00:00  2`,
      `print ${OTHER}           ${ORIGIN}  …kkkkkkkkkkkA        2026-01-01 00:00:00`,
    ])
  })

  it('tells the key by which hookline proves itself, as pages show it', async () => {
    const session = await createSession()
    const { publicKey } = await openListenerKey(session.directory).load()
    expect(await session.run('clients')).toContain(
      `info this hookline proves itself to them with the key …${publicKey.slice(-12)}`,
    )
  })

  it('tells nothing of connections in a process without a listener', async () => {
    const session = await createSession()
    await session.run(`clients trust ${TAB}`)
    expect(await session.run('clients', { source: 'exec' })).toEqual([
      expect.stringMatching(/approved \(UTC\)$/),
      expect.stringContaining(TAB),
    ])
  })

  it('tells who waits', async () => {
    const { clients } = listenerWith([waiting(TAB), { ...waiting(OTHER, { label: '', origin: TWIN }), key }])
    const session = await createSession({ clients })
    expect(await session.run('clients')).toEqual([
      expect.stringMatching(/^info no clients yet/),
      'warn awaiting approval, `approve <id>` or `deny <id>`:',
      'print client id                             label    origin                  proof',
      `print ${TAB}  Console  ${ORIGIN}  cannot prove itself`,
      `print ${OTHER}           ${TWIN}  …kkkkkkkkkkkA`,
    ])
  })

  it('shows no control or bidi characters, and cuts what is long', async () => {
    const label = `\u001b[2Jevil\u202e${'x'.repeat(300)}`
    const { clients } = listenerWith([waiting(TAB, { label, origin: `http://${'o'.repeat(300)}` })])
    const session = await createSession({ clients })
    writeFileSync(
      join(session.directory, 'trusted-clients.json'),
      JSON.stringify({ clients: [{ clientId: '\u001b[31mid', label, origin: '\u0007', approvedAt: 1 }] }),
    )
    const lines = await session.run('clients')
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(line.length).toBeLessThan(200)
    }
  })
})

describe('clients revoke', () => {
  it('takes the trust in a client back on every origin', async () => {
    const session = await createSession()
    await session.run(`clients trust ${TAB}; clients trust ${TAB} --origin ${TWIN} --key ${key}`)
    expect(await session.run(`clients revoke ${TAB.slice(0, 10)}`)).toEqual([
      `success revoked client ${TAB} on ${ORIGIN} and ${TWIN}; its open sessions are cut`,
    ])
    expect(session.ports.trustedClients.list()).toEqual([])
  })

  it('revokes by id or prefix, and all', async () => {
    const session = await createSession()
    await session.run(`clients trust ${TAB} --label Console; clients trust ${OTHER}; clients trust tab`)
    expect(await session.run(`clients revoke ${TAB.slice(0, 10)}`)).toEqual([
      `success revoked client ${TAB} (Console) on ${ORIGIN}; its open sessions are cut`,
    ])
    expect(session.ports.trustedClients.standingOf({ clientId: TAB, origin: ORIGIN })).toBe('unknown')
    expect(await session.run('clients revoke --all')).toEqual(['success revoked 2 clients; open sessions are cut'])
    expect(session.ports.trustedClients.list()).toEqual([])
  })

  it.each([
    ['clients revoke', 'missing-argument'],
    ['clients revoke 3f9c2a7', 'prefix-too-short'],
    ['clients revoke 3f9c2a71', 'ambiguous'],
    ['clients revoke 00000000', 'not-found'],
    [`clients revoke ${TAB} ${OTHER}`, 'unexpected-argument'],
  ])('refuses `%s`: %s', async (line, code) => {
    const session = await createSession()
    await session.run(`clients trust ${TAB}; clients trust ${OTHER}`)
    expect(await session.run(line)).toEqual([expect.stringMatching(new RegExp(`^error ${code}: `))])
    expect(session.ports.trustedClients.list()).toHaveLength(2)
  })
})

describe.each([
  ['approve', 'approved'],
  ['deny', 'denied'],
])('%s', (name, decision) => {
  it.each([
    ['the whole id', TAB, [waiting(TAB), waiting(OTHER)]],
    ['a prefix of eight or more', '3f9c2a71-5', [waiting(TAB), waiting(OTHER)]],
    ['a shorter one of the only one waiting', '3f9', [waiting(TAB)]],
  ])('takes %s', async (_what, prefix, pending) => {
    const { clients, decided } = listenerWith(pending)
    const session = await createSession({ clients })
    expect(await session.run(`${name} ${prefix}`)).toEqual([`success ${decision} client ${TAB} (Console) on ${ORIGIN}`])
    expect(decided).toEqual([`${decision} ${TAB}`])
  })

  it.each<[string, string, PendingClient[], RegExp]>([
    [
      'no id',
      '',
      [waiting(TAB)],
      /^error missing-argument: the client's id is missing \| `help [a-z ]+` shows its arguments$/,
    ],
    ['an empty id', ' ""', [waiting(TAB)], /^error prefix-too-short: /],
    ['a short prefix of several', ' 3f9', [waiting(TAB), waiting(OTHER)], /^error prefix-too-short: /],
    ['a prefix that fits several', ' 3f9c2a71', [waiting(TAB), waiting(OTHER)], /^error ambiguous: /],
    ['a prefix of none', ' 00000000', [waiting(TAB)], /^error not-found: /],
    ['an id while nobody waits', ` ${TAB}`, [], /^error not-waiting: no client is awaiting approval/],
    ['two ids', ` ${TAB} ${OTHER}`, [waiting(TAB)], /^error unexpected-argument: /],
    [
      'an id under which two wait from different origins',
      ` ${TAB}`,
      [waiting(TAB), waiting(TAB, { origin: TWIN })],
      /^error ambiguous: 2 clients wait under this id, from different origins or with different keys \| answer the question itself/,
    ],
  ])('refuses %s', async (_what, rest, pending, says) => {
    const { clients, decided } = listenerWith(pending)
    const session = await createSession({ clients })
    expect(await session.run(`${name}${rest}`)).toEqual([expect.stringMatching(says)])
    expect(decided).toEqual([])
  })

  it('says when the client has left meanwhile', async () => {
    const { clients } = listenerWith([waiting(TAB)])
    const session = await createSession({ clients: { ...clients, decide: async () => false } })
    expect(await session.run(`${name} ${TAB}`)).toEqual([
      `error not-waiting: client ${TAB} (Console) on ${ORIGIN} is no longer waiting | \`clients\` lists who is waiting`,
    ])
  })

  it('fails when the word could not be kept', async () => {
    const { clients } = listenerWith([waiting(TAB)])
    const decide = () => Promise.reject(new StoreError('store-write-failed', 'the disk is full'))
    const session = await createSession({ clients: { ...clients, decide } })
    expect(await session.run(`${name} ${TAB}`)).toEqual(['error store-write-failed: the disk is full'])
  })

  it('tells a process without a listener what to do instead', async () => {
    const session = await createSession()
    expect(await session.run(`${name} ${TAB}`, { source: 'exec' })).toEqual([
      expect.stringMatching(/^error no-listener: .* \| `clients trust <clientId>` approves one before it asks$/),
    ])
  })
})

it.each(['hook', 'web'] as const)('nobody decides about clients, or sees them, from %s', async (source) => {
  const { clients, decided } = listenerWith([waiting(TAB)])
  const session = await createSession({ clients })
  await session.run(`clients trust ${OTHER}`)
  for (const line of ['clients', `clients revoke ${OTHER}`, `clients trust ${TAB}`, `approve ${TAB}`, `deny ${TAB}`]) {
    expect(await session.run(line, { source })).toEqual([expect.stringMatching(/^error not-allowed-here: /)])
  }
  expect(decided).toEqual([])
  expect(session.ports.trustedClients.list().map(({ clientId }) => clientId)).toEqual([OTHER])
})

function writeConfig(session: CommandSession, content: unknown): void {
  writeFileSync(join(session.directory, 'config.json'), JSON.stringify(content))
}

describe('`approve` of a client that asks for a grant', () => {
  const asks = { may: 'propose', perDay: '50' } as const

  it.each([
    [`approve ${TAB}`, `approved ${TAB}`, 'look'],
    [`approve ${TAB} propose`, `approved ${TAB} propose`, 'propose'],
  ])('`%s`', async (line, decision, level) => {
    const { clients, decided } = listenerWith([waiting(TAB, { asks })])
    const session = await createSession({ clients })
    expect((await session.run('clients')).join('\n')).toMatch(/asks for[\s\S]*propose: \$50\.00 a day \(UTC\), for 7d/)
    expect((await session.run(line)).join('\n')).toMatch(new RegExp(`: it may ${level}$`))
    expect(decided).toEqual([decision])
  })

  it('takes no other word', async () => {
    const { clients, decided } = listenerWith([waiting(TAB, { asks })])
    const session = await createSession({ clients })
    expect(await session.run(`approve ${TAB} all`)).toEqual([expect.stringMatching(/^error unexpected-argument/)])
    expect(await session.run(`deny ${TAB} look`)).toEqual([expect.stringMatching(/^error unexpected-argument/)])
    expect(decided).toEqual([])
  })
})
