import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { place } from '../../harness/venues/place.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { Exact } from '../../src/trading/history/realize.ts'

/** Two round trips of a hook and one of the operator, hours apart, on two symbols. */
async function traded(): Promise<CommandSession> {
  const session = await createSession()
  const goes = async (symbol: string, price: string) => {
    session.market.setPrice(symbol, price)
    await session.advance(3_600_000)
  }
  await session.run('buy 0.02 BTCUSDT')
  await goes('BTCUSDT', '66000')
  await session.run('sell 0.01 BTCUSDT', { source: 'hook' })
  await goes('BTCUSDT', '64000')
  await session.run('close BTCUSDT', { source: 'hook' })
  await session.advance(1000)
  await session.run('sell 1 ETHUSDT', { source: 'web' })
  await goes('ETHUSDT', '2900')
  await session.run('buy 3 ETHUSDT', { source: 'web' })
  return session
}

interface Figures {
  readonly pnl: { readonly total: { readonly fills: number; readonly sums: readonly Record<string, string>[] } }
}

async function dataOf(session: CommandSession, line: string): Promise<Record<string, unknown>> {
  const run = session.start(line)
  expect(await run.done, run.lines.join('\n')).toBe(true)
  return run.data[0] as unknown as Record<string, unknown>
}

