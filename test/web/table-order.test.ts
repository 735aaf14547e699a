import { describe, expect, it } from 'vitest'
import { fittingColumns, inHeldOrder } from '../../src/web/components/data-table.tsx'

describe('rows that somebody points at', () => {
  it('stay where they were, those that end leave, and new ones come last, as they are sorted', () => {
    const rows = ['c', 'new', 'a', 'newer'].map((id) => ({ id }))
    expect(inHeldOrder(rows, ['a', 'b', 'c']).map(({ id }) => id)).toEqual(['a', 'c', 'new', 'newer'])
  })
})

describe('columns of a table without room for all', () => {
  const column = (id: string, rank?: number, folded?: () => string) => ({
    ...{ id, title: id, cell: () => id },
    ...(rank === undefined ? {} : { rank }),
    ...(folded === undefined ? {} : { folded }),
  })
  const given = [
    column('symbol'),
    column('entry', 5),
    column('mark', 6),
    column('pnl'),
    column('action', 7, () => 'one'),
  ]

  it.each([
    [0, ['symbol', 'entry', 'mark', 'pnl', 'action']],
    [1, ['symbol', 'mark', 'pnl', 'action']],
    [2, ['symbol', 'pnl', 'action']],
    [3, ['symbol', 'pnl', 'one']],
    [9, ['symbol', 'pnl', 'one']],
  ])('give way by rank: after %d steps %j are there', (steps, shown) => {
    expect(fittingColumns(given, steps).map(({ cell }) => cell({}))).toEqual(shown)
  })
})
