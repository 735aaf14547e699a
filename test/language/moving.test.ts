import { describe, expect, test } from 'vitest'
import { parseAmend, parseBump, parseMove } from '../../src/language/amend.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

describe('parseMove', () => {
  test.each([
    ['p17 to 64000', 'p17 at 64000'],
    ['p17 at 64000', 'p17 at 64000'],
    ['p17 64000', 'p17 at 64000'],
    ['p17 0.02', 'p17 at 0.02'],
    ['p17 -1%', 'p17 at -1%'],
    ['p17 $bid -0.1%', 'p17 at $bid -0.1%'],
    ['BTCUSDT TO 64000 replace', 'BTCUSDT at 64000 replace'],
    ['p17 64000 replace', 'p17 at 64000 replace'],
    ['p17 to 64000 limit 63900', 'p17 at 64000 limit 63900'],
    ['p17 to 64000 0.02', 'p17 at 64000 0.02'],
  ])('reads %j as `amend %s`', (line, amend) => {
    const { name, ...rest } = parseMove(argumentsOf(line))
    const { name: named, ...other } = parseAmend(argumentsOf(amend))
    expect({ ...rest, name: name.text }).toEqual({ ...other, name: named.text })
  })

  test.each([
    ['', 'missing-argument@1'],
    ['p17', 'missing-argument@4'],
    ['p17 to', 'missing-argument@7'],
    ['p17 best', 'bad-price@5'],
    ['p17 to 1 to 2', 'unexpected-argument@10'],
    ['p17,p18 to 1', 'bad-argument@1'],
    ['p17 1 BTCUSDT', 'unexpected-argument@7'],
    ['p17 "1"', 'unexpected-argument@5'],
    ['(p17) 1', 'unexpected-argument@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseMove(argumentsOf(line)))).toBe(refusal)
  })

  test('says what to type without a price', () => {
    expect(caught(() => parseMove(argumentsOf('p17'))).hint).toBe('type its price, as in move p17 to 64000')
  })
})

describe('parseAmend', () => {
  test('takes `to` for `at`', () => {
    expect(parseAmend(argumentsOf('p17 to -1% 0.02'))).toEqual(parseAmend(argumentsOf('p17 at -1% 0.02')))
  })
})

describe('parseBump', () => {
  const up = { kind: 'amount', value: '10' }

  test.each<[string, object]>([
    ['+10', { names: [], offset: up, replace: false }],
    ['-0.1%', { names: [], offset: { kind: 'percent', value: '-0.1' }, replace: false }],
    ['p17 +10', { names: [{ text: 'p17', column: 1 }], offset: up, replace: false }],
    ['+10 REPLACE p17', { names: [{ text: 'p17', column: 13 }], offset: up, replace: true }],
    ['8712345 +10', { names: [{ text: '8712345', column: 1 }], offset: up, replace: false }],
    [
      'p17,p18 BTCUSDT +10',
      {
        names: [
          { text: 'p17', column: 1 },
          { text: 'p18', column: 5 },
          { text: 'BTCUSDT', column: 9 },
        ],
        offset: up,
        replace: false,
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseBump(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['p17', 'missing-argument@4'],
    ['10', 'bad-price@1'],
    ['p17 0.1%', 'bad-price@5'],
    ['+0', 'bad-price@1'],
    ['-0.00%', 'bad-price@1'],
    ['-100%', 'bad-price@1'],
    ['+x', 'bad-price@1'],
    ['+1 +2', 'unexpected-argument@4'],
    ['+1 replace replace', 'unexpected-argument@12'],
    ['p17,, +1', 'bad-argument@5'],
    ['p17 at +1', 'unexpected-argument@5'],
    ['"p17" +1', 'unexpected-argument@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseBump(argumentsOf(line)))).toBe(refusal)
  })

  test.each([
    ['p17 10', 'type +10 or -10'],
    ['0.1%', 'type +0.1% or -0.1%'],
    ['$10', 'type an offset with its sign, as in bump +10 or bump p17 -0.1%'],
  ])('says what to type instead of %s', (line, hint) => {
    expect(caught(() => parseBump(argumentsOf(line))).hint).toBe(hint)
  })
})
