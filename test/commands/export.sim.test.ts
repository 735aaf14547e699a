// `export --tax`: the fills and funding payments of a year, as rows with the columns that docs/tax.md describes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { FundingPayment, Trade } from '../../src/exchange/order.ts'

const TRADE: Trade = {
  id: 't1',
  orderId: 'o1',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '0.01',
  price: '60000',
  fee: '0.33',
  feeCurrency: 'USDT',
  timestamp: Date.UTC(2024, 11, 31, 22, 30),
}

/** Two fills around the end of 2024 in Berlin, one at the end of 2025, and funding between them. */
const TRADES: readonly Trade[] = [
  TRADE,
  { ...TRADE, id: 't2', timestamp: Date.UTC(2024, 11, 31, 23, 30) },
  {
    ...TRADE,
    id: 't3',
    orderId: 'o3',
    side: 'sell',
    amount: '0.02',
    price: '61000',
    timestamp: Date.UTC(2025, 11, 31, 22),
  },
]

const FUNDING: readonly FundingPayment[] = [
  { id: 'f1', symbol: 'BTCUSDT', amount: '-0.25', currency: 'USDT', timestamp: Date.UTC(2025, 5, 1) },
  { id: 'f2', symbol: 'BTCUSDT', amount: '0.1', currency: 'USDT', timestamp: Date.UTC(2026, 0, 1) },
]

function venue(trades: readonly Trade[], more: Partial<Exchange> = {}): SessionOptions {
  return {
    exchange: (paper) => ({
      ...paper,
      fetchOpenOrders: async () => [],
      fetchPositions: async () => [],
      fetchMyTrades: async ({ symbol, since = 0 }) =>
        trades.filter((trade) => trade.symbol === symbol && trade.timestamp >= since),
      fetchFundingPayments: async ({ symbol }) => FUNDING.filter((payment) => payment.symbol === symbol),
      ...more,
    }),
  }
}

async function rowsOf(session: CommandSession, line: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const run = session.start(line)
  expect(await run.done, run.lines.join('\n')).toBe(true)
  const printed = run.lines.filter((each) => each.startsWith('print ')).map((each) => each.slice('print '.length))
  const [heading = '', ...lines] = printed
  const names = heading.split(',')
  return lines.map((each) => Object.fromEntries(each.split(',').map((cell, index) => [names[index] ?? '', cell])))
}