describe('history', () => {
  it('of fills is what the venue has, with who ordered each', async () => {
    const session = await traded()
    const { fills, gaps } = (await dataOf(session, 'fills')) as {
      fills: { symbol: string; side: string; by: string; pnl: string; realizedPnl: string }[]
      gaps: unknown[]
    }
    expect(fills.map(({ symbol, side, by }) => `${by} ${side} ${symbol}`)).toEqual([
      'repl buy BTCUSDT',
      'hook sell BTCUSDT',
      'hook sell BTCUSDT',
      'web sell ETHUSDT',
      'web buy ETHUSDT',
    ])
    expect(gaps).toEqual([])
  })

  it('realizes by average cost what the paper venue says it realized', async () => {
    const session = await traded()
    const { exchange } = session.market
    const told = await Promise.all(
      ['BTCUSDT', 'ETHUSDT'].map((symbol) => exchange.fetchMyTrades({ symbol, limit: 100 })),
    )
    const byVenue = told.flat().reduce((sum, { realizedPnl = '0' }) => sum.plus(realizedPnl), new Exact(0))
    // A venue that does not tell.
    session.useExchange({
      ...exchange,
      fetchMyTrades: async (query) =>
        (await exchange.fetchMyTrades(query)).map(({ realizedPnl: _realizedPnl, ...trade }) => trade),
    })
    for (const line of session.journal.keys()) {
      const lines = session.journal as string[]
      lines[line] = (lines[line] ?? '').replace(/,"realizedPnl":"[^"]*"/, '')
    }
    expect(byVenue.isZero()).toBe(false)
    for (const by of ['day', 'symbol', 'hook', 'account']) {
      const { total } = (await dataOf(session, `pnl --by ${by}`)) as unknown as Figures['pnl'] & { total: never }
      const { sums, fills } = total as Figures['pnl']['total']
      expect(fills, by).toBe(5)
      expect(new Exact(sums[0]?.realized ?? 0).minus(byVenue).abs().lt('1e-9'), by).toBe(true)
    }
  })

  it('of trades is flat to flat, and says what is open', async () => {
    const session = await traded()
    const { trades } = (await dataOf(session, 'trades')) as { trades: unknown[] }
    expect(trades).toMatchObject([
      { symbol: 'BTCUSDT', side: 'long', entered: '0.02', exited: '0.02', fills: 3, by: 'repl' },
      { symbol: 'ETHUSDT', side: 'short', entered: '1', exited: '1', fills: 2, by: 'web' },
      { symbol: 'ETHUSDT', side: 'long', entered: '2', exited: '0', fills: 1, by: 'web' },
    ])
    expect(trades[2]).not.toHaveProperty('closedAt')
  })

  it('of trades has them by the time of their end, those still open last', async () => {
    const session = await createSession()
    await session.run('buy 0.01 BTCUSDT')
    for (const line of ['buy 1 ETHUSDT', 'close ETHUSDT', 'close BTCUSDT', 'buy 0.01 BTCUSDT']) {
      await session.advance(1_000)
      await session.run(line)
    }
    const rows = (await session.run('trades')).join('\n').match(/(BTCUSDT|ETHUSDT) +long/g)
    expect(rows).toEqual(['ETHUSDT  long', 'BTCUSDT  long', 'BTCUSDT  long'])
  })

  it('is of the span and the symbols asked for, and pnl counts what was bought before', async () => {
    const session = await traded()
    expect((await dataOf(session, 'fills --since 119m')).fills).toHaveLength(3)
    expect((await dataOf(session, 'fills --until 90m')).fills).toHaveLength(2)
    expect((await dataOf(session, 'fills eth')).fills).toHaveLength(2)
    expect((await dataOf(session, 'trades --since 30m')).trades).toHaveLength(2)
    const { groups } = (await dataOf(session, 'pnl btc --by symbol --since 50m')) as { groups: unknown[] }
    expect(groups).toEqual([])
    const late = (await dataOf(session, 'pnl btc --by symbol --since 119m')) as { groups: { sums: object[] }[] }
    expect(late.groups[0]?.sums[0]).toMatchObject({ realized: '-10.002' })
  })

  it('shows the newest, and says how many are older', async () => {
    const session = await traded()
    const lines = await session.run('fills --limit 2')
    expect(lines).toHaveLength(4)
    expect(lines.at(-1)).toBe('info 3 older rows are left out: `--limit 5` shows all')
  })

  it('names what other programs have done as theirs', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const order = { symbol: 'BTCUSDT', side: 'sell', type: 'market', amount: '0.01' } as const
    await place(session.market.exchange, order)
    const lines = await session.run('pnl --by hook')
    expect(lines.slice(1).map((line) => line.split(/\s+/)[1])).toEqual(['other', 'terminal', 'total', 'who', 'from:'])
    expect(lines.at(-2)).toMatch(/^info who ordered 1 fill is not known; the order journal begins at 2026-01-01 /)
  })

  it('is of who entered, whoever closed, as in `session`', async () => {
    const session = await createSession()
    await session.run('buy 0.01', { source: 'hook' })
    session.market.setPrice('BTCUSDT', '66000')
    await session.advance(1_000)
    await session.run('buy 0.03')
    session.market.setPrice('BTCUSDT', '67000')
    await session.advance(1_000)
    const sumsOf = async (line: string) => {
      const { groups, byHook } = (await dataOf(session, line)) as Record<
        'groups' | 'byHook',
        { key: string; sums: Record<string, string>[] }[]
      >
      return (groups ?? byHook).map(({ key, sums: [sums] }) => [key, sums?.realized, sums?.fees])
    }
    await session.run('close 50%')
    const half = await sumsOf('pnl --by hook')
    await session.run('close')
    const all = await sumsOf('pnl --by hook')
    expect(half.map(([, realized]) => realized)).toEqual(['19.998', '4.998'])
    expect(all.map(([, realized]) => realized)).toEqual(['19.998', '29.994'])
    expect(all).toEqual(await sumsOf('session'))
    expect((await session.run('pnl --by hook')).at(-1)).toBe(
      'info from: the source that opened the position: first in, first out',
    )
    expect((await session.run('pnl --by day')).join('\n')).not.toContain('from:')
    expect(await session.run('session')).toContain(
      'info from: the source that opened the trade; `pnl --by hook` counts open trades too',
    )
  })

  it('is told by the journal where the venue is silent, and says so', async () => {
    const session = await traded()
    const silent = () => Promise.reject(new ExchangeError('network', 'no answer'))
    session.useExchange({
      ...session.market.exchange,
      fetchMyTrades: silent,
      fetchPositions: silent,
      fetchOpenOrders: silent,
    })
    const run = session.start('fills')
    expect(await run.done).toBe(true)
    expect(run.data).toMatchObject([{ fills: [{}, {}, {}, {}, {}] }])
    expect(run.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn open orders come only from the journal: no answer',
      'warn ETHUSDT comes only from the journal: no answer',
      'warn BTCUSDT comes only from the journal: no answer',
    ])
  })

  it('of all accounts leaves none out silently', async () => {
    const session = await traded()
    await session.ports.accounts.add({ name: 'live', exchange: 'binance' })
    const connect = session.ports.connect
    Object.assign(session.ports, {
      connect: (name: string) =>
        name === 'live' ? Promise.reject(new ExchangeError('authentication', 'wrong keys')) : connect(name),
    })
    const run = session.start('pnl --by account')
    expect(await run.done).toBe(true)
    expect(run.data).toMatchObject([
      { accounts: ['paper'], gaps: [{ kind: 'account-silent', account: 'live', message: 'wrong keys' }] },
    ])
    expect(run.lines.at(-1)).toBe('warn live: not counted: wrong keys')
  })

  it('begins anew with a paper account that starts again; what was before stays, and is shown as that', async () => {
    const session = await traded()
    const lists = ['fills', 'trades', 'orders --all', 'pnl']
    const before = new Map<string, readonly string[]>()
    for (const line of lists) before.set(line, await session.run(line))
    await session.advance(1000)
    await session.run('account reset paper --yes')
    const resetAt = /the reset of account paper at 2026-01-01 [\d:]+ UTC/
    for (const line of lists) {
      const [note, ...said] = await session.run(line)
      expect(note, line).toMatch(
        new RegExp(`^info since ${resetAt.source}; \`--before-reset\` shows what was before it$`),
      )
      expect(said, line).toEqual([expect.stringMatching(/^info (no |nothing )/)])
    }
    await session.advance(1000)
    await session.run('buy 0.01')
    expect((await dataOf(session, 'fills')).fills).toMatchObject([{ side: 'buy', by: 'repl' }])
    for (const line of ['fills', 'pnl']) {
      const [note, ...said] = await session.run(`${line} --before-reset`)
      expect(note, line).toMatch(new RegExp(`^info before ${resetAt.source}$`))
      expect(said, line).toEqual(before.get(line)?.filter((each) => !/^warn .*the venue/.test(each)))
    }
    for (const line of ['trades', 'orders --all']) {
      const said = await session.run(`${line} --before-reset`)
      expect(said.length, line).toBeGreaterThan(before.get(line)?.length ?? 0)
    }
  })

  it('of orders tells what came of each, also of those that ended unseen', async () => {
    const session = await createSession()
    await session.run('buy 0.01 at -1%; buy 0.01 at -2%; buy 0.02 at -3%; buy 0.01 at +1% po')
    await session.run('amend p3 0.03')
    const [first] = await session.market.exchange.fetchOpenOrders()
    // Another process cancels it, and this one hears nothing of it.
    session.useExchange({ ...session.market.exchange, subscribe: () => () => {} })
    await session.market.exchange.cancelOrder({ symbol: 'BTCUSDT', id: first?.id ?? '' })
    await session.run('cancel p2')
    const { orders } = (await dataOf(session, 'orders --all')) as { orders: unknown[] }
    expect(orders).toMatchObject([
      { orderId: 'p1', state: 'canceled', filled: '0', by: 'repl' },
      { orderId: 'p2', state: 'canceled' },
      { orderId: 'p3', state: 'open', amount: '0.03' },
      { state: 'refused', reason: expect.stringContaining('post-only') },
    ])
  })
})

