import { describe, expect, test } from 'vitest'
import { type PriceExpression, parsePrice } from '../../src/language/price.ts'
import { caught, refusalOf } from './refusal.ts'
import { wordsOf } from './words.ts'

const absolute = (price: string): PriceExpression => ({ base: { kind: 'absolute', price } })
const anchor = (name: 'last' | 'bid' | 'ask' | 'entry'): PriceExpression => ({ base: { kind: 'anchor', anchor: name } })
const amount = (base: PriceExpression, value: string): PriceExpression => ({
  ...base,
  offset: { kind: 'amount', value },
})
const percent = (base: PriceExpression, value: string): PriceExpression => ({
  ...base,
  offset: { kind: 'percent', value },
})

describe('parsePrice', () => {
  test.each<[string, PriceExpression, number]>([
    ['65000', absolute('65000'), 1],
    ['.5', absolute('0.5'), 1],
    ['66,000', absolute('66000'), 1],
    ['1,234,567.5', absolute('1234567.5'), 1],
    ['-1,000', amount(anchor('last'), '-1000'), 1],
    ['65000 po', absolute('65000'), 1],
    ['65000 1%', absolute('65000'), 1],
    ['+100', amount(anchor('last'), '100'), 1],
    ['-100', amount(anchor('last'), '-100'), 1],
    ['+0', amount(anchor('last'), '0'), 1],
    ['-0', amount(anchor('last'), '0'), 1],
    ['-100 BTCUSDT', amount(anchor('last'), '-100'), 1],
    ['-100 -5', amount(anchor('last'), '-100'), 1],
    ['+1%', percent(anchor('last'), '1'), 1],
    ['-0.5%', percent(anchor('last'), '-0.5'), 1],
    ['-99.99%', percent(anchor('last'), '-99.99'), 1],
    ['+150%', percent(anchor('last'), '150'), 1],
    ['$last', anchor('last'), 1],
    ['$bid', anchor('bid'), 1],
    ['$ASK', anchor('ask'), 1],
    ['$entry -2%', percent(anchor('entry'), '-2'), 2],
    ['$bid -0.1% po', percent(anchor('bid'), '-0.1'), 2],
    ['$bid-0.1%', percent(anchor('bid'), '-0.1'), 1],
    ['$bid+5', amount(anchor('bid'), '5'), 1],
    ['65000 +100', amount(absolute('65000'), '100'), 2],
    ['65000+1%', percent(absolute('65000'), '1'), 1],
  ])('reads %j', (line, price, next) => {
    expect(parsePrice(wordsOf(line), 0)).toEqual({ price, next })
  })

  test('starts at the word it is told', () => {
    expect(parsePrice(wordsOf('at $bid -1 po'), 1)).toEqual({ price: amount(anchor('bid'), '-1'), next: 3 })
  })

  test('reads a variable that held an anchor and its offset as one word', () => {
    const word = { kind: 'word', text: '$last -1%', column: 1 } as const
    expect(parsePrice([word], 0)).toEqual({ price: percent(anchor('last'), '-1'), next: 1 })
  })

  test.each([
    ['', 'missing-argument@1'],
    ['0', 'bad-price@1'],
    ['0.0', 'bad-price@1'],
    ['at', 'bad-price@1'],
    ['$65000', 'bad-price@1'],
    ['0,650', 'bad-price@1'],
    ['65,00', 'bad-price@1'],
    ['1e5', 'bad-price@1'],
    ['$mark', 'bad-price@1'],
    ['$pnl', 'bad-price@1'],
    ['$', 'bad-price@1'],
    ['+', 'bad-price@1'],
    ['-', 'bad-price@1'],
    ['%', 'bad-price@1'],
    ['--5', 'bad-price@1'],
    ['+-5%', 'bad-price@1'],
    ['+5-1', 'bad-price@1'],
    ['-100%', 'bad-price@1'],
    ['-100.0%', 'bad-price@1'],
    ['-250%', 'bad-price@1'],
    ['$bid%', 'bad-price@1'],
    ['$bid -x', 'bad-price@6'],
    ['$bid-x', 'bad-price@5'],
    ['65000 -100%', 'bad-price@7'],
    ['$last*2', 'bad-price@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parsePrice(wordsOf(line), 0))).toBe(refusal)
  })

  test('points behind the last word when the price is missing', () => {
    expect(refusalOf(() => parsePrice(wordsOf('$250 at'), 2))).toBe('missing-argument@8')
  })

  test.each([
    ['$65000', 'type 65000'],
    ['$lats', 'type $last'],
    ['$mark', 'type $last, $bid, $ask or $entry'],
    ['x', 'type a price such as 65000, +100, -0.5% or $bid -0.1%'],
  ])('says what to type instead of %s', (line, hint) => {
    expect(caught(() => parsePrice(wordsOf(line), 0)).hint).toBe(hint)
  })
})
