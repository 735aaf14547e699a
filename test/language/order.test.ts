import { describe, expect, test } from 'vitest'
import { parseSymbols } from '../../src/language/names.ts'
import {
  type CancelIntent,
  type CloseIntent,
  parseCancel,
  parseClose,
  parseOrder,
  parseStop,
  type StopIntent,
} from '../../src/language/order.ts'
import type { PriceExpression } from '../../src/language/price.ts'
import { caught, refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const fromLast = (kind: 'amount' | 'percent', value: string): PriceExpression => ({
  base: { kind: 'anchor', anchor: 'last' },
  offset: { kind, value },
})
const quote = (amount: string) => ({ kind: 'quote', amount }) as const
const percent = (value: string) => ({ kind: 'percent', percent: value }) as const
const plain = { symbols: [], best: false, postOnly: false, reduce: false }

describe('parseOrder', () => {
  test.each<[string, object]>([
    ['$250', { ...plain, size: quote('250'), columns: { size: 1 } }],
    ['BTCUSDT $250', { ...plain, symbols: ['BTCUSDT'], size: quote('250'), columns: { symbols: 1, size: 9 } }],
    ['$250 btcusdt', { ...plain, symbols: ['BTCUSDT'], size: quote('250'), columns: { size: 1, symbols: 6 } }],
    ['WIF,ena $5', { ...plain, symbols: ['WIF', 'ENA'], size: quote('5'), columns: { symbols: 1, size: 9 } }],
    [
      '1000PEPEUSDT 50%',
      { ...plain, symbols: ['1000PEPEUSDT'], size: percent('50'), columns: { symbols: 1, size: 14 } },
    ],
    [
      '$5 at 65000',
      {
        ...plain,
        size: quote('5'),
        price: { base: { kind: 'absolute', price: '65000' } },
        columns: { size: 1, price: 4 },
      },
    ],
    [
      'reduce stop -2% 50% po AT +100 X',
      {
        ...plain,
        symbols: ['X'],
        size: percent('50'),
        price: fromLast('amount', '100'),
        stop: { ...fromLast('percent', '-2'), base: { kind: 'anchor', anchor: 'entry' } },
        reduce: true,
        postOnly: true,
        columns: { symbols: 32, size: 17, price: 24, stop: 8 },
      },
    ],
    [
      '$5 at $bid -0.1% BTCUSDT',
      {
        ...plain,
        symbols: ['BTCUSDT'],
        size: quote('5'),
        price: { base: { kind: 'anchor', anchor: 'bid' }, offset: { kind: 'percent', value: '-0.1' } },
        columns: { symbols: 18, size: 1, price: 4 },
      },
    ],
    ['$5 best po', { ...plain, size: quote('5'), best: true, postOnly: true, columns: { size: 1 } }],
  ])('reads %j', (line, intent) => {
    expect(parseOrder(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['$5 stop -2% take +3%', '$5 stop -2% tp +3%'],
    ['$5 stop -2% TAKE 50% 1R, 50% 2R', '$5 stop -2% tp 50% 1R, 50% 2R'],
    ['$5 sl 60000 take 70000 BTC', '$5 stop 60000 tp 70000 BTC'],
  ])('reads %j as %j', (line, other) => {
    const { columns: _, ...read } = parseOrder(argumentsOf(line))
    const { columns: __, ...same } = parseOrder(argumentsOf(other))
    expect(read).toEqual(same)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['BTCUSDT', 'missing-argument@8'],
    ['$5 at', 'missing-argument@6'],
    ['$5 stop', 'missing-argument@8'],
    ['$5 at reduce', 'bad-price@7'],
    ['BTCUSDT 250', 'bare-number@9'],
    ['$5 $6', 'unexpected-argument@4'],
    ['$5 65000', 'unexpected-argument@4'],
    ['$5 at 1 at 2', 'unexpected-argument@9'],
    ['$5 stop 1 stop 2', 'unexpected-argument@11'],
    ['$5 reduce REDUCE', 'unexpected-argument@11'],
    ['BTC $5 ETH', 'unexpected-argument@8'],
    ['$5 best at 1', 'bad-argument@9'],
    ['$5 at 1 best', 'bad-argument@9'],
    ['$5 po', 'bad-argument@4'],
    ['$5 BTC,', 'bad-argument@8'],
    ['$5 BTC,,ETH', 'bad-argument@8'],
    ['$5 ,BTC', 'bad-argument@4'],
    ['$5 BTC,btc', 'bad-argument@8'],
    ['$5 BTC,5', 'bad-argument@8'],
    ['$5 B*C', 'bad-argument@4'],
    ['$5 --account', 'bad-argument@4'],
    ['$5 "BTCUSDT"', 'unexpected-argument@4'],
    ['$5 (buy)', 'unexpected-argument@4'],
    ['-1%', 'bad-size@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseOrder(argumentsOf(line)))).toBe(refusal)
  })

  test.each([
    ['$5 65000', 'type at 65000 if it is a price'],
    ['$5 $6', 'keep one size'],
    ['BTC $5 redcue', 'did you mean reduce?'],
    ['$5 po', 'type best po, or at <price> po'],
    ['BTC, ETH $5', 'type BTC,ETH'],
  ])('says what to type instead of %s', (line, hint) => {
    expect(caught(() => parseOrder(argumentsOf(line))).hint).toBe(hint)
  })
})

test.each([
  ['$250 stop at -2%', '$250 stop -2%'],
  ['$250 at -1% stop at -2% tp at +4%', '$250 at -1% stop -2% tp +4%'],
])('`buy %s` is `buy %s`', (typed, same) => {
  const [one, other] = [typed, same].map((args) => ({ ...parseOrder(argumentsOf(args)), columns: {} }))
  expect(one).toEqual(other)
})

describe('parseStop', () => {
  test.each<[string, StopIntent]>([
    ['at -2%', { symbols: [], trigger: fromLast('percent', '-2') }],
    ['at 18500', { symbols: [], trigger: { base: { kind: 'absolute', price: '18500' } } }],
    ['buy at +100', { symbols: [], side: 'buy', trigger: fromLast('amount', '100') }],
    [
      '50% at 1%',
      {
        symbols: [],
        size: percent('50'),
        trigger: { ...fromLast('percent', '1'), offset: { kind: 'percent', value: '1', isUnsigned: true } },
      },
    ],
    [
      'sell 0.01 at -100 SYM',
      { symbols: ['SYM'], side: 'sell', size: { kind: 'base', amount: '0.01' }, trigger: fromLast('amount', '-100') },
    ],
    [
      'a,b at $entry -2%',
      {
        symbols: ['A', 'B'],
        trigger: { base: { kind: 'anchor', anchor: 'entry' }, offset: { kind: 'percent', value: '-2' } },
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseStop(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['', 'missing-argument@1'],
    ['BTCUSDT', 'missing-argument@8'],
    ['at', 'missing-argument@3'],
    ['-2%', 'bad-size@1'],
    ['buy sell at 1', 'bad-argument@5'],
    ['at 1 at 2', 'unexpected-argument@6'],
    ['at 1 po X', 'unexpected-argument@9'],
    ['at "1"', 'unexpected-argument@4'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseStop(argumentsOf(line)))).toBe(refusal)
  })
})

describe('parseClose', () => {
  test.each<[string, CloseIntent]>([
    ['', { symbols: [] }],
    ['BTCUSDT', { symbols: ['BTCUSDT'] }],
    ['btcusdt,ethusdt', { symbols: ['BTCUSDT', 'ETHUSDT'] }],
    ['long', { symbols: [], side: 'long' }],
    ['longs', { symbols: [], which: 'long' }],
    ['short', { symbols: [], side: 'short' }],
    ['Shorts', { symbols: [], which: 'short' }],
    ['all', { symbols: [], which: 'all' }],
    ['allpos', { symbols: [], which: 'all' }],
    ['50%', { symbols: [], size: percent('50') }],
    ['BTCUSDT 50%pos', { symbols: ['BTCUSDT'], size: { ...percent('50'), of: 'position' } }],
    ['$100 longs', { symbols: [], which: 'long', size: quote('100') }],
  ])('reads %j', (line, intent) => {
    expect(parseClose(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['all BTCUSDT', 'bad-argument@5'],
    ['BTCUSDT all', 'bad-argument@1'],
    ['longs shorts', 'bad-argument@7'],
    ['long longs', 'bad-argument@6'],
    ['long long', 'unexpected-argument@6'],
    ['BTCUSDT ETHUSDT', 'unexpected-argument@9'],
    ['BTCUSDT 50%bal', 'bad-size@9'],
    ['500', 'bare-number@1'],
    ['101%', 'bad-size@1'],
    ['(a)', 'unexpected-argument@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseClose(argumentsOf(line)))).toBe(refusal)
  })
})

describe('parseCancel', () => {
  test.each<[string, CancelIntent]>([
    ['', { kind: 'focused' }],
    ['all', { kind: 'all' }],
    ['ALL', { kind: 'all' }],
    ['p17', { kind: 'names', names: [{ text: 'p17', column: 1 }] }],
    [
      'p17,p18 btcusdt',
      {
        kind: 'names',
        names: [
          { text: 'p17', column: 1 },
          { text: 'p18', column: 5 },
          { text: 'btcusdt', column: 9 },
        ],
      },
    ],
    [
      '0b7e1d3c-5f0a-4d1e-9a55-0d1f6f0c2b11',
      { kind: 'names', names: [{ text: '0b7e1d3c-5f0a-4d1e-9a55-0d1f6f0c2b11', column: 1 }] },
    ],
    ['12345', { kind: 'names', names: [{ text: '12345', column: 1 }] }],
    ['"all"', { kind: 'names', names: [{ text: 'all', column: 1, isId: true }] }],
    [
      "p17 'a,b;c'",
      {
        kind: 'names',
        names: [
          { text: 'p17', column: 1 },
          { text: 'a,b;c', column: 5, isId: true },
        ],
      },
    ],
  ])('reads %j', (line, intent) => {
    expect(parseCancel(argumentsOf(line))).toEqual(intent)
  })

  test.each([
    ['all BTCUSDT', 'unexpected-argument@5'],
    ['p17 all', 'unexpected-argument@1'],
    ['p17,', 'bad-argument@5'],
    ['p17,p17', 'bad-argument@5'],
    ['$5', 'bad-argument@1'],
    ['"all" all', 'unexpected-argument@1'],
    ['all "p17"', 'unexpected-argument@5'],
    ['(p17)', 'unexpected-argument@1'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseCancel(argumentsOf(line)))).toBe(refusal)
  })
})

describe('parseSymbols', () => {
  test.each([
    ['btcusdt', ['BTCUSDT']],
    ['BTC-PERP,btc/usdt:usdt,PF_XBTUSD', ['BTC-PERP', 'BTC/USDT:USDT', 'PF_XBTUSD']],
  ])('reads %s', (text, symbols) => {
    expect(parseSymbols(text, 1)).toEqual(symbols)
  })

  test.each([
    ['', 'bad-argument@3'],
    ['a b', 'bad-argument@3'],
    ['-a', 'bad-argument@3'],
    ['a,ü', 'bad-argument@5'],
    ['a,123', 'bad-argument@5'],
    ['a'.repeat(65), 'bad-argument@3'],
  ])('refuses %j', (text, refusal) => {
    expect(refusalOf(() => parseSymbols(text, 3))).toBe(refusal)
  })
})