describe('history as rows', () => {
  it('has a header, exact figures and UTC times, and nothing else', async () => {
    const session = await traded()
    const lines = await session.run('fills BTCUSDT --csv')
    expect(lines[0]).toBe(
      'print time,symbol,side,amount,price,fee,fee_currency,pnl,pnl_currency,order,from,run,fill,cause,tags,note',
    )
    expect(lines.slice(1)).toHaveLength(3)
    for (const line of lines.slice(1)) {
      expect(line).toMatch(
        /^print 2026-01-01T\d\d:\d\d:\d\d\.\d{3}Z,BTCUSDT,(buy|sell),0\.0[12],[\d.]+,[\d.]+,USDT,-?[\d.]+,USDT,p\d,(terminal|hook),[0-9a-f-]{36},t\d,,,$/,
      )
    }
  })

  it.each(['fills', 'trades', 'orders --all', 'pnl'])(
    '%s has as many cells in each row as in its header',
    async (line) => {
      const session = await traded()
      const [header = '', ...rows] = (await session.run(`${line} --csv`)).filter((each) => each.startsWith('print '))
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(row.split(',')).toHaveLength(header.split(',').length)
    },
  )

  it.each(['fills', 'trades', 'orders --all', 'pnl --by symbol'])(
    '%s --json is the data, as one object',
    async (line) => {
      const session = await traded()
      const run = session.start(`${line} --json`)
      await run.done
      const text = run.lines.map((each) => each.replace(/^print /, '')).join('\n')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(run.data[0])))
    },
  )

  it('trades has plain numbers, with their currency beside them and a loss as a number', async () => {
    const session = await createSession()
    await session.run('buy 0.01; close')
    const [header = '', row = ''] = (await session.run('trades --csv')).join('\n').replaceAll('print ', '').split('\n')
    const cells = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]))
    expect(cells).toMatchObject({ currency: 'USDT', other_fees: '', from: 'terminal' })
    for (const name of ['realized', 'fees', 'net']) expect(cells[name]).toMatch(/^-?\d+(\.\d+)?$/)
    expect(cells.net).toMatch(/^-/)
  })

  it('has a header also where nothing happened', async () => {
    const session = await createSession()
    for (const line of ['fills', 'trades', 'orders --all', 'pnl']) {
      expect(await session.run(`${line} --csv`), line).toEqual([expect.stringMatching(/^print [a-z_]+(,[a-z_]+)+$/)])
    }
  })

  it('keeps a label that a page chose from becoming a formula or a row', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const lines = session.journal as string[]
    for (const [index, line] of lines.entries()) {
      lines[index] = line.replace('"source":"repl"', '"source":"=cmd","origin":"a\\",b\\nc"')
    }
    const [, row = ''] = await session.run('fills --csv')
    expect(row).toContain(`,"'=cmd:a"",b c",`)
  })
})

