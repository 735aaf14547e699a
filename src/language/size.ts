// How much: `$250`, `250$`, `250usd` or `250u` in quote currency, `0.01` in base, `50%` of what the command says, `50%bal`, `50%pos`. Money may
// be grouped or in thousands: `$1,000`, `$1k`. A bare integer from 100 up, and a bare `10k`, are refused: they are nearly always a forgotten `$`
// or a price.
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

/** Money without its `$` in front, which a shell would replace within double quotes. */
const MONEY_BEHIND = /^(.*?)(?:\$|(?<=[\dk])(?:usd[tc]?|u))$/i

const BARE = /^[+-]?[\d.,]+k?(?:usd[tc]?|u)?$/i

/** Whether a word can only be meant as a size, so that it is never taken for a symbol. `1000PEPEUSDT` is none. */
export function isSizeShaped(text: string): boolean {
  if (/^[a-z-]+=/i.test(text)) return false
  return /^[+-]?\$/.test(text) || text.endsWith('$') || text.includes('%') || BARE.test(text)
}

/** @throws {LanguageError} `bad-size`, `bare-number` */
export function parseSize(text: string, column: number): Size {
  if (/^[+-]\$?[\d.]/.test(text)) {
    const isOffset = /^.[\d.]{1,20}%?$/.test(text)
    throw badSize(text, 'has a sign, and a size has none', column, isOffset ? `type at ${text} for a price` : FORMS)
  }
  const percentAt = text.indexOf('%')
  if (percentAt !== -1) return parsePercent(text, percentAt, column)
  const money = text.startsWith('$') ? text.slice(1) : MONEY_BEHIND.exec(text)?.[1]
  if (money !== undefined) return { kind: 'quote', amount: parseAmount(spelledOut(money), text, column) }
  const number = spelledOut(text)
  const amount = parseAmount(number, text, column)
  if (number !== text || (isWhole(amount) && compareDecimals(amount, '100') >= 0)) {
    throw new LanguageError(
      'bare-number',
      `${shown(text)} alone could be money, a price or an amount`,
      column,
      `type $${amount} for quote currency, at ${amount} for a price, or ${coins(amount)} for an amount of the coin`,
    )
  }
  return { kind: 'base', amount }
}

/** Whether an amount was typed as a whole number, which money is more often than coins are. */
export function isWhole(amount: string): boolean {
  return !amount.includes('.')
}

/** An amount of coins in the spelling that cannot be taken for money: `5.0`. */
export function coins(amount: string): string {
  return isWhole(amount) ? `${amount}.0` : amount
}

/** `1,000` and `1k` in plain digits; any other text as it is. */
function spelledOut(number: string): string {
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?k?$/i.test(number) ? number.replaceAll(',', '') : number
  const [, whole, part = ''] = /^(\d{1,15})(?:\.(\d{1,15}))?k$/i.exec(plain) ?? []
  if (whole === undefined) return plain
  const thousandths = part.padEnd(3, '0')
  return `${whole}${thousandths.slice(0, 3)}${part.length > 3 ? `.${thousandths.slice(3)}` : ''}`
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
        'needs a base for its percentage',
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
