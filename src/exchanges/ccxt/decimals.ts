// Decimals as venues write them: text, or a JSON number where ccxt leaves one. Nothing is computed with the number; its shortest text is what the
// venue wrote.
import { Decimal as AnyDecimal } from 'decimal.js'
import * as z from 'zod/mini'

export const Decimal = AnyDecimal.clone({ precision: 60, rounding: AnyDecimal.ROUND_HALF_EVEN })
export type Decimal = AnyDecimal

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?$/
/** No market has a figure as long as that; one with a great exponent would fill the memory once it is written out. */
const MAX_LENGTH = 100
const MAX_EXPONENT = 60
/** As we write it: most figures are, and a venue sends thousands a second. */
const WRITTEN = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/

/** A figure as a decimal string in plain notation; what is none is undefined. */
export const figure = z.pipe(
  z.unknown(),
  z.transform((value: unknown): string | undefined => decimalText(value)),
)

export function decimalText(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined
  if (text.length < MAX_EXPONENT && WRITTEN.test(text)) return text
  return PLAIN.test(text) ? written(new Decimal(text)) : undefined
}

function written(figure: Decimal): string | undefined {
  return Math.abs(figure.e) > MAX_EXPONENT ? undefined : figure.toFixed()
}

/** What steers a terminal or breaks a line, in ids, symbols and names of currencies: no venue writes that. */
const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const LONGEST_WORD = 256

export function isPlainWord(text: string): boolean {
  return text !== '' && text.length <= LONGEST_WORD && !STEERING.test(text)
}

/** A text that is not empty; numbers as ids are text too. */
export const word = z.pipe(
  z.unknown(),
  z.transform((value: unknown): string | undefined => wordText(value)),
)

/** What means something in a line of commands. No venue's id has it, and one that had it could become a command of its own in a line. */
const OF_LINES = /[\s;|&()"'`,=@${}\\]|^-/

/** The id of an order, a trade, an instruction. */
export const idWord = z.pipe(
  z.unknown(),
  z.transform((value: unknown): string | undefined => {
    const text = wordText(value)
    return text === undefined || OF_LINES.test(text) ? undefined : text
  }),
)

function wordText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && isPlainWord(value) ? value : undefined
}

/** ms since the epoch. */
export const moment = z.pipe(
  z.unknown(),
  z.transform((value: unknown): number | undefined => {
    const ms = Number(value)
    return value !== null && Number.isFinite(ms) && ms > 0 ? Math.trunc(ms) : undefined
  }),
)

/** @param text as `decimalText` gives it: no figure is so small that a number of it would be 0 */
export function isPositive(text: string | undefined): text is string {
  return text !== undefined && Number(text) > 0
}
