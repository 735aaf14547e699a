// Order commands read their words in any order: keywords with a price behind them, flags, one size, one list of symbols.
// Each may come once. What a command accepts is a small table; what it requires is the command's own rule.
import { requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { LanguageError } from './language-error.ts'
import { parseSymbols } from './names.ts'
import { nearest } from './nearest.ts'
import { type PriceExpression, parsePrice } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped, parseSize, type Size } from './size.ts'

/** The lower-case keywords of one command. */
export interface SlotKeywords {
  /** Followed by a price. */
  readonly prices: readonly string[]
  readonly flags: readonly string[]
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
  let size: Slot<Size> | undefined
  let symbols: Slot<string[]> | undefined
  let next = 0
  for (let word = words[next]; word !== undefined; word = words[next]) {
    const { text, column } = word
    const keyword = text.toLowerCase()
    next += 1
    if (keywords.prices.includes(keyword)) {
      if (prices.has(keyword)) throw givenTwice(text, column)
      const read = parsePrice(words, next)
      prices.set(keyword, { value: read.price, column })
      next = read.next
    } else if (keywords.flags.includes(keyword)) {
      if (flags.has(keyword)) throw givenTwice(text, column)
      flags.set(keyword, { value: true, column })
    } else if (isSizeShaped(text)) {
      if (size !== undefined) throw secondSize(text, column)
      size = { value: parseSize(text, column), column }
    } else {
      if (symbols !== undefined) throw unknownWord(text, column, keywords)
      symbols = { value: parseSymbols(text, column), column }
    }
  }
  return { words, prices, flags, size, symbols }
}

function givenTwice(text: string, column: number): LanguageError {
  return new LanguageError('unexpected-argument', `${shown(text)} is given twice`, column, 'keep one of them')
}

function secondSize(text: string, column: number): LanguageError {
  const isNumber = /^[+-]?[\d.]{1,20}%?$/.test(text)
  return new LanguageError(
    'unexpected-argument',
    `${shown(text)} is a second size`,
    column,
    isNumber ? `type at ${text} if it is a price` : 'keep one size',
  )
}

function unknownWord(text: string, column: number, keywords: SlotKeywords): LanguageError {
  const meant = nearest(text, [...keywords.prices, ...keywords.flags])
  return new LanguageError(
    'unexpected-argument',
    `${shown(text)} has no meaning here`,
    column,
    meant === undefined
      ? 'type several symbols as one list without spaces, such as BTCUSDT,ETHUSDT'
      : `did you mean ${meant}?`,
  )
}
