import { describe, expect, it } from 'vitest'
import type { Portfolio } from '../../src/protocol/frames.ts'
import { cancelAllWarnings, cancelWarning } from '../../src/web/pages/trade/cancel-warning.ts'

type Order = Portfolio['orders'][number]

let lastId = 0
const stop = (fields: Partial<Order> = {}): Order => ({
  id: `p${++lastId}`,
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'stop',
  amount: '1',
  filled: '0',
  reduceOnly: true,
  postOnly: false,
  timestamp: 1,
  ...fields,
})
const position = (fields: Partial<Portfolio['positions'][number]> = {}) => ({
  symbol: 'BTCUSDT',
  side: 'long',
  amount: '1',
  entryPrice: '1',
  notional: '1',
  ...fields,
})

const ONLY = 'It is the only stop of the long position in BTCUSDT. Without it nothing limits the loss.'
const PART =
  'It is the only stop of the long position in BTCUSDT, though it does not cover all of it. Without it nothing limits the loss.'
const WEAK = ' A stop-limit may not fill when the price jumps.'
const bare = (amount: string) =>
  `Without it ${amount} of 1 has no stop, and nothing limits the loss of that part of the long position in BTCUSDT.`

describe('canceling a stop of a long position of 1', () => {
  it.each<[what: string, order: Order, others: Order[], says: string]>([
    ['the only one', stop(), [], ONLY],
    ['the only one, of a part', stop({ amount: '0.4' }), [], PART],
    ['beside one of another symbol', stop(), [stop({ symbol: 'ETHUSDT' })], ONLY],
    ['beside one of the other side', stop(), [stop({ side: 'buy' })], ONLY],
    ['beside a limit order', stop(), [stop({ type: 'limit' })], ONLY],
    ['beside a take-profit', stop(), [stop({ type: 'take-profit' })], ONLY],
    ['beside one that may open a position', stop(), [stop({ reduceOnly: false })], ONLY],
    ['beside one that has filled', stop(), [stop({ filled: '1' })], ONLY],
    ['beside one of all', stop(), [stop()], 'The other stop covers all of the long position in BTCUSDT.'],
    [
      'beside one of more than all',
      stop(),
      [stop({ amount: '2' })],
      'The other stop covers all of the long position in BTCUSDT.',
    ],
    [
      'beside two halves',
      stop(),
      [stop({ amount: '0.5' }), stop({ amount: '0.5' })],
      'The other 2 stops cover all of the long position in BTCUSDT.',
    ],
    ['beside a half', stop(), [stop({ amount: '0.5' })], bare('0.5')],
    ['a half beside a half', stop({ amount: '0.5' }), [stop({ amount: '0.50' })], bare('0.5')],
    ['beside what is left of one that fills', stop(), [stop({ amount: '1', filled: '0.7' })], bare('0.7')],
    [
      'beside one whose amount the venue does not tell, of the whole position',
      stop(),
      [stop({ amount: '0' })],
      'The other stop covers all of the long position in BTCUSDT.',
    ],
    [
      'beside a stop-limit',
      stop(),
      [stop({ type: 'stop-limit' })],
      `The other stop covers all of the long position in BTCUSDT.${WEAK}`,
    ],
    ['beside a stop-limit of a part', stop(), [stop({ type: 'stop-limit', amount: '0.3' })], `${bare('0.7')}${WEAK}`],
    ['a stop-limit, the only one', stop({ type: 'stop-limit' }), [], ONLY],
  ])('says what is true: %s', (_what, order, others, says) => {
    expect(cancelWarning(order, { positions: [position()], orders: [order, ...others] })).toBe(says)
  })

  it('says it of a short position of stops that buy', () => {
    const orders = [stop({ side: 'buy' }), stop({ side: 'sell' })]
    expect(cancelWarning(orders[0] as Order, { positions: [position({ side: 'short' })], orders })).toContain(
      'the only stop of the short position',
    )
  })

  it.each([
    ['there is no position', stop(), []],
    ['the position is in another symbol', stop(), [position({ symbol: 'ETHUSDT' })]],
    ['it would add to the position', stop({ side: 'buy' }), [position()]],
    ['the side is one that is not known here', stop(), [position({ side: 'both' })]],
    ['the order is a limit', stop({ type: 'limit' }), [position()]],
    ['the order is a take-profit', stop({ type: 'take-profit' }), [position()]],
    ['the order may open a position', stop({ reduceOnly: false }), [position()]],
  ])('is warned of by no word where %s', (_why, order, positions) => {
    expect(cancelWarning(order, { positions, orders: [order] })).toBeUndefined()
  })
})

describe('canceling every order', () => {
  const held = {
    positions: [position(), position({ symbol: 'ETHUSDT', side: 'short' }), position({ symbol: 'XRPUSDT' })],
    orders: [stop(), stop({ symbol: 'ETHUSDT', side: 'buy' }), stop({ symbol: 'XRPUSDT', type: 'limit' })],
  }

  it('names each position that loses its stops, and no other', () => {
    expect(cancelAllWarnings(undefined, held)).toEqual([
      'It takes away every stop of the long position in BTCUSDT. Without them nothing limits the loss.',
      'It takes away every stop of the short position in ETHUSDT. Without them nothing limits the loss.',
    ])
    expect(cancelAllWarnings('ETHUSDT', held)).toHaveLength(1)
    expect(cancelAllWarnings('XRPUSDT', held)).toEqual([])
  })
})
