// How much: `$250` or `250$` in quote currency, `0.01` in base, `50%` of what the command says, `50%bal`, `50%pos`.
// A bare integer from 100 up is refused: it is nearly always a forgotten `$` or a price.
import { compareDecimals, decimalHint, isZero, readDecimal } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'

/** Amounts and percents are decimal strings above zero; a percent is at most 100. */
export type Size =
  | { readonly kind: 'quote'; readonly amount: string }
  | { readonly kind: 'base'; readonly amount: string }
  | {
      readonly kind: 'percent'
      readonly percent: string
      /** Absent: of the free balance for entries, of the position for exits. */
      readonly of?: 'balance' | 'position'
    }

const FORMS = 'type a size such as $250, 0.01 or 50%'

/** Whether a word can only be meant as a size, so that it is never taken for a symbol. `1000PEPEUSDT` is none. */
export function isSizeShaped(text: string): boolean {
  return /^[+-]?\$/.test(text) || text.endsWith('$') || text.includes('%') || /^[+-]?[\d.,]+$/.test(text)
}

/** @throws {LanguageError} `bad-size`, `bare-number` */
export function parseSize(text: string, column: number): Size {
  if (/^[+-]\$?[\d.]/.test(text)) {
    const isOffset = /^.[\d.]{1,20}%?$/.test(text)
    throw badSize(text, 'has a sign, and a size has none', column, isOffset ? `type at ${text} for a price` : FORMS)
  }
  const percentAt = text.indexOf('%')
  if (percentAt !== -1) return parsePercent(text, percentAt, column)
  if (text.startsWith('$')) return { kind: 'quote', amount: parseAmount(text.slice(1), text, column) }
  if (text.endsWith('$')) return { kind: 'quote', amount: parseAmount(text.slice(0, -1), text, column) }
  const amount = parseAmount(text, text, column)
  if (!amount.includes('.') && compareDecimals(amount, '100') >= 0) {
    throw new LanguageError(
      'bare-number',
      `${shown(text)} alone could be money, a price or an amount`,
      column,
      `type $${amount} for quote currency, at ${amount} for a price, or ${amount}.0 for an amount of the coin`,
    )
  }
  return { kind: 'base', amount }
}

function parsePercent(text: string, percentAt: number, column: number): Size {
  const percent = parseAmount(text.slice(0, percentAt), text, column)
  if (compareDecimals(percent, '100') > 0) throw badSize(text, 'is more than 100%', column, 'type 100% for everything')
  switch (text.slice(percentAt + 1).toLowerCase()) {
    case '':
      return { kind: 'percent', percent }
    case 'bal':
      return { kind: 'percent', percent, of: 'balance' }
    case 'pos':
      return { kind: 'percent', percent, of: 'position' }
    default:
      throw badSize(
        text,
        'does not say what it is a percentage of',
        column + percentAt + 1,
        `type ${percent}%, ${percent}%bal (of the free balance) or ${percent}%pos (of the position)`,
      )
  }
}

function parseAmount(number: string, text: string, column: number): string {
  const amount = readDecimal(number)
  if (amount === undefined) throw badSize(text, 'is not a size', column, decimalHint(text) ?? FORMS)
  if (isZero(amount)) throw badSize(text, 'is zero, and a size must be above zero', column, FORMS)
  return amount
}

function badSize(text: string, why: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-size', `${shown(text)} ${why}`, column, hint)
}
