import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { defined } from '../../src/base/defined.ts'
import { BEHIND, DUE, ROW_ID, withEngine, withRows } from './cross-trade-stages.ts'

const OTHER_ID = '4a9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

const stored = ({ directory }: CommandSession) =>
  JSON.parse(readFileSync(join(directory, 'cross-trade.json'), 'utf8')).configs

const lastAudited = ({ ports }: CommandSession) => {
  const { what, details } = ports.audit.read().at(-1) ?? {}
  return { what, ...details }
}

const copier = (account: string, fields: object = {}) => ({ account, weight: 1, mode: 'Market' as const, ...fields })

describe('cross-trade add', () => {
  it('writes a row that is off, and says how to turn it on', async () => {
    const session = await createSession()
    await withRows(session)
    const lines = await session.run(
      'cross-trade add --master swing --copier scalp --symbol btcusdt --weight -0.5 --sync',
    )
    const [, row] = stored(session)
    expect(row).toEqual({
      id: expect.any(String),
      enabled: false,
      masterAccount: 'swing',
      masterSymbol: 'BTCUSDT',
      masterWeight: 1,
      copiers: [copier('scalp', { weight: -0.5 })],
      sync: true,
      updatedAt: session.market.now(),
    })
    const short = row.id.slice(0, 8)
    expect(lines).toEqual([
      `success added row ${short} (swing → scalp)`,
      `info it is off: \`cross-trade enable ${short}\` turns it on`,
    ])
    expect(lastAudited(session)).toEqual({
      what: 'cross-trade add',
      rowId: row.id,
      master: 'swing',
      symbol: 'BTCUSDT',
      copiers: 'scalp × -0.5 Market',
      enabled: false,
    })
  })

  it('notes when a row that is on at once was enabled', async () => {
    const session = await createSession()
    await session.run('account add swing paper')
    await session.run('ct add --master paper --copier swing --enabled')
    expect(stored(session)).toMatchObject([{ enabled: true, enabledAt: session.market.now() }])
  })

  it.each<[string, string, RegExp]>([
    ['no master', '--copier swing', /^error missing-argument: `--master <account>` is missing/],
    ['no copier', '--master paper', /^error missing-argument: `--copier <account>` is missing/],
    [
      'an unknown master',
      '--master papr --copier swing',
      /^error unknown-account: no account papr found \| did you mean paper/,
    ],
    ['an unknown copier', '--master paper --copier nobody', /^error unknown-account: no account nobody found/],
    ['a copier of itself', '--master paper --copier paper', /^error row-refused: .*account paper would copy itself/],
    ['weight 0', '--master paper --copier swing --weight 0', /^error bad-argument: `0` is not a weight/],
    ['a weight in words', '--master paper --copier swing --weight half', /^error bad-argument: `half` is not a weight/],
    [
      'masterWeight 0',
      '--master paper --copier swing --master-weight 0.0',
      /^error bad-argument: `0.0` is not a weight/,
    ],
    [
      'an unknown mode',
      '--master paper --copier swing --mode Fast',
      /`Fast` is not a mode \| choose Market, LimitSlippage, Chase/,
    ],
    [
      'slippage of Market',
      '--master paper --copier swing --slippage 1%',
      /`--slippage` belongs to the mode LimitSlippage/,
    ],
    ['slippage 0', '--master paper --copier swing --mode LimitSlippage --slippage 0', /`0` is not a slippage/],
    ['an unknown option', '--master paper --copier swing --wieght 2', /unknown option `--wieght`/],
    ['a circle', '--master swing --copier paper', /paper copies swing, which copies it in turn/],
    [
      'a second master',
      '--master scalp --copier swing',
      /all symbols of swing would be ordered by more than one copier/,
    ],
    ['all symbols onto one', '--master paper --copier scalp --copier-symbol ETHUSDT', /names no symbol of paper/],
  ])('refuses %s, and writes nothing', async (_what, options, refusal) => {
    const session = await createSession()
    await withRows(session)
    expect((await session.run(`cross-trade add ${options}`)).join('\n')).toMatch(refusal)
    expect(stored(session)).toHaveLength(1)
  })
})

