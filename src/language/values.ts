// Named values in words: `@x` stands for a variable's text, `$last $bid $ask $entry $pnl` for what the market says now.
// Strings and groups are left alone: a group's words are replaced when its own commands start.
import { columnAt } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { MAX_LINE_LENGTH } from './tokenize.ts'

/** At the start of a word, or behind a mark that a value may follow: `$@x`, `-@x`, `timeout=@x`, `a,@x`, `price>@x`. */
const VARIABLE = /(?<=^|[$+\-=,(<>])@([A-Za-z_][A-Za-z0-9_]*)/g

const LIVE_NAMES = ['last', 'bid', 'ask', 'entry', 'pnl'] as const
const LIVE = new RegExp(`\\$(${LIVE_NAMES.join('|')})(?![A-Za-z0-9_])`, 'gi')

export type LiveName = (typeof LIVE_NAMES)[number]

/**
 * The arguments with `@name` replaced in words. A word stays one word whatever its variables hold, and what they hold is
 * not searched again.
 * @param lookup the text of a variable, or undefined where there is none
 * @throws {LanguageError} `unknown-variable`; `too-long` for a word above 8192 units
 */
export function replaceVariables(args: readonly Argument[], lookup: (name: string) => string | undefined): Argument[] {
  return args.map((argument) => (argument.kind === 'word' ? replaceInWord(argument, lookup) : argument))
}

function replaceInWord(word: Word, lookup: (name: string) => string | undefined): Word {
  // Most words have none, and `matchAll` costs a microsecond.
  if (!word.text.includes('@')) return word
  const typed = word.text.slice(0, word.quotedFrom)
  let text = ''
  let done = 0
  for (const match of typed.matchAll(VARIABLE)) {
    const [reference, name = ''] = match
    const value = lookup(name)
    if (value === undefined) {
      const message = `there is no variable ${shown(reference)}`
      throw new LanguageError('unknown-variable', message, columnAt(word, match.index), '`set` lists them')
    }
    text += typed.slice(done, match.index) + value
    done = match.index + reference.length
    if (text.length > MAX_LINE_LENGTH) {
      const message = `with its variables this word is longer than ${MAX_LINE_LENGTH} characters`
      throw new LanguageError('too-long', message, word.column, 'use fewer or shorter variables')
    }
  }
  if (done === 0) return word
  text += typed.slice(done)
  if (word.quotedFrom === undefined) return { ...word, text }
  return { ...word, text: text + word.text.slice(word.quotedFrom), quotedFrom: text.length }
}

/** The live values that `text` asks for, each once, in order. Case does not count. */
export function findLiveNames(text: string): LiveName[] {
  if (!text.includes('$')) return []
  const found = Array.from(text.matchAll(LIVE), (match) => toLiveName(match[1] ?? ''))
  return [...new Set(found)].filter((name) => name !== undefined)
}

/** `text` with live values filled in; those without a value stay as typed. */
export function replaceLive(text: string, values: Readonly<Partial<Record<LiveName, string>>>): string {
  return text.replace(LIVE, (typed, name: string) => {
    const live = toLiveName(name)
    return live === undefined ? typed : (values[live] ?? typed)
  })
}

function toLiveName(name: string): LiveName | undefined {
  const lower = name.toLowerCase()
  return LIVE_NAMES.find((candidate) => candidate === lower)
}
