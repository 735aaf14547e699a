// Where: `65000`, an offset alone (`+100`, `-0.5%`), which counts from last or, of the stop and the target of an order, from its own price, or an anchor or absolute price with an offset behind it
// (`$bid -0.1%`, `65000 +100`). `2R` is a profit of twice the risk: the distance from the entry to its stop. What the market says is filled in
// later, per symbol.
import type { Word } from './chain.ts'
import { compareDecimals, decimalHint, isZero, readDecimal, readSignedDecimal, ungrouped } from './decimal-text.ts'
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { nearest } from './typo-match.ts'

/** A live price that a price may be relative to. `entry` is the average entry of the symbol's position. */
type PriceAnchor = 'last' | 'bid' | 'ask' | 'entry'

export interface PriceOffset {
  readonly kind: 'amount' | 'percent'
  /** Signed decimal; a percent is above -100. */
  readonly value: string
  /** A percentage typed without a sign, where only one side does its work: `signed` gives it that side. */
  readonly isUnsigned?: true
}

/** `base` plus `offset`. With an amount as offset the sum may be zero or less: the code that resolves it must check. */
export interface PriceExpression {
  readonly base:
    | { readonly kind: 'absolute'; readonly price: string }
    | { readonly kind: 'anchor'; readonly anchor: PriceAnchor }
    /** So many times the risk from the entry, where it profits. A decimal above zero. */
    | { readonly kind: 'risk'; readonly multiple: string }
  readonly offset?: PriceOffset
}

const ANCHORS: readonly PriceAnchor[] = ['last', 'bid', 'ask', 'entry']
const FORMS = 'type a price such as 65000, +100, -0.5% or $bid -0.1%'

interface PriceOptions {
  /** `2R` is a price here. Default: it is refused. */
  readonly inRisk?: boolean
  /** What an offset alone counts from. Default: `last`. */
  readonly from?: PriceAnchor
  /** A percentage alone may be without a sign. Default: it is refused, since either side could be meant. */
  readonly unsigned?: boolean
}

/**
 * Reads the price at `words[at]`, and the signed offset in the next word where there is one.
 * @returns the price and the index of the first word after it
 * @throws {LanguageError} `missing-argument`, `bad-price`
 */
export function parsePrice(
  words: readonly Word[],
  at: number,
  { inRisk = false, from = 'last', unsigned = false }: PriceOptions = {},
): { price: PriceExpression; next: number } {
  const word = words[at]
  if (word === undefined) {
    const last = words.at(-1)
    const end = last === undefined ? 1 : last.column + last.text.length
    throw new LanguageError('missing-argument', 'the price is missing', end, FORMS)
  }
  const { text, column } = word
  const [, multiple] = /^\+?([\d.]{1,20})r$/i.exec(text) ?? []
  if (multiple !== undefined) {
    const value = readDecimal(multiple)
    if (!inRisk)
      throw badPrice(
        text,
        'counts in risks, which only a stop and a take-profit do',
        column,
        'type it after tp: stop -2% tp 2R',
      )
    if (value === undefined || isZero(value))
      throw badPrice(text, 'is not a multiple of the risk', column, 'type 2R or 0.5R')
    return { price: { base: { kind: 'risk', multiple: value } }, next: at + 1 }
  }
  if (isOffset(text)) {
    const offset = parseOffset(text, column)
    const isUnsigned = !/^[+-]/.test(text)
    if (isUnsigned && !unsigned) throw unsignedPercent(text, column)
    const base = { kind: 'anchor', anchor: from } as const
    return { price: { base, offset: isUnsigned ? { ...offset, isUnsigned } : offset }, next: at + 1 }
  }
  const sign = text.search(/[+-]/)
  const base = parseBase(sign === -1 ? text : text.slice(0, sign).trimEnd(), text, column)
  if (sign !== -1) return { price: { base, offset: parseOffset(text.slice(sign), column + sign) }, next: at + 1 }
  const after = words[at + 1]
  if (after === undefined || !/^[+-]/.test(after.text)) return { price: { base }, next: at + 1 }
  return { price: { base, offset: parseOffset(after.text, after.column) }, next: at + 2 }
}

