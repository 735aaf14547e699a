import { describe, expect, it } from 'vitest'
import { findMeanwhile, isNothing, seeAccount } from '../../src/trading/offline-changes.ts'
import { BUY, stageDesk } from './desk-stage.ts'

function stage() {
  const staged = stageDesk()
  const { desk, by, start } = staged.openDesk()
  const see = () => seeAccount(staged.market.exchange, staged.market.now())
  return { ...staged, desk, by, start, see }
}

describe('what happened while nobody watched', () => {
  it('tells the orders of two symbols with one number apart', async () => {
    const order = (symbol: string) => ({ id: '12345', symbol })
    const fill = { ...order('ETHUSDT'), orderId: '12345', side: 'buy', amount: '1', price: '5', timestamp: 20 }
    const venue = {
      fetchMyTrades: async ({ symbol }: { symbol: string }) => (symbol === 'ETHUSDT' ? [fill] : []),
      fetchOrder: async (ref: { symbol: string }) => ({ ...ref, status: 'canceled' }),
    } as never
    const seen = { at: 10, orders: [order('BTCUSDT'), order('ETHUSDT'), order('XRPUSDT')], positions: [] }
    const found = await findMeanwhile(venue, seen, { at: 30, orders: [order('XRPUSDT')], positions: [] })
    expect(found.fills).toEqual([[fill]])
    expect(found.ended.map(({ symbol }) => symbol)).toEqual(['BTCUSDT'])
  })

  it('is nothing when nothing happened', async () => {
    const { start, settle, see, market } = stage()
    start(BUY)
    start({ ...BUY, type: 'limit', price: '60000' })
    await settle()
    const seen = await see()
    market.setPrice('BTCUSDT', '64000')
    await market.advance(1_000)
    expect(isNothing(await findMeanwhile(market.exchange, seen, await see()))).toBe(true)
  })

  it('has fills by order, orders that ended without one, and positions that changed', async () => {
    const { desk, by, start, settle, see, market, advance } = stage()
    start(BUY)
    start({ ...BUY, type: 'limit', price: '60000' })
    start({ ...BUY, symbol: 'ETHUSDT', type: 'limit', price: '2000' })
    await settle()
    const seen = await see()
    await advance(1_000)
    market.setPrice('BTCUSDT', '59000')
    await advance(1_000)
    await desk.cancelAll('ETHUSDT', by())
    const meanwhile = await findMeanwhile(market.exchange, seen, await see())
    expect(meanwhile).toMatchObject({
      since: seen.at,
      fills: [[{ symbol: 'BTCUSDT', side: 'buy', amount: '0.01', price: '60000' }]],
      ended: [{ symbol: 'ETHUSDT', status: 'canceled' }],
      positions: [
        { symbol: 'BTCUSDT', before: { side: 'long', amount: '0.01' }, after: { side: 'long', amount: '0.02' } },
      ],
    })
  })

  it('has a position that is gone, and one that turned', async () => {
    const { start, settle, see, market, advance } = stage()
    start(BUY)
    start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1' })
    await settle()
    const seen = await see()
    await advance(1_000)
    start({ ...BUY, side: 'sell' })
    start({ ...BUY, symbol: 'ETHUSDT', side: 'sell', amount: '0.3' })
    await settle()
    const { positions } = await findMeanwhile(market.exchange, seen, await see())
    expect(positions).toEqual([
      { symbol: 'BTCUSDT', before: expect.objectContaining({ side: 'long' }) },
      {
        symbol: 'ETHUSDT',
        before: expect.objectContaining({ side: 'long', amount: '0.1' }),
        after: expect.objectContaining({ side: 'short', amount: '0.2' }),
      },
    ])
  })

  it('has fills of two orders of one number, each of its own symbol', async () => {
    const { start, settle, see, market, advance } = stage()
    const seen = await see()
    await advance(1_000)
    start(BUY)
    start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1' })
    await settle()
    const numbered = {
      ...market.exchange,
      fetchMyTrades: async (query: Parameters<typeof market.exchange.fetchMyTrades>[0]) =>
        (await market.exchange.fetchMyTrades(query)).map((trade) => ({ ...trade, orderId: '1' })),
    }
    const { fills } = await findMeanwhile(numbered, seen, await see())
    expect(fills.map(([trade]) => trade?.symbol).sort()).toEqual(['BTCUSDT', 'ETHUSDT'])
  })

  it('leaves out an order that the venue no longer knows', async () => {
    const { see, market } = stage()
    const seen = { at: 1, orders: [{ id: 'p77', symbol: 'BTCUSDT' }], positions: [] }
    expect(isNothing(await findMeanwhile(market.exchange, seen, await see()))).toBe(true)
  })

  it('is told of the other markets where the venue has one no longer', async () => {
    const { start, settle, see, market } = stage()
    start(BUY)
    await settle()
    const now = await see()
    const seen = {
      at: 0,
      orders: [{ id: '1', symbol: 'GONEUSDT' }],
      positions: [{ symbol: 'OLDUSDT', side: 'long', amount: '1' } as const],
    }
    const { fills, ended, positions } = await findMeanwhile(market.exchange, seen, now)
    expect([fills.length, ended, positions.map(({ symbol }) => symbol)]).toEqual([1, [], ['BTCUSDT', 'OLDUSDT']])
  })
})
