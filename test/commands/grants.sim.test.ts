// Grants of clients (behaviour 145): what a client may type, and how a person at the terminal says so.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { commands } from '../../src/commands/catalogue.ts'
import type { AnyForm } from '../../src/commands/kit/command.ts'
import { effectOf, isForPages, requireGranted } from '../../src/commands/kit/effects.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'
import { GRANT_MS } from '../../src/protocol/rows.ts'
import type { Grant } from '../../src/stores/client-grants.ts'

const AGENT = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const BY_AGENT = { source: 'web', clientId: AGENT, pageOrigin: 'http://127.0.0.1:53220' } as const

/** A client with that grant, and a position, an order, a hook, an alias and a variable of the operator's to play with. */
async function stage(grant: string | undefined): Promise<CommandSession> {
  const session = await createSession()
  for (const line of [
    'buy 0.02',
    'buy 0.01 at -5%',
    'hook create dip "buy 0.01"',
    'alias go "buy 0.001"',
    'set @size 0.001',
    'account add other paper',
    `clients trust ${AGENT}`,
    ...(grant === undefined ? [] : [`clients grant ${AGENT} ${grant}`]),
  ])
    await session.run(line)
  return session
}

const held = (session: CommandSession) => session.run('positions; orders')

/** Lines by what they do, on the account in focus. */
const LINES = {
  looks: [
    'price',
    'positions',
    'orders',
    'balance',
    'fills',
    'hook list',
    'status',
    'alias',
    'set',
    'echo hi',
    'buy 0.001 --dry',
  ],
  adds: ['buy 0.001', 'sell 0.05', 'buy 0.001 at -1%', 'stop buy 0.001 at +1%', 'position long 0.03', 'flip'],
  reduces: ['close 50%', 'cancel all', 'nuke --yes', 'stop at -1%', 'take at +5%'],
  stops: ['halt paper', 'panic', 'switch off remoteExec', 'tasks cancel --all', 'runs stop --all', 'hook pause dip'],
  changes: [
    'hook create mine "buy 1"',
    'hook fire dip',
    'hook edit dip "buy 9"',
    'hook rotate dip',
    'hook revoke dip',
    'alias mine "buy 1"',
    'set @mine 1',
    'unset @size',
    'leverage 20',
    'margin isolated',
    'symbol ETHUSDT',
    'alert > 70000',
    'notify hello',
    'note p1 "hm"',
    'chase buy 0.001',
    'twap buy 0.01 into 5 over 5m',
  ],
} as const

const ROUTES: readonly (readonly [string, (line: string) => string])[] = [
  ['alone', (line) => line],
  ['behind a look', (line) => `price; ${line}`],
  ['as a recovery', (line) => `cancel nothing || ${line}`],
  ['as a sequel', (line) => `price && ${line}`],
  ['beside a look', (line) => `price & ${line}`],
  ['repeated', (line) => `repeat 1 (${line})`],
]

it.each(['look', 'propose', 'trade --until 1s'])(
  'a client whose grant is `%s` only looks, of `trade` once it has ended',
  async (grant) => {
    const session = await stage(grant)
    await session.advance(2_000)
    const before = await held(session)
    for (const line of [...LINES.adds, ...LINES.reduces, ...LINES.stops, ...LINES.changes])
      expect(await session.run(line, BY_AGENT), line).toEqual([expect.stringMatching(/^error not-granted: /)])
    expect(await held(session)).toEqual(before)
    for (const line of LINES.looks) expect((await session.run(line, BY_AGENT)).join('\n'), line).not.toMatch(/^error /m)
  },
)

it.each(ROUTES)('a client that may look orders nothing %s', async (_, route) => {
  const session = await stage('look')
  const before = await held(session)
  for (const line of ['buy 0.001', 'go', 'buy @size', 'close', 'hook fire dip'])
    expect((await session.run(route(line), BY_AGENT)).join('\n')).toMatch(/error not-granted: /)
  expect(await held(session)).toEqual(before)
})

