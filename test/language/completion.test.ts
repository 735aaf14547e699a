import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { completionTarget } from '../../src/language/completion.ts'
import { anyText } from './arbitraries.ts'

/** `|` marks the cursor. */
function targetAt(marked: string) {
  const cursor = marked.indexOf('|')
  return completionTarget(marked.replace('|', ''), cursor)
}

describe('completionTarget', () => {
  test.each<[string, [string, ...string[]] | undefined, string, number]>([
    ['|', undefined, '', 0],
    ['bu|', undefined, 'bu', 0],
    ['bu|y $5', undefined, 'bu', 0],
    ['  bu|', undefined, 'bu', 2],
    ['buy |', ['buy'], '', 4],
    ['buy BT|', ['buy'], 'BT', 4],
    ['buy $5 BTC|USDT at 5', ['buy', '$5'], 'BTC', 7],
    ['buy BTCUSDT,ET|', ['buy'], 'ET', 12],
    ['buy BTCUSDT,|', ['buy'], '', 12],
    ['buy $5; |', undefined, '', 8],
    ['buy $5;se|', undefined, 'se', 7],
    ['buy $5 & sell |', ['sell'], '', 14],
    ['repeat 3 (b|', undefined, 'b', 10],
    ['repeat 3 (buy |', ['buy'], '', 14],
    ['repeat 3 (buy $5; sleep |', ['sleep'], '', 24],
    ['repeat 3 (buy $5) |', ['repeat', '3', '(buy $5)'], '', 18],
    ['repeat 3 (a; (b); c)|', ['repeat', '3', '(a; (b); c)'], '', 20],
    ['account use "my|', ['account', 'use'], 'my', 13],
    ["account use 'my a|cc'", ['account', 'use'], 'my a', 13],
    ['echo "a" |', ['echo', 'a'], '', 9],
    ['echo "a; b|', ['echo'], 'a; b', 6],
    ['hook create x y --acc|', ['hook', 'create', 'x', 'y'], '--acc', 16],
    ['hook create x y --account="my, a|', ['hook', 'create', 'x', 'y'], '--account="my, a', 16],
    ["echo don't sto|", ['echo', "don't"], 'sto', 11],
    ['a ) b|', ['a'], 'b', 4],
    ['buy @si|', ['buy'], '@si', 4],
  ])('of %j', (marked, call, fragment, start) => {
    const [name, ...words] = call ?? []
    expect(targetAt(marked)).toEqual({ call: name === undefined ? undefined : { name, words }, fragment, start })
  })

  test.each([
    [-1, ''],
    [99, 'bu'],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, 'bu'],
    [1.5, 'b'],
  ])('moves a cursor at %d into the line', (cursor, fragment) => {
    expect(completionTarget('bu', cursor).fragment).toBe(fragment)
  })

  test('never throws, and its fragment is what stands left of the cursor', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -2, max: 60 }), (line, cursor) => {
        const { fragment, start } = completionTarget(line, cursor)
        const end = Math.min(Math.max(cursor, 0), line.length)
        expect(line.slice(start, end)).toBe(fragment)
      }),
      { numRuns: runsOf(3000) },
    )
  })
})
