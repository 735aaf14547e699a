import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderTable } from '../../src/commands/kit/lines.ts'
import { cellWidth } from '../../src/terminal/width.ts'

describe('table', () => {
  it('aligns text left and numbers right, under their titles', () => {
    const text = renderTable(
      [{ title: 'symbol' }, { title: 'last', align: 'right' }],
      [
        ['BTCUSDT', '65,000'],
        ['X', '1.5'],
      ],
    )
    expect(text.split('\n')).toEqual(['symbol     last', 'BTCUSDT  65,000', 'X           1.5'])
  })

  it('puts the points of figures below each other; words and what follows a figure have their own room', () => {
    const text = renderTable(
      [{ title: 'symbol' }, { title: 'stop', align: 'point' }, { title: 'pnl', align: 'point' }],
      [
        ['BTCUSDT', '63,700.0', '-$1.50'],
        ['ETHUSDT', '2,950.25 +1', '$0.0042'],
        ['SOLUSDT', 'bare', ''],
        ['XRPUSDT', '1', '-$12.00'],
      ],
    )
    expect(text.split('\n')).toEqual([
      'symbol           stop        pnl',
      'BTCUSDT  63,700.0       -$1.50',
      'ETHUSDT   2,950.25 +1    $0.0042',
      'SOLUSDT          bare',
      'XRPUSDT       1        -$12.00',
    ])
  })

  it('prints no heading when no column has a title', () => {
    expect(renderTable([{ title: '' }, { title: '' }], [['a', 'b']])).toBe('a  b')
  })

  it('gives every line the same width before its last column ends', () => {
    const cell = fc.constantFrom('', 'a', 'long text', '日本', 'e\u0301', '🚀🚀')
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const columns = [{ title: 'x' }, { title: 'y', align: 'right' as const }]
        const lines = renderTable(columns, [...rows.map(([a, b]) => [a, `${b}|`]), ['', '|']]).split('\n')
        const widths = new Set(lines.slice(1).map(cellWidth))
        expect(widths.size).toBe(1)
      }),
    )
  })
})
