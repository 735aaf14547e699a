import { describe, expect, it } from 'vitest'
import { onlyShrinks } from '../../src/guards/rules.ts'

const holding = {
  market: { kind: 'linear', quote: 'USDT' },
  position: { side: 'long', amount: '2' },
  underWay: [],
  holdsReduceOnly: true,
} as const
const sell = { symbol: 'BTCUSDT', side: 'sell', type: 'limit', amount: '1' } as const
const resting = (remaining: string, more = {}) => [{ side: 'sell', remaining, reduceOnly: true, ...more } as const]

describe('an order that is not reduce-only', () => {
  it.each([
    ['only shrinks what is held beside a stop of a part', resting('1'), true],
    ['may turn it round beside a stop of more than the rest', resting('1.5'), false],
    [
      'may turn it round beside a stop of the whole position, which has no amount',
      resting('0', { closesPosition: true }),
      false,
    ],
  ])('%s', (_what, orders, expected) => {
    expect(onlyShrinks(sell, { ...holding, resting: orders })).toBe(expected)
  })
})
