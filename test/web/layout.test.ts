import { describe, expect, it } from 'vitest'
import { PRESETS, readSizes } from '../../src/web/state/layout.ts'

describe('sizes of panes that were kept', () => {
  it('are taken as they were', () => {
    expect(readSizes({ book: 226, ticket: 348, tables: 0.4 })).toEqual({ book: 226, ticket: 348, tables: 0.4 })
  })

  it.each([
    null,
    'tables',
    7,
    [],
    { book: '226' },
    { book: -1 },
    { book: Number.NaN },
    { tables: 1.5 },
    { chart: 300 },
  ])('are the usual ones where %j is what was kept', (kept) => {
    expect(readSizes(kept)).toEqual({})
  })

  it('keep what fits beside what does not', () => {
    expect(readSizes({ book: 200, ticket: 'wide', toString: 5 })).toEqual({ book: 200 })
  })

  it('are all known in every layout that can be chosen', () => {
    for (const { sizes } of PRESETS) expect(readSizes(sizes)).toEqual(sizes)
  })
})
