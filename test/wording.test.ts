// The wording guide of CONTRIBUTING.md, as far as a test can hold it: how hints are written, and what nobody writes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Idiom of our own: no native writer would write it. What to write instead is in CONTRIBUTING.md, Wording. */
const BANNED: readonly (readonly [why: string, pattern: RegExp])[] = [
  ['is not a', /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|less\b|fewer\b|such\b)/i],
  ['who, or the one who', /\b(?:whoever|whomever|whosoever|by whoever)\b/i],
  ["nobody's, somebody's", /\b(?:nobody|somebody|everybody)['’]s\b/i],
  ['internal error, a bug', /\bmade a mistake\b|\bmistakes? of (?:ours|hookline)\b/i],
  ['fix', /\bmend(?:s|ed|ing)?\b/i],
  ['is no longer waiting', /\bwaits no longer\b/i],
  ['approval', /\b(?:your|operator['’]s|operator's) word\b/i],
  ['does not parse', /\bdoes not read\b(?! )/i],
  ['timed out', /\bdid not come within\b/i],
  ['yield', /\bbreath(?:e|es|ing)\b/i],
  ['is, remains, applies', /\bstands?\b(?! for\b| still\b|-)/i],
  ['only a person can', /\b(?:only|by) a hand\b/i],
  ['is refused', /\bshown the door\b/i],
  ['does not let', /\blets? no(?:body)? /i],
  ['cannot be, is not allowed', /\bhas no (?:place|business) (?:here|there|beside)\b/i],
  ['behaviour N', /\bthe design\b/i],
]

interface Source {
  readonly path: string
  readonly text: string
}

const sources: Source[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** What people read besides. The table of what not to write holds it all, of course. */
const papers: Source[] = [...readdirSync('.'), ...readdirSync('docs').map((name) => join('docs', name))]
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

describe('what we do not write', () => {
  it.each(BANNED)('write instead: %s', (_instead, pattern) => {
    const found = [...sources, ...papers].flatMap(({ path, text }) => {
      const whole = unbroken(text)
      return [...whole.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
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
