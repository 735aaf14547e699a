// The wording guide of CONTRIBUTING.md, as far as a test can hold it: how hints are written, and what nobody writes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The rule of CONTRIBUTING.md, Wording: the subject is a noun of the field, and each act has one verb. */
const IDIOM =
  /\b(?:tell|tells|telling|told|untold|say|says|saying|said|unsaid|hear|hears|heard|somebody|nobody|what is held|in sight|so many)\b/gi

/**
 * The words of the rule in the names and strings of a folder of `src`, without its comments: a count may only fall. A folder that is not
 * here has none. What is left are fields of frames, of journals and of `--json`, which keep their names.
 */
const CEILINGS: Readonly<Record<string, number>> = { commands: 1, notices: 1, protocol: 1, tasks: 7, web: 7 }

/** Phrases that no comment and no paper has either. What to write instead is in CONTRIBUTING.md, Wording. */
const PHRASES = new RegExp(
  [
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|less\b|fewer\b|such\b)/,
    /\b(?:whoever|whomever|whosoever|by whoever)\b/,
    /\b(?:nobody|somebody|everybody)['’]s\b/,
    /\bmade a mistake\b|\bmistakes? of (?:ours|hookline)\b/,
    /\bmend(?:s|ed|ing)?\b/,
    /\bwaits no longer\b/,
    /\b(?:your|operator['’]s) word\b/,
    /\bdoes not read\b(?! )/,
    /\bdid not come within\b/,
    /\bbreath(?:e|es|ing)\b/,
    /\bstands?\b(?! for\b| still\b|-)/,
    /\b(?:only|by) a hand\b/,
    /\bshown the door\b/,
    /\blets? no(?:body)? /,
    /\bhas no (?:place|business) (?:here|there|beside)\b/,
    /\bthe design\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

interface Source {
  readonly path: string
  readonly text: string
}

const sources: Source[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** What people read besides. The table of what not to write holds it all, of course. */
const papers: Source[] = ['.', 'docs', 'docs/guides', 'site']
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md') && !path.endsWith('measured.md'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8').replace(/^## Wording\n.*?(?=^## )/ms, '') }))

/** A comment is broken into lines anywhere; this is how it reads. */
function unbroken(text: string): string {
  return text.replaceAll(/\n\s*(?:\/\/|\*)\s?/g, ' ')
}

/** A literal in quotes; of a template also what it is filled with. */
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/
const ALL_LITERALS = new RegExp(LITERAL, 'g')

function literalsIn(code: string): string[] {
  return [...code.matchAll(ALL_LITERALS)].map(([, single, double, template]) => single ?? double ?? template ?? '')
}

/** The literals of `hint: …` and `const hint = …`, up to the end of the expression. */
function namedHints(text: string): string[] {
  return [...text.matchAll(/\bhint(?::| =) ([^\n]*)\n/g)].flatMap(([, expression = '']) => {
    if (/^(?:string|\{|\w+,?$)/.test(expression)) return []
    return literalsIn(expression.split(/ === | !== /).at(-1) ?? '')
  })
}

/** `new LanguageError(code, message, column, hint)`: the literals of the fourth argument. */
function languageHints(text: string): string[] {
  return [...text.matchAll(/new LanguageError\(/g)].flatMap(({ index }) =>
    literalsIn(argumentsAt(text, index + 'new LanguageError('.length)[3] ?? ''),
  )
}

/** The arguments of a call, as written, from behind its parenthesis. */
function argumentsAt(text: string, from: number): string[] {
  const found = ['']
  let depth = 0
  const literalHere = new RegExp(LITERAL, 'y')
  for (let at = from; at < text.length; ) {
    literalHere.lastIndex = at
    const literal = literalHere.exec(text)?.[0]
    const isLiteral = literal !== undefined
    const piece = literal ?? text.charAt(at)
    at += piece.length
    if (!isLiteral && /[)\]}]/.test(piece) && --depth < 0) return found
    if (!isLiteral && /[([{]/.test(piece)) depth += 1
    if (!isLiteral && piece === ',' && depth === 0) found.push('')
    else found[found.length - 1] += piece
  }
  return found
}

const hints = sources.flatMap(({ path, text }) =>
  [...namedHints(text), ...languageHints(text)].filter((hint) => /^\S.*\s/.test(hint)).map((hint) => ({ path, hint })),
)

describe('hints', () => {
  it('are found in their three forms', () => {
    expect(namedHints("  throw x({ hint: 'do this' })\n")).toEqual(['do this'])
    expect(namedHints('const hint = a === undefined ? `type b` : "or that"\n')).toEqual(['type b', 'or that'])
    expect(languageHints("new LanguageError('code', f(`a, b`, [1, 2]), 3, 'do it')")).toEqual(['do it'])
    expect(hints.length).toBeGreaterThan(60)
  })

  it('begin in lower case, or with code, a figure or a value', () => {
    expect(hints.filter(({ hint }) => !/^(?:[a-z0-9"]|\\?`|\$\{|--)/.test(hint))).toEqual([])
  })

  it('say what to do: none begins with an article or a pronoun', () => {
    const stated = /^(?:the|a|an|it|its|this|that|these|there|you|your|they|he|nothing|what|which|because) /
    expect(hints.filter(({ hint }) => stated.test(hint))).toEqual([])
  })

  it('end without a full stop', () => {
    expect(hints.filter(({ hint }) => hint.endsWith('.'))).toEqual([])
  })
})

/** A comment, or what may look like one inside: a literal in quotes, a template, a regular expression. */
const COMMENT_OR_LITERAL =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*\})*`|(?<=(?:[=(,:[!&|?{};>]|return)\s*)\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//g

/** The code without its comments, names split where a capital begins: `orderReporter` is `tell Orders`. */
function wordsOf(text: string): string {
  const code = text.replaceAll(COMMENT_OR_LITERAL, (whole: string, comment?: string) =>
    comment === undefined ? whole : '',
  )
  return code.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, ' ')
}

describe('the words of a name and of a string', () => {
  it('are split from the names, and comments are left out', () => {
    const text = "const isTold = tellOf('so many // ') // nobody says\nconst SAID_ONCE = /say'/ /* heard */"
    expect(wordsOf(text).match(IDIOM)).toEqual(['Told', 'tell', 'so many', 'SAID', 'say'])
  })

  it('are of the field: no folder has more of our own idiom than its ceiling', () => {
    const counts: Record<string, number> = {}
    for (const source of sources) {
      const [, folder = ''] = source.path.split('/')
      const found = wordsOf(source.text).match(IDIOM) ?? []
      if (found.length > 0) counts[folder] = (counts[folder] ?? 0) + found.length
    }
    expect(Object.entries(counts).filter(([folder, count]) => count > (CEILINGS[folder] ?? 0))).toEqual([])
  })
})

describe('what we do not write', () => {
  it('has no phrase of our own, in code and papers alike', () => {
    const found = [...sources, ...papers].flatMap(({ path, text }) => {
      const whole = unbroken(text)
      return [...whole.matchAll(PHRASES)].map(
        ({ index }) => `${path}: …${whole.slice(Math.max(0, index - 60), index + 60).replaceAll('\n', ' ')}…`,
      )
    })
    expect(found).toEqual([])
  })

  it('canceled has one spelling where people read it', () => {
    const texts = sources.flatMap(({ path, text }) => literalsIn(text).map((literal) => ({ path, literal })))
    // Alone in quotes it is the status of a task, or an error's code.
    expect(texts.filter(({ literal }) => /\bcancelled\b/.test(literal) && literal !== 'cancelled')).toEqual([])
  })
})

it('no line to type has … where a value belongs', () => {
  const typed = /\\`[^`…\n]*…[^`\n]*\\`|'[^'\n]*`[^`'…\n]*…[^`'\n]*`[^'\n]*'/g
  const found = sources
    .filter(({ path }) => !path.startsWith('src/web'))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
        .flatMap((line) => (line.match(typed) ?? []).map((each) => `${path}: ${each}`)),
    )
  // A part of a domain name, and not of a line.
  expect(found.filter((each) => !each.includes('xn--…'))).toEqual([])
})
