// A position in net mode, changed by a fill.
import { Decimal } from 'decimal.js'

export interface Net {
  /** Its sign is its side. */
  amount: Decimal
  entry: Decimal
}

/** Profits have eight digits, and a wallet changes by exactly those. */
const DIGITS = 8

/** @param unit how much of the base one of the amount is @returns what closing a part of it brought */
export function changeHeld(held: Net, signed: Decimal, price: Decimal, unit = '1'): Decimal {
  const before = held.amount
  const after = before.plus(signed)
  held.amount = after
  if (before.isZero() || before.isPositive() === signed.isPositive()) {
    held.entry = before.times(held.entry).plus(signed.times(price)).div(after)
    return new Decimal(0)
  }
  const closed = Decimal.min(before.abs(), signed.abs()).times(before.isPositive() ? 1 : -1)
  const realized = closed.times(unit).times(price.minus(held.entry)).toDecimalPlaces(DIGITS)
  if (after.isZero()) held.entry = new Decimal(0)
  else if (after.isPositive() !== before.isPositive()) held.entry = price
  return realized
}
