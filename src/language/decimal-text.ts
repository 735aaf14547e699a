// Decimal numbers as text. Digits go from the line to the exchange without ever being a float.

const DECIMAL = /^(?:\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})$/

/**
 * An unsigned decimal with at most 18 digits on either side of the point, in one spelling: `.5` and `00.5` give `0.5`;
 * zeros at the end stay. Undefined for anything else: signs, exponents, thousands separators.
 */
export function readDecimal(text: string): string | undefined {
  if (!DECIMAL.test(text)) return undefined
  const trimmed = text.replace(/^0+(?=\d)/, '')
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
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  const digitsA = wholeA + fractionA.padEnd(fractionB.length, '0')
  const digitsB = wholeB + fractionB.padEnd(fractionA.length, '0')
  return digitsA < digitsB ? -1 : Number(digitsA > digitsB)
}

/** What to type instead of a number that `readDecimal` refuses, where the slip is a known one. */
export function decimalHint(text: string): string | undefined {
  if (/^[+-]?\$?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,18})?[$%]?$/.test(text)) return `type ${text.replaceAll(',', '')}`
  if (/^[+-]?\$?\d{1,3}(?:\.\d{3}){1,5},\d{1,18}[$%]?$/.test(text)) {
    return `type ${text.replaceAll('.', '').replace(',', '.')}`
  }
  if (/^[+-]?\$?\d{1,3}(?:\.\d{3}){2,5}[$%]?$/.test(text)) return `type ${text.replaceAll('.', '')}`
  if (text.includes(',')) return 'type the number with a point and without commas'
  if (/^\D*\d[\d.]*[eEkKmM]/.test(text)) return 'write the number out in digits'
  if (/\d{19}/.test(text)) return 'use at most 18 digits before and after the point'
  return undefined
}
