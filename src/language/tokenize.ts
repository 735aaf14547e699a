// Splits a line into words, quoted strings and the marks `; & && || ( )`, each with its column. There is no escape character: a quote
// protects everything up to the same quote, and an apostrophe inside a word is a letter of it. One pass, no backtracking.
import { LanguageError } from './language-error.ts'
import { printable } from './printable.ts'

/** How a slot begins; `{` before anything else is a letter of a word. */
export const SLOT_START = /\{[A-Za-z][A-Za-z0-9_]*[:}]/y

/** In UTF-16 units. */
export const MAX_LINE_LENGTH = 8192
export const MAX_GROUP_DEPTH = 16

export interface TextToken {
  readonly kind: 'word' | 'string'
  /** Without the quotes. */
  readonly text: string
  /** 1-based column of the first character, a quote included. */
  readonly column: number
  /** 1-based column just after the last character. */
  readonly end: number
  /** See `Word.quotedFrom`. */
  readonly quotedFrom?: number
}

export interface OperatorToken {
  readonly kind: ';' | '&' | '&&' | '||'
  readonly column: number
  readonly end: number
}

interface GroupToken {
  readonly kind: '(' | ')'
  readonly column: number
  readonly end: number
}

export type Token = TextToken | OperatorToken | GroupToken

export interface TokenizeOptions {
  /** `{size:usd<=500}` is one word whatever is in it: in the body of a hook. */
  readonly withSlots?: boolean
}

/** Called with each problem; may throw to stop the scan. */
type Report = (problem: LanguageError) => void

/**
 * @throws {LanguageError} `too-long`, `unclosed-quote`, `quote-inside-word`, `unclosed-group`, `unopened-group`, `too-deep`
 */
export function tokenize(line: string, options: TokenizeOptions = {}): Token[] {
  if (line.length > MAX_LINE_LENGTH) {
    throw new LanguageError(
      'too-long',
      `the line has ${line.length} characters, at most ${MAX_LINE_LENGTH} are allowed`,
      MAX_LINE_LENGTH + 1,
      'split it, or keep parts of it with `alias`',
    )
  }
  const report: Report = (problem) => {
    throw problem
  }
  return scanTokens(line, report, options)
}

/**
 * Tokenizes unfinished input as well: each problem goes to `report`, and where that returns the scan goes on. An unclosed
 * string then reaches to the end, a double quote inside a word belongs to the word, an unopened `)` is skipped.
 */
export function scanTokens(line: string, report: Report, { withSlots = false }: TokenizeOptions = {}): Token[] {
  const tokens: Token[] = []
  const openGroups: number[] = []
  let at = 0
  while (at < line.length) {
    const character = line.charAt(at)
    const column = at + 1
    const operator = operatorAt(line, at)
    if (isSpace(character)) {
      at += 1
    } else if (operator !== undefined) {
      at += operator.length
      tokens.push({ kind: operator, column, end: at + 1 })
    } else if (character === '(') {
      if (openGroups.length === MAX_GROUP_DEPTH) report(tooDeep(column))
      openGroups.push(column)
      tokens.push({ kind: '(', column, end: column + 1 })
      at += 1
    } else if (character === ')') {
      if (openGroups.pop() === undefined) report(unopenedGroup(column))
      else tokens.push({ kind: ')', column, end: column + 1 })
      at += 1
    } else {
      const token = isQuote(character)
        ? scanString(line, at, report)
        : ((withSlots ? scanSlot(line, at, report) : undefined) ?? scanWord(line, at, openGroups.length > 0, report))
      tokens.push(token)
      at = token.end - 1
    }
  }
  const unclosed = openGroups.at(-1)
  if (unclosed !== undefined) report(unclosedGroup(unclosed))
  return tokens
}

function scanString(line: string, from: number, report: Report): TextToken {
  const { text, next } = scanQuoted(line, from, report)
  return { kind: 'string', text, column: from + 1, end: next + 1 }
}

