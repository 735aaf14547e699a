import { describe, expect, it } from 'vitest'
import { inHeldOrder } from '../../src/web/components/data-table.tsx'

describe('rows that somebody points at', () => {
  it('stay where they were, those that end leave, and new ones come last, as they are sorted', () => {
    const rows = ['c', 'new', 'a', 'newer'].map((id) => ({ id }))
    expect(inHeldOrder(rows, ['a', 'b', 'c']).map(({ id }) => id)).toEqual(['a', 'c', 'new', 'newer'])
  })
})