describe('a client whose grant is `trade`', () => {
  const trade = 'trade --per-order $100 --per-day $150 --accounts paper --symbols BTCUSDT'

  it.each([...LINES.reduces, ...LINES.stops.filter((line) => !line.startsWith('tasks'))])('runs `%s`', async (line) => {
    const session = await stage(trade)
    expect((await session.run(line, BY_AGENT)).join('\n')).not.toMatch(/^error /m)
  })

  it('changes nothing that outlives its run', async () => {
    const session = await stage(trade)
    for (const line of LINES.changes)
      expect(await session.run(line, BY_AGENT), line).toEqual([expect.stringMatching(/^error not-granted: /)])
  })

  it('orders within its dollars, by whatever route the lines come', async () => {
    const session = await stage(trade)
    const results = await Promise.all(
      ROUTES.flatMap(([, route]) => ['go', 'buy @size', 'buy 0.002'].map((line) => session.run(route(line), BY_AGENT))),
    )
    const text = results.flat().join('\n')
    // 0.001 BTC is $65: of all of them two fit into $150.
    expect(text.match(/^success bought 0\.001 BTCUSDT/gm)).toHaveLength(2)
    expect(text).toMatch(
      /^error guarded: the order is worth \$130\.\d\d, and the grant of the client allows \$100\.00 an order/m,
    )
    expect(text).toMatch(/^error guarded: the orders of the client would be worth \$\d+\.\d\d today/m)
    expect((await session.run('buy 0.01'))[0]).toMatch(/^success bought 0\.01 /)
  })

  it('reaches no other account or symbol', async () => {
    const session = await stage(trade)
    const on = { ...BY_AGENT, account: 'other' }
    for (const line of ['buy 0.001', 'close all', 'cancel all', 'nuke --yes'])
      expect(await session.run(line, on)).toEqual([
        'error not-granted: the grant of this client does not name account other | `clients grant` in the terminal changes what a client may do',
      ])
    for (const line of ['nuke --everywhere --yes', 'halt --flatten --yes', 'tasks cancel --all', 'kill all'])
      expect(await session.run(line, BY_AGENT)).toEqual([
        expect.stringMatching(/^error not-granted: `.*` may reach accounts that the grant/),
      ])
    expect(await session.run('buy 0.01 ETHUSDT', BY_AGENT)).toEqual([
      expect.stringMatching(/^error guarded: the grant of the client does not name ETHUSDT/),
    ])
  })

  it('a narrower grant holds from the next step on', async () => {
    const session = await stage(trade)
    const run = session.start('buy 0.001; sleep 5s; buy 0.001', BY_AGENT)
    await session.settle()
    await session.run(`clients grant ${AGENT} look`)
    await session.advance(6_000)
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(
      /^success bought 0\.001 [\s\S]*error not-granted: the grant of this client is `look`/m,
    )
  })
})

it('a client without a grant has what it had before', async () => {
  const session = await stage(undefined)
  for (const line of ['buy 0.001', 'hook create mine "buy 1"', 'set @mine 1', 'close'])
    expect((await session.run(line, BY_AGENT)).join('\n')).not.toMatch(/^error /m)
})

describe('the table of effects', () => {
  const trade = { may: 'trade', hasEnded: false, grantedAt: 0, until: 1 } as const
  const CHANGES = [
    'leverage',
    'margin',
    'symbol',
    'alert',
    'note',
    'notify',
    'set',
    'unset',
    'alias',
    'hook create',
    'hook fire',
    'hook edit',
    'hook rotate',
    'hook revoke',
  ]

  it('knows every command that a page may type', () => {
    const forms = commands.flatMap((command): (readonly [string, AnyForm])[] =>
      'forms' in command
        ? command.forms.map((form) => [`${command.name} ${form.name}`, form] as const)
        : [[command.name, command] as const],
    )
    const changing = forms.filter(
      ([path, form]) => isForPages(form) && effectOf(path, [{ kind: 'word', text: 'x', column: 1 }]) === 'changes',
    )
    expect(changing.map(([path]) => path).sort()).toEqual([...CHANGES].sort())
  })

  it('refuses what it does not know', () => {
    expect(() => requireGranted(trade, { path: 'new thing', args: [], isDry: false, account: 'paper' })).toThrow(
      /does not allow/,
    )
  })
})

