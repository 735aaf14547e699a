// Decimal arithmetic as the paper account does it: sums and products are exact (80 digits are more than any order can
// need), and what must be divided or charged is rounded once, to the settle currency's eight places, before it is booked.
import { Decimal as AnyDecimal } from 'decimal.js'

export const Decimal = AnyDecimal.clone({ precision: 80, rounding: AnyDecimal.ROUND_HALF_EVEN })
export type Decimal = AnyDecimal

export const ZERO = new Decimal(0)

/** Plain notation, shortest form, never an exponent: `0.01`. */
export function decimalText(value: Decimal): string {
  return value.toFixed()
}

/** Rounded to eight places, the grain in which money is booked. */
export function toMoney(value: Decimal): Decimal {
  return value.toDecimalPlaces(8)
}
