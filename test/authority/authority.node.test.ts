// What was let in ends by every stop, said by whichever process, also where the stop is over before anybody looks.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openStores } from '../../src/app/open-stores.ts'
import { type Admission, type Asker, createAuthority } from '../../src/authority/authority.ts'

const ORIGIN = 'http://127.0.0.1:53220'
const CLIENT = 'tab-1-of-this-browser'

async function stage() {
  const directory = tempDirectory()
  const [here, elsewhere] = [openStores(directory), openStores(directory)]
  const hook = await here.hooks.create({ name: 'dip', command: 'echo dip' })
  await here.trustedClients.add({ clientId: CLIENT, label: 'tab', origin: ORIGIN })
  const authority = createAuthority(here)
  const askers = {
    repl: { source: 'repl', runId: 'aaaaaaaa-1', account: 'paper' },
    exec: { source: 'exec', runId: 'bbbbbbbb-1', account: 'swing' },
    hook: { source: 'hook', runId: 'cccccccc-1', hook, account: 'swing' },
    web: { source: 'web', runId: 'dddddddd-1', clientId: CLIENT, pageOrigin: ORIGIN },
  } as const satisfies Readonly<Record<string, Asker>>
  return { directory, here, elsewhere, hook, authority, askers }
}

type Stage = Awaited<ReturnType<typeof stage>>
type Name = keyof Stage['askers']

interface Stop {
  readonly ends: readonly Name[]
  readonly why: string
  say(stage: Stage): Promise<unknown>
  /** Lets things go on, as a person would. */
  lift?(stage: Stage): Promise<unknown>
}

const ALL: readonly Name[] = ['repl', 'exec', 'hook', 'web']
const REMOTE: readonly Name[] = ['hook', 'web']

const STOPS: Readonly<Record<string, Stop>> = {
  panic: {
    ends: ALL,
    why: 'stopped: panic',
    say: ({ elsewhere }) => elsewhere.panic.begin('the terminal'),
    lift: ({ elsewhere }) => elsewhere.panic.end(),
  },
  'runs stop --all': {
    ends: ALL,
    why: 'stopped: runs stop',
    say: ({ elsewhere }) => elsewhere.stops.issueStop('runs'),
  },
  'runs stop of one run': {
    ends: ['exec'],
    why: 'stopped: runs stop',
    say: ({ elsewhere }) => elsewhere.stops.issueStop('run:bbbbbbbb'),
  },
  'runs stop of a hook': {
    ends: ['hook'],
    why: 'stopped: runs stop',
    say: ({ elsewhere, hook }) => elsewhere.stops.issueStop(`runs:${hook.id}`),
  },
  'switch off remoteExec': {
    ends: REMOTE,
    why: 'stopped: remoteExec',
    say: ({ elsewhere }) => elsewhere.config.turn('remoteExec', false),
    lift: ({ elsewhere }) => elsewhere.config.turn('remoteExec', true),
  },
  'switch off enabled': {
    ends: REMOTE,
    why: 'stopped: listener.enabled',
    say: ({ elsewhere }) => elsewhere.config.turn('enabled', false),
    lift: ({ elsewhere }) => elsewhere.config.turn('enabled', true),
  },
  'hook pause': {
    ends: ['hook'],
    why: 'stopped: the hook was paused',
    say: ({ elsewhere, hook }) => elsewhere.stops.issueStop(`hook:${hook.id}`),
  },
  'hook rotate': {
    ends: ['hook'],
    why: 'stopped: the hook has a new token',
    say: ({ elsewhere }) => elsewhere.hooks.rotate('dip'),
  },
  'hook revoke': {
    ends: ['hook'],
    why: 'stopped: the hook was revoked',
    say: ({ elsewhere }) => elsewhere.hooks.revoke('dip'),
    lift: ({ elsewhere }) => elsewhere.hooks.create({ name: 'dip', command: 'echo dip' }),
  },
  'clients revoke': {
    ends: ['web'],
    why: 'stopped: the client was revoked',
    say: ({ elsewhere }) => elsewhere.trustedClients.revoke(CLIENT),
    lift: ({ elsewhere }) => elsewhere.trustedClients.add({ clientId: CLIENT, label: 'tab', origin: ORIGIN }),
  },
  'clients grant': {
    ends: ['web'],
    why: 'stopped: the grant of the client was changed',
    say: ({ elsewhere }) =>
      elsewhere.trustedClients.grant(CLIENT, { may: 'trade', grantedAt: 0, until: Date.now() + 60_000 }, false),
  },
  'account remove': {
    ends: ['exec', 'hook'],
    why: 'stopped: its account was removed',
    say: ({ elsewhere }) => elsewhere.stops.issueStop('account:swing'),
    lift: ({ elsewhere }) => elsewhere.accounts.add({ name: 'swing', exchange: 'paper' }),
  },
  'clients revoke --all': {
    ends: ['web'],
    why: 'stopped: the client was revoked',
    say: ({ elsewhere }) => elsewhere.trustedClients.revokeAll(),
    lift: ({ elsewhere }) => elsewhere.trustedClients.add({ clientId: CLIENT, label: 'tab', origin: ORIGIN }),
  },
  'an origin that is off the list': {
    ends: ['web'],
    why: 'stopped: the origin of the page is no longer allowed',
    say: async ({ directory }) =>
      writeFileSync(join(directory, 'config.json'), '{"listener":{"allowedOrigins":["https://other.example"]}}'),
  },
  'a config.json that cannot be read': {
    ends: REMOTE,
    why: 'stopped: listener.enabled is off',
    say: async ({ directory }) => writeFileSync(join(directory, 'config.json'), '{'),
  },
  'a stops.json that cannot be read': {
    ends: REMOTE,
    why: 'stopped: stops.json cannot be read',
    say: async ({ directory }) => writeFileSync(join(directory, 'stops.json'), '{'),
  },
}

