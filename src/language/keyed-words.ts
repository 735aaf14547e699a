// Keywords with one word behind them, in any order among other words: `for 5m`, `into 12`. What is left is read as other orders are.
import { requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** A keyword and the word behind it. */
export interface KeyedWord {
  readonly keyword: Word
  readonly value: Word
}

interface KeyedWords {
  readonly keyed: ReadonlyMap<string, KeyedWord>
  readonly rest: readonly Word[]
}

/**
 * @param keywords lower-case, each with what to type behind it, for the refusal where nothing is
 * @throws {LanguageError} `missing-argument`, `unexpected-argument` for one given twice, and what `requireWords` throws
 */
export function takeKeyed(args: readonly Argument[], keywords: ReadonlyMap<string, string>): KeyedWords {
  const words = requireWords(args)
  const keyed = new Map<string, KeyedWord>()
  const rest: Word[] = []
  for (let at = 0; at < words.length; at += 1) {
    const keyword = words[at]
    if (keyword === undefined) break
    const name = keyword.text.toLowerCase()
    const example = keywords.get(name)
    if (example === undefined) {
      rest.push(keyword)
      continue
    }
    if (keyed.has(name)) {
      throw new LanguageError(
        'unexpected-argument',
        `${shown(keyword.text)} is given twice`,
        keyword.column,
        'keep one',
      )
    }
    at += 1
    const value = words[at]
    if (value === undefined) {
      const end = keyword.column + keyword.text.length
      throw new LanguageError('missing-argument', `what \`${name}\` means is missing`, end, `type ${example}`)
    }
    keyed.set(name, { keyword, value })
  }
  return { keyed, rest }
}
