// What `trail` is asked to do, before any market is known.
import { endColumn, requireWords } from './arguments.ts'
import type { Argument, Word } from './chain.ts'
import { compareDecimals, decimalHint, isZero, readDecimal } from './decimal-text.ts'
import { takeKeyed } from './keyed-words.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { isSizeShaped, type Size } from './size.ts'
import { readSlots } from './slots.ts'

/** How far the stop is from the best price; `value` is above zero, and a percent below 100. */
interface Distance {
  readonly kind: 'percent' | 'amount'
  readonly value: string
}

export interface TrailIntent {
  readonly distance: Distance
  /** Upper-cased; empty: the symbol in focus. */
  readonly symbols: readonly string[]
  /** Absent: the whole position, also as it grows. */
  readonly size?: Size
  /** Behind `after`: no stop before the price has come there. `profit` counts from the entry of the position, to its side. */
  readonly after?: ({ readonly from: 'profit' } & Distance) | { readonly from: 'price'; readonly price: string }
}

const FORMS = 'type a distance such as 1% or 250, as in trail 1%'
const AFTER_FORMS = 'type a profit such as +0.5% or +100, or the price itself'
const KEYED: ReadonlyMap<string, string> = new Map([['after', 'after and a profit, as in after +0.5%']])

/**
 * `1%`, `250 BTCUSDT 50%`, `1% after +0.5%`: the first figure is the distance, the second the size.
 * @throws {LanguageError} what `readSlots` throws; `missing-argument`, `bad-price`, `bad-size` for a part of the balance
 */
export function parseTrail(args: readonly Argument[]): TrailIntent {
  const { keyed, rest } = takeKeyed(args, KEYED)
  const at = rest.findIndex(({ text }) => isSizeShaped(text))
  const first = rest[at]
  if (first === undefined) {
    throw new LanguageError('missing-argument', 'the distance is missing', endColumn(requireWords(args)), FORMS)
  }
  const others = rest.filter((_, index) => index !== at)
  const { size, symbols } = readSlots(others, { verb: 'task', prices: [], flags: [] })
  if (size?.value.kind === 'percent' && size.value.of === 'balance') {
    const message = 'trail takes a percentage of the position, not of the balance'
    throw new LanguageError('bad-size', message, size.column, `type ${size.value.percent}%`)
  }
  const after = keyed.get('after')?.value
  return {
    distance: parseDistance(first, first.text, FORMS),
    symbols: symbols?.value ?? [],
    ...(size && { size: size.value }),
    ...(after && { after: parseAfter(after) }),
  }
}

/** @param text without what may come before it */
function parseDistance({ text: typed, column }: Word, text: string, forms: string): Distance {
  if (/^[+-]/.test(text)) {
    throw new LanguageError('bad-price', `${shown(typed)} has a sign, and a distance has none`, column, forms)
  }
  const isPercent = text.endsWith('%')
  const value = readDecimal(isPercent ? text.slice(0, -1) : text.replace(/^\$|\$$/, ''))
  if (value === undefined) {
    throw new LanguageError('bad-price', `${shown(typed)} is not a distance`, column, decimalHint(text) ?? forms)
  }
  if (isZero(value)) throw new LanguageError('bad-price', `${shown(typed)} is zero`, column, forms)
  if (isPercent && compareDecimals(value, '100') >= 0) {
    throw new LanguageError('bad-price', `${shown(typed)} leaves nothing of the price`, column, forms)
  }
  return { kind: isPercent ? 'percent' : 'amount', value }
}

function parseAfter(word: Word): NonNullable<TrailIntent['after']> {
  const { text, column } = word
  if (text.startsWith('-')) {
    const message = `${shown(text)} is a loss: a trail is armed by a profit`
    throw new LanguageError('bad-price', message, column, AFTER_FORMS)
  }
  if (text.startsWith('+') || text.endsWith('%')) {
    return { from: 'profit', ...parseDistance(word, text.replace(/^\+/, ''), AFTER_FORMS) }
  }
  return { from: 'price', price: parseDistance(word, text, AFTER_FORMS).value }
}
