// The papers' links, each to a file of the repository and a heading or anchor that is in it; and the version of Node that people start with.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const papers = ['.', 'docs', 'docs/guides', 'examples'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => normalize(join(folder, name))),
)

const links = papers.flatMap((paper) =>
  [...withoutCode(readFileSync(paper, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => [paper, target] as const),
)

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '')
}

/** As GitHub makes them: lower case, punctuation dropped, blanks as hyphens. */
function anchorsIn(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/<[^>]*>|[`*]/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)])
}

it('has papers with links', () => {
  expect(papers.length).toBeGreaterThan(8)
  expect(links.length).toBeGreaterThan(60)
})

it.each(links)('%s links to %s', (paper, target) => {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? paper : join(dirname(paper), path)
  expect(existsSync(file)).toBe(true)
  if (anchor !== undefined) expect([...anchorsIn(readFileSync(file, 'utf8'))]).toContain(anchor)
})

/** Names in backquotes that end in `.ts`, as `trading/sizing.ts` or, where the folder was said before, `sizing.ts`. */
const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/behaviour.md'].flatMap((paper) =>
  [...readFileSync(paper, 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => [paper, file] as const),
)
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))

it('papers name files of the sources', () => {
  expect(named.length).toBeGreaterThan(40)
})

it.each(named)('%s names %s, which exists', (_paper, file) => {
  const isSource = sources.some((path) => path === file || path.endsWith(`/${file}`))
  expect(isSource || existsSync(file)).toBe(true)
})

it('.nvmrc names the oldest Node that package.json admits', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(engines.node).toBe(`>=${readFileSync('.nvmrc', 'utf8').trim()}`)
})

/** Rule 6 of Wording in CONTRIBUTING.md. Titles of tests in SECURITY.md are those of the tests. */
const IDIOM = /\b(?:tells?|told|said|somebody|nobody|in sight|so many|what is held)\b/gi

it.each(papers.filter((paper) => paper !== 'docs/measured.md'))(
  '%s has none of the words of the rule of wording',
  (paper) => {
    const prose = withoutCode(readFileSync(paper, 'utf8'))
      .replace(/^## Wording\n.*?(?=^## )/ms, '')
      .replaceAll(/^(\| T\d+ (?:\|[^|]*){3})\|.*$/gm, '$1')
    expect(prose.match(IDIOM) ?? []).toEqual([])
  },
)

/** What a newcomer reads first: detail has pages of its own. */
it.each([
  ['README.md', 220],
  ['ARCHITECTURE.md', 150],
])('%s has at most %i lines', (paper, most) => {
  expect(readFileSync(paper, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(most)
})

/** The rows of a table of ARCHITECTURE.md, by its heading: cells without the heading row. */
function architectureRows(heading: string): readonly (readonly string[])[] {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '))
  return rows.slice(1).filter(([first = '']) => !first.startsWith('---'))
}

const sourceNames = (cell: string) => [...cell.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name)

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join('src', file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    normalize(join(dirname(file), target)).replaceAll('\\', '/'),
  )
}

describe.each(['One fire', 'One order'])('the walk of ARCHITECTURE.md: %s', (heading) => {
  const rows = architectureRows(heading)
  const walk = rows.map(([file = '']) => sourceNames(file)[0] ?? '')

  it('has at most 12 files, each of the sources', () => {
    expect(walk.length).toBeGreaterThan(5)
    expect(walk.length).toBeLessThanOrEqual(12)
    expect(walk.filter((file) => !existsSync(join('src', file)))).toEqual([])
  })

  it('goes from file to file: each imports one before it, is imported by one, or is handed to one by the file that it names', () => {
    const unreached = walk.slice(1).filter((file, index) => {
      const before = walk.slice(0, index + 1)
      const meets = (from: string) => {
        const imported = importsOf(from)
        return before.some((each) => imported.includes(each) || importsOf(each).includes(from))
      }
      const handedBy = sourceNames(/handed by (`[^`]+`)/.exec(rows[index + 1]?.[1] ?? '')?.[1] ?? '')
      return !meets(file) && !handedBy.some((hand) => importsOf(hand).includes(file) || reaches(hand, file))
    })
    expect(unreached).toEqual([])
  })
})

/** Over one file between, for an adapter that is loaded at its first use. */
function reaches(from: string, to: string): boolean {
  return importsOf(from).some((each) => existsSync(join('src', each)) && importsOf(each).includes(to))
}

