import { describe, expect, test } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { checkRows } from '../../src/cross-trade/rows-check.ts'
import type { CrossTradeConfig } from '../../src/stores/cross-trade.ts'

type Copier = CrossTradeConfig['copiers'][number]

const copier = (account: string, fields: Partial<Copier> = {}): Copier => ({
  account,
  weight: 1,
  mode: 'Market',
  ...fields,
})

const row = (
  id: string,
  master: string,
  copiers: readonly Copier[],
  fields: Partial<CrossTradeConfig> = {},
): CrossTradeConfig => ({ id, enabled: true, masterAccount: master, masterWeight: 1, copiers, updatedAt: 1, ...fields })

const whyOf = (configs: readonly CrossTradeConfig[], isAccount?: (name: string) => boolean) =>
  Object.fromEntries(checkRows(configs, isAccount).map(({ configId, why }) => [configId, why]))

describe('a row by itself', () => {
  test('with a master and a copier is tradable', () => {
    expect(checkRows([row('1', 'main', [copier('swing', { weight: -0.5 })])])).toEqual([])
  })

  test.each<[string, CrossTradeConfig, string]>([
    ['whose copier is its master', row('1', 'main', [copier('main')]), 'account main would copy itself'],
    ['without a copier', row('1', 'main', []), 'it has no copier'],
    [
      'with weight 0',
      row('1', 'main', [copier('swing', { weight: 0 })]),
      'the weight of swing is not a number other than 0',
    ],
    [
      'with masterWeight 0',
      row('1', 'main', [copier('swing')], { masterWeight: 0 }),
      'its masterWeight is not a number other than 0',
    ],
    [
      'that puts all symbols onto one',
      row('1', 'main', [copier('swing', { symbol: 'ETHUSDT' })]),
      'swing copies onto ETHUSDT, but the row names no symbol of main',
    ],
    ['with an unknown master', row('1', 'gone', [copier('swing')]), 'no account gone found'],
    ['with an unknown copier', row('1', 'main', [copier('gone')]), 'no account gone found'],
    [
      'with one copier twice',
      row('1', 'main', [copier('swing'), copier('swing')]),
      'all symbols of swing would be ordered by more than one copier',
    ],
  ])('%s is not', (_what, config, why) => {
    expect(whyOf([config], (name) => name !== 'gone')).toEqual({ 1: why })
  })

  test('is not looked at while it is off or deleted', () => {
    const bad = [copier('main', { weight: 0 })]
    expect(checkRows([row('1', 'main', bad, { enabled: false }), row('2', 'main', bad, { deletedAt: 5 })])).toEqual([])
  })
})

describe('circles', () => {
  test('two accounts that copy each other are refused, both rows', () => {
    expect(whyOf([row('1', 'a', [copier('b')]), row('2', 'b', [copier('a')])])).toEqual({
      1: 'b copies a, which copies it in turn',
      2: 'a copies b, which copies it in turn',
    })
  })

  test('a circle over three rows is found, and rows that only hang on it are not blamed', () => {
    const configs = [
      row('in', 'x', [copier('a')], { masterSymbol: 'ETHUSDT' }),
      row('1', 'a', [copier('b')], { masterSymbol: 'BTCUSDT' }),
      row('2', 'b', [copier('c')], { masterSymbol: 'BTCUSDT' }),
      row('3', 'c', [copier('a')], { masterSymbol: 'BTCUSDT' }),
      row('out', 'c', [copier('d')], { masterSymbol: 'SOLUSDT' }),
    ]
    expect(checkRows(configs).map(({ configId }) => configId)).toEqual(['1', '2', '3'])
  })

  test('a circle on different symbols is one too', () => {
    const configs = [
      row('1', 'a', [copier('b')], { masterSymbol: 'BTCUSDT' }),
      row('2', 'b', [copier('a')], { masterSymbol: 'ETHUSDT' }),
    ]
    expect(checkRows(configs)).toHaveLength(2)
  })

  test('a chain and a row between two circles are none', () => {
    expect(checkRows([row('1', 'a', [copier('b')]), row('2', 'b', [copier('c')])])).toEqual([])
    const between = [
      row('1', 'a', [copier('b')]),
      row('2', 'b', [copier('a')], { masterSymbol: 'BTCUSDT' }),
      row('3', 'a', [copier('y')], { masterSymbol: 'BTCUSDT' }),
      row('4', 'y', [copier('z')]),
      row('5', 'z', [copier('y')], { masterSymbol: 'ETHUSDT' }),
    ]
    expect(checkRows(between).map(({ configId }) => configId)).toEqual(['1', '2', '4', '5'])
  })

  test('a row that is off closes no circle', () => {
    expect(checkRows([row('1', 'a', [copier('b')]), row('2', 'b', [copier('a')], { enabled: false })])).toEqual([])
  })

  test('a chain of a thousand is looked through', () => {
    const chain = Array.from({ length: 1_000 }, (_, at) => row(`${at}`, `a${at}`, [copier(`a${at + 1}`)]))
    expect(checkRows(chain)).toEqual([])
    expect(checkRows([...chain, row('last', 'a1000', [copier('a0')])])).toHaveLength(1_001)
  })
})

describe('one copier under two rows', () => {
  const on = (id: string, master: string, masterSymbol: string | undefined, at: Copier = copier('swing')) =>
    row(id, master, [at], defined({ masterSymbol }))

  test.each<[string, CrossTradeConfig[], string[]]>([
    ['the same symbol', [on('1', 'a', 'BTCUSDT'), on('2', 'b', 'BTCUSDT')], ['1', '2']],
    ['all symbols and one of them', [on('1', 'a', undefined), on('2', 'b', 'BTCUSDT')], ['1', '2']],
    [
      'two symbols of masters onto one',
      [
        on('1', 'a', 'BTCUSDT', copier('swing', { symbol: 'SOLUSDT' })),
        on('2', 'a', 'ETHUSDT', copier('swing', { symbol: 'SOLUSDT' })),
      ],
      ['1', '2'],
    ],
    ['different symbols', [on('1', 'a', 'BTCUSDT'), on('2', 'b', 'ETHUSDT')], []],
  ])('%s', (_what, configs, blamed) => {
    expect(checkRows(configs).map(({ configId }) => configId)).toEqual(blamed)
  })

  test('says which account and symbol', () => {
    expect(whyOf([on('1', 'a', 'BTCUSDT'), on('2', 'b', undefined)])).toEqual({
      1: 'BTCUSDT of swing would be ordered by more than one copier',
      2: 'all symbols of swing would be ordered by more than one copier',
    })
  })
})
