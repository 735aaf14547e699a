import { describe, expect, it } from 'vitest'
import type { Market } from '../../../src/exchange/market.ts'
import type { Order, Position } from '../../../src/exchange/order.ts'
import { positionRowOf, stepsOf } from '../../../src/listener/topics/portfolio.ts'

const position = (fields: Partial<Position> = {}): Position => ({
  symbol: 'BTCUSDT',
  side: 'long',
  amount: '0.003',
  entryPrice: '65000',
  settle: 'USDT',
  notional: '195',
  leverage: '10',
  markPrice: '65000',
  ...fields,
})
const market = (symbol: string, priceGrid: Market['priceGrid']): Market => ({
  symbol,
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  amountUnit: 'base',
  priceGrid,
  lotSize: '0.001',
  minAmount: '0.001',
  active: true,
})

describe('the margin of a position', () => {
  it.each([
    ['linear', position(), '19.5'],
    ['inverse', position({ notional: '1300', settle: 'BTC' }), '0.002'],
    ['inverse, where only its entry is known', position({ notional: '650', markPrice: undefined as never }), '0.001'],
  ] as const)('is its worth by its leverage, in what it is settled in: %s', (kind, held, margin) => {
    expect(positionRowOf(held, kind === 'linear' ? 'linear' : 'inverse').margin).toBe(margin)
  })

  it('is not there where the venue tells no leverage', () => {
    const { leverage: _, ...held } = position()
    expect(positionRowOf(held, 'linear')).not.toHaveProperty('margin')
  })
})

describe('the steps of a portfolio', () => {
  it('are those of each market in it once, and of no other', () => {
    const markets = [
      market('BTCUSDT', { kind: 'tick', tick: '0.1' }),
      market('ETHUSDT', { kind: 'significant', digits: 5, decimals: 6 }),
      market('XRPUSDT', { kind: 'tick', tick: '0.0001' }),
    ]
    const order = { symbol: 'ETHUSDT', price: '2948.2' } as Order
    expect(stepsOf(markets, { symbol: 'BTCUSDT', last: '65000', positions: [position()], orders: [order] })).toEqual([
      { symbol: 'BTCUSDT', lotSize: '0.001', tick: '0.1' },
      { symbol: 'ETHUSDT', lotSize: '0.001', tick: '0.1' },
    ])
  })
})
