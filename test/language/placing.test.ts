import { describe, expect, test } from 'vitest'
import { parseScale, parseSwarm } from '../../src/language/placing.ts'
import type { PriceExpression } from '../../src/language/price.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const absolute = (price: string): PriceExpression => ({ base: { kind: 'absolute', price } })
const fromLast = (value: string): PriceExpression => ({
  base: { kind: 'anchor', anchor: 'last' },
  offset: { kind: 'percent', value },
})
const quote = (amount: string) => ({ kind: 'quote', amount }) as const
const plain = { skew: '0', sizeSkew: '0', postOnly: false, reduce: false }

describe('parseScale', () => {
  test.each<[string, object]>([
    [
      'buy $1000 into 5 from -1% to -3%',
      { ...plain, side: 'buy', size: quote('1000'), count: 5, from: fromLast('-1'), to: fromLast('-3') },
    ],
    [
      'SELL 50% btcusdt INTO 100 from 66000 to 68000 skew -1 sizeskew .5 po reduce',
      {
        side: 'sell',
        size: { kind: 'percent', percent: '50' },
        symbol: 'BTCUSDT',
        count: 100,

        from: absolute('66000'),
        to: absolute('68000'),
        skew: '-1',
        sizeSkew: '0.5',
        postOnly: true,
        reduce: true,
      },
    ],
    [
      'to 5 from 4 into 2 reduce 0.1 sell skew +0.25',
      {
        ...plain,
        side: 'sell',
        size: { kind: 'base', amount: '0.1' },
        count: 2,
        reduce: true,
        skew: '0.25',
        from: absolute('4'),
        to: absolute('5'),
      },
    ],
    [
      'buy $5 into 2 from $bid to $bid -3%',
      {
        ...plain,
        side: 'buy',
        size: quote('5'),
        count: 2,
        from: { base: { kind: 'anchor', anchor: 'bid' } },
        to: { base: { kind: 'anchor', anchor: 'bid' }, offset: { kind: 'percent', value: '-3' } },
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseScale(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['$5 into 5 from 1 to 2', 'missing-argument@22'],
    ['buy into 5 from 1 to 2', 'missing-argument@23'],
    ['buy $5 from 1 to 2', 'missing-argument@19'],
    ['buy $5 into 5 to 2', 'missing-argument@19'],
    ['buy $5 into 5 from 1', 'missing-argument@21'],
    ['buy $5 into', 'missing-argument@12'],
    ['buy $5 into 5 from', 'missing-argument@19'],
    ['buy $5 into 5 from to 2', 'bad-price@20'],
    ['buy sell $5 into 5 from 1 to 2', 'bad-argument@5'],
    ['buy $5 A,B into 5 from 1 to 2', 'bad-argument@8'],
    ['buy $5 into 1 from 1 to 2', 'bad-argument@13'],
    ['buy $5 into 101 from 1 to 2', 'bad-argument@13'],
    ['buy $5 into 2.5 from 1 to 2', 'bad-argument@13'],
    ['buy $5 into five from 1 to 2', 'bad-argument@13'],
    ['buy $5 into 5 into 6 from 1 to 2', 'unexpected-argument@15'],
    ['buy $5 into 5 from 1 to 2 skew 1.1', 'bad-argument@32'],
    ['buy $5 into 5 from 1 to 2 skew -1.01', 'bad-argument@32'],
    ['buy $5 into 5 from 1 to 2 sizeskew x', 'bad-argument@36'],
    ['buy $5 into 5 from 1 to 2 skew 1 skew 1', 'unexpected-argument@34'],
    ['buy $5 into 5 from 1 to 2 irregular', 'unexpected-argument@27'],
    ['buy 500 into 5 from 1 to 2', 'bare-number@5'],
    ['buy $5 into 5 at 3', 'unexpected-argument@15'],
    ['long $5 into 5 from 1 to 2', 'unexpected-argument@1'],
    ['buy $5 into 5 from 1 to 2 (po)', 'unexpected-argument@27'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseScale(argumentsOf(line)))).toBe(refusal)
  })

  test.each([
    ['buy $5 into 5', 'type from <price> to <price>, as in scale buy $1000 into 5 from -1% to -3%'],
    ['buy $5 into 5 at 3', 'type from <price> to <price>'],
    ['short $5', 'type buy or sell'],
    ['buy $1000 5 from 1 to 2', 'type into 5 for 5 orders'],
    ['buy $1000 64000', 'type from <price> to <price>'],
    ['buy $5 BTCUSDT into 5 from 1 to 2 sizskew 1', 'did you mean sizeskew?'],
    ['buy $5 into 5 from 1 to 2 skew 2', 'type 0.5 for more towards the last order, -0.5 for more towards the first'],
  ])('says what to type instead of %s', (line, hint) => {
    expect(caught(() => parseScale(argumentsOf(line))).hint).toBe(hint)
  })
})

describe('parseSwarm', () => {
  test.each<[string, object]>([
    ['buy $1000 into 5', { side: 'buy', size: quote('1000'), count: 5, reduce: false, irregular: false }],
    [
      'sell 50%pos ETHUSDT into 10 irregular reduce',
      {
        side: 'sell',
        size: { kind: 'percent', percent: '50', of: 'position' },
        symbol: 'ETHUSDT',
        count: 10,
        reduce: true,
        irregular: true,
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseSwarm(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['$5 into 5', 'missing-argument@10'],
    ['buy $5', 'missing-argument@7'],
    ['buy $5 into 0', 'bad-argument@13'],
    ['buy $5 into 5 at 3', 'unexpected-argument@15'],
    ['buy $5 into 5 po', 'unexpected-argument@15'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseSwarm(argumentsOf(line)))).toBe(refusal)
  })
})
