// What `move` and `bump` are asked to do: new prices for resting orders.
import { type AmendIntent, parseAmend } from './amend.ts'
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { isZero } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { type Name, parseNames } from './names.ts'
import { type PriceOffset, parseOffset } from './price.ts'
import { shown } from './printable.ts'
import { isSizeShaped } from './size.ts'

export interface BumpIntent {
  /** Order ids and symbols; empty: the symbol in focus. */
  readonly names: readonly Name[]
  /** From the price that each order has now; never zero. */
  readonly offset: PriceOffset
  /** Where the venue cannot change orders: take each back, and place another. */
  readonly replace: boolean
}

const AMEND_WORDS: ReadonlySet<string> = new Set(['at', 'to', 'limit', 'tp', 'replace'])
const BUMP = 'type an offset with its sign, as in bump +10 or bump p17 -0.1%'

/**
 * `p17 to 64000`, `p17 at 64000`, `p17 64000`: as `amend`, but that a number right behind the order is its price.
 * @throws {LanguageError} as `parseAmend`
 */
export function parseMove(args: readonly Argument[]): AmendIntent {
  const [name, price, ...rest] = args
  if (name !== undefined && price === undefined) {
    const hint = 'type its price, as in move p17 to 64000'
    throw new LanguageError('missing-argument', 'the price is missing', endColumn(requireWords(args)), hint)
  }
  const isPrice = price?.kind === 'word' && !AMEND_WORDS.has(price.text.toLowerCase())
  if (name === undefined || !isPrice) return parseAmend(args)
  return parseAmend([name, { kind: 'word', text: 'at', column: price.column }, price, ...rest])
}

/**
 * `+10`, `p17 -0.1%`, `BTCUSDT,p18 +5 replace`, in any order.
 * @throws {LanguageError} `missing-argument`, `bad-price`, `bad-argument`, `unexpected-argument`
 */
export function parseBump(args: readonly Argument[]): BumpIntent {
  const words = requireWords(args)
  const offsets = words.filter(({ text }) => /^[+-]/.test(text))
  const flags = words.filter(({ text }) => text.toLowerCase() === 'replace')
  const extra = offsets[1] ?? flags[1]
  if (extra !== undefined) {
    throw new LanguageError('unexpected-argument', `${shown(extra.text)} is one too many`, extra.column, 'keep one')
  }
  const [typed] = offsets
  const others = words.filter((word) => word !== typed && word !== flags[0])
  if (typed === undefined) throw withoutOffset(words, others)
  const at = others.find(({ text }) => AMEND_WORDS.has(text.toLowerCase()))
  if (at !== undefined) {
    const hint = 'leave it out: `bump` takes an offset, `move` a price'
    throw new LanguageError('unexpected-argument', `${shown(at.text)} has no meaning here`, at.column, hint)
  }
  const offset = parseOffset(typed.text, typed.column)
  if (isZero(offset.value.replace('-', ''))) {
    throw new LanguageError('bad-price', `${shown(typed.text)} moves nothing`, typed.column, BUMP)
  }
  const names = others.flatMap(({ text, column }) => parseNames(text, column, 'symbol or order id'))
  return { names, offset, replace: flags.length > 0 }
}

/** A number without a sign could raise the price or be it. */
function withoutOffset(words: readonly Word[], others: readonly Word[]): LanguageError {
  const number = others.findLast(({ text }) => isSizeShaped(text))
  if (number === undefined) {
    return new LanguageError('missing-argument', 'the offset is missing', endColumn(words), BUMP)
  }
  const hint = /^[\d.]{1,20}%?$/.test(number.text) ? `type +${number.text} or -${number.text}` : BUMP
  return new LanguageError('bad-price', `${shown(number.text)} has no sign`, number.column, hint)
}
