import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/base/defined.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import type { Trade } from '../../../src/exchange/order.ts'
import { askAccount, equityNow } from '../../../src/trading/history/account-history.ts'
import { type JournalHistory, readJournalHistory } from '../../../src/trading/history/journal-history.ts'
import { market, NO_JOURNAL, trade, venueTelling } from './executions-stage.ts'

const long = (amount: string) =>
  ({ symbol: 'BTCUSDT', side: 'long', amount, entryPrice: '1', settle: 'USDT', notional: '1' }) as const

function journalOf(fills: readonly Trade[], orders: JournalHistory['orders'] = []): JournalHistory {
  return { orders, fills: fills.map((each) => ({ clientOrderId: 'c1', trade: each })), beginsAt: 1 }
}

describe('what happened on an account', () => {
  it('counts a fill once that both the journal and the venue have', () => {
    const all = fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.integer({ min: 1, max: 9 })), { maxLength: 30 })
    return fc.assert(
      fc.asyncProperty(all, async (rows) => {
        const made = rows.map(([, , lots]) => trade('buy', String(lots), '100'))
        const known = rows.flatMap(([isInJournal], index) => (isInJournal ? [made[index] as Trade] : []))
        const told = rows.flatMap(([, isTold], index) => (isTold ? [made[index] as Trade] : []))
        const journal = journalOf(known)
        const symbols = ['BTCUSDT']
        const { executions } = await askAccount(venueTelling({ trades: told }), journal, { symbols })
        const expected = made.filter((each) => known.includes(each) || told.includes(each))
        expect(executions.map(({ trade: { id } }) => id)).toEqual(expected.map(({ id }) => id))
      }),
    )
  })

  it('counts a fill of a stop once where the venue tells it under the id of the order that the stop became', async () => {
    const opened = trade('buy', '1', '100')
    const told = trade('sell', '1.0', '110', { orderId: 'became' })
    const heard: Trade = { ...told, amount: '1', orderId: 'stop', clientOrderId: 'c1' }
    // Both sides of a trade with oneself have one id.
    const [mine, alsoMine] = [trade('buy', '2', '100', { id: 'self' }), trade('sell', '2', '100', { id: 'self' })]
    const venue = venueTelling({ trades: [opened, told, mine] })
    const { executions, gaps } = await askAccount(venue, journalOf([opened, heard, alsoMine]), { symbols: ['BTCUSDT'] })
    expect(executions.map(({ trade: { side, orderId } }) => [side, orderId])).toEqual([
      ['buy', opened.orderId],
      ['sell', 'stop'],
      ['buy', mine.orderId],
      ['sell', alsoMine.orderId],
    ])
    expect(gaps.map(({ kind }) => kind)).not.toContain('position-differs')
  })

  it('keeps the order of the venue for fills of one millisecond', async () => {
    const [opened, closed] = [trade('buy', '1', '100', { timestamp: 5 }), trade('sell', '1', '110', { timestamp: 5 })]
    const venue = venueTelling({ trades: [opened, closed] })
    const { executions } = await askAccount(venue, journalOf([closed, opened]), { symbols: ['BTCUSDT'] })
    expect(executions.map(({ pnl }) => pnl)).toEqual(['0', '10'])
  })

  it('is told by the journal alone where the venue does not answer, and says so', async () => {
    const silent = () => Promise.reject(new ExchangeError('network', 'no answer'))
    const venue = venueTelling({}, { fetchMyTrades: silent, fetchPositions: silent })
    const { executions, gaps } = await askAccount(venue, journalOf([trade('buy', '1', '100')]), {
      symbols: ['BTCUSDT'],
    })
    expect(executions).toHaveLength(1)
    expect(gaps).toContainEqual({ kind: 'venue-silent', symbol: 'BTCUSDT', message: 'no answer' })
    expect(gaps).toContainEqual({ kind: 'venue-silent', message: 'no answer' })
  })

  it('is no answer where the venue fails in a way that nobody knows', async () => {
    const broken = venueTelling({}, { fetchMyTrades: () => Promise.reject(new TypeError('broken')) })
    await expect(askAccount(broken, NO_JOURNAL, { symbols: ['BTCUSDT'] })).rejects.toThrow('broken')
  })

  it('says where the fills do not add up to what the venue has', async () => {
    const venue = venueTelling({ trades: [trade('buy', '1', '100')], positions: [long('3')] })
    const { gaps } = await askAccount(venue, NO_JOURNAL, {})
    expect(gaps).toContainEqual({ kind: 'position-differs', symbol: 'BTCUSDT', counted: '1', held: '3' })
    const whole = venueTelling({ trades: [trade('buy', '3', '100')], positions: [long('3')] })
    const { gaps: none } = await askAccount(whole, NO_JOURNAL, {})
    expect(none.map(({ kind }) => kind)).toEqual(['orders-unknown'])
  })

  it('says that a list of a venue is cut, unless it reaches back as far as was asked', async () => {
    const trades = Array.from({ length: 600 }, () => trade('buy', '1', '100'))
    const symbols = ['BTCUSDT']
    const { gaps } = await askAccount(venueTelling({ trades }), NO_JOURNAL, { symbols })
    expect(gaps.find(({ kind }) => kind === 'list-cut')).toMatchObject({ since: trades[100]?.timestamp })
    const since = trades[300]?.timestamp ?? 0
    const late = await askAccount(venueTelling({ trades }), NO_JOURNAL, { symbols, since })
    expect(late.gaps.filter(({ kind }) => kind === 'list-cut')).toEqual([])
  })

  it('says from when the venue lists fills, and whether more could be asked for', async () => {
    const trades = [trade('buy', '1', '100', { timestamp: 900_000 })]
    const limits = { kept: 500_000, asked: 700_000 }
    const venue = venueTelling(
      { trades },
      {
        fetchTradeHistory: async ({ since }) => ({
          trades,
          ...(since === undefined
            ? { wholeSince: limits.asked }
            : since < limits.kept
              ? { wholeSince: limits.kept }
              : {}),
        }),
      },
    )
    const gapsSince = async (since?: number) => {
      const asked = await askAccount(venue, NO_JOURNAL, { symbols: ['BTCUSDT'], ...defined({ since }) })
      return asked.gaps.filter(({ kind }) => kind.startsWith('fills-') || kind === 'list-cut')
    }
    expect(await gapsSince()).toEqual([{ kind: 'fills-not-asked', since: limits.asked }])
    expect(await gapsSince(800_000)).toEqual([])
    expect(await gapsSince(600_000)).toEqual([])
    expect(await gapsSince(100_000)).toEqual([{ kind: 'fills-not-kept', since: limits.kept }])
  })

  it('says which fills could not be read: what they brought is not counted', async () => {
    const unread = [
      { what: 'fill', symbol: 'BTCUSDT', id: 'f7' },
      { what: 'fill', symbol: 'BTCUSDT' },
      { what: 'order', symbol: 'BTCUSDT', id: 'o1' },
      { what: 'fill', symbol: 'XRPUSDT', id: 'f8' },
    ] as const
    const { gaps } = await askAccount(venueTelling({}, { unread }), NO_JOURNAL, { symbols: ['BTCUSDT'] })
    expect(gaps).toContainEqual({ kind: 'fills-unread', symbol: 'BTCUSDT', fills: 2, ids: ['f7'] })
    expect(gaps.filter(({ kind }) => kind === 'fills-unread')).toHaveLength(1)
  })

  it('counts a liquidation, which nobody ordered, from the venue and from the journal alike', async () => {
    const opened = trade('buy', '1', '60000', { timestamp: 1_000 })
    const liquidated = trade('sell', '1', '59725', { timestamp: 2_000, realizedPnl: '-275', cause: 'liquidation' })
    const noted: JournalHistory = {
      ...journalOf([opened]),
      fills: [{ trade: liquidated }, { trade: opened, clientOrderId: 'c1' }],
    }
    for (const [trades, journal] of [
      [[opened, liquidated], NO_JOURNAL],
      [[], noted],
    ] as const) {
      const { executions, gaps } = await askAccount(venueTelling({ trades }), journal, { symbols: ['BTCUSDT'] })
      expect(executions.at(-1)).toMatchObject({ pnl: '-275', trade: { cause: 'liquidation' } })
      expect(executions.at(-1)?.by).toBeUndefined()
      expect(gaps).toEqual([{ kind: 'orders-unknown', fills: 1, ...(journal === noted ? { knownSince: 1 } : {}) }])
    }
  })

  it('finds who ordered a fill by symbol and order, where two symbols have one number', async () => {
    const order = {
      clientOrderId: 'c9',
      orderId: '7',
      account: 'main',
      at: 1,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount: '1',
      filled: '1',
      state: 'closed',
      reduceOnly: false,
      by: { source: 'hook', runId: 'r', step: 0 },
    } as unknown as JournalHistory['orders'][number]
    const markets = [market('linear'), market('linear', 'ETHUSDT')]
    const trades = [
      trade('buy', '1', '100', { orderId: '7' }),
      trade('buy', '1', '5', { orderId: '7', symbol: 'ETHUSDT' }),
    ]
    const symbols = ['BTCUSDT', 'ETHUSDT']
    const { executions } = await askAccount(venueTelling({ markets, trades }), journalOf([], [order]), { symbols })
    expect(executions.map(({ trade: { symbol }, by }) => [symbol, by?.source])).toEqual([
      ['BTCUSDT', 'hook'],
      ['ETHUSDT', undefined],
    ])
  })

  it('counts what was bought before the time asked for', async () => {
    const trades = [trade('buy', '1', '100', { timestamp: 1 }), trade('sell', '1', '130', { timestamp: 50_000 })]
    const venue = venueTelling({ markets: [market('spot')], trades })
    const { executions } = await askAccount(venue, NO_JOURNAL, { symbols: ['BTCUSDT'], since: 40_000 })
    expect(executions.at(-1)?.pnl).toBe('30')
  })

  it('says that funding is not counted where the venue cannot be asked, and counts it where it can', async () => {
    const told = { trades: [trade('buy', '1', '100')], positions: [long('1')] }
    const payment = { id: 'f', symbol: 'BTCUSDT', amount: '-0.2', currency: 'USDT', timestamp: 5 }
    const asked = venueTelling(told, { fetchFundingPayments: async () => [payment, { ...payment, timestamp: 99 }] })
    const { funding } = await askAccount(asked, NO_JOURNAL, { withFunding: true, until: 50 })
    expect(funding).toEqual([payment])
    const { fetchFundingPayments: _, ...mute } = venueTelling(told)
    const { gaps } = await askAccount(mute, NO_JOURNAL, { withFunding: true })
    expect(gaps).toContainEqual({ kind: 'funding-unknown' })
  })

  it('says from when on funding is counted where there is more of it than is read', async () => {
    const payment = { id: 'f', symbol: 'BTCUSDT', amount: '-0.2', currency: 'USDT', timestamp: 5 }
    const payments = Array.from({ length: 10_000 }, (_, index) => ({
      ...payment,
      id: `f${index}`,
      timestamp: 7 + index,
    }))
    const told = { trades: [trade('buy', '1', '100')], positions: [long('1')] }
    for (const [listed, gap] of [
      [payments, true],
      [payments.slice(1), false],
    ] as const) {
      const venue = venueTelling(told, { fetchFundingPayments: async ({ limit }) => listed.slice(-(limit ?? 50)) })
      const { funding, gaps } = await askAccount(venue, NO_JOURNAL, { withFunding: true })
      expect(funding).toHaveLength(listed.length)
      expect(gaps.filter(({ kind }) => kind === 'funding-cut')).toEqual(
        gap ? [{ kind: 'funding-cut', symbol: 'BTCUSDT', since: 7 }] : [],
      )
    }
  })

  it('asks about twenty symbols and names the others', async () => {
    const symbols = Array.from({ length: 23 }, (_, index) => `C${index}USDT`)
    let asked = 0
    const venue = venueTelling(
      {},
      {
        fetchMyTrades: async () => {
          asked += 1
          return []
        },
      },
    )
    const { gaps } = await askAccount(venue, NO_JOURNAL, { symbols })
    expect(asked).toBe(20)
    expect(gaps).toContainEqual({ kind: 'symbols-left-out', symbols: symbols.slice(20) })
  })
})

