// What is left of an amount, and which part of it the venue takes in one order.
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { Market } from '../../src/exchange/market.ts'
import type { Position } from '../../src/exchange/order.ts'
import { isPositionGone, remainderOf, smallestOrder, upToLargest } from '../../src/tasks/remainder.ts'
import type { TaskFacts } from '../../src/tasks/task-kind.ts'
import { ABLE, BTC } from './scripted-venue.ts'

function factsOf(filled: string, position?: Pick<Position, 'side' | 'amount'>, isPositionKnown = true): TaskFacts {
  const facts = { now: 0, market: BTC, capabilities: ABLE, isPositionKnown, orders: [], filled, cost: '0' }
  if (position === undefined) return facts
  return { ...facts, position: { symbol: 'BTCUSDT', entryPrice: '65000', settle: 'USDT', notional: '0', ...position } }
}

describe('what is left of an amount', () => {
  const sell = { side: 'sell', amount: '0.5', reduce: true } as const
  it.each<[what: string, facts: TaskFacts, left: string, isGone: boolean]>([
    ['the whole, while the position is larger', factsOf('0', { side: 'long', amount: '1' }), '0.5', false],
    ['as much as the position has', factsOf('0', { side: 'long', amount: '0.2' }), '0.2', false],
    [
      'less what has filled, where the position has more',
      factsOf('0.4', { side: 'long', amount: '0.2' }),
      '0.1',
      false,
    ],
    ['nothing, without a position', factsOf('0'), '0', true],
    ['nothing, where the position is on the other side', factsOf('0', { side: 'short', amount: '1' }), '0', true],
    ['the whole, while the position is not known', factsOf('0', undefined, false), '0.5', false],
    ['nothing, where more has filled', factsOf('0.6', { side: 'long', amount: '1' }), '0', false],
    ['whole lots', factsOf('0.4995', { side: 'long', amount: '1' }), '0', false],
  ])('of a sell that only reduces is %s', (_what, facts, left, isGone) => {
    expect(remainderOf(sell, facts).toFixed()).toBe(left)
    expect(isPositionGone(sell, facts)).toBe(isGone)
  })

  it('of what adds does not depend on the position', () => {
    const buy = { side: 'buy', amount: '0.5', reduce: false } as const
    expect(remainderOf(buy, factsOf('0.2')).toFixed()).toBe('0.3')
    expect(isPositionGone(buy, factsOf('0.2'))).toBe(false)
  })
})

describe('an order', () => {
  it.each<[limits: Partial<Market>, type: 'limit' | 'market', largest: string]>([
    [{}, 'market', '7'],
    [{ maxAmount: '5' }, 'limit', '5'],
    [{ maxAmount: '9' }, 'limit', '7'],
    [{ maxAmount: '5', marketMaxAmount: '2' }, 'limit', '5'],
    [{ maxAmount: '5', marketMaxAmount: '2' }, 'market', '2'],
    [{ marketMaxAmount: '2.0005' }, 'market', '2'],
  ])('of 7 with %j as %s is of %s', (limits, type, largest) => {
    expect(upToLargest(new Decimal(7), { ...BTC, ...limits }, type).toFixed()).toBe(largest)
  })

  it.each<[limits: Partial<Market>, reduces: boolean, smallest: string]>([
    [{}, false, '0.001'],
    [{ minNotional: '100' }, false, '0.002'],
    [{ minNotional: '100', minAmount: '0.01' }, false, '0.01'],
    [{ minNotional: '100', amountUnit: 'quote', lotSize: '1', minAmount: '1' }, false, '100'],
    [{ minNotional: '100', minAmount: '0.01' }, true, '0.001'],
  ])('is with %j, reducing %s, of at least %s', (limits, reduces, smallest) => {
    expect(smallestOrder({ ...BTC, ...limits }, '65000', reduces).toFixed()).toBe(smallest)
  })
})