describe('what history is asked for', () => {
  it.each(['fills', 'trades', 'pnl', 'session', 'orders --all'])('%s --today is since 00:00 UTC', async (line) => {
    const session = await createSession()
    await session.run('buy 0.01')
    const dataOf = async (typed: string) => {
      const run = session.start(typed)
      await run.done
      return run.data
    }
    const today = await dataOf(`${line} --today --json`)
    expect(today).toEqual(await dataOf(`${line} --since 00:00 --json`))
    if (line === 'session') expect(today).toMatchObject([{ since: Date.parse('2026-01-01T00:00:00Z') }])
  })

  it.each([
    ['fills --foo', /unexpected-argument: unknown option `--foo`/, 7],
    ['fills BTCUSDT ETHUSDT', /unexpected-argument/, 15],
    ['fills --since yesterday', /bad-argument: `yesterday` is not a time/, 15],
    ['fills --until', /missing-argument: the time is missing/, 14],
    ['fills --limit 0', /bad-argument: `0` is not a whole number from 1 to/, 15],
    ['fills --limit=x', /bad-argument: `x` is not a whole number/, 15],
    ['fills --csv --json', /bad-argument: `--csv` and `--json` exclude each other/, 13],
    ['fills --since 1h --until 2h', /bad-argument: --until is not after --since/, 26],
    ['pnl --by moon', /bad-argument: invalid grouping `moon`/, 10],
    ['pnl --by tag', /invalid grouping `tag` \| type `session --since 30d`: it sums the trades of each tag/, 10],
    [
      'session --by tag',
      /unknown option `--by` \| `pnl --by symbol` groups; `session` sums by hook, symbol and tag/,
      9,
    ],
    ['trades --week', /unknown option `--week` \| type `--since 7d`/, 8],
    ['trades --today --since 7d', /bad-argument: `--today` and `--since` exclude each other \| keep one/, 8],
    ['pnl --by', /missing-argument: by what is missing/, 9],
    ['fills NOPEUSDT', /unknown-symbol: paper has no market NOPEUSDT/, undefined],
  ])('%s is refused at its place', async (line, refusal, column) => {
    const session = await createSession()
    const run = session.start(line)
    await run.done
    expect(run.lines).toEqual([expect.stringMatching(refusal)])
    expect(run.columns).toEqual(column === undefined ? [] : [column])
  })
})
