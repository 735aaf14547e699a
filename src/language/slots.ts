// Order commands read their words in any order: keywords with a price behind them, flags, one size, one list of symbols.
// Each may come once. What a command accepts is a small table; what it requires is the command's own rule.
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { readDecimal } from './decimal-text.ts'
import { hintForArgument, hintForNumber, type OrderVerb } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { parseSymbols } from './names.ts'
import { type PriceExpression, parsePrice } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped, parseSize, type Size } from './size.ts'
import { nearest } from './typo-match.ts'

/** The lower-case keywords of one command. */
interface SlotKeywords {
  readonly verb: OrderVerb
  /** Followed by a price. */
  readonly prices: readonly string[]
  readonly flags: readonly string[]
  /** Followed by one word, which the command reads itself: `into 5`. */
  readonly values?: readonly string[]
  /** Other words for keywords, as other terminals call them: `sl` for `stop`. */
  readonly synonyms?: ReadonlyMap<string, string>
}

/** A value and the column where its slot begins. */
export interface Slot<T> {
  readonly value: T
  readonly column: number
}

export interface Slots {
  readonly words: readonly Word[]
  readonly prices: ReadonlyMap<string, Slot<PriceExpression>>
  readonly flags: ReadonlyMap<string, Slot<true>>
  /** The word behind each keyword of `values`. */
  readonly values: ReadonlyMap<string, Word>
  readonly size: Slot<Size> | undefined
  /** Upper-cased. */
  readonly symbols: Slot<string[]> | undefined
}

/**
 * @throws {LanguageError} `unexpected-argument` for anything given twice, and what the parts throw: `bad-size`, `bare-number`,
 * `bad-price`, `bad-argument`, `missing-argument`
 */
export function readSlots(args: readonly Argument[], keywords: SlotKeywords): Slots {
  const words = requireWords(args)
  const prices = new Map<string, Slot<PriceExpression>>()
  const flags = new Map<string, Slot<true>>()
  const values = new Map<string, Word>()
  let size: Slot<Size> | undefined
  let symbols: Slot<string[]> | undefined
  let next = 0
  for (let word = words[next]; word !== undefined; word = words[next]) {
    const { text, column } = word
    const typed = text.toLowerCase()
    const keyword = keywords.synonyms?.get(typed) ?? typed
    next += 1
    if (keywords.prices.includes(keyword)) {
      if (prices.has(keyword)) throw givenTwice(text, column)
      const read = parsePrice(words, next)
      prices.set(keyword, { value: read.price, column })
      next = read.next
    } else if (keywords.flags.includes(keyword)) {
      if (flags.has(keyword)) throw givenTwice(text, column)
      flags.set(keyword, { value: true, column })
    } else if (keywords.values?.includes(keyword) === true) {
      if (values.has(keyword)) throw givenTwice(text, column)
      values.set(keyword, valueAfter(words, next))
      next += 1
    } else if (isSizeShaped(text)) {
      size = { value: readSize(word, words, keywords.verb, size), column }
    } else {
      refuseOtherWord(word, words[next], keywords, symbols !== undefined)
      symbols = { value: parseSymbols(text, column), column }
    }
  }
  return { words, prices, flags, values, size, symbols }
}

function valueAfter(words: readonly Word[], at: number): Word {
  const value = words[at]
  if (value !== undefined) return value
  const keyword = words[at - 1]?.text ?? ''
  const hint = 'type a number behind it'
  throw new LanguageError('missing-argument', `the number after ${shown(keyword)} is missing`, endColumn(words), hint)
}

function readSize(word: Word, words: readonly Word[], verb: OrderVerb, before: Slot<Size> | undefined): Size {
  if (before !== undefined) throw secondSize(word, words, verb)
  if (verb === 'stop' || verb === 'take') refusePriceAlone(word, words, verb)
  return parseSize(word.text, word.column)
}

/** Whatever is neither keyword nor size must be the one list of symbols. */
function refuseOtherWord(
  { text, column }: Word,
  next: Word | undefined,
  keywords: SlotKeywords,
  isSecond: boolean,
): void {
  const hint = hintForArgument(text, next?.text, keywords.verb)
  if (hint !== undefined) throw noMeaning(text, column, hint)
  if (isSecond) throw unknownWord(text, column, keywords)
}

function givenTwice(text: string, column: number): LanguageError {
  return new LanguageError('unexpected-argument', `${shown(text)} is given twice`, column, 'keep one of them')
}

function secondSize(word: Word, words: readonly Word[], verb: OrderVerb): LanguageError {
  const { text, column } = word
  const isNumber = /^[+-]?[\d.]{1,20}%?$/.test(text)
  const whole = groupedNumber(words, words.indexOf(word))
  const otherwise = isNumber ? hintForNumber(text, verb) : 'keep one size'
  const hint = whole === undefined ? otherwise : `type ${whole} without a space`
  return new LanguageError('unexpected-argument', `${shown(text)} is a second size`, column, hint)
}

/** `$1 000`: the one number that its words, up to six, make; undefined where they make none. */
function groupedNumber(words: readonly Word[], at: number): string | undefined {
  const first = words[at - 1]?.text ?? ''
  const rest = words.slice(at, at + 5).map(({ text }) => text)
  const isGroup = (text: string) => /^\d{3}(?:[.,]\d{1,18})?\$?$/.test(text)
  const count = rest.findIndex((text) => !isGroup(text))
  const groups = count === -1 ? rest : rest.slice(0, count)
  if (!/^\$?\d{1,3}$/.test(first) || groups.length === 0) return undefined
  const number = (first + groups.join('')).replace(',', '.')
  return readDecimal(number.replace(/^\$|\$$/g, '')) === undefined ? undefined : number
}

/** `stop -2%`, `stop 58000`. Where the line has its price, `stop 400.0 ADAUSDT at +2%`, an unsigned number is a size. */
function refusePriceAlone({ text, column }: Word, words: readonly Word[], verb: OrderVerb): void {
  const hasPrice = words.some((word) => word.text.toLowerCase() === 'at')
  if (!/^[+-][\d.]{1,20}%?$/.test(text) && (hasPrice || !/^\d{3,12}(?:\.\d{1,12})?$/.test(text))) return
  throw new LanguageError('bad-size', `${shown(text)} is a price without at`, column, `type \`${verb} at ${text}\``)
}

function noMeaning(text: string, column: number, hint: string): LanguageError {
  return new LanguageError('unexpected-argument', `${shown(text)} has no meaning here`, column, hint)
}

function unknownWord(text: string, column: number, keywords: SlotKeywords): LanguageError {
  const meant = nearest(text, [...keywords.prices, ...keywords.flags, ...(keywords.values ?? [])])
  const list = 'type several symbols as one list without spaces, such as BTCUSDT,ETHUSDT'
  return noMeaning(text, column, meant === undefined ? list : `did you mean ${meant}?`)
}

// Keywords with one word behind them, in any order among other words: `for 5m`, `into 12`. What is left is read as other orders are.

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