const reasonsOf = ({ authority, askers }: Stage, admissions: Readonly<Record<Name, Admission>>) =>
  Object.fromEntries((Object.keys(askers) as Name[]).map((name) => [name, authority.whyEnded(admissions[name])]))

function admitAll({ authority, askers }: Stage): Record<Name, Admission> {
  const entries = (Object.keys(askers) as Name[]).map((name) => [name, authority.admit(askers[name])])
  return Object.fromEntries(entries) as Record<Name, Admission>
}

describe.each(Object.entries(STOPS))('%s', (_, { ends, why, say, lift }) => {
  const wanted = Object.fromEntries(
    ALL.map((name) => [name, ends.includes(name) ? expect.stringContaining(why) : undefined]),
  )

  it('ends what was let in before, and nothing else', async () => {
    const on = await stage()
    const admissions = admitAll(on)
    await say(on)
    expect(reasonsOf(on, admissions)).toEqual(wanted)
  })

  it('ends it in a process that looks only after it was lifted', async () => {
    const on = await stage()
    const admissions = admitAll(on)
    await say(on)
    if (lift === undefined) return
    await lift(on)
    const after = reasonsOf(on, admissions)
    for (const name of ALL) expect([name, after[name] !== undefined]).toEqual([name, ends.includes(name)])
  })

  it('lets in what comes after it was lifted', async () => {
    const on = await stage()
    await say(on)
    if (lift === undefined) return
    await lift(on)
    const revoked = on.here.hooks.findOncePerTurn(on.hook.id) === undefined
    const reasons = reasonsOf(on, admitAll(on))
    expect(revoked ? { ...reasons, hook: undefined } : reasons).toEqual({})
  })

  it('ends what a journal has kept, after a restart', async () => {
    const on = await stage()
    const kept = on.authority.sealed(on.authority.admit(on.askers[ends[0] ?? 'repl']))
    expect(kept).not.toContain(on.hook.secret)
    await say(on)
    const later = createAuthority(openStores(on.directory))
    expect(later.whySealedEnded(kept)).toContain(why)
  })
})

describe('a panic', () => {
  it('lets the terminal type what it looks at one by one, and nothing else in', async () => {
    const on = await stage()
    await on.elsewhere.panic.begin('the terminal')
    expect(reasonsOf(on, admitAll(on))).toEqual({ hook: 'stopped: panic', web: 'stopped: panic' })
  })

  it('lets the run go on that said it, until the next one', async () => {
    const on = await stage()
    const said = on.authority.admit(on.askers.hook)
    await on.here.panic.begin('hook dip')
    on.authority.spare(said)
    expect(on.authority.whyEnded(said)).toBeUndefined()
    await on.elsewhere.panic.end()
    expect(on.authority.whyEnded(said)).toBeUndefined()
    await on.elsewhere.panic.begin('the terminal')
    await on.elsewhere.panic.end()
    expect(on.authority.whyEnded(said)).toBe('stopped: panic')
  })

  it('that cannot be read ends all but what the terminal typed since', async () => {
    const on = await stage()
    const before = admitAll(on)
    writeFileSync(join(on.directory, 'panic.json'), '{')
    expect(Object.values(reasonsOf(on, before))).toEqual(ALL.map(() => 'stopped: panic'))
    expect(on.authority.whyEnded(on.authority.admit(on.askers.repl))).toBeUndefined()
  })

  it('whose file is deleted acts as resume, and ends nothing that came later', async () => {
    const on = await stage()
    await on.elsewhere.panic.begin('the terminal')
    await on.elsewhere.panic.end()
    const after = admitAll(on)
    rmSync(join(on.directory, 'panic.json'))
    expect(reasonsOf(on, after)).toEqual({})
  })
})

describe('a stop', () => {
  it('that cannot be written holds here, and is written as soon as it can be', async () => {
    const on = await stage()
    const admissions = admitAll(on)
    const saved = readFileSync(join(on.directory, 'hooks.json'))
    rmSync(on.directory, { recursive: true })
    await expect(on.here.stops.issueStop('runs')).rejects.toMatchObject({ code: 'store-write-failed' })
    expect(on.authority.whyEnded(admissions.exec)).toBe('stopped: runs stop')
    const { mkdirSync } = await import('node:fs')
    mkdirSync(on.directory)
    writeFileSync(join(on.directory, 'hooks.json'), saved)
    await expect.poll(() => on.elsewhere.stops.latest('runs'), { timeout: 5_000 }).toBeTypeOf('number')
  })
})

describe('a switch that is edited within a turn of the event loop', () => {
  it('keeps an order back by the file as it is now, though the turn began with another', async () => {
    const { directory, authority, askers } = await stage()
    await new Promise((resolve) => setImmediate(resolve))
    const admission = authority.admit(askers.hook)
    expect(authority.whyEndedInTurn(admission)).toBeUndefined()
    // No turn ends from here on: an editor writes between two instructions of ours.
    for (let edit = 0; edit < 200; edit += 1) {
      const remoteExec = edit % 2 === 1
      writeFileSync(join(directory, 'config.json'), JSON.stringify({ listener: { remoteExec }, edit }))
      const why = authority.whyEnded(admission)
      expect(why, `edit ${edit}`).toBe(remoteExec ? undefined : 'stopped: remoteExec is off')
    }
  })
})
