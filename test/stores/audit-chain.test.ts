import { describe, expect, test } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import {
  BEGINNING,
  type ChainEnd,
  digestOf,
  openLine,
  sealEntry,
  TORN,
  verifyChain,
} from '../../src/stores/audit-log.ts'

/** Four entries. */
function chain(): { readonly lines: string[]; readonly ends: ChainEnd[] } {
  const lines: string[] = []
  const ends: ChainEnd[] = [BEGINNING]
  for (const what of ['a', 'b', 'c', 'd']) add(lines, ends, { at: 1, what, details: { text: 'ünï "hash":"' } })
  return { lines, ends }
}

function add(lines: string[], ends: ChainEnd[], entry: Parameters<typeof sealEntry>[1]): void {
  const { line, end } = sealEntry(ends.at(-1) ?? BEGINNING, entry)
  lines.push(line)
  ends.push(end)
}

const verify = (lines: readonly string[], head: ChainEnd | undefined) => verifyChain(`${lines.join('\n')}\n`, head)

test('a chain as it was written is whole, also with a head that is one behind', () => {
  const { lines, ends } = chain()
  const whole = { whole: true, entries: 4, torn: 0, end: ends[4] }
  expect(verify(lines, ends[4])).toEqual(whole)
  expect(verify(lines, ends[3])).toEqual(whole)
  expect(verifyChain('', undefined)).toMatchObject({ whole: true, entries: 0 })
})

test('a line is read back as it was written', () => {
  const { lines } = chain()
  expect(openLine(lines[0] ?? '')?.entry).toEqual({ n: 1, at: 1, what: 'a', details: { text: 'ünï "hash":"' } })
})

describe('names the first line that is wrong', () => {
  test.each<[string, number | undefined, string, (lines: string[]) => unknown]>([
    ['changed', 2, 'does not follow', (lines) => lines.splice(1, 1, lines[1]?.replace('"b"', '"x"') ?? '')],
    [
      'changed in its hash',
      2,
      'does not follow',
      (lines) => lines.splice(1, 1, lines[1]?.replace(/.{4}"\}$/, '0000"}') ?? ''),
    ],
    ['the first, gone', 1, 'entry 1 is missing before it', (lines) => lines.shift()],
    ['in the middle, gone', 2, 'entries 2 to 3 are missing before it', (lines) => lines.splice(1, 2)],
    ['twice', 3, 'has the number 2, and 3 comes here', (lines) => lines.splice(1, 0, lines[1] ?? '')],
    ['moved', 2, 'entry 2 is missing before it', (lines) => lines.splice(1, 2, lines[2] ?? '', lines[1] ?? '')],
    ['that is none', 2, 'cannot be read', (lines) => lines.splice(1, 0, 'note to self')],
    ['cut', 2, 'cannot be read', (lines) => lines.splice(1, 1, (lines[1] ?? '').slice(0, 30))],
    ['the last, gone', undefined, 'entry 4 is missing at the end', (lines) => lines.pop()],
    ['all gone', undefined, 'entries 1 to 4 are missing at the end', (lines) => lines.splice(0)],
  ])('%s', (_what, line, why, spoil) => {
    const { lines, ends } = chain()
    spoil(lines)
    const verdict = verify(lines, ends[4])
    expect(verdict).toEqual({ whole: false, ...defined({ line }), why: expect.stringContaining(why) })
  })

  test('the last one, rewritten with a hash of its own', () => {
    const { lines, ends } = chain()
    const { line } = sealEntry(ends[3] ?? BEGINNING, { at: 1, what: 'x' })
    expect(verify([...lines.slice(0, 3), line], ends[4])).toMatchObject({ whole: false, line: 4 })
  })

  test('and cannot tell without a head whether lines are missing at the end', () => {
    const { lines } = chain()
    expect(verify(lines, undefined)).toMatchObject({ whole: false, why: expect.stringContaining('audit-head.json') })
  })
})

test('half a line that its marker answers for is counted, one that it does not is wrong', () => {
  const { lines, ends } = chain()
  const half = '{"n":5,"at":1,"wh'
  const torn = (text: string) => {
    const next = [...lines, text]
    add(next, [...ends], { at: 1, what: TORN, details: { sha256: digestOf(half) } })
    return verify(next, ends[4])
  }
  expect(torn(half)).toMatchObject({ whole: true, entries: 5, torn: 1 })
  expect(torn(half.replace('1', '2'))).toMatchObject({ whole: false, line: 5, why: 'cannot be read' })
})
