// Fees as they are shown: those of one asset with the same digits, so many that the smallest of them can be told.
import type { FillRow } from '../../../protocol/frames.ts'
import { roundedTo } from '../../exact.ts'
import { showPrice } from '../../figures.ts'

type Fee = Pick<FillRow, 'fee' | 'feeCurrency'>

const LEAST_DIGITS = 2
const MOST_DIGITS = 8
/** Of the smallest one, so many that are not zeros in front. */
const TELLING = 2

/** After the point, by asset. */
export function feeDigits(fills: readonly Fee[]): ReadonlyMap<string, number> {
  const digits = new Map<string, number>()
  for (const { fee, feeCurrency = '' } of fills) {
    if (fee === undefined) continue
    digits.set(feeCurrency, Math.max(digits.get(feeCurrency) ?? LEAST_DIGITS, digitsNeeded(fee)))
  }
  return digits
}

function digitsNeeded(fee: string): number {
  const [whole = '', fraction = ''] = fee.replace('-', '').split('.')
  if (/[1-9]/.test(whole) || !/[1-9]/.test(fraction)) return LEAST_DIGITS
  return Math.min(MOST_DIGITS, fraction.search(/[1-9]/) + TELLING)
}

/** @returns undefined where the venue does not tell it */
export function showFee({ fee, feeCurrency = '' }: Fee, digits: ReadonlyMap<string, number>): string | undefined {
  if (fee === undefined) return undefined
  const kept = digits.get(feeCurrency) ?? LEAST_DIGITS
  const rounded = roundedTo(fee, kept)
  return showPrice(rounded, `0.${'0'.repeat(kept - 1)}1`)
}
