// Decimal numbers as text. Digits go from the line to the exchange without ever being a float.

const DECIMAL = /^(?:\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})$/

/**
 * An unsigned decimal with at most 18 digits on either side of the point, in one spelling: `.5` and `00.5` give `0.5`;
 * zeros at the end stay. Undefined for anything else: signs, exponents, thousands separators.
 */
export function readDecimal(text: string): string | undefined {
  if (!DECIMAL.test(text)) return undefined
  const trimmed = text.startsWith('0') ? text.replace(/^0+(?=\d)/, '') : text
  return trimmed.startsWith('.') ? `0${trimmed}` : trimmed
}

/** `readDecimal` with an optional sign before it; `+` and the sign of zero are dropped. */
export function readSignedDecimal(text: string): string | undefined {
  const sign = text.charAt(0)
  const value = readDecimal(sign === '+' || sign === '-' ? text.slice(1) : text)
  return value !== undefined && sign === '-' && !isZero(value) ? `-${value}` : value
}

export function isZero(decimal: string): boolean {
  return /^[0.]+$/.test(decimal)
}

/** Negative, zero or positive as `a` is below, equal to or above `b`; both as `readDecimal` returns them. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA, wholeB] = [wholeDigits(a), wholeDigits(b)]
  if (wholeA !== wholeB) return wholeA - wholeB
  // Points are in the same place: up to the end of the shorter text, texts compare as numbers do.
  if (a < b) return b.startsWith(a) && isNothing(b, a.length) ? 0 : -1
  return a.startsWith(b) && isNothing(a, b.length) ? 0 : 1
}

function wholeDigits(decimal: string): number {
  const point = decimal.indexOf('.')
  return point === -1 ? decimal.length : point
}

/** Whether what follows is a point and zeros, or nothing. */
function isNothing(decimal: string, from: number): boolean {
  for (let at = from; at < decimal.length; at++) {
    const character = decimal.charAt(at)
    if (character !== '0' && character !== '.') return false
  }
  return true
}

/** `66,000` as `66000`, as hookline prints prices; any other text as it is. `0,123` is none: a comma may be a decimal point. */
export function ungrouped(text: string): string {
  return /^[+-]?[1-9]\d{0,2}(?:,\d{3}){1,5}(?:\.\d{1,18})?$/.test(text) ? text.replaceAll(',', '') : text
}

/** What to type instead of a number that `readDecimal` refuses, where the slip is a known one. */
export function decimalHint(text: string): string | undefined {
  if (/^[+-]?\$?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,18})?[$%]?$/.test(text)) return `type ${text.replaceAll(',', '')}`
  if (/^[+-]?\$?\d{1,3}(?:\.\d{3}){1,5},\d{1,18}[$%]?$/.test(text)) {
    return `type ${text.replaceAll('.', '').replace(',', '.')}`
  }
  if (/^[+-]?\$?\d{1,3}(?:\.\d{3}){2,5}[$%]?$/.test(text)) return `type ${text.replaceAll('.', '')}`
  if (/^[+-]?\$?\d{1,6}(?:\.\d{1,3})?k$/i.test(text)) return `type ${inThousands(text)}`
  if (/^[+-]?\$?[\d.]{1,20}%?,$/.test(text)) return `type ${text.slice(0, -1)} without a comma`
  if (text.includes(',')) return 'type the number with a point and without commas'
  if (/^\D*\d[\d.]*[eEkKmM]/.test(text)) return 'write the number out in digits'
  if (/\d{19}/.test(text)) return 'use at most 18 digits before and after the point'
  return undefined
}

/** `64000` for `64k`. */
function inThousands(text: string): string {
  const [whole = '', part = ''] = text.slice(0, -1).split('.')
  return `${whole}${part.padEnd(3, '0')}`
}
