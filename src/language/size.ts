// How much: `$250`, `250$`, `250usd` or `250u` in quote currency, `0.01` in base, `50%` of what the command says, `50%bal`, `50%pos`. Money may
// be grouped or in thousands: `$1,000`, `$1k`. A bare integer from 100 up, and a bare `10k`, are refused: they are nearly always a forgotten `$`
// or a price. Sizes compute: `$equity/10`, `$balance*0.5-100`, `$1000/3`.
import { defined } from '../base/defined.ts'
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
  /** Money that the account decides when the order is sized: the sum of the terms. */
  | { readonly kind: 'account'; readonly terms: readonly AccountTerm[]; readonly text: string }

/** `times` over `over`, of the equity or of the free balance; without `of`, of one dollar. Both are decimals above zero but for their sign. */
interface AccountTerm {
  readonly of?: 'equity' | 'balance'
  readonly times: string
  readonly over: string
}

/** What an entry may lose where its stop is hit, fees included: `risk 1%` of the equity, or `risk $50`. */
export type RiskSize =
  | { readonly kind: 'risk'; readonly percent: string }
  | { readonly kind: 'risk'; readonly amount: string }

const FORMS = 'type a size such as $250, 0.01 or 50%'

/** Money without its `$` in front, which a shell would replace within double quotes. */
const MONEY_BEHIND = /^(.*?)(?:\$|(?<=[\dk])(?:usd[tc]?|u))$/i

const BARE = /^[+-]?[\d.,]+k?(?:usd[tc]?|u)?$/i

/** Whether a word can only be meant as a size, so that it is never taken for a symbol. `1000PEPEUSDT` is none. */
export function isSizeShaped(text: string): boolean {
  if (/^[a-z-]+=/i.test(text)) return false
  return (
    /^[+-]?\$/.test(text) ||
    text.endsWith('$') ||
    text.includes('%') ||
    BARE.test(text) ||
    /^[\d.,]+[-+*/][\d.$]/.test(text)
  )
}

/** @throws {LanguageError} `bad-size`, `bare-number` */
export function parseSize(text: string, column: number): Size {
  if (/^[+-]\$?[\d.]/.test(text)) {
    const isOffset = /^.[\d.]{1,20}%?$/.test(text)
    const other = text.endsWith('%')
      ? `type at ${text} for a price`
      : `type ${text.slice(1)}, or at ${text} for a price`
    throw badSize(text, 'has a sign, and a size has none', column, isOffset ? other : FORMS)
  }
  const computed = parseComputed(text, column)
  if (computed !== undefined) return computed
  const percentAt = text.indexOf('%')
  if (percentAt !== -1) return parsePercent(text, percentAt, column)
  const money = text.startsWith('$') ? text.slice(1) : MONEY_BEHIND.exec(text)?.[1]
  if (money !== undefined) return { kind: 'quote', amount: parseAmount(spelledOut(money), text, column) }
  const number = spelledOut(text)
  const amount = parseAmount(number, text, column)
  if (number !== text) throw bareNumber(amount, text, column)
  return coinsOf(amount, text, column)
}

/** @throws {LanguageError} `bare-number` */
function coinsOf(amount: string, text: string, column: number): Size {
  if (isWhole(amount) && compareDecimals(amount, '100') >= 0) throw bareNumber(amount, text, column)
  return { kind: 'base', amount }
}

function bareNumber(amount: string, text: string, column: number): LanguageError {
  return new LanguageError(
    'bare-number',
    `${shown(text)} could be money, a price or an amount`,
    column,
    `type $${amount} for quote currency, at ${amount} for a price, or ${coins(amount)} for an amount of the coin`,
  )
}

/** The word behind `risk`. @throws {LanguageError} `bad-size`, `bare-number` */
export function parseRisk(text: string, column: number): RiskSize {
  const forms = 'type risk 1% of the equity, or risk $50'
  if (/^[\d.]{1,20}$/.test(text)) {
    throw new LanguageError(
      'bare-number',
      `${shown(text)} could be percent or money`,
      column,
      `type risk ${text}% or risk $${text}`,
    )
  }
  const size = parseSize(text, column)
  if (size.kind === 'percent' && size.of === undefined) return { kind: 'risk', percent: size.percent }
  if (size.kind === 'quote') return { kind: 'risk', amount: size.amount }
  throw badSize(text, 'is not a risk', column, forms)
}

/** Whether an amount was typed as a whole number, which money is more often than coins are. */
export function isWhole(amount: string): boolean {
  return !amount.includes('.')
}

/** An amount of coins in the spelling that cannot be taken for money: `5.0`. */
export function coins(amount: string): string {
  return isWhole(amount) ? `${amount}.0` : amount
}

/** Numbers and what the account has, joined by `+ - * /`; products come first, and there are no brackets. */
const COMPUTED = /^[\w.,$]+(?:[-+*/][\w.,$]+)+$/
/** In characters. */
const MAX_COMPUTED = 100
const ACCOUNT_WORD = /^\$(?:equity|balance)$/i

