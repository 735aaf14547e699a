import { describe, expect, it } from 'vitest'
import type { FillRow, Portfolio } from '../../../src/protocol/frames.ts'
import { bookLevels, ownRows, stepOf } from '../../../src/web/pages/trade/book-rows.ts'
import { linesOf, moveLine } from '../../../src/web/pages/trade/chart/chart-lines.ts'
import { marksOf, ordererOf } from '../../../src/web/pages/trade/chart/fill-marks.ts'
import { withFills } from '../../../src/web/pages/trade/fill-list.ts'
import { onTick } from '../../../src/web/pages/trade/tick.ts'

type Order = Portfolio['orders'][number]
const order = (change: Partial<Order>): Order => ({
  ...{ id: 'p1', symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.004', filled: '0' },
  ...{ reduceOnly: false, postOnly: false, timestamp: 1 },
  ...change,
})
const fill = (change: Partial<FillRow>): FillRow => ({
  ...{
    account: 'paper',
    id: '1',
    orderId: 'p1',
    symbol: 'BTCUSDT',
    side: 'buy',
    amount: '1',
    price: '5',
    timestamp: 25,
  },
  ...change,
})

describe('lines of the chart', () => {
  it('say size and PnL of a position, and each price of an order', () => {
    const position = {
      symbol: 'BTCUSDT',
      side: 'long',
      amount: '0.018',
      entryPrice: '5',
      unrealizedPnl: '7.234',
      notional: '1',
    }
    const stop = order({ id: 'p2', type: 'stop', side: 'sell', triggerPrice: '4', takeProfitPrice: '9' })
    const orders = [order({ price: '4.5', postOnly: true }), stop, order({ symbol: 'ETHUSDT', price: '3' })]
    expect(
      linesOf({ positions: [position], orders }, 'BTCUSDT').map(({ label, price }) => `${label} @ ${price}`),
    ).toEqual([
      'long 0.018 +7.23 @ 5',
      'p1 buy 0.004, post-only @ 4.5',
      'p2 stop, sell 0.004 @ 4',
      'p2 target, sell 0.004 @ 9',
    ])
  })

  it('leave out a PnL that the venue does not say', () => {
    const position = { symbol: 'BTCUSDT', side: 'short', amount: '1', entryPrice: '5', notional: '1' }
    expect(linesOf({ positions: [position], orders: [] }, 'BTCUSDT')[0]).toMatchObject({
      label: 'short 1',
      look: 'short',
    })
  })

  it('write a command when they are moved', () => {
    expect(moveLine({ orderId: 'p4', what: 'price' }, '54159.2')).toBe('move p4 to 54159.2')
    expect(moveLine({ orderId: 'p4', what: 'takeProfit' }, '9')).toBe('amend p4 tp 9')
  })
})

describe('marks of fills', () => {
  it('stand at the candle that they filled in, one for each side and orderer', () => {
    const fills = [
      fill({ id: '1' }),
      fill({ id: '2', timestamp: 29 }),
      fill({ id: '3', source: 'hook' }),
      fill({ id: '4', timestamp: 3 }),
    ]
    expect(marksOf(fills, 'BTCUSDT', [10, 20, 30]).map(({ time, who, count }) => [time, who, count])).toEqual([
      [20, 'elsewhere', 2],
      [20, 'hook', 1],
    ])
  })

  it.each([
    [{ source: 'web' }, 'you'],
    [{ source: 'hook', taskId: 't' }, 'hook'],
    [{ source: 'web', taskId: 't' }, 'task'],
    [{ source: 'copier', copier: 'a/b' }, 'copier'],
    [{}, 'elsewhere'],
  ])('say who ordered: %j', (facts, who) => expect(ordererOf(facts)).toBe(who))
})

describe('fills that are followed', () => {
  it('are there once, newest first, and of one account', () => {
    const known = withFills(undefined, [fill({ id: '1', timestamp: 1 })], 'paper')
    const rows = [fill({ id: '1', timestamp: 1 }), fill({ id: '2', timestamp: 2 }), fill({ id: '3', account: 'b' })]
    expect(withFills(known, rows, 'paper').map(({ id }) => id)).toEqual(['2', '1'])
  })

  it('keep what they realised, where their news come again without it', () => {
    const known = withFills(undefined, [fill({ id: '1', pnl: '5' })], 'paper')
    expect(withFills(known, [fill({ id: '1' })], 'paper')[0]?.pnl).toBe('5')
  })
})

describe('the book', () => {
  it('sums exactly from the best price on, with as many digits everywhere', () => {
    const levels = bookLevels(
      {
        bids: [
          ['5', '0.1'],
          ['4', '0.25'],
        ],
        asks: [['6', '7']],
      },
      { count: 10 },
    )
    expect(levels.bids.map(({ amount, sum }) => [amount, sum])).toEqual([
      ['0.10', '0.10'],
      ['0.25', '0.35'],
    ])
    expect(levels.asks[0]).toMatchObject({ sum: '7', share: 1 })
  })

  const BOOK = {
    bids: [
      ['100.4', '1'],
      ['100.1', '0.5'],
      ['100.0', '0.25'],
      ['99.9', '2'],
      ['99.2', '4'],
    ],
    asks: [
      ['100.5', '1'],
      ['100.6', '0.5'],
      ['101.0', '0.25'],
      ['101.1', '2'],
    ],
  } as { bids: [string, string][]; asks: [string, string][] }
  const rowsOf = (levels: readonly { price: string; amount: string; sum: string }[]) =>
    levels.map(({ price, amount, sum }) => [Number(price), amount, sum])

  it('put together in steps, has bids under and asks over their prices, and the sums of all that is told', () => {
    const { bids, asks } = bookLevels(BOOK, { count: 10, step: '0.5' })
    expect(rowsOf(bids)).toEqual([
      [100, '1.75', '1.75'],
      [99.5, '2.00', '3.75'],
      [99, '4.00', '7.75'],
    ])
    expect(rowsOf(asks)).toEqual([
      [100.5, '1.00', '1.00'],
      [101, '0.75', '1.75'],
      [101.5, '2.00', '3.75'],
    ])
  })

  it('leaves out the last step of a side that was cut, where it is not known to its end', () => {
    const { bids, asks } = bookLevels(BOOK, { count: 10, step: '0.5', told: 5 })
    expect([bids.length, asks.length]).toEqual([2, 3])
    expect(bookLevels(BOOK, { count: 10, step: '5', told: 5 }).bids).toHaveLength(1)
  })

  it.each([
    ['0.1', [1, 5, 10, 50], ['0.1', '0.5', '1', '5']],
    ['0.50', [1, 5], ['0.5', '2.5']],
    ['5', [1, 10], ['5', '50']],
    ['0.0001', [50], ['0.005']],
  ] as const)('has steps of the tick %s: times %j', (tick, times, steps) => {
    expect(times.map((each) => stepOf(tick, each))).toEqual(steps)
  })

  it('marks own orders in the row that they are in or next to, and none behind the last', () => {
    const { bid, ask } = ownRows(bookLevels(BOOK, { count: 10 }), [
      { side: 'bid', price: '100.40' },
      { side: 'bid', price: '100.2' },
      { side: 'bid', price: '90' },
      { side: 'ask', price: '100.7' },
    ])
    expect([...bid]).toEqual([
      ['100.4', ['100.40']],
      ['100.1', ['100.2']],
    ])
    expect([...ask]).toEqual([['101.0', ['100.7']]])
  })
})

describe('a price on the tick', () => {
  it.each([
    [54159.17, '0.1', '54159.2'],
    [54159.17, '0.5', '54159.0'],
    [54162.6, '5', '54165'],
    [0.49872, '0.0001', '0.4987'],
    [3.2, '0.10', '3.2'],
  ])('%d on %s is %s', (price, tick, text) => expect(onTick(price, tick)).toBe(text))
})
