import { describe, expect, it } from 'vitest'
import { madeRows, makerName, wayOf } from '../../src/web/pages/portfolio/made-by.ts'
import { spanOf, startOf } from '../../src/web/pages/portfolio/spans.ts'

describe('the span in the address', () => {
  it('is thirty days where it is none', () => {
    expect([spanOf('1d').id, spanOf(null).id, spanOf('7 years').id]).toEqual(['1d', '30d', '30d'])
    expect(wayOf('<b>')).toBe('day')
  })

  it('has no beginning where all is wanted', () => {
    expect(startOf(spanOf('all'), 5)).toEqual({})
    expect(startOf(spanOf('1d'), 86_400_005)).toEqual({ from: 5 })
  })
})

describe('what was made', () => {
  const sum = (currency: string) => ({ currency, realized: '1', fees: '0.5', funding: '0', net: '0.5' })

  it('has a row for each currency, which are never added', () => {
    const rows = madeRows({ groups: [{ key: 'BTCUSDT', fills: 3, sums: [sum('USDT'), sum('BTC')] }] })
    expect(rows.map(({ key, currency, net }) => [key, currency, net])).toEqual([
      ['BTCUSDT', 'USDT', '0.5'],
      ['BTCUSDT', 'BTC', '0.5'],
    ])
  })

  it('names who ordered, and a later kind as it came', () => {
    const names = ['hook:dip', 'web:Console', 'repl', 'other', 'later:x', 'task:a:b'].map(makerName)
    expect(names).toEqual(['hook dip', 'page Console', 'by hand', 'not known to hookline', 'later:x', 'task a:b'])
  })
})