describe('`clients grant`', () => {
  const stored = (session: CommandSession): Grant =>
    JSON.parse(readFileSync(join(session.directory, 'trusted-clients.json'), 'utf8')).clients[0].grant

  it('is written into the row of the client, and shown', async () => {
    const session = await createSession()
    await session.run(`clients trust ${AGENT} --label agent`)
    const now = session.market.now()
    expect(
      await session.run(
        'clients grant 3f9c2a71 trade --per-order $100 --per-day $1,000 --accounts paper --symbols btcusdt,ETHUSDT --proposals 20/h',
      ),
    ).toEqual([
      expect.stringMatching(
        /^success client .* \(agent\) on .* may trade: \$100\.00 an order, \$1,000\.00 a day \(UTC\), accounts paper, symbols BTCUSDT, ETHUSDT, 20 proposals an hour, until /,
      ),
    ])
    expect(stored(session)).toEqual({
      may: 'trade',
      perOrder: '100',
      perDay: '1000',
      accounts: ['paper'],
      symbols: ['BTCUSDT', 'ETHUSDT'],
      proposalsPerHour: 20,
      grantedAt: now,
      until: now + GRANT_MS,
    })
    expect((await session.run('clients')).join('\n')).toMatch(/grant[\s\S]*trade: \$100\.00 an order/)
    expect((await session.run('audit')).join('\n')).toMatch(/client grant/)
  })

  it('keeps the limits that are not named, and `off` takes one away', async () => {
    const session = await createSession()
    for (const line of [
      `clients trust ${AGENT}`,
      `clients grant ${AGENT} trade --per-order $100 --per-day $300`,
      `clients grant ${AGENT} look`,
    ])
      await session.run(line)
    expect(stored(session)).toMatchObject({ may: 'look', perOrder: '100', perDay: '300' })
  })

  it.each([
    ['look', 'propose'],
    ['trade --per-order $100', 'trade --per-order $101'],
    ['trade --per-day $100', 'trade --per-day off'],
    ['trade --accounts paper', 'trade --accounts off'],
    ['trade --until 1h', 'trade --until 2h'],
  ])('from `%s` to `%s` asks a person, and exec is no person', async (before, after) => {
    const answers = [false, true]
    const asked: string[] = []
    const ask = async () => ''
    const terminal = {
      ask,
      askHidden: ask,
      confirm: async (question: string) => {
        asked.push(question)
        return answers.shift() ?? false
      },
    }
    const session = await createSession({ terminal: terminal as unknown as Terminal })
    await session.run(`clients trust ${AGENT}`)
    await session.run(`clients grant ${AGENT} ${before}`)
    expect(asked).toEqual([])
    const kept = stored(session)
    const line = `clients grant ${AGENT} ${after}`
    expect(await session.run(line, { source: 'exec' })).toEqual([expect.stringMatching(/^error needs-person: /)])
    expect(await session.run(line)).toEqual(['error canceled: canceled: the grant stays as it was'])
    expect(stored(session)).toEqual(kept)
    expect(await session.run(line)).toEqual([expect.stringMatching(/^success /)])
    expect(asked).toHaveLength(2)
    expect(asked[0]).toMatch(/^the client then may .*, which is more than now; y or n >$/)
    expect(await session.run(`clients grant ${AGENT} ${before}`, { source: 'exec' })).toEqual([
      expect.stringMatching(/^success /),
    ])
  })

  it.each([
    ['clients grant', /^error missing-argument: the client's id is missing/],
    [`clients grant ${AGENT}`, /^error missing-argument: look, propose or trade is missing/],
    [`clients grant ${AGENT} all`, /^error bad-argument: all is not a grant/],
    [`clients grant ${AGENT} trade --per-order 5%`, /^error bad-argument: 5% is not an amount of dollars/],
    [`clients grant ${AGENT} trade --per-order -5`, /^error bad-argument: -5 is not an amount of dollars/],
    [`clients grant ${AGENT} trade --accounts paper,`, /^error bad-argument: paper, is not a list of names/],
    [`clients grant ${AGENT} trade --accounts nope`, /^error unknown-account: /],
    [`clients grant ${AGENT} trade --proposals 20`, /^error bad-argument: 20 is not a number of proposals/],
    [`clients grant ${AGENT} trade --until 8d`, /^error bad-duration: `8d` is longer than 7d/],
    [`clients grant ${AGENT} trade --perday $5`, /^error unexpected-argument: /],
    ['clients grant 12345678 look', /^error not-found: /],
  ])('refuses `%s`', async (line, says) => {
    const session = await createSession()
    await session.run(`clients trust ${AGENT}`)
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
    expect(stored(session)).toBeUndefined()
  })

  it.each(['hook', 'web'] as const)('is not for runs of a %s', async (source) => {
    const session = await createSession()
    await session.run(`clients trust ${AGENT}`)
    expect(await session.run(`clients grant ${AGENT} look`, { source })).toEqual([
      expect.stringMatching(/^error not-allowed-here: /),
    ])
  })
})

describe('hooks that a client made before it was narrowed', () => {
  it('are listed with the line that pauses each, at a grant and at a revocation, and no others', async () => {
    const session = await stage(undefined)
    for (const line of ['hook create mine "buy 0.01"', 'hook create late "sell 0.01"'])
      await session.run(line, BY_AGENT)
    await session.run('hook revoke late')
    const id = session.ports.hooks.resolve('mine').id.slice(0, 8)
    expect((await session.run(`clients grant ${AGENT} look`)).slice(1)).toEqual([
      'warn the client made 1 hook, which no grant limits:',
      `warn   mine: buy 0.01 (\`hook pause ${id}\`)`,
    ])
    await session.run(`hook pause ${id}`)
    expect((await session.run(`clients revoke ${AGENT}`)).at(-1)).toContain('  mine, paused: buy 0.01')
  })

  it('are not listed for a client that made none', async () => {
    const session = await stage(undefined)
    expect(await session.run(`clients grant ${AGENT} look`)).toHaveLength(1)
  })
})