/** From `{` to `}`; undefined where none begins. */
function scanSlot(line: string, from: number, report: Report): TextToken | undefined {
  SLOT_START.lastIndex = from
  if (!SLOT_START.test(line)) return undefined
  const close = line.indexOf('}', from)
  const next = close === -1 ? line.length : close + 1
  if (close === -1) report(unclosedSlot(from + 1))
  else if (next < line.length && !endsQuoted(line, next)) report(gluedToSlot(next + 1))
  return { kind: 'word', text: line.slice(from, next), column: from + 1, end: next + 1 }
}

/** A word reaches to a space or an operator, inside a group also to `)`. After `=` its rest may be quoted. */
function scanWord(line: string, from: number, inGroup: boolean, report: Report): TextToken {
  let at = from
  for (; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (isSpace(character) || operatorAt(line, at) !== undefined || (inGroup && character === ')')) break
    if (!isQuote(character)) continue
    if (line.charAt(at - 1) === '=') {
      const key = line.slice(from, at)
      const { text, next } = scanQuoted(line, at, report)
      return { kind: 'word', text: key + text, column: from + 1, end: next + 1, quotedFrom: key.length }
    }
    if (character === '"') report(quoteInsideWord(at + 1))
  }
  return { kind: 'word', text: line.slice(from, at), column: from + 1, end: at + 1 }
}

/** From an opening quote to behind the closing one. */
function scanQuoted(line: string, from: number, report: Report): { text: string; next: number } {
  const quote = line.charAt(from)
  const close = line.indexOf(quote, from + 1)
  if (close === -1) {
    report(unclosedQuote(from + 1, quote))
    return { text: line.slice(from + 1), next: line.length }
  }
  const next = close + 1
  if (next < line.length && !endsQuoted(line, next)) report(gluedToQuote(next + 1, line.charAt(next)))
  return { text: line.slice(from + 1, close), next }
}

/** Whatever JavaScript calls white space: a no-break space pasted from a web page separates words too. */
function isSpace(character: string): boolean {
  return character.trim() === ''
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'"
}

function endsQuoted(line: string, at: number): boolean {
  const character = line.charAt(at)
  return isSpace(character) || character === ')' || operatorAt(line, at) !== undefined
}

/** One `|` is a letter: only two of them mean something. */
function operatorAt(line: string, at: number): OperatorToken['kind'] | undefined {
  const character = line.charAt(at)
  if (character === ';') return ';'
  if (character !== '&' && character !== '|') return undefined
  const isTwice = line.charAt(at + 1) === character
  if (character === '|') return isTwice ? '||' : undefined
  return isTwice ? '&&' : '&'
}

function unclosedQuote(column: number, quote: string): LanguageError {
  return new LanguageError(
    'unclosed-quote',
    `the text that starts with ${quote} has no closing ${quote}`,
    column,
    `type ${quote} where the text ends`,
  )
}

function quoteInsideWord(column: number): LanguageError {
  return new LanguageError(
    'quote-inside-word',
    'a " is inside a word; a quote may only start a text or follow "="',
    column,
    "put ' around the whole text",
  )
}

function gluedToQuote(column: number, character: string): LanguageError {
  return new LanguageError(
    'quote-inside-word',
    `"${printable(character)}" follows a closing quote directly; there is no way to join quoted texts`,
    column,
    'type a space after the closing quote, or use the other kind of quote around the whole text',
  )
}

function unclosedSlot(column: number): LanguageError {
  return new LanguageError('bad-slot', 'this slot has no closing "}"', column, 'type } where it ends')
}

function gluedToSlot(column: number): LanguageError {
  const hint = 'type a space after the slot'
  return new LanguageError('bad-slot', 'a slot stands for a whole word, and this follows it directly', column, hint)
}

function unopenedGroup(column: number): LanguageError {
  return new LanguageError(
    'unopened-group',
    'this ")" closes nothing, because no "(" is open',
    column,
    'remove it, type a space before its "(", or put the text in quotes',
  )
}

function unclosedGroup(column: number): LanguageError {
  return new LanguageError('unclosed-group', 'this "(" has no closing ")"', column, 'type ) where the group ends')
}

function tooDeep(column: number): LanguageError {
  return new LanguageError(
    'too-deep',
    `groups are nested more than ${MAX_GROUP_DEPTH} deep`,
    column,
    'keep the inner part with `alias`',
  )
}
