// Decimals as venues write them: text, or a JSON number where ccxt leaves one. Nothing is computed with the number; its shortest text is what the
// venue wrote.
import { Decimal as AnyDecimal } from 'decimal.js'
import * as z from 'zod/mini'

export const Decimal = AnyDecimal.clone({ precision: 60, rounding: AnyDecimal.ROUND_HALF_EVEN })
export type Decimal = AnyDecimal

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** A figure as a decimal string in plain notation; what is none is undefined. */
export const figure = z.pipe(
  z.unknown(),
  z.transform((value: unknown): string | undefined => decimalText(value)),
)

export function decimalText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value).toFixed() : undefined
  if (typeof value !== 'string' || !PLAIN.test(value)) return undefined
  return new Decimal(value).toFixed()
}

/** A text that is not empty; numbers as ids are text too. */
export const word = z.pipe(
  z.unknown(),
  z.transform((value: unknown): string | undefined => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    return typeof value === 'string' && value !== '' ? value : undefined
  }),
)

/** ms since the epoch. */
export const moment = z.pipe(
  z.unknown(),
  z.transform((value: unknown): number | undefined => {
    const ms = Number(value)
    return value !== null && Number.isFinite(ms) && ms > 0 ? Math.trunc(ms) : undefined
  }),
)

export function isPositive(text: string | undefined): text is string {
  return text !== undefined && new Decimal(text).gt(0)
}
