// What has been paid on average reads as a price, and data stay exact (behaviour 39).
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { filledLine, fillLine } from '../../src/commands/kit/lines.ts'
import type { Order } from '../../src/exchange/order.ts'

describe('averages', () => {
  it('of several fills, and of an order whose fills are not known, have one digit more than prices', () => {
    const fill = { id: 't', orderId: 'p1', symbol: 'BTCUSDT', side: 'buy', timestamp: 0 } as const
    const fills = [
      { ...fill, amount: '0.002', price: '55759.8' },
      { ...fill, amount: '0.001', price: '55760.3' },
    ]
    expect(fillLine(fills, () => undefined)).toBe('bought 0.003 BTCUSDT at 55,759.97 ($167.28)')
    const order: Order = {
      id: 'p1',
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      price: '55760.5',
      average: '55759.96666667',
      amount: '0.003',
      filled: '0.003',
      remaining: '0',
      status: 'closed',
      timestamp: 0,
      reduceOnly: false,
      postOnly: false,
    }
    expect(filledLine(order, () => undefined)).toBe('bought 0.003 BTCUSDT at 55,759.97 ($167.28)')
    const { price: _, ...atMarket } = order
    expect(filledLine({ ...atMarket, type: 'market' }, () => undefined)).toBe(
      'bought 0.003 BTCUSDT at 55,759.97 ($167.28)',
    )
  })

  it('have one digit more than the market, and stay exact as data', async () => {
    const session = await createSession({ prices: { BTCUSDT: '55759.7' } })
    await session.run('buy 0.002')
    session.market.setPrice('BTCUSDT', '55760.0')
    await session.market.advance(1000)
    await session.run('buy 0.001')
    const [position] = await session.market.exchange.fetchPositions()
    expect(position?.entryPrice).toBe('55759.9')
    session.market.setPrice('BTCUSDT', '55760.2')
    await session.market.advance(1000)
    await session.run('buy 0.004')
    const [exact] = await session.market.exchange.fetchPositions()
    expect(exact?.entryPrice).toMatch(/^55760\.\d{5,}$/)
    const [, row] = await session.run('positions')
    expect(row).toMatch(/ 55,760\.13 /)
    expect(await session.run('echo $entry')).toEqual(['print 55760.129'])
    await session.run('sell 0.007')
    const [, trade] = await session.run('trades')
    expect(trade).toMatch(/ 55,760\.13 /)
    expect((await session.run('trades --csv')).join('\n')).toMatch(/,55760\.1285714,/)
  })
})