describe('cross-trade copier', () => {
  it('refuses more copiers than a row may have', async () => {
    const session = await createSession()
    const copiers = Array.from({ length: 100 }, (_, at) => copier('swing', { symbol: `S${at}USDT` }))
    await withRows(session, { masterSymbol: 'BTCUSDT', copiers })
    expect(await session.run('cross-trade copier add 3f9c2a71 scalp')).toEqual([
      'error too-many: row 3f9c2a71 has 100 copiers already | add another row with the same master',
    ])
  })

  it('removes the one on a symbol, and never the last', async () => {
    const session = await createSession()
    await withRows(session, { copiers: [copier('swing', { symbol: 'ETHUSDT' }), copier('swing'), copier('scalp')] })
    await session.run('cross-trade copier remove 3f9c2a71 swing --symbol ethusdt')
    expect(stored(session)[0].copiers).toEqual([copier('swing'), copier('scalp')])
    await session.run('cross-trade copier remove 3f9c2a71 swing')
    expect(await session.run('cross-trade copier remove 3f9c2a71 scalp')).toEqual([
      'error last-copier: scalp is the only copier of row 3f9c2a71 | `cross-trade remove 3f9c2a71` removes the row',
    ])
    expect(await session.run('cross-trade copier remove 3f9c2a71 paper')).toEqual([
      'error unknown-copier: row 3f9c2a71 has no copier paper | `cross-trade show 3f9c2a71` lists them',
    ])
  })

  it('keeps fields that hookline does not know', async () => {
    const session = await createSession()
    await withRows(session, { note: 'mine' } as object)
    await session.run('cross-trade copier add 3f9c2a71 scalp')
    expect(stored(session)).toMatchObject([{ note: 'mine', copiers: [{ account: 'swing' }, { account: 'scalp' }] }])
  })
})

describe('cross-trade enable', () => {
  it('sets a row on, anew', async () => {
    const session = await createSession()
    await withRows(session, { enabled: false })
    await session.advance(5_000)
    await session.run('cross-trade enable 3f9c2a71')
    expect(stored(session)).toMatchObject([{ enabled: true, enabledAt: session.market.now() }])
    expect(lastAudited(session)).toMatchObject({ what: 'cross-trade enable', rowId: ROW_ID })
  })

  it('of one that is on wakes its copiers and keeps when it was enabled', async () => {
    const session = await createSession()
    await withRows(session, { enabledAt: 5 } as object)
    const [first] = await session.run('cross-trade enable 3f9c2a71')
    expect(first).toBe('success row 3f9c2a71 (paper → swing) is on already; its paused copiers continue')
    expect(stored(session)).toMatchObject([{ enabledAt: 5, wokenAt: session.market.now() }])
  })

  it('refuses a row that could not be traded beside the others', async () => {
    const session = await createSession()
    await withRows(session, {}, { id: OTHER_ID, enabled: false, masterAccount: 'scalp' })
    expect((await session.run(`cross-trade enable ${OTHER_ID}`)).join()).toMatch(
      /^error row-refused: row 4a9c2a71 cannot/,
    )
  })
})

describe('a hook or a page', () => {
  it.each(['hook', 'web'] as const)('%s looks and turns off, and does no more', async (source) => {
    const session = await createSession()
    await withRows(session)
    for (const line of ['cross-trade', 'cross-trade show 3f9c2a71', 'cross-trade status', 'cross-trade stop']) {
      expect((await session.run(line, { source })).join(), line).not.toMatch(/^error/m)
    }
    for (const form of [
      'add --master paper --copier scalp',
      'enable 3f9c2a71',
      'remove 3f9c2a71',
      'resync 3f9c2a71',
      'start',
    ]) {
      expect((await session.run(`cross-trade ${form}`, { source })).join(), form).toMatch(/^error not-allowed-here/)
    }
    await session.run('cross-trade disable 3f9c2a71', { source })
    expect(stored(session)).toMatchObject([{ enabled: false }])
  })
})