describe('export --tax', () => {
  it('has the fills and the funding of the year, oldest first, and what was bought before it counts', async () => {
    const session = await createSession(venue(TRADES))
    const rows = await rowsOf(session, 'export --tax 2025 BTCUSDT')
    expect(rows.map(({ kind, id, realized, funding, currency }) => [kind, id, realized, funding, currency])).toEqual([
      ['funding', 'f1', '', '-0.25', 'USDT'],
      ['fill', 't3', '20', '', 'USDT'],
    ])
    expect(rows[1]).toMatchObject({
      time: '2025-12-31T22:00:00.000Z',
      day: '2025-12-31',
      account: 'paper',
      practice: 'yes',
      market: 'linear',
      side: 'sell',
      amount: '0.02',
      unit: 'BTC',
      price: '61000',
      value: '1220',
      quote: 'USDT',
      fee: '0.33',
      from: '',
    })
  })

  it('is of a year in the zone that is named', async () => {
    const session = await createSession(venue(TRADES))
    const idsOf = async (line: string) => (await rowsOf(session, line)).map(({ id, day }) => `${id} ${day}`)
    expect(await idsOf('export --tax 2024 BTCUSDT')).toEqual(['t1 2024-12-31', 't2 2024-12-31'])
    expect(await idsOf('export --tax 2024 BTCUSDT --zone Europe/Berlin')).toEqual(['t1 2024-12-31'])
    expect(await idsOf('export --tax 2025 BTCUSDT --zone Europe/Berlin')).toEqual([
      't2 2025-01-01',
      'f1 2025-06-01',
      't3 2025-12-31',
    ])
    expect(await idsOf('export --tax 2026 BTCUSDT --zone America/New_York')).toEqual([])
  })

  it('puts every fill of two years into one of them', async () => {
    for (const zone of ['', ' --zone Pacific/Kiritimati', ' --zone Etc/GMT+12']) {
      const session = await createSession(venue(TRADES))
      const ids = await Promise.all(
        [2024, 2025, 2026].map(async (year) => rowsOf(session, `export --tax ${year} BTCUSDT${zone}`)),
      )
      expect(
        ids
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(['f1', 'f2', 't1', 't2', 't3'])
    }
  })

  it('leaves cells empty for what is not known, and says so', async () => {
    const { fee: _, feeCurrency: _currency, ...bare } = TRADE
    const session = await createSession(
      venue(
        [
          { ...bare, symbol: 'GONEUSDT', timestamp: Date.UTC(2025, 1, 1) },
          { ...bare, timestamp: Date.UTC(2025, 1, 1) },
        ],
        {
          fetchPositions: async () => [
            { symbol: 'GONEUSDT', side: 'long', amount: '1', entryPrice: '1', settle: 'USDT', notional: '1' },
            { symbol: 'BTCUSDT', side: 'long', amount: '1', entryPrice: '1', settle: 'USDT', notional: '1' },
          ],
          fetchFundingPayments: async () => [],
        },
      ),
    )
    const rows = await rowsOf(session, 'export --tax 2025')
    expect(rows.map(({ symbol, market, value, realized, fee }) => [symbol, market, value, realized, fee])).toEqual([
      ['GONEUSDT', '', '', '', ''],
      ['BTCUSDT', 'linear', '600', '0', ''],
    ])
    const lines = await session.run('export --tax 2025')
    expect(lines).toContain('warn the fee of 2 fills is not counted: the venue does not report it')
    expect(lines.join('\n')).toMatch(/^warn GONEUSDT is no longer listed by the venue/m)
  })

  it('warns where funding is not known, and that a year is not over', async () => {
    const session = await createSession(
      venue(TRADES, {
        fetchFundingPayments: async () => {
          const { ExchangeError } = await import('../../src/exchange/exchange-error.ts')
          throw new ExchangeError('network', 'no answer')
        },
      }),
    )
    const past = await session.run('export --tax 2025 BTCUSDT')
    expect(past.filter((line) => line.startsWith('warn'))).toEqual([
      'warn funding is not counted: the venue does not report it here',
    ])
    expect((await session.run('export --tax 2026 BTCUSDT')).at(-1)).toMatch(/^warn 2026 is not over: the rows end at/)
  })

  it('has tags and notes, and a text that a spreadsheet would run is none of it', async () => {
    const session = await createSession()
    await session.run('buy 0.01 #breakout')
    await session.run('note p1 "=1+1" #fomo')
    const [row] = await rowsOf(session, 'export --tax 2026')
    expect(row).toMatchObject({ tags: 'breakout fomo', note: "'=1+1", from: 'terminal', order: 'p1' })
  })

  it.each([
    ['export', /missing-argument: the year is missing \| type `export --tax 2026`/],
    ['export --tax', /missing-argument: the year is missing/],
    ['export --tax 26', /bad-argument: invalid year `26` \| type 2009 to 2026/],
    ['export --tax 2027', /bad-argument: invalid year `2027`/],
    ['export --tax 2008', /bad-argument: invalid year `2008`/],
    ['export --tax 2026 --zone Berlin', /bad-argument: no time zone `Berlin` found/],
    ['export --tax 2026 --since 7d', /unexpected-argument: unexpected --since/],
    ['export --tax 2026 --limit=5', /unexpected-argument: unexpected --limit/],
    ['export --tax 2026 BTCUSDT ETHUSDT', /unexpected-argument/],
    ['export --tax 2026 NOPEUSDT', /unknown-symbol/],
  ])('`%s` is refused', async (line, refusal) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([expect.stringMatching(refusal)])
  })

  it('has the columns that docs/tax.md describes, in that order', async () => {
    const session = await createSession()
    const [heading = ''] = await session.run('export --tax 2026')
    const paper = readFileSync(join(import.meta.dirname, '../../docs/tax.md'), 'utf8')
    const documented = [...paper.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(heading.replace('print ', '').split(',')).toEqual(documented)
  })
})
