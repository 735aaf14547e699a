// `session`: the closed trades of a day, or of another span, from the orders that were placed.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'

interface Stats {
  readonly key?: string
  readonly trades: number
  readonly won: number
  readonly r?: Readonly<Record<string, unknown>>
  readonly sums: readonly Readonly<Record<string, string>>[]
}

interface SessionData {
  readonly since: number
  readonly open: number
  readonly total: Stats
  readonly byHook: readonly Stats[]
  readonly bySymbol: readonly Stats[]
  readonly maxDrawdown?: Readonly<Record<string, unknown>>
  readonly gaps: readonly { readonly kind: string }[]
}

async function dataOf(session: CommandSession, line: string): Promise<SessionData> {
  const run = session.start(line)
  expect(await run.done, run.lines.join('\n')).toBe(true)
  return run.data.find((each) => (each as { type?: string }).type === line.split(' ')[0]) as unknown as SessionData
}

async function goes(session: CommandSession, symbol: string, price: string): Promise<void> {
  session.market.setPrice(symbol, price)
  await session.advance(60_000)
}

/** A trade of a hook that gains 2R, one of the terminal that is stopped out, and one that is open. */
async function traded(options: SessionOptions = {}): Promise<CommandSession> {
  const session = await createSession(options)
  await session.run('buy 0.01 BTCUSDT stop -1%', { source: 'hook', origin: 'dip', hookId: 'a'.repeat(32) })
  await goes(session, 'BTCUSDT', '66300')
  await session.run('close BTCUSDT')
  await session.run('buy 1 ETHUSDT stop -1%')
  await goes(session, 'ETHUSDT', '2960')
  await session.run('sell 0.02 BTCUSDT')
  return session
}

function recorded(session: CommandSession, ...points: readonly (readonly [minutes: number, total: string])[]): void {
  const begin = session.market.now()
  const lines = points.map(([minutes, total]) =>
    JSON.stringify({ account: 'paper', at: begin + minutes * 60_000, currency: 'USDT', total, wallet: total }),
  )
  appendFileSync(join(session.directory, 'equity.jsonl'), `${lines.join('\n')}\n`)
}