/**
 * `$equity`, `$balance/4`, `$1000/3`, `0.01*2`.
 * @returns undefined for what does not compute
 * @throws {LanguageError} `bad-size` for a product of two sums of money, for money and coins in one sum, and for nothing left
 */
function parseComputed(text: string, column: number): Size | undefined {
  if (!ACCOUNT_WORD.test(text) && !COMPUTED.test(text)) return undefined
  if (text.length > MAX_COMPUTED) throw badSize(text, `is longer than ${MAX_COMPUTED} characters`, column, FORMS)
  const terms = [...text.matchAll(/([-+]?)([^-+]+)/g)].map(([, sign = '', product = '']) =>
    parseProduct(product, sign === '-', (why, hint = FORMS) => badSize(text, why, column, hint)),
  )
  const isMoney = terms.some((term) => term.isMoney)
  if (terms.some((term) => term.isMoney !== isMoney)) {
    throw badSize(text, 'adds money to coins', column, 'type $ before each sum of money')
  }
  if (terms.some(({ of }) => of !== undefined)) {
    const ofAccount = terms.map(({ of, times, over }) => ({ ...defined({ of }), times: `${times}`, over: `${over}` }))
    return { kind: 'account', terms: ofAccount, text }
  }
  const [, part, whole] = /^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []
  if (part !== undefined && whole !== undefined && Number(part) < Number(whole)) {
    const hint = 'type a percentage for a share, or the amount itself, such as 0.5'
    throw new LanguageError('bare-number', `${shown(text)} could be a share or an amount of coins`, column, hint)
  }
  const amount = sumOf(terms)
  if (amount === undefined) throw badSize(text, 'is not a size', column, rangeHint(text) ?? FORMS)
  return isMoney ? { kind: 'quote', amount } : coinsOf(amount, text, column)
}

interface Product {
  readonly of: AccountTerm['of']
  readonly times: bigint
  readonly over: bigint
  readonly isMoney: boolean
}

/** `$equity*0.1`, `1000/3`. */
function parseProduct(
  text: string,
  isNegative: boolean,
  refuse: (why: string, hint?: string) => LanguageError,
): Product {
  let product: Product = { of: undefined, times: isNegative ? -1n : 1n, over: 1n, isMoney: false }
  for (const [, operator = '', factor = ''] of text.matchAll(/([*/]?)([^*/]+)/g)) {
    const isMoney = factor.startsWith('$')
    if (isMoney && (product.isMoney || operator === '/')) {
      throw refuse('multiplies or divides by money', 'multiply or divide money by plain numbers: $equity*0.1')
    }
    product = { ...product, isMoney: product.isMoney || isMoney }
    if (ACCOUNT_WORD.test(factor)) {
      product = { ...product, of: factor.toLowerCase() === '$equity' ? 'equity' : 'balance' }
      continue
    }
    const decimal = readDecimal(spelledOut(isMoney ? factor.slice(1) : factor))
    if (decimal === undefined) throw refuse(`cannot be computed: ${shown(factor)} is not a number`)
    if (isZero(decimal)) throw refuse('has a zero in it')
    const [units, scale] = scaled(decimal)
    const [times, over] = operator === '/' ? [scale, units] : [units, scale]
    product = { ...product, times: product.times * times, over: product.over * over }
  }
  return product
}

const DIGITS = 8

/** To eight digits, downwards. @returns undefined for nothing, and less */
function sumOf(terms: readonly { readonly times: bigint; readonly over: bigint }[]): string | undefined {
  const over = terms.reduce((product, term) => product * term.over, 1n)
  const times = terms.reduce((sum, term) => sum + term.times * (over / term.over), 0n)
  const units = (times * 10n ** BigInt(DIGITS)) / over
  if (units <= 0n) return undefined
  const digits = String(units).padStart(DIGITS + 1, '0')
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, '')
}

/** `0.25` as 25 of 100. */
function scaled(decimal: string): readonly [units: bigint, scale: bigint] {
  const [whole = '', part = ''] = decimal.split('.')
  return [BigInt(whole + part), 10n ** BigInt(part.length)]
}

/** As it is typed: parsing it gives the same size again. */
export function printSize(size: Size): string {
  if (size.kind === 'quote') return `$${size.amount}`
  if (size.kind === 'percent')
    return `${size.percent}%${size.of === undefined ? '' : size.of === 'balance' ? 'bal' : 'pos'}`
  return size.kind === 'account' ? size.text : coins(size.amount)
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

/** `59000-61000`: the ends of a ladder. */
function rangeHint(text: string): string | undefined {
  const [, from, to] = /^(\d{3,12}(?:\.\d{1,12})?)-(\d{3,12}(?:\.\d{1,12})?)$/.exec(text) ?? []
  return from === undefined ? undefined : `type from ${from} to ${to}`
}

function badSize(text: string, why: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-size', `${shown(text)} ${why}`, column, hint)
}