describe('cross-trade stop', () => {
  it('names the chases of copiers that have not ended, and fails', async () => {
    const session = await createSession()
    const chase = (id: string, runId: string) => ({ id, kind: 'chase', account: 'swing', symbol: 'BTCUSDT', runId })
    const tasks = [
      chase('aaaaaaa1-0000', `${OTHER_ID}/swing/BTCUSDT#3`),
      chase('aaaaaaa2-0000', '8d3c1a52-0d8b-4a38-9b31-0f0c6a5c2b11'),
    ]
    Object.assign(session.ports, { tasks: { underWay: async () => ({ tasks }) } })
    expect(await session.run('cross-trade stop')).toEqual([
      'info no engine runs',
      'warn chase aaaaaaa1 of a copier on BTCUSDT of account swing has not ended',
      'error not-stopped: 1 chase of its copiers has not ended | `tasks cancel <id>` ends one',
    ])
  })
})

describe('cross-trade remove', () => {
  it('leaves a tombstone', async () => {
    const session = await createSession()
    await withRows(session)
    await session.run('cross-trade remove 3f9c2a71')
    expect(stored(session)).toMatchObject([
      { id: ROW_ID, enabled: false, copiers: [], deletedAt: session.market.now() },
    ])
  })

  it.each(['3f9c2a7', 'paper'])('finds no row by %s', async (prefix) => {
    const session = await createSession()
    await withRows(session)
    expect((await session.run(`cross-trade remove ${prefix}`)).join()).toMatch(/^error prefix-too-short/)
  })
})

describe('what lists show', () => {
  it('says which rows that are on cannot be traded, and which pages lead', async () => {
    const session = await createSession()
    await withRows(session, {}, { id: OTHER_ID, masterAccount: 'scalp' })
    await session.ports.leadingPages.write(['My\u001b[31m tab', ''])
    const text = (await session.run('cross-trade')).join('\n')
    expect(text).toContain('refused')
    expect(text).toContain('row 4a9c2a71 (scalp → swing) is enabled and not traded: all symbols of swing would be')
    expect(text).toContain('a page claims to lead cross-trading: My [31m tab, a page without a label')
    expect(text).toContain('no engine runs, so nothing is copied')
  })
})

describe('an engine', () => {
  it('that is there and silent is told from one that is not there', async () => {
    const session = await createSession()
    await withRows(session)
    await withEngine(session)
    await session.advance(20_000)
    expect(await session.run('cross-trade status')).toEqual([
      'print the engine in this process is silent, so nothing is copied: its accounts do not answer, or it hangs',
    ])
    expect((await session.run('cross-trade')).at(-1)).toBe(
      'warn the engine in this process is silent, so nothing is copied: its accounts do not answer, or it hangs',
    )
  })
})