/** `+100`, `-0.5%`, `1%`: an offset standing alone. `65000+1%` is none. */
function isOffset(text: string): boolean {
  return /^[+-]/.test(text) || /^[^+-]*%$/.test(text)
}

function unsignedPercent(text: string, column: number): LanguageError {
  const hint = `type -${text} for ${text} below last, or +${text} for above`
  return new LanguageError('bad-price', `${shown(text)} has no sign`, column, hint)
}

/** @param towards where the price goes of a percentage that was typed without a sign */
export function signed(price: PriceExpression, towards: 'up' | 'down'): PriceExpression {
  const { base, offset } = price
  if (offset?.isUnsigned !== true) return price
  const { kind, value } = offset
  return { base, offset: { kind, value: towards === 'up' ? value : `-${value}` } }
}

/** `100`, `-0.5%`. */
export function printOffset({ value, kind }: PriceOffset): string {
  return `${value}${kind === 'percent' ? '%' : ''}`
}

/** `+100`, `-0.5%`. @throws {LanguageError} `bad-price` */
export function parseOffset(text: string, column: number): PriceOffset {
  const isPercent = text.endsWith('%')
  const value = readSignedDecimal(isPercent ? text.slice(0, -1) : ungrouped(text))
  if (value === undefined) throw badPrice(text, 'is not a price offset', column, decimalHint(text) ?? FORMS)
  if (isPercent && value.startsWith('-') && compareDecimals(value.slice(1), '100') >= 0) {
    throw badPrice(text, 'leaves no price', column, 'type an offset above -100%')
  }
  return { kind: isPercent ? 'percent' : 'amount', value }
}

function parseBase(text: string, whole: string, column: number): PriceExpression['base'] {
  if (text.startsWith('$')) return { kind: 'anchor', anchor: parseAnchor(text.slice(1), column) }
  const price = readDecimal(ungrouped(text))
  if (price === undefined)
    throw badPrice(whole, 'is not a price', column, wordHint(whole) ?? decimalHint(whole) ?? FORMS)
  if (isZero(price)) throw badPrice(whole, 'is zero, and a price must be above zero', column, FORMS)
  return { kind: 'absolute', price }
}

/** Words that are typed where a price belongs. */
function wordHint(text: string): string | undefined {
  switch (text.toLowerCase()) {
    case 'market':
    case 'mkt':
      return 'leave `at` out: an order without a price is at the market'
    case 'breakeven':
    case 'break-even':
    case 'be':
      return 'type $entry, as in at $entry +0.1%'
    case 'bid':
    case 'ask':
    case 'last':
      return `type $${text.toLowerCase()}`
    case 'entry':
      return 'type $entry, or stop breakeven'
    case 'mid':
      return 'type $bid or $ask'
    case 'best':
      return 'type `best`, without `at`'
    case 'at':
    case '@':
    case 'loss':
    case 'limit':
    case 'to':
      return 'type only the price, as in stop -2%'
    default:
      return undefined
  }
}

function parseAnchor(name: string, column: number): PriceAnchor {
  const lower = name.toLowerCase()
  const anchor = ANCHORS.find((candidate) => candidate === lower)
  if (anchor !== undefined) return anchor
  const number = readDecimal(name)
  if (number !== undefined) throw badPrice(`$${name}`, 'is a size, not a price', column, `type ${number}`)
  const meant = nearest(name, ANCHORS)
  const hint = meant === undefined ? 'type $last, $bid, $ask or $entry' : `type $${meant}`
  throw badPrice(`$${name}`, 'is not a live price', column, hint)
}

function badPrice(text: string, why: string, column: number, hint: string): LanguageError {
  return new LanguageError('bad-price', `${shown(text)} ${why}`, column, hint)
}
