import { describe, expect, test } from 'vitest'
import { parseOco, parseTrail } from '../../src/language/task-intents.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const percent = (value: string) => ({ kind: 'percent', value }) as const
const amount = (value: string) => ({ kind: 'amount', value }) as const

describe('parseTrail', () => {
  test.each<[string, object]>([
    ['1%', { distance: percent('1'), symbols: [] }],
    ['250', { distance: amount('250'), symbols: [] }],
    ['$250', { distance: amount('250'), symbols: [] }],
    [
      '0.5% btcusdt,ethusdt 50%',
      { distance: percent('0.5'), symbols: ['BTCUSDT', 'ETHUSDT'], size: { kind: 'percent', percent: '50' } },
    ],
    ['BTCUSDT 100 $250', { distance: amount('100'), symbols: ['BTCUSDT'], size: { kind: 'quote', amount: '250' } }],
    [
      '1% AFTER +0.5% 0.01',
      {
        distance: percent('1'),
        symbols: [],
        size: { kind: 'base', amount: '0.01' },
        after: { from: 'profit', ...percent('0.5') },
      },
    ],
    ['1% after 0.5%', { distance: percent('1'), symbols: [], after: { from: 'profit', ...percent('0.5') } }],
    ['after +100 1%', { distance: percent('1'), symbols: [], after: { from: 'profit', ...amount('100') } }],
    ['1% after 66000', { distance: percent('1'), symbols: [], after: { from: 'price', price: '66000' } }],
  ])('reads %j', (line, intent) => {
    expect(parseTrail(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['BTCUSDT', 'missing-argument@8'],
    ['0%', 'bad-price@1'],
    ['100%', 'bad-price@1'],
    ['-1%', 'bad-price@1'],
    ['+1%', 'bad-price@1'],
    ['1,5', 'bad-price@1'],
    ['1% after', 'missing-argument@9'],
    ['1% after -0.5%', 'bad-price@10'],
    ['1% after +0', 'bad-price@10'],
    ['1% after soon', 'bad-price@10'],
    ['1% after ++1', 'bad-price@10'],
    ['1% 50% 20%', 'unexpected-argument@8'],
    ['1% 50%bal', 'bad-size@4'],
    ['1% "x"', 'unexpected-argument@4'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseTrail(argumentsOf(line)))).toBe(refusal)
  })

  test('says what to type for a loss behind after', () => {
    expect(caught(() => parseTrail(argumentsOf('1% after -1%'))).hint).toBe(
      'type a profit such as +0.5% or +100, or the price itself',
    )
  })
})

describe('parseOco', () => {
  const fromLast = (value: string) => ({ base: { kind: 'anchor', anchor: 'last' }, offset: percent(value) })
  const fromEntry = (value: string) => ({ base: { kind: 'anchor', anchor: 'entry' }, offset: percent(value) })

  test.each<[string, object]>([
    ['at +2% stop -1%', { symbols: [], take: fromLast('2'), stop: fromLast('-1') }],
    [
      'sl 1% tp 2%',
      {
        symbols: [],
        take: { ...fromLast('2'), offset: { ...percent('2'), isUnsigned: true } },
        stop: { ...fromLast('1'), offset: { ...percent('1'), isUnsigned: true } },
      },
    ],
    [
      'btcusdt 50% stop $entry -1% at $entry +2%',
      { symbols: ['BTCUSDT'], size: { kind: 'percent', percent: '50' }, take: fromEntry('2'), stop: fromEntry('-1') },
    ],
    [
      'at 70000 stop 60000',
      {
        symbols: [],
        take: { base: { kind: 'absolute', price: '70000' } },
        stop: { base: { kind: 'absolute', price: '60000' } },
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseOco(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['at +2%', 'missing-argument@7'],
    ['stop -1%', 'missing-argument@9'],
    ['at +2% stop', 'missing-argument@12'],
    ['at +2% stop -1% stop -2%', 'unexpected-argument@17'],
    ['at +2% stop -1% 10%bal', 'bad-size@17'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseOco(argumentsOf(line)))).toBe(refusal)
  })

  test('names the command for one of them alone', () => {
    expect(caught(() => parseOco(argumentsOf('stop -1%'))).hint).toContain('`stop at -1%` is a stop without a target')
  })
})
