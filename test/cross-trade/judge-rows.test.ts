import { describe, expect, it } from 'vitest'
import { judgeRows } from '../../src/cross-trade/judge-rows.ts'
import { extrasOf, slippageOf } from '../../src/cross-trade/row-extras.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../src/stores/cross-trade.ts'

const copier = (account: string, more: object = {}): CrossTradeCopier => ({
  ...{ account, weight: 1, mode: 'Market' },
  ...more,
})

function row(id: string, masterAccount: string, copiers: readonly CrossTradeCopier[], more: object = {}) {
  return { id, enabled: true, masterAccount, masterWeight: 1, copiers, updatedAt: 1, ...more } as CrossTradeConfig
}

/** `id: why` of those that do nothing. */
const refused = (...rows: CrossTradeConfig[]) =>
  judgeRows(rows).flatMap(({ row, why }) => (why === undefined ? [] : [`${row.id}: ${why}`]))

describe('a row', () => {
  it('may copy in a chain', () => {
    expect(refused(row('1', 'a', [copier('b')]), row('2', 'b', [copier('c')]))).toEqual([])
  })

  it('may not copy in a circle, over any number of rows; the others go on', () => {
    expect(
      refused(
        row('1', 'a', [copier('b')]),
        row('2', 'b', [copier('c')]),
        row('3', 'c', [copier('a')]),
        row('4', 'a', [copier('d')]),
        row('5', 'd', [copier('e')]),
      ),
    ).toEqual([
      '1: it is part of a circle: a → b → c → a',
      '2: it is part of a circle: b → c → a → b',
      '3: it is part of a circle: c → a → b → c',
    ])
  })

  it('is part of each circle that it closes, not of the shortest alone', () => {
    const pairs = ['u', 'v', 'w'].flatMap((name) => [
      row(`${name}1`, name, [copier(`${name}'`)]),
      row(`${name}2`, `${name}'`, [copier(name)]),
    ])
    const long = [
      row('x', 'u', [copier('v', { symbol: 'X' })]),
      row('y', 'v', [copier('w', { symbol: 'X' })]),
      row('z', 'w', [copier('u', { symbol: 'X' })]),
    ]
    expect(refused(...pairs, ...long)).toHaveLength(9)
  })

  it('may not copy to its own master', () => {
    expect(refused(row('1', 'a', [copier('b'), copier('a')]))).toEqual(['1: a would copy itself'])
  })

  it('that is disabled disturbs nobody', () => {
    expect(refused(row('1', 'a', [copier('b')]), row('2', 'b', [copier('a')], { enabled: false }))).toEqual([])
  })

  it('may not trade what another row trades', () => {
    expect(refused(row('11111111-x', 'a', [copier('c')]), row('22222222-x', 'b', [copier('c')]))).toEqual([
      '11111111-x: c is copied to by row 22222222 too',
      '22222222-x: c is copied to by row 11111111 too',
    ])
    const btc = { masterSymbol: 'BTCUSDT' }
    expect(refused(row('1', 'a', [copier('c')], btc), row('2', 'b', [copier('c')]))).toHaveLength(2)
    expect(refused(row('1', 'a', [copier('c')], btc), row('2', 'b', [copier('c', { symbol: 'ETHUSDT' })]))).toEqual([])
    expect(refused(row('1', 'a', [copier('c'), copier('c')], btc))).toEqual(['1: BTCUSDT on c is copied to twice'])
  })

  it('needs a weight of the master that is a number and not zero', () => {
    for (const masterWeight of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(refused(row('1', 'a', [copier('b')], { masterWeight }))).toEqual([
        '1: the weight of the master is zero or not a number',
      ])
    }
  })
})

describe('a copier', () => {
  const whyOf = (more: object) =>
    judgeRows([row('1', 'a', [copier('b', more), copier('c')])])[0]?.copiers.map(({ why }) => why)

  it('needs a weight that is a number and not zero; the others of the row go on', () => {
    expect(whyOf({ weight: 0 })).toEqual(['its weight is zero or not a number', undefined])
    expect(whyOf({ weight: Number.NaN })).toEqual(['its weight is zero or not a number', undefined])
    expect(whyOf({ weight: -0.5 })).toEqual([undefined, undefined])
  })

  it('slips by a percentage, in a number or in text', () => {
    const slipping = (slippage: unknown) => slippageOf(copier('b', { slippage }))
    expect([undefined, 1, 0.25, '0.5', '2%'].map(slipping)).toEqual(['0.5', '1', '0.25', '0.5', '2'])
    expect([0, -1, 51, '0', 'x', Number.NaN, null, {}].map(slipping)).toEqual(Array(8).fill(undefined))
    expect(whyOf({ mode: 'LimitSlippage', slippage: 0 })).toEqual([
      'its slippage is not a percentage between 0 and 50',
      undefined,
    ])
  })
})

describe('what commands write into rows', () => {
  it('counts as absent where it is no such value', () => {
    expect(extrasOf(row('1', 'a', [], { sync: true, enabledAt: 5, wokenAt: 6 }))).toEqual({
      ...{ sync: true, enabledAt: 5, wokenAt: 6 },
    })
    expect(extrasOf(row('1', 'a', [], { sync: 'yes', enabledAt: '5' }))).toEqual({ sync: false })
  })
})
