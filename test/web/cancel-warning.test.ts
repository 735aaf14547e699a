import { describe, expect, it } from 'vitest'
import type { Portfolio } from '../../src/protocol/frames.ts'
import { cancelWarning } from '../../src/web/pages/trade/cancel-warning.ts'

type Order = Portfolio['orders'][number]

let lastId = 0
const stop = (fields: Partial<Order> = {}): Order => ({
  ...{ id: `p${++lastId}`, symbol: 'BTCUSDT', side: 'sell', type: 'stop', amount: '1', filled: '0' },
  ...{ reduceOnly: true, postOnly: false, timestamp: 1, ...fields },
})
const position = (fields: Partial<Portfolio['positions'][number]> = {}) => ({
  ...{ symbol: 'BTCUSDT', side: 'long', amount: '1', entryPrice: '1', notional: '1', ...fields },
})

describe('canceling a stop', () => {
  it('is warned of where it is the last one of its position', () => {
    const order = stop()
    expect(cancelWarning(order, { positions: [position()], orders: [order] })).toBe(
      'It is the last stop of the long position in BTCUSDT: without it, nothing limits the loss.',
    )
  })

  it.each([
    ['another symbol', stop({ symbol: 'ETHUSDT' })],
    ['the other side', stop({ side: 'buy' })],
    ['a limit', stop({ type: 'limit' })],
    ['one that may open a position', stop({ reduceOnly: false })],
  ])('is the last one beside %s', (_what, other) => {
    const order = stop()
    expect(cancelWarning(order, { positions: [position()], orders: [order, other] })).toContain('the last stop')
  })

  it.each([
    [1, 'one of 2 stops of the short position in BTCUSDT; the other stays.'],
    [3, 'one of 4 stops of the short position in BTCUSDT; the others stay.'],
  ])('says how many of its position stay: %i', (others, says) => {
    const orders = Array.from({ length: others + 1 }, () => stop({ side: 'buy' }))
    const positions = [position({ side: 'short' })]
    expect(cancelWarning(orders[0] as Order, { positions, orders })).toBe(`It is ${says}`)
  })

  it.each([
    ['there is no position', stop(), []],
    ['the position is in another symbol', stop(), [position({ symbol: 'ETHUSDT' })]],
    ['it would add to the position', stop({ side: 'buy' }), [position()]],
    ['the side is one that is not known here', stop(), [position({ side: 'both' })]],
    ['the order is a limit', stop({ type: 'limit' }), [position()]],
    ['the order may open a position', stop({ reduceOnly: false }), [position()]],
  ])('is warned of by no word where %s', (_why, order, positions) => {
    expect(cancelWarning(order, { positions, orders: [order] })).toBeUndefined()
  })
})
