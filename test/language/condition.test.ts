import { describe, expect, test } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { type Condition, parseWait, type WaitIntent } from '../../src/language/condition.ts'
import type { PriceExpression } from '../../src/language/price.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const absolute = (price: string): PriceExpression => ({ base: { kind: 'absolute', price } })
const above = (value: PriceExpression, symbol?: string): Condition => ({
  kind: 'price',
  anchor: 'auto',
  comparator: '>',
  value,
  ...defined({ symbol }),
})

describe('parseWait', () => {
  test.each<[string, Condition]>([
    ['5s', { kind: 'delay', ms: 5000 }],
    ['250ms', { kind: 'delay', ms: 250 }],
    ['10m', { kind: 'delay', ms: 600_000 }],
    ['time 1430', { kind: 'time', hour: 14, minute: 30 }],
    ['TIME 00:05', { kind: 'time', hour: 0, minute: 5 }],
    ['position', { kind: 'position' }],
    ['position ethusdt', { kind: 'position', symbol: 'ETHUSDT' }],
    ['long', { kind: 'position', side: 'long' }],
    ['short SYM', { kind: 'position', side: 'short', symbol: 'SYM' }],
    ['anyposition', { kind: 'position', any: true }],
    ['flat', { kind: 'position', closed: true }],
    ['flat SYM', { kind: 'position', closed: true, symbol: 'SYM' }],
    ['fill', { kind: 'fill', names: [] }],
    ['fill SYM', { kind: 'fill', names: [{ text: 'SYM', column: 6 }] }],
    [
      'fill p17,p18 p19',
      {
        kind: 'fill',
        names: [
          { text: 'p17', column: 6 },
          { text: 'p18', column: 10 },
          { text: 'p19', column: 14 },
        ],
      },
    ],
    ['price > 65000', above(absolute('65000'))],
    ['price>65000', above(absolute('65000'))],
    ['price >65000', above(absolute('65000'))],
    ['price> 65000', above(absolute('65000'))],
    ['price BTCUSDT > 65000', above(absolute('65000'), 'BTCUSDT')],
    ['price btcusdt>65000', above(absolute('65000'), 'BTCUSDT')],
    ['price > 65000 BTCUSDT', above(absolute('65000'), 'BTCUSDT')],
    ['price > +1%', above({ base: { kind: 'anchor', anchor: 'last' }, offset: { kind: 'percent', value: '1' } })],
    [
      'price > $entry -2% X',
      above({ base: { kind: 'anchor', anchor: 'entry' }, offset: { kind: 'percent', value: '-2' } }, 'X'),
    ],
    ['last>=5', { kind: 'price', anchor: 'last', comparator: '>=', value: absolute('5') }],
    ['$bid <= 5', { kind: 'price', anchor: 'bid', comparator: '<=', value: absolute('5') }],
    ['ask == 5', { kind: 'price', anchor: 'ask', comparator: '==', value: absolute('5') }],
    ['last != 5', { kind: 'price', anchor: 'last', comparator: '!=', value: absolute('5') }],
    ['pnl < -50', { kind: 'price', anchor: 'pnl', comparator: '<', value: absolute('-50') }],
    ['pnl>0', { kind: 'price', anchor: 'pnl', comparator: '>', value: absolute('0') }],
    ['pnl X > +20.5', { kind: 'price', anchor: 'pnl', comparator: '>', value: absolute('20.5'), symbol: 'X' }],
  ])('reads %j', (line, condition) => {
    expect(parseWait(argumentsOf(line))).toEqual({ condition })
  })

  test.each<[string, WaitIntent]>([
    ['fill timeout=1m', { condition: { kind: 'fill', names: [] }, timeoutMs: 60_000 }],
    ['for=5s timeout=2 long', { condition: { kind: 'position', side: 'long' }, timeoutMs: 2000, holdMs: 5000 }],
    ["price > 1 for='250ms'", { condition: above(absolute('1')), holdMs: 250 }],
    ['price timeout=1s > 1', { condition: above(absolute('1')), timeoutMs: 1000 }],
  ])('reads the options of %j', (line, intent) => {
    expect(parseWait(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['timeout=5s', 'missing-argument@11'],
    ['11m', 'bad-duration@1'],
    ['5h', 'bad-duration@1'],
    ['5s 6s', 'unexpected-argument@4'],
    ['5s timeout=1s', 'unexpected-argument@4'],
    ['5s for=1s', 'unexpected-argument@4'],
    ['fill for=1s', 'unexpected-argument@6'],
    ['time 1430 for=1s', 'unexpected-argument@11'],
    ['long timeout=1s timeout=2s', 'unexpected-argument@17'],
    ['long for=x', 'bad-duration@10'],
    ["long for='x'", 'bad-duration@11'],
    ['long timeout=', 'bad-duration@14'],
    ['time', 'missing-argument@5'],
    ['time 2430', 'bad-condition@6'],
    ['time 1260', 'bad-condition@6'],
    ['time 930', 'bad-condition@6'],
    ['time 1430 UTC', 'unexpected-argument@11'],
    ['price', 'bad-condition@6'],
    ['price 65000', 'bad-condition@7'],
    ['price BTCUSDT', 'bad-condition@14'],
    ['price BTCUSDT ETHUSDT', 'bad-condition@15'],
    ['price A,B > 1', 'bad-condition@7'],
    ['price >', 'missing-argument@8'],
    ['price > x', 'bad-price@9'],
    ['price>x', 'bad-price@7'],
    ['price > 0', 'bad-price@9'],
    ['price = 5', 'bad-condition@7'],
    ['price => 5', 'bad-condition@7'],
    ['price >> 5', 'bad-condition@7'],
    ['price > 5 A B', 'unexpected-argument@13'],
    ['price A > 5 B', 'unexpected-argument@13'],
    ['pnl >', 'missing-argument@6'],
    ['pnl > 2%', 'bad-condition@7'],
    ['pnl > $50', 'bad-condition@7'],
    ['anyposition X', 'unexpected-argument@13'],
    ['long A B', 'unexpected-argument@8'],
    ['long A,B', 'bad-condition@6'],
    ['fill p17,', 'bad-argument@10'],
    ['BTCUSDT > 5', 'bad-condition@1'],
    ['prise > 5', 'bad-condition@1'],
    ['5 > 4', 'bad-condition@1'],
    ['> 4', 'bad-condition@1'],
    ['"5s"', 'unexpected-argument@1'],
    ['either (long) or (short)', 'unexpected-argument@8'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseWait(argumentsOf(line)))).toBe(refusal)
  })

  test.each([
    ['prise > 5', 'did you mean price?'],
    ['BTCUSDT > 5', 'name what to compare, as in price BTCUSDT > 65000'],
    ['price = 5', 'type =='],
    ['price >> 5', 'type one of > < >= <= == !='],
    ['xyzzyx', 'type one such as 5s, price > 65000, pnl < -50, long, flat, fill or time 1430'],
  ])('says what to type instead of %s', (line, hint) => {
    expect(caught(() => parseWait(argumentsOf(line))).hint).toBe(hint)
  })
})
