import { describe, expect, it } from 'vitest'
import { copierOf, rowOf } from '../../harness/cross-trade/copier-stage.ts'
import { extrasOf, judgeRows, slippageOf } from '../../src/cross-trade/rows-check.ts'

describe('a copier', () => {
  it('slips by a percentage, in a number or in text', () => {
    const slipping = (slippage: unknown) => slippageOf(copierOf({ slippage }))
    expect([undefined, 1, 0.25, '0.5', '2%'].map(slipping)).toEqual(['0.5', '1', '0.25', '0.5', '2'])
    expect([0, -1, 51, '0', 'x', Number.NaN, null, {}].map(slipping)).toEqual(Array(8).fill(undefined))
  })

  it('does nothing where it may slip by what is no percentage; the others of the row go on', () => {
    const copiers = [copierOf({ mode: 'LimitSlippage', slippage: 0 }), copierOf({ account: 'other' })]
    expect(judgeRows([rowOf({ copiers })])[0]?.copiers.map(({ why }) => why)).toEqual([
      'its slippage is not a percentage between 0 and 50',
      undefined,
    ])
  })
})

describe('what commands write into rows', () => {
  it('counts as absent where it is no such value', () => {
    expect(extrasOf(rowOf({ sync: true, enabledAt: 5, wokenAt: 6 } as object))).toEqual({
      sync: true,
      enabledAt: 5,
      wokenAt: 6,
    })
    expect(extrasOf(rowOf({ sync: 'yes', enabledAt: '5' } as object))).toEqual({ sync: false })
  })
})
