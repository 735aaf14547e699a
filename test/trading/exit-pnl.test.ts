import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/exchange/order.ts'
import { bracketOf, exitPnlOf } from '../../src/trading/portfolio.ts'

const long = { symbol: 'BTCUSDT', side: 'long', amount: '0.02', entryPrice: '65000' } as const
const order = { id: 'p1', type: 'stop', symbol: 'BTCUSDT', side: 'sell', remaining: '0.02' } as const

const LINEAR = { kind: 'linear' } as const

describe('what an exit makes', () => {
  it.each([
    ['a stop, a loss', { triggerPrice: '64000' }, { pnl: '-20' }],
    ['a limit, a gain', { price: '66000' }, { pnl: '20' }],
    [
      'both triggers of a stop',
      { triggerPrice: '64000', takeProfitPrice: '67000' },
      { pnl: '-20', takeProfitPnl: '40' },
    ],
    ['the limit of a stop, and not its trigger', { triggerPrice: '64000', price: '63900' }, { pnl: '-22' }],
    ['no more than what is held', { price: '66000', remaining: '5' }, { pnl: '20' }],
    ['a stop of the whole position', { triggerPrice: '64000', remaining: '0', closesPosition: true }, { pnl: '-20' }],
    ['a part', { price: '66000', remaining: '0.01' }, { pnl: '10' }],
  ])('is said of %s', (_what, prices, pnl) => {
    expect(exitPnlOf({ ...order, ...prices }, [long], LINEAR)).toEqual(pnl)
  })

  it.each([
    ['a stop pays the taker', { triggerPrice: '64000' }, { pnl: '-20', net: '-21.29' }],
    ['a limit order pays the maker', { type: 'limit', price: '66000' }, { pnl: '20', net: '19.086' }],
    ['a part pays its share', { triggerPrice: '64000', remaining: '0.01' }, { pnl: '-10', net: '-10.645' }],
    [
      'a target pays the taker',
      { triggerPrice: '64000', takeProfitPrice: '67000' },
      { pnl: '-20', net: '-21.29', takeProfitPnl: '40', takeProfitNet: '38.68' },
    ],
  ] as const)('is said after the fees of entry and exit too: %s', (_what, terms, made) => {
    const market = { ...LINEAR, amountUnit: 'base', takerFee: '0.0005', makerFee: '0.0002' } as const
    expect(exitPnlOf({ ...order, ...terms }, [long], market)).toEqual(made)
  })

  it('is not said after a fee whose rate the venue does not name', () => {
    const market = { ...LINEAR, amountUnit: 'base', takerFee: '0.0005' } as const
    expect(exitPnlOf({ ...order, type: 'limit', price: '66000' }, [long], market)).toEqual({ pnl: '20' })
  })

  it('has the bracket of an entry as the placed stop has it after the fill', () => {
    const entry = { side: 'buy', remaining: '0.02', price: '65000' } as const
    const market = { ...LINEAR, amountUnit: 'base', takerFee: '0.0005' } as const
    expect(bracketOf(entry, { triggerPrice: '64000', takeProfitPrice: '66000' }, market)).toEqual({
      stop: { triggerPrice: '64000', pnl: '-20', net: '-21.29' },
      takeProfit: { triggerPrice: '66000', pnl: '20', net: '18.69' },
    })
  })

  it('is of what the stops that trigger before it leave', () => {
    const stop = (id: string, triggerPrice: string, remaining: string) =>
      ({ ...order, id, triggerPrice, remaining, reduceOnly: true }) as Order
    const of = (...stops: Order[]) => stops.map((each) => exitPnlOf(each, [long], LINEAR, stops))
    expect(of(stop('p12', '63000', '0.015'), stop('p3', '64000', '0.02'))).toEqual([{ closes: '0' }, { pnl: '-20' }])
    expect(of(stop('p3', '64000', '0.015'), stop('p12', '63000', '0.015'))).toEqual([
      { pnl: '-15' },
      { pnl: '-10', closes: '0.005' },
    ])
    expect(of(stop('p3', '64000', '0.01'), stop('p12', '64000', '0.01'))).toEqual([{ pnl: '-10' }, { pnl: '-10' }])
    expect(of(stop('p3', '64000', '0.02'), stop('p12', '64000', '0.02'))).toEqual([{ pnl: '-20' }, { closes: '0' }])
    expect(of(stop('p3', '64000', '0.02'), { ...stop('p4', '66000', '0.02'), type: 'take-profit' })).toEqual([
      { pnl: '-20' },
      { pnl: '20' },
    ])
  })

  it('is nothing for a target that those before it leave nothing', () => {
    const exit = (id: string, remaining: string, prices: Partial<Order>) =>
      ({ ...order, id, remaining, reduceOnly: true, ...prices }) as Order
    const of = (...orders: Order[]) => orders.map((each) => exitPnlOf(each, [long], LINEAR, orders))
    const near = exit('p3', '0.02', { triggerPrice: '64000', takeProfitPrice: '66000' })
    const far = exit('p5', '0.01', { triggerPrice: '63000', takeProfitPrice: '67000' })
    expect(of(far, near)).toEqual([{ closes: '0' }, { pnl: '-20', takeProfitPnl: '20' }])
    // The stop of one has the first turn, the target of the other.
    expect(of({ ...far, triggerPrice: '64500' }, near)).toEqual([
      { pnl: '-5' },
      { pnl: '-10', closes: '0.01', takeProfitPnl: '20' },
    ])
    const limit = (id: string, price: string) => exit(id, '0.015', { type: 'limit', price })
    expect(of(limit('p7', '66000'), limit('p8', '67000'))).toEqual([{ pnl: '15' }, { pnl: '10', closes: '0.005' }])
    expect(of(limit('p7', '66000'), { ...limit('p8', '67000'), reduceOnly: false })[1]).toEqual({ pnl: '30' })
    const short = { ...long, side: 'short' } as const
    const buys = [limit('p7', '64000'), limit('p8', '63000')].map((each) => ({ ...each, side: 'buy' }) as Order)
    expect(buys.map((each) => exitPnlOf(each, [short], LINEAR, buys).closes)).toEqual([undefined, '0.005'])
  })

  it('is the other way round for a short', () => {
    const short = { ...long, side: 'short' } as const
    expect(exitPnlOf({ ...order, side: 'buy', triggerPrice: '66000' }, [short], LINEAR)).toEqual({ pnl: '-20' })
  })

  it('is counted in the coin of an inverse contract', () => {
    const held = { ...long, amount: '1000', entryPrice: '50000' }
    expect(exitPnlOf({ ...order, remaining: '1000', price: '62500' }, [held], { kind: 'inverse' })).toEqual({
      pnl: '0.004',
    })
  })

  it('is nothing for an order that adds, or is of another symbol', () => {
    expect(exitPnlOf({ ...order, side: 'buy', price: '64000' }, [long], LINEAR)).toEqual({})
    expect(exitPnlOf({ ...order, symbol: 'ETHUSDT', price: '64000' }, [long], LINEAR)).toEqual({})
  })
})
