// What is said of a change beside its base: a fifth lost is a loss, where the turns do not overlap and the base holds still.
import { expect, test } from 'vitest'
import type { Row } from '../../quality/bench/shapes.ts'
import { compareRows, hasLoss } from './bench-parts.mjs'

const turns = (claim: string, wanted: string, medians: readonly number[]): Row[][] =>
  medians.map((median) => [
    { claim, wanted, verdict: 'holds', details: '', got: { median, min: median / 2, max: median * 2 } },
  ])

test.each([
  ['more is better, a fifth lost', '≥ 0.75', [1, 1.02, 0.98], [0.8, 0.78, 0.79], 'loss'],
  ['more is better, exactly a fifth', '≥ 0.75', [1, 1, 1], [0.8, 0.8, 0.8], 'loss'],
  ['more is better, a little less than a fifth', '≥ 0.75', [1, 1, 1], [0.81, 0.81, 0.81], 'same'],
  ['less is better, a fifth lost', '≤ 10', [10, 10.5, 9.8], [12.1, 12.4, 12.2], 'loss'],
  ['less is better, exactly a fifth', '≤ 10', [10, 10, 10], [12, 12, 12], 'loss'],
  ['less is better, a little less than a fifth', '≤ 10', [10, 10, 10], [11.9, 11.9, 11.9], 'same'],
  ['a fifth gained', '≤ 10', [10, 10, 10], [8, 8, 8], 'better'],
  ['more is better, a fifth gained', '≥ 1', [1, 1, 1], [1.3, 1.3, 1.2], 'better'],
  ['one turn was as good as the base', '≥ 0.75', [1, 1.02, 0.98], [0.7, 0.99, 0.7], 'unclear'],
  ['the base moves as far by itself', '≤ 10', [6, 10, 14], [30, 30, 30], 'unclear'],
  ['one slow turn of the change', '≤ 10', [10, 10, 10], [10, 10, 30], 'same'],
  ['nothing to divide by', '≤ 10', [0, 0, 0], [1, 1, 1], 'unclear'],
] as const)('%s', (_, wanted, base, change, verdict) => {
  const rows = compareRows(turns('a row', wanted, base), turns('a row', wanted, change))
  expect(rows.map((row) => row.verdict)).toEqual([verdict])
  expect(hasLoss(rows)).toBe(verdict === 'loss')
})

test('a claim that only one of them has is named, and is no loss', () => {
  const rows = compareRows(turns('old', '≤ 1', [1]), turns('new', '≤ 1', [9]))
  expect(rows).toEqual([
    { claim: 'old', verdict: 'gone' },
    { claim: 'new', verdict: 'new' },
  ])
  expect(hasLoss(rows)).toBe(false)
})

test('a row that was skipped is not compared, and one loss among many is enough', () => {
  const skipped: Row = { claim: 'a row', wanted: '≤ 1', verdict: 'skipped', details: '' }
  const [base = [], change = []] = [[skipped], [skipped]]
  expect(compareRows([base], [change])).toEqual([])
  const both = (one: number, two: number) => [
    [...turns('one', '≤ 1', [one]).flat(), ...turns('two', '≤ 1', [two]).flat()],
  ]
  expect(hasLoss(compareRows(both(1, 1), both(1, 2)))).toBe(true)
})
