// How far work may go with a price: to a price (`65000`, `$last +100`), or so far from where it begins, on the side on which it gets worse
// (`1%`, `$50`): up for a buyer, down for a seller.
import type { Word } from './chain.ts'
import { compareDecimals, isZero, readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { type PriceExpression, parsePrice } from './price.ts'
import { shown } from './printable.ts'

export type Reach =
  | { readonly kind: 'price'; readonly price: PriceExpression }
  | { readonly kind: 'distance'; readonly unit: 'percent' | 'quote'; readonly value: string }

/**
 * Reads the reach at `words[at]`.
 * @returns it and the index of the first word after it
 * @throws {LanguageError} `missing-argument`, `bad-price`
 */
export function parseReach(words: readonly Word[], at: number): { readonly reach: Reach; readonly next: number } {
  const word = words[at]
  const [, money, share] = /^(?:\$([\d.]+)|([\d.]+)%)$/.exec(word?.text ?? '') ?? []
  const value = readDecimal(money ?? share ?? '')
  if (word === undefined || value === undefined) {
    const { price, next } = parsePrice(words, at)
    return { reach: { kind: 'price', price }, next }
  }
  if (isZero(value)) {
    const hint = 'type a distance above zero, such as 1%, or the price itself'
    throw new LanguageError('bad-price', `${shown(word.text)} is not above zero`, word.column, hint)
  }
  if (share !== undefined && compareDecimals(value, '100') >= 0) {
    const hint = 'type a distance below 100%'
    throw new LanguageError('bad-price', `${shown(word.text)} leaves nothing of the price`, word.column, hint)
  }
  return { reach: { kind: 'distance', unit: money === undefined ? 'percent' : 'quote', value }, next: at + 1 }
}
