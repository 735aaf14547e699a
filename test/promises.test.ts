// Each promise of SECURITY.md can be taken away by one change of the code, and the test that the row names is the one that must notice: here
// that the table of those changes fits the papers and the code. `npm run promises` makes them.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BREAKS } from '../quality/promises/breaks.mjs'

const promised = new Map(
  readFileSync('SECURITY.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| T\d+/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, threat = '', , , , tests = '']) => [threat, tests]),
)

describe('the table of breaks', () => {
  it('has one at least for each threat of SECURITY.md, and none for another', () => {
    const threats = new Set(BREAKS.map(({ threat }) => threat))
    expect([...promised.keys()].filter((threat) => !threats.has(threat))).toEqual([])
    expect([...threats].filter((threat) => !promised.has(threat))).toEqual([])
  })

  it.each(BREAKS.map((each) => [each.threat, each.find.trim().split('\n')[0], each] as const))(
    '%s: `%s` is in its file once, and its row names the test',
    (threat, _find, { file, find, replace, test, title, run = test }) => {
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2)
      expect(replace).not.toBe(find)
      expect(`${promised.get(threat)};`).toContain(`\`${test}\`: ${title};`)
      expect(existsSync(run)).toBe(true)
    },
  )
})
