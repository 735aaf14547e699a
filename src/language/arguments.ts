// What all argument grammars share: which arguments are words, and where a part of a word is in the line.
import type { Argument, Word } from './chain.ts'
import { refuseTypographic } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** @throws {LanguageError} `unexpected-argument` at a quoted text or a group, `bad-argument` at a typographic character */
export function requireWords(args: readonly Argument[]): Word[] {
  return args.map((argument) => {
    if (argument.kind === 'word') {
      refuseTypographic(argument.text.slice(0, argument.quotedFrom), argument.column)
      return argument
    }
    if (argument.kind === 'group') {
      throw new LanguageError('unexpected-argument', 'unexpected group', argument.column, 'remove the ( … )')
    }
    throw new LanguageError(
      'unexpected-argument',
      `unexpected quoted text ${shown(argument.text)}`,
      argument.column,
      'remove it, or type it without quotes',
    )
  })
}

/** The column of `word.text[offset]`. */
export function columnAt(word: Word, offset: number): number {
  const behindQuote = word.quotedFrom !== undefined && offset >= word.quotedFrom
  return word.column + offset + (behindQuote ? 1 : 0)
}

/** The column just after the last word; 1 where there is none. */
export function endColumn(words: readonly Word[]): number {
  const last = words.at(-1)
  return last === undefined ? 1 : columnAt(last, last.text.length)
}

/** The words that follow this one, in any case. */
export function wordsBehind(keyword: string, args: readonly Argument[]): readonly Word[] {
  return args.filter((argument, index): argument is Word => {
    const before = args[index - 1]
    return argument.kind === 'word' && before?.kind === 'word' && before.text.toLowerCase() === keyword
  })
}