describe('the order journal, read as history', () => {
  it('has what the venue did by itself, with why', async () => {
    const liquidated = trade('sell', '1', '100', { orderId: 'v7', cause: 'liquidation' })
    const line = { t: 'fill', id: 'v7', at: 20, account: 'main', trade: liquidated }
    async function* lines() {
      yield [JSON.stringify(line)]
    }
    expect(await readJournalHistory(lines(), 'main')).toMatchObject({ fills: [{ trade: liquidated }], orders: [] })
  })

  const owner = { pid: 1, born: '1' }
  const by = { source: 'hook', runId: 'r1', step: 0, origin: 'dip' }
  const intent = (id: string, more: object = {}) => ({
    t: 'intent',
    id,
    at: 10,
    account: 'paper',
    venue: 'paper',
    by,
    owner,
    order: { symbol: 'BTCUSDT', side: 'buy', type: 'limit', price: '100', amount: '1' },
    ...more,
  })
  const fill = (id: string, tradeId: string, more: object = {}) => ({
    t: 'fill',
    id,
    at: 20,
    account: 'paper',
    trade: trade('buy', '0.5', '100', { id: tradeId, orderId: 'p1', ...more }),
  })

  async function read(lines: readonly unknown[], from?: number): Promise<JournalHistory> {
    async function* newestFirst() {
      yield lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).reverse()
    }
    return readJournalHistory(newestFirst(), 'paper', from)
  }

  it('has each fill once that a process which took over has written again', async () => {
    const first = fill('a', 't1')
    const { fills, orders } = await read([intent('a'), first, fill('a', 't2'), first])
    expect(fills.map((each) => each.trade.id)).toEqual(['t1', 't2'])
    expect(orders).toMatchObject([{ clientOrderId: 'a', filled: '1', by: { origin: 'dip' } }])
  })

  it('has an order as it was amended, by either name', async () => {
    const outcome = { t: 'outcome', id: 'a', at: 11, outcome: 'placed', orderId: 'p1' }
    const changed = (ref: object, change: unknown) => ({ t: 'changed', at: 12, account: 'paper', ref, change })
    const { orders } = await read([
      intent('a'),
      outcome,
      changed({ symbol: 'BTCUSDT', id: 'p1' }, { price: '110' }),
      changed({ symbol: 'BTCUSDT', clientOrderId: 'a' }, { amount: '2' }),
      changed({ symbol: 'BTCUSDT', id: 'p1' }, 'canceled'),
    ])
    expect(orders).toMatchObject([{ price: '110', amount: '2' }])
  })

  it('begins anew with the account: at a reset, and at the time the account was made', async () => {
    const lines = [intent('a'), { t: 'reset', at: 15, account: 'paper' }, intent('b', { at: 16 })]
    expect((await read(lines)).orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['b'])
    expect((await read([intent('a'), intent('b', { at: 16 })], 12)).orders).toHaveLength(1)
    for (const other of [
      { t: 'reset', at: 15, account: 'other' },
      { t: 'reset', account: 'paper' },
    ]) {
      expect((await read([intent('a'), other])).orders).toHaveLength(1)
    }
  })

  it('counts nothing that the venue tells of the time before a reset, but for an account made since', async () => {
    const venue = venueTelling({ trades: [trade('buy', '1', '100', { timestamp: 12 })] })
    const lines = [{ t: 'reset', at: 15, account: 'paper' }]
    const symbols = ['BTCUSDT']
    expect((await askAccount(venue, await read(lines), { symbols })).executions).toEqual([])
    expect((await askAccount(venue, await read(lines, 16), { symbols })).executions).toHaveLength(1)
  })

  it('reads the files of earlier versions, and passes over what it does not know', async () => {
    const lines = [
      '{"t":"intent","id":"a","at":10,"account":"paper","venue":"paper","by":{"source":"repl","runId":"r","step":0},"order":{"symbol":"BTCUSDT","side":"buy","type":"market","amount":"0.01","protection":{"triggerPrice":"90","fires":"at-or-below"}},"owner":{"pid":1}}',
      '{"t":"outcome","id":"a","at":11,"outcome":"placed","orderId":"p1","end":{"status":"closed","filled":"0.01"}}',
      '{"t":"intent","id":"s","at":12,"account":"paper","venue":"paper","by":{"source":"repl","runId":"r","step":0},"order":{"symbol":"BTCUSDT","side":"sell","type":"stop","amount":"0.01","triggerPrice":"90","reduceOnly":true},"protects":"a","owner":{"pid":1}}',
      '{"t":"from-the-future","id":"a","at":13}',
      '{"t":"fill","id":"a","at":13,"account":"paper","trade":{"id":"t1","orderId":"p1","symbol":"BTCUSDT","side":"buy","amount":"not a number","price":"1","timestamp":1}}',
      '{"t":"outcome","id":"s","at":14,"outco',
      'null',
    ]
    const { orders, fills } = await read(lines)
    expect(orders).toMatchObject([
      { clientOrderId: 'a', state: 'closed', reduceOnly: false },
      { clientOrderId: 's', state: 'sent', reduceOnly: true, role: 'stop' },
    ])
    expect(fills).toEqual([])
  })
})

describe('the equity of now', () => {
  const balances = [{ currency: 'USDT', wallet: '90', total: '100', free: '100', used: '0' }]
  const silent = () => Promise.reject(new ExchangeError('network', 'no answer'))
  const at = { account: 'paper', at: 1 }

  it.each<[what: string, more: Parameters<typeof venueTelling>[1], totals: string[], gaps: object[]]>([
    ['is what the venue has', { fetchBalances: async () => balances }, ['100'], []],
    [
      'of a stale account is not known',
      { fetchBalances: async () => balances, stream: 'stale' },
      [],
      [{ kind: 'equity-unknown' }],
    ],
    ['of a silent account is not known', { fetchBalances: silent }, [], [{ kind: 'equity-unknown' }]],
  ])('%s', async (_what, more, totals, expected) => {
    const gaps: Parameters<typeof equityNow>[3] = []
    const records = await equityNow(venueTelling({}, more), [market('linear')], at, gaps)
    expect(records.map(({ total }) => total)).toEqual(totals)
    expect(gaps).toEqual(expected)
  })
})
