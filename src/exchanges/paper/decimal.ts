// Decimal arithmetic as the paper account does it: sums and products are exact (80 digits are more than any order can
// need), and what must be divided or charged is rounded once, to the settle currency's eight places, before it is booked.
import { Decimal as AnyDecimal } from 'decimal.js'

export const Decimal = AnyDecimal.clone({ precision: 80, rounding: AnyDecimal.ROUND_HALF_EVEN })
export type Decimal = AnyDecimal

export const ZERO = new Decimal(0)

/** An account is made of few figures, which every order reads again and again. */
const parsed = new Map<string, Decimal>()
const MAX_PARSED = 2_000

/** The figure that the text writes. */
export function decimal(text: string): Decimal {
  return parsed.get(text) ?? remember(text, new Decimal(text))
}

/** Plain notation, shortest form, never an exponent: `0.01`. */
export function decimalText(value: Decimal): string {
  const text = value.toFixed()
  // It is about to be read. Zero has a sign, which its text has not.
  if (!value.isZero()) remember(text, value)
  return text
}

function remember(text: string, value: Decimal): Decimal {
  if (parsed.size >= MAX_PARSED) parsed.clear()
  parsed.set(text, value)
  return value
}

/** Rounded to eight places, the grain in which money is booked. */
export function toMoney(value: Decimal): Decimal {
  return value.toDecimalPlaces(8)
}