describe('session', () => {
  it('credits a trade that two hooks have entered to each by what left: what entered first leaves first', async () => {
    const session = await createSession()
    const [first, second] = ['first', 'second'].map((origin, index) => {
      return { source: 'hook', origin, hookId: String(index).repeat(32) } as const
    })
    await session.run('buy 0.02 BTCUSDT', first)
    await goes(session, 'BTCUSDT', '66000')
    await session.run('buy 0.01 BTCUSDT', second)
    await goes(session, 'BTCUSDT', '67000')
    // Of the first alone, though the second ordered it.
    await session.run('sell 0.01 BTCUSDT', second)
    await goes(session, 'BTCUSDT', '64000')
    await session.run('close')
    const { total, byHook } = await dataOf(session, 'session')
    expect(await session.run('session')).toContain('info a trade of several sources counts once for each source')
    expect(total).toMatchObject({ trades: 1, lost: 1 })
    expect(
      byHook.map(({ key, trades, won, sums }) => [key, trades, won, Number(sums[0]?.realized).toFixed(1)]),
    ).toEqual([
      ['hook:first', 1, 1, '10.0'],
      ['hook:second', 1, 0, '-20.0'],
    ])
    for (const figure of ['realized', 'fees', 'net'] as const) {
      const sum = byHook.reduce((all, { sums }) => all.plus(sums[0]?.[figure] ?? 0), new Decimal(0))
      expect(sum.toFixed(9)).toBe(new Decimal(total.sums[0]?.[figure] ?? 0).toFixed(9))
    }
  })

  it('has parts that are the whole, whoever entered and whatever left', async () => {
    const orders = fc.array(
      fc.record({
        by: fc.constantFrom('a', 'b', 'c'),
        side: fc.constantFrom('buy', 'sell'),
        lots: fc.integer({ min: 1, max: 20 }),
        price: fc.integer({ min: 60_000, max: 70_000 }),
      }),
      { minLength: 2, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(orders, async (all) => {
        const session = await createSession()
        for (const { by, side, lots, price } of all) {
          session.market.setPrice('BTCUSDT', String(price))
          await session.advance(1_000)
          await session.run(`${side} ${lots / 1000} BTCUSDT`, { source: 'hook', origin: by, hookId: by.repeat(32) })
        }
        await session.run('close')
        const { total, byHook } = await dataOf(session, 'session')
        for (const figure of ['realized', 'fees', 'net'] as const) {
          const sum = byHook.reduce((money, { sums }) => money.plus(sums[0]?.[figure] ?? 0), new Decimal(0))
          expect(
            sum
              .minus(total.sums[0]?.[figure] ?? 0)
              .abs()
              .lt('0.00000001'),
          ).toBe(true)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('counts the closed trades of the day, with their R', async () => {
    const session = await traded()
    const { total, open, since } = await dataOf(session, 'session')
    expect(since).toBe(Date.UTC(2026, 0, 1))
    expect(open).toBe(1)
    expect(total).toMatchObject({ trades: 2, won: 1, lost: 1, even: 0, unknown: 0, winRate: '50.0' })
    // 12.999 gained and fees of 0.72 for 6.501 risked; 40 lost and fees of 3.28 for 30.01 risked.
    expect(total.r).toEqual({ trades: 2, average: '0.23', best: '1.89', worst: '-1.44' })
  })

  it('is the sum of the same trades as `trades`, by who opened them and by symbol', async () => {
    const session = await traded()
    const { total, byHook, bySymbol } = await dataOf(session, 'session')
    const { trades } = (await dataOf(session, 'trades')) as unknown as {
      readonly trades: readonly {
        readonly closedAt?: number
        readonly sums: readonly { readonly net: string }[]
        readonly r?: string
      }[]
    }
    const nets = trades.filter(({ closedAt }) => closedAt !== undefined).map(({ sums }) => Number(sums[0]?.net))
    expect(nets).toHaveLength(2)
    expect(Number(total.sums[0]?.net)).toBeCloseTo(
      nets.reduce((sum, net) => sum + net, 0),
      8,
    )
    expect(byHook.map(({ key, trades: count, won }) => [key, count, won])).toEqual([
      ['hook:dip', 1, 1],
      ['repl', 1, 0],
    ])
    expect(bySymbol.map(({ key, trades: count, won }) => [key, count, won])).toEqual([
      ['BTCUSDT', 1, 1],
      ['ETHUSDT', 1, 0],
    ])
    expect(trades.map(({ r }) => r)).toEqual(['1.89', '-1.44', undefined])
  })

  it('is of the span and the symbols that were asked for', async () => {
    const session = await traded()
    expect(await session.run('session --since 2026-01-01T00:02')).toContain(
      'info no closed trades since 2026-01-01 00:02:00 UTC',
    )
    expect((await dataOf(session, 'session --since 7d')).total.trades).toBe(2)
    expect((await dataOf(session, 'session ETHUSDT --since 7d')).total).toMatchObject({ trades: 1, won: 0 })
    expect((await dataOf(session, 'session --since 7d --until 2026-01-01T00:01')).total.trades).toBe(0)
  })

  it('reports the maximum drawdown of equity, and that it is not known without records', async () => {
    const session = await traded()
    expect((await session.run('session')).at(-1)).toBe(
      'info maximum drawdown unknown: no equity was recorded in this span',
    )
    recorded(session, [-2, '10000'], [-1, '10050'], [0, '9950'], [1, '10010'])
    const { maxDrawdown } = await dataOf(session, 'session')
    expect(maxDrawdown).toMatchObject({ currency: 'USDT', amount: '100', percent: '1.00' })
    expect((await session.run('session')).at(-1)).toMatch(
      /^info maximum drawdown 1\.00% \(\$100\.00\), from 2026-01-01 00:01:\d\d to 00:02:\d\d UTC$/,
    )
    expect(await dataOf(session, 'session BTCUSDT')).not.toHaveProperty('maxDrawdown')
  })

  it.each([
    [['buy 0.01', 'close'], 'info R counts 0 of 1 trade: an entry without a stop has no R'],
    [
      ['buy 0.01', 'close', 'buy 0.01 stop -2%', 'close'],
      'info R counts 1 of 2 trades: an entry without a stop has no R',
    ],
    [['buy 0.01 stop -2%', 'close'], undefined],
  ])('says of how many trades it has R: %j', async (lines, says) => {
    const session = await createSession()
    for (const line of lines) await session.run(line)
    expect((await session.run('session')).find((line) => line.startsWith('info R '))).toBe(says)
  })

  it('counts the equity of now, which no record has yet', async () => {
    const session = await createSession()
    recorded(session, [0, '10000'])
    await session.run('buy 0.1')
    await goes(session, 'BTCUSDT', '64000')
    const { maxDrawdown } = await dataOf(session, 'session')
    expect(maxDrawdown).toMatchObject({ currency: 'USDT', to: session.market.now() })
    expect(Number(maxDrawdown?.amount)).toBeGreaterThan(100)
    const before = new Date(session.market.now()).toISOString().slice(0, 16)
    expect(await dataOf(session, `session --until ${before}`)).not.toHaveProperty('maxDrawdown')
  })

  it('counts no equity from before the account was reset', async () => {
    const session = await traded()
    recorded(session, [-1, '10200'], [0, '9200'])
    expect((await dataOf(session, 'session')).maxDrawdown).toMatchObject({ amount: '1000' })
    await session.advance(60_000)
    await session.run('account reset paper --yes')
    expect(await dataOf(session, 'session')).not.toHaveProperty('maxDrawdown')
    expect((await dataOf(session, 'session --before-reset')).maxDrawdown).toMatchObject({ amount: '1000' })
  })

  it('leaves funding out where the venue does not report it, and a fee that no fill has', async () => {
    const session = await traded({
      exchange: ({ fetchFundingPayments: _, ...paper }) => ({
        ...paper,
        fetchMyTrades: async (query) => (await paper.fetchMyTrades(query)).map(({ fee: _fee, ...trade }) => trade),
      }),
    })
    const { total, gaps } = await dataOf(session, 'session')
    expect(gaps.map(({ kind }) => kind)).toContain('funding-unknown')
    expect(total.sums[0]).not.toHaveProperty('funding')
    expect((await session.run('session')).join('\n')).toMatch(/ \? +\$?-?\$/)
  })

  it('is rows for a spreadsheet with --csv', async () => {
    const session = await traded()
    const [heading, ...rows] = (await session.run('session --csv')).map((line) => line.replace('print ', ''))
    expect(heading).toBe(
      'by,key,trades,won,lost,even,unknown,win_rate,r_trades,average_r,best_r,worst_r,profit_factor,currency,realized,fees,funding,net,max_drawdown,max_drawdown_percent',
    )
    expect(rows.map((row) => row.split(',').slice(0, 4).join(','))).toEqual([
      'all,paper,2,1',
      'from,hook:dip,1,1',
      'from,terminal,1,0',
      'symbol,BTCUSDT,1,1',
      'symbol,ETHUSDT,1,0',
    ])
    for (const row of rows) expect(row.split(',')).toHaveLength(20)
  })

  it.each([
    ['session --limit 5', /unexpected-argument: unexpected --limit/, 9],
    ['session --limit=5', /unexpected-argument: unexpected --limit/, 9],
    ['session yesterday today', /unexpected-argument/, 19],
    ['session yesterday', /type `--since \d{4}-\d\d-\d\d --until 00:00`/, 9],
    ['trades yesterday', /type `--since \d{4}-\d\d-\d\d --until 00:00`/, 8],
    ['session --since soon', /bad-argument: `soon` is not a time/, 17],
  ])('%s is refused at its place', async (line, refusal, column) => {
    const session = await createSession()
    const run = session.start(line)
    await run.done
    expect(run.lines).toEqual([expect.stringMatching(refusal)])
    expect(run.columns).toEqual([column])
  })
})
