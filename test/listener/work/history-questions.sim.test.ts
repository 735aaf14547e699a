// What a page is answered about the past of an account is what the command shows.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../../harness/commands/command-session.ts'
import { defined } from '../../../src/base/defined.ts'
import { AccountHistories, accountQuestions, historyQuestions } from '../../../src/listener/requests/questions.ts'
import type { EquityRecord } from '../../../src/stores/equity-log.ts'
import { maxDrawdownOf } from '../../../src/trading/history/trade-stats.ts'

async function stage(recorded: readonly EquityRecord[] = [], stream: 'live' | 'stale' = 'live') {
  const session = await createSession()
  const { accounts, focus, orderHistory, notes, equityHistory, noteEquity } = session.ports
  const connect: typeof session.connect = async (name) => {
    const opened = await session.connect(name)
    const venue = new Proxy(opened.venue, { get: (of, key) => (key === 'stream' ? stream : Reflect.get(of, key, of)) })
    return { ...opened, venue }
  }
  const ports = {
    accounts,
    focus,
    connect,
    orderHistory,
    notes,
    histories: new AccountHistories({ connect, orderHistory, now: () => performance.now() }),
    equity: {
      read: async (name: string, from = 0, to = Number.POSITIVE_INFINITY) => [
        ...recorded,
        ...(await equityHistory(name, from, to)),
      ],
      note: noteEquity,
    },
    clock: session.market,
    onBug(error: unknown) {
      throw error
    },
  }
  const ask = { ...accountQuestions(ports), ...historyQuestions(ports) }
  return { ...session, ask }
}

const jsonOf = (lines: readonly string[]) =>
  JSON.parse(lines.map((line) => line.replace(/^(?:print|info) /, '')).join('\n'))

describe('trades:query', () => {
  it('counts as `session` does: win rate, R, profit factor, by currency', async () => {
    const { ask, market, ...session } = await stage()
    await session.run('buy 0.01 BTCUSDT stop -2%')
    market.setPrice('BTCUSDT', '66000')
    await session.run('close BTCUSDT')
    await session.run('buy 0.01 BTCUSDT stop -2%')
    market.setPrice('BTCUSDT', '65500')
    await session.run('close BTCUSDT')
    await session.run('buy 0.01 ETHUSDT')
    await session.settle()
    const shown = jsonOf(await session.run('session --json'))
    const answer = await ask['trades:query']({ t: 'trades:query', id: 'a', from: 0 })
    expect(answer).toMatchObject({ t: 'trades:sums', id: 'a', account: 'paper', trades: 2, won: 1, lost: 1, open: 1 })
    const { t: _, id: __, account: ___, gaps: ____, maxDrawdown: _____, ...sums } = answer
    expect(sums).toEqual({ ...shown.total, open: shown.open })
    const listed = await ask['trades:query']({ t: 'trades:query', id: 'c', from: 0, limit: 2 })
    expect(listed).toMatchObject({
      leftOut: 1,
      list: [
        { symbol: 'ETHUSDT', side: 'long', entered: '0.01', exited: '0', by: 'repl' },
        { symbol: 'BTCUSDT', exitPrice: '65499.9', r: expect.stringMatching(/^-/), sums: [{ currency: 'USDT' }] },
      ],
    })
    const printed = jsonOf(await session.run('trades --json'))
    expect(printed.trades.toReversed().slice(0, 2)).toMatchObject(listed.list ?? [])
    const ofEther = await ask['trades:query']({ t: 'trades:query', id: 'b', symbol: 'eth' })
    expect(ofEther).toMatchObject({ trades: 0, open: 1 })
    expect(ofEther).not.toHaveProperty('maxDrawdown')
  })

  it('has a drawdown that counts the equity of now, as `session` does, and not that of later', async () => {
    const at = Date.UTC(2026, 0, 1) - 60_000
    const { ask, market } = await stage([{ account: 'paper', at, currency: 'USDT', total: '10100', wallet: '10100' }])
    const answer = await ask['trades:query']({ t: 'trades:query', id: 'a' })
    expect(answer.maxDrawdown).toMatchObject({ amount: '100', percent: '0.99', from: at, to: market.now() })
    expect(await ask['trades:query']({ t: 'trades:query', id: 'b', to: at + 1 })).not.toHaveProperty('maxDrawdown')
  })

  it.each(['trades:query', 'session'] as const)('never has a smaller drawdown than %s has reported', async (asked) => {
    const { ask, market, ...session } = await stage()
    const at = market.now() - 60_000
    session.ports.noteEquity({ account: 'paper', at, currency: 'USDT', total: '10000', wallet: '10000' })
    await session.run('buy 0.1 BTCUSDT')
    market.setPrice('BTCUSDT', '64000')
    const deepest = async (by: typeof asked) =>
      by === 'session'
        ? jsonOf(await session.run('session --since 2025-12-01 --json')).maxDrawdown
        : (await ask[by]({ t: by, id: 'a' })).maxDrawdown
    const reported = await deepest(asked)
    expect(Number(reported?.amount)).toBeGreaterThan(50)
    market.setPrice('BTCUSDT', '66000')
    await session.advance(60_000)
    expect([await deepest('session'), await deepest('trades:query')]).toEqual([reported, reported])
  })

  it('has the deepest fall among any number of points of the curve', async () => {
    const totals = Array.from({ length: 400 }, (_, index) => 10_000 + Math.round(900 * Math.sin(index ** 1.7)))
    const records = totals.map((total, index) => {
      const worth = String(total)
      return { account: 'paper', at: index * 60_000, currency: 'USDT', total: worth, wallet: worth }
    })
    const { ask } = await stage(records)
    for (const points of [5, 10, 33, 200]) {
      const answer = await ask['equity:query']({ t: 'equity:query', id: 'a', points })
      const shown = answer.points.map(([at, total, wallet]) => ({
        ...{ account: 'paper', currency: 'USDT' },
        ...{ at, total, wallet: wallet ?? total },
      }))
      expect(answer.points.length).toBeLessThanOrEqual(points)
      expect(maxDrawdownOf(shown)?.amount).toBe(maxDrawdownOf(records)?.amount)
    }
  })

  it('has a drawdown of recorded equity alone while the account is stale, and says so', async () => {
    const at = Date.UTC(2026, 0, 1) - 60_000
    const { ask } = await stage([{ account: 'paper', at, currency: 'USDT', total: '10100', wallet: '10100' }], 'stale')
    const answer = await ask['trades:query']({ t: 'trades:query', id: 'a' })
    expect(answer).not.toHaveProperty('maxDrawdown')
    expect(answer.gaps).toContain('the equity of now is not known: the drawdown ends with the last record')
  })

  it('is refused for an account that is not there', async () => {
    const { ask } = await stage()
    await expect(ask['trades:query']({ t: 'trades:query', id: 'a', account: 'gone' })).rejects.toMatchObject({
      code: 'unknown-account',
    })
  })
})

