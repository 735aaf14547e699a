// Decimal arithmetic of the copier, with digits to spare: a quotient that does not end must not move a target by a lot.
import { Decimal as AnyDecimal } from 'decimal.js'

export const Decimal = AnyDecimal.clone({ precision: 50 })
export type Decimal = AnyDecimal
export type Figure = AnyDecimal.Value

export const ZERO = new Decimal(0)
