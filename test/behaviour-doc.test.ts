// docs/behaviour.md and those who cite it: its numbers are unique and without gaps, every citation names a statement, and nothing cites a
// paper that is not in the repository.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLOSE_CODES } from '../src/protocol/frames.ts'

const PAPER = 'docs/behaviour.md'
const statements = [...readFileSync(PAPER, 'utf8').matchAll(/^### (.*)$/gm)]
  .map(([, heading = '']) => /^<a id="(\d+)"><\/a>(\d+)\. \S/.exec(heading))
  .filter((found) => found !== null)
  .map(([, anchor, number]) => ({ anchor: Number(anchor), number: Number(number) }))
const numbers = statements.map(({ number }) => number)

interface Text {
  readonly path: string
  readonly text: string
}

const ROOTS = ['src', 'test', 'e2e', 'harness', 'quality', 'scripts', 'docs', 'examples']
const READ = /\.(md|[cm]?[jt]sx?|css|html|sh)$/

/** Every text of the repository that people write. */
function readTexts(): Text[] {
  const inFolders = ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)),
  )
  return [...readdirSync('.'), ...inFolders]
    .filter((path) => READ.test(path))
    .map((path) => ({ path, text: unbroken(readFileSync(path, 'utf8')) }))
}

/** A comment may break a citation over two lines. */
function unbroken(text: string): string {
  return text.replaceAll(/\n\s*(?:\/\/|\*|>)?\s*/g, ' ')
}

const texts = readTexts()

/** `behaviour 18 and 19`, `behaviour 8–11`, `behaviours 14, 15, 30`: every number named. */
function citedIn(text: string): number[] {
  const lists = [...text.matchAll(/\bbehaviours? (\d+(?:(?:, | and |, and |–)\d+)*)/gi)].map(([, list = '']) => list)
  const linked = [...text.matchAll(/behaviour\.md#(\d+)/g)].map(([, number]) => Number(number))
  return [...lists.flatMap(numbersOf), ...linked]
}

function numbersOf(list: string): number[] {
  return list.split(/, and |, | and /).flatMap((part) => {
    const [from = 0, to = from] = part.split('–').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

describe('docs/behaviour.md', () => {
  it('has an anchor of the same number at every statement', () => {
    expect(statements.filter(({ anchor, number }) => anchor !== number)).toEqual([])
  })

  it('numbers its statements from 1 and from 101 on, once each and without gaps', () => {
    const decided = numbers.filter((number) => number < 100)
    const given = numbers.filter((number) => number > 100)
    expect(decided).toEqual(Array.from({ length: decided.length }, (_, index) => index + 1))
    expect(decided.length).toBeGreaterThanOrEqual(48)
    expect(given).toEqual(Array.from({ length: given.length }, (_, index) => 101 + index))
    expect(given.length).toBeGreaterThan(30)
  })

  it('marks what is not built yet in one way', () => {
    const paper = readFileSync(PAPER, 'utf8')
    const marks = paper.match(/not yet built/gi) ?? []
    const marked =
      paper.match(/^\*\*Decided, not yet built(?:\.\*\*|:\*\*) |^\S.*\*\*Decided, not yet built\*\* says/gm) ?? []
    expect(marked).toHaveLength(marks.length)
  })
})

/** Paragraphs and list items: no tables, no headings, no code, and not the table of stops, which is written from the code. */
function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^<!-- stops:.*?^<!-- \/stops -->$|^```.*?^```$/gms, '')
    .replaceAll(/^[|#].*$/gm, '')
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => block.replaceAll(/`[^`]*`/g, 'x').replaceAll(/\*\*|\]\([^)]*\)/g, ''))
    .flatMap((block) => block.split(/(?<=[.?!])\s+/))
    .filter((sentence) => sentence.trim() !== '')
}

describe('the sentences of docs/behaviour.md', () => {
  const lengths = sentencesOf(readFileSync(PAPER, 'utf8')).map((sentence) => ({
    sentence,
    words: sentence.trim().split(/\s+/).length,
  }))

  it('have at most 32 words, and 12 on average', () => {
    expect(lengths.length).toBeGreaterThan(800)
    expect(lengths.filter(({ words }) => words > 32)).toEqual([])
    expect(lengths.reduce((sum, { words }) => sum + words, 0) / lengths.length).toBeLessThan(12)
  })
})

describe('the close codes of statement 16', () => {
  it('are those of the code, in their order', () => {
    const text = /^### <a id="16">.*?(?=^### )/ms.exec(readFileSync(PAPER, 'utf8'))?.[0] ?? ''
    const listed = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    expect(listed).toEqual(Object.values(CLOSE_CODES).map(({ code }) => code))
  })
})

describe('citations', () => {
  it('are read in each of their forms', () => {
    expect(citedIn('(behaviour 18 and 19)')).toEqual([18, 19])
    expect(citedIn('behaviour 8–11')).toEqual([8, 9, 10, 11])
    expect(citedIn('Behaviours 14, 15, 30')).toEqual([14, 15, 30])
    expect(citedIn('[31](docs/behaviour.md#31)')).toEqual([31])
  })

  it('name statements that exist', () => {
    const cited = texts.flatMap(({ path, text }) => citedIn(text).map((number) => ({ path, number })))
    expect(cited.length).toBeGreaterThan(80)
    expect(cited.filter(({ number }) => !numbers.includes(number))).toEqual([])
  })

  it('name no paper that is not in the repository', () => {
    const gone = /\bdesign decisions?\b|\bdesign\.md\b|\bthe specification(?:'s)?\b|\(specification,|\bissue #?\d/i
    // The patterns themselves stand here.
    const others = texts.filter(({ path }) => path !== 'test/behaviour-doc.test.ts')
    const found = others.flatMap(({ path, text }) => {
      const match = gone.exec(text)
      return match === null ? [] : [`${path}: …${text.slice(Math.max(0, match.index - 40), match.index + 60)}…`]
    })
    expect(found).toEqual([])
  })
})