describe('where to add, in ARCHITECTURE.md', () => {
  const rows = architectureRows('Where to add').map(([change = '', files = '']) => ({
    change,
    files: sourceNames(files),
  }))

  it('has the six changes', () => {
    expect(rows.map(({ change }) => change.replace(/[,:(].*/, '').trim())).toEqual([
      'a column of orders',
      'a frame',
      'a flag of config.json',
      'a flag of a command',
      'a task kind',
      'a venue quirk',
    ])
  })

  it.each(rows.map(({ change, files }) => [change, files] as const))('%s touches at most 6 files', (_change, files) => {
    expect(files.length).toBeGreaterThan(0)
    expect(files.length).toBeLessThanOrEqual(6)
    expect(files.filter((file) => !existsSync(join('src', file)))).toEqual([])
  })

  it.each(rows.map(({ change, files }) => [change, files] as const))(
    '%s: each file has the one that it names',
    (change, files) => {
      const [, word = ''] = /`([^`]+)`/.exec(change) ?? []
      expect(word).not.toBe('')
      expect(files.filter((file) => !readFileSync(join('src', file), 'utf8').includes(word))).toEqual([])
    },
  )

  it.each(['copy:check', 'averageInFills'])('%s is in the files that its row names, and in no other', (word) => {
    const found = sources.filter(
      (path) => /\.tsx?$/.test(path) && readFileSync(join('src', path), 'utf8').includes(word),
    )
    expect(found.sort()).toEqual([...(rows.find(({ change }) => change.includes(word))?.files ?? [])].sort())
  })
})

describe('CHANGELOG.md', () => {
  const [, ...versions] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)
  const groups = versions.flatMap((version) => {
    const [name = '', ...parts] = version.split(/^### /m)
    return parts.map((part) => {
      const [heading = '', ...lines] = part.trim().split('\n')
      const entries = lines.join('\n').split(/\n(?=- )/)
      return { version: name.trim(), heading, entries: entries.map((entry) => entry.trim()).filter(Boolean) }
    })
  })

  it('has the version of package.json below what is unreleased', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(versions.map((each) => each.split('\n')[0])).toEqual(['Unreleased', version, '0.1.0'])
  })

  it('has groups of the usual names, of one or two lines for each entry', () => {
    expect(groups.length).toBeGreaterThan(3)
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
    expect(groups.filter(({ heading }) => !known.includes(heading))).toEqual([])
    const long = groups.flatMap(({ entries }) =>
      entries.filter((entry) => !/^- /.test(entry) || entry.split('\n').length > 2 || entry.length > 300),
    )
    expect(long).toEqual([])
  })

  it('has what breaks first in its group', () => {
    const breaking = (entry: string) => entry.startsWith('- **Breaking**: ')
    expect(groups.flatMap(({ entries }) => entries.filter(breaking)).length).toBeGreaterThan(10)
    const late = groups.flatMap(({ entries }) =>
      entries.filter((entry, index) => breaking(entry) && !entries.slice(0, index).every(breaking)),
    )
    expect(late).toEqual([])
  })
})

describe('AGENTS.md', () => {
  const text = readFileSync('AGENTS.md', 'utf8')

  it('names scripts that exist, and projects of the tests', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    const named = [...text.matchAll(/`npm run ([\w:]+)`/g)].map(([, script = '']) => script)
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((script) => !(script in scripts))).toEqual([])
    const projects = [...readFileSync('vitest.config.ts', 'utf8').matchAll(/name: '(\w+)'/g)].map(
      ([, name = '']) => name,
    )
    for (const project of projects) expect(text).toContain(`\`${project}\``)
  })

  it('names files that exist', () => {
    const files = [...text.matchAll(/\b((?:test|src|docs)\/[\w/.-]+\.(?:ts|md))/g)].map(([, file = '']) => file)
    expect(files.length).toBeGreaterThan(1)
    expect(files.filter((file) => !existsSync(file))).toEqual([])
  })
})

it('a report of an issue asks for `hookline bug`, and sends weaknesses elsewhere', () => {
  const form = readFileSync('.github/ISSUE_TEMPLATE/bug.yml', 'utf8')
  expect(form).toContain('`hookline bug`')
  expect(form).toContain('SECURITY.md')
})
