// Each promise of SECURITY.md can be taken away by one change of the code, and the test that the row names is the one that must notice. So can
// those sentences of other papers that are in the table. Here: the table of those changes fits the papers and the code. `npm run promises`
// makes them.
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

const ofThreats = BREAKS.filter(({ sentence }) => sentence === undefined)
const ofSentences = BREAKS.flatMap(({ sentence, ...each }) => (sentence === undefined ? [] : [{ ...each, sentence }]))

describe('the table of breaks', () => {
  it('has one at least for each threat of SECURITY.md, and none for another', () => {
    const threats = new Set(ofThreats.map(({ threat }) => threat))
    expect([...promised.keys()].filter((threat) => !threats.has(threat))).toEqual([])
    expect([...threats].filter((threat) => !promised.has(threat))).toEqual([])
  })

  it.each(BREAKS.map((each) => [each.threat, each.find.trim().split('\n')[0], each] as const))(
    '%s: `%s` is in its file once',
    (_threat, _find, { file, find, replace, test, run = test }) => {
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2)
      expect(replace).not.toBe(find)
      expect(existsSync(run)).toBe(true)
    },
  )

  it.each(ofThreats.map((each) => [each.threat, each.title, each] as const))(
    'the row of %s names the test that %s',
    (threat, _title, { test, title }) => {
      expect(`${promised.get(threat)};`).toContain(`\`${test}\`: ${title};`)
    },
  )

  it.each(ofSentences.map((each) => [each.threat, each.sentence, each] as const))(
    '%s says “%s”, and the test of that is there',
    (paper, sentence, { test, title }) => {
      expect(readFileSync(paper, 'utf8').replaceAll(/\s+/g, ' ')).toContain(sentence.replaceAll(/\s+/g, ' '))
      expect(readFileSync(test, 'utf8')).toContain(title)
    },
  )
})
