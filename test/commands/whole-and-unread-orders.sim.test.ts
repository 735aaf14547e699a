// Orders that a person or another program has at the venue: one that closes the whole position, and one in words that cannot be read.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import type { Exchange, UnreadRow } from '../../src/exchange/exchange.ts'
import type { Order } from '../../src/exchange/order.ts'

const WHOLE: Order = {
  id: 'w1',
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'stop',
  amount: '0',
  filled: '0',
  remaining: '0',
  triggerPrice: '60000',
  reduceOnly: true,
  postOnly: false,
  status: 'open',
  closesPosition: true,
  timestamp: 1_795_326_743_957,
}
const UNREAD: UnreadRow = { what: 'order', id: 'x9', symbol: 'BTCUSDT', why: 'its status is not known' }
const UNREAD_LINE = 'warn order x9 on BTCUSDT cannot be read: its status is not known; check it at the venue'

const stage = (more: (exchange: Exchange) => Partial<Exchange>) =>
  createSession({ exchange: (paper) => ({ ...paper, ...more(paper) }) })

const withWhole = () =>
  stage(() => ({
    fetchOpenOrders: async () => [WHOLE],
    cancelAllOrders: async () => [{ ...WHOLE, status: 'canceled' }],
  }))

describe('a stop of the whole position', () => {
  it('is listed as one', async () => {
    const session = await withWhole()
    const lines = await session.run('orders')
    expect(lines.join('\n')).toMatch(/w1\s+BTCUSDT\s+sell\s+stop\s+all\s+0\s+60,000\.0\s+closes/)
  })

  it('is canceled with the others', async () => {
    const session = await withWhole()
    expect(await session.run('cancel all')).toEqual([
      'success canceled order w1: stop sell all BTCUSDT at 60,000.0, reduce-only',
    ])
  })

  it.each(['amend w1 at 59000', 'amend w1 50%'])('is not changed, and above all not ended by %s', async (line) => {
    const session = await withWhole()
    expect(await session.run(line)).toEqual([
      expect.stringMatching(/^error not-supported: order w1 closes the whole position and cannot be changed here/),
    ])
  })
})

describe('an order that cannot be read', () => {
  const withUnread = () =>
    stage(() => ({ unread: [UNREAD, { what: 'order', symbol: 'ETHUSDT', why: 'it has no id' }] }))

  it('is named by `orders`, and is in what a program gets', async () => {
    const session = await withUnread()
    const run = session.start('orders')
    await run.done
    expect(run.lines).toEqual([
      UNREAD_LINE,
      'warn an order on ETHUSDT cannot be read: it has no id; check it at the venue',
      expect.stringContaining('no open orders'),
    ])
    expect(run.data).toMatchObject([{ type: 'orders', orders: [], unread: [UNREAD, { symbol: 'ETHUSDT' }] }])
  })

  it('is named for its own symbol only', async () => {
    const session = await withUnread()
    expect(await session.run('orders BTCUSDT')).toEqual([UNREAD_LINE, expect.stringContaining('no open orders')])
  })

  it('is named by a cancel of all, which leaves it', async () => {
    const session = await withUnread()
    expect(await session.run('cancel all')).toEqual([
      expect.stringContaining('no open orders'),
      UNREAD_LINE,
      'warn an order on ETHUSDT cannot be read: it has no id; check it at the venue',
    ])
    expect(await session.run('cancel BTCUSDT')).toEqual([expect.stringContaining('no open orders'), UNREAD_LINE])
  })
})