describe('orders:query', () => {
  it('lists what `orders --all` lists, newest first, with notes, tags and the rest counted', async () => {
    const { ask, ...session } = await stage()
    await session.run('buy 0.01 BTCUSDT at 60000 #breakout')
    await session.run('cancel p1')
    await session.run('note p1 "too early"')
    await session.run('sell 0.01 BTCUSDT at 70000')
    await session.settle()
    const { orders } = jsonOf(await session.run('orders --all --json'))
    const answer = await ask['orders:query']({ t: 'orders:query', id: 'a' })
    expect(answer.orders.map(({ orderId, state }) => [orderId, state])).toEqual([
      ['p2', 'open'],
      ['p1', 'canceled'],
    ])
    expect(answer.orders[1]).toMatchObject({ note: 'too early', tags: ['breakout'], price: '60000', by: 'repl' })
    expect(answer.orders).toHaveLength(orders.length)
    const newest = await ask['orders:query']({ t: 'orders:query', id: 'b', limit: 1 })
    expect(newest).toMatchObject({ orders: [{ orderId: 'p2' }], leftOut: 1 })
  })
})

describe('fills:query', () => {
  it('has the note and the tags of the order of each fill, as `fills` does', async () => {
    const { ask, ...session } = await stage()
    await session.run('buy 0.01 BTCUSDT #breakout')
    await session.run('note p1 "late entry"')
    await session.run('buy 0.01 ETHUSDT')
    await session.settle()
    const { fills } = await ask['fills:query']({ t: 'fills:query', id: 'a' })
    expect(fills.find(({ symbol }) => symbol === 'BTCUSDT')).toMatchObject({ note: 'late entry', tags: ['breakout'] })
    expect(fills.find(({ symbol }) => symbol === 'ETHUSDT')).not.toHaveProperty('tags')
  })
})

describe('markets:query', () => {
  it('has a price for each symbol, and a reason where there is none', async () => {
    const { ask } = await stage()
    const answer = await ask['markets:query']({ t: 'markets:query', id: 'a', symbols: ['BTCUSDT', 'NOPE', 'eth'] })
    expect(answer.markets.map(({ symbol, last }) => defined({ symbol, last }))).toEqual([
      { symbol: 'BTCUSDT', last: expect.stringMatching(/^\d/) },
      { symbol: 'NOPE' },
      { symbol: 'ETHUSDT', last: expect.stringMatching(/^\d/) },
    ])
    expect(answer.markets[1]?.problem).toContain('NOPE')
  })
})