describe('cross-trade resync', () => {
  const answering = (isYes: boolean) => ({
    askHidden: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
    confirm: async () => isYes,
  })

  it('shows what is due, asks, and sends on a yes', async () => {
    const session = await createSession({ terminal: answering(true) })
    await withRows(session)
    const { asked } = await withEngine(session)
    const run = session.start('cross-trade resync 3f9c2a71')
    await run.done
    expect(asked.map(({ op, flatten, source }) => ({ op, flatten, source }))).toEqual([
      { op: 'plan', flatten: false, source: 'repl' },
      { op: 'plan', flatten: false, source: 'repl' },
      { op: 'resync', flatten: false, source: 'repl' },
    ])
    const { configId, ...order } = DUE
    expect(run.data).toEqual([
      { type: 'cross-trade-plan', id: ROW_ID, orders: [order], sent: false, copiers: [] },
      { type: 'cross-trade-plan', id: ROW_ID, orders: [order], sent: true, copiers: [BEHIND] },
    ])
  })

  it('is asked again where the orders change while the question waits', async () => {
    const questions: string[] = []
    const confirm = async (question: string) => questions.push(question) === 1
    const session = await createSession({ terminal: { ...answering(false), confirm } })
    await withRows(session)
    const { asked } = await withEngine(session, (request) => (request === 1 ? [DUE] : [{ ...DUE, amount: '7' }]))
    const lines = await session.run('cross-trade resync 3f9c2a71')
    expect(questions).toHaveLength(2)
    expect(lines).toContain('warn the orders have changed since that question')
    expect(lines.at(-1)).toBe('info canceled: nothing was sent')
    expect(asked.map(({ op }) => op)).toEqual(['plan', 'plan'])
  })

  it('sends nothing on a no, nor in a script without --yes', async () => {
    for (const terminal of [answering(false), undefined]) {
      const session = await createSession(defined({ terminal }))
      await withRows(session)
      const { asked } = await withEngine(session)
      const text = (await session.run('cross-trade resync 3f9c2a71')).join('\n')
      expect(text).toMatch(terminal ? /info canceled: nothing was sent$/ : /error needs-yes: .*--yes` does it$/)
      expect(asked.map(({ op }) => op)).toEqual(['plan'])
    }
  })

  it('closes what a row has built at the prompt only, also of a row that is gone', async () => {
    const session = await createSession({ terminal: answering(true) })
    await withRows(session)
    const { asked } = await withEngine(session)
    await session.run('cross-trade remove 3f9c2a71')
    for (const [line, source] of [
      ['cross-trade resync 3f9c2a71 --flatten', 'exec'],
      ['cross-trade resync 3f9c2a71 --flatten --yes', 'repl'],
    ] as const) {
      expect((await session.run(line, { source })).join()).toMatch(/^error not-allowed-here: `--flatten` closes/)
    }
    expect(asked).toEqual([])
    await session.run('cross-trade resync 3f9c2a71 --flatten')
    expect(asked.map(({ op, flatten }) => [op, flatten])).toEqual([
      ['plan', true],
      ['plan', true],
      ['resync', true],
    ])
  })

  it('tells what the engine refuses, and that none runs', async () => {
    const session = await createSession()
    await withRows(session)
    expect((await session.run('cross-trade resync 3f9c2a71 --yes')).join()).toMatch(
      /^error not-running: no engine runs/,
    )
    await withEngine(session, [], { code: 'row-off', message: 'the row is off' })
    expect(await session.run('cross-trade resync 3f9c2a71 --yes')).toEqual(['error row-off: the row is off'])
  })
})

describe('cross-trade start', () => {
  it('is refused where the process ends with its line', async () => {
    const session = await createSession()
    expect((await session.run('cross-trade start', { source: 'exec' })).join()).toMatch(
      /^error not-here: .*hookline cross-trade run/,
    )
  })
})

describe('what a page wrote and nobody has approved', () => {
  const HEAVY = { copiers: [copier('swing', { weight: 5 }), copier('scalp')], updatedAt: 10_000_000_000_000 }

  async function withWaiting() {
    const session = await createSession()
    await withRows(session)
    const [row] = session.ports.crossTrade.list()
    if (row === undefined) throw new Error('there is no row')
    await session.ports.crossTrade.merge({ ...row, ...HEAVY })
    return session
  }

  it.each(['cross-trade', `cross-trade show ${ROW_ID}`, 'cross-trade status'])(
    'is named by `%s`, with the line to type',
    async (line) => {
      const session = await withWaiting()
      expect(await session.run(line)).toContain(
        'warn row 3f9c2a71 (paper → swing, scalp) waits for a yes at the terminal (swing × 5 Market; scalp × 1 Market): `cross-trade enable 3f9c2a71`',
      )
    },
  )

  it('is approved by `cross-trade enable`, which says what it said yes to, and keeps the baseline', async () => {
    const session = await withWaiting()
    const enabledAt = stored(session)[0].enabledAt
    expect((await session.run('cross-trade enable 3f9c2a71'))[0]).toBe(
      'success enabled row 3f9c2a71 (paper → swing, scalp) with all that waited: swing × 5 Market; scalp × 1 Market',
    )
    expect(stored(session)[0].enabledAt).toBe(enabledAt)
    expect(session.ports.crossTrade.approved()).toEqual(session.ports.crossTrade.list())
    expect((await session.run('cross-trade')).join()).not.toContain('waits')
  })

  it('is not approved along with a copier that is added or removed', async () => {
    const session = await withWaiting()
    await session.run('cross-trade copier remove 3f9c2a71 scalp')
    await session.run('account add more paper; cross-trade copier add 3f9c2a71 more')
    expect(session.ports.crossTrade.approved()).toMatchObject([{ copiers: [{ account: 'swing', weight: 0.5 }] }])
  })

  it('is not what a copier at the terminal waits for: where nothing else waits, it copies at once', async () => {
    const session = await createSession()
    await withRows(session)
    await session.run('cross-trade copier add 3f9c2a71 scalp --weight 2')
    expect(session.ports.crossTrade.approved()).toMatchObject([
      { copiers: [{ account: 'swing' }, { account: 'scalp', weight: 2 }] },
    ])
  })
})
