// How far what a copier has built is from what it should hold: an amount, a part of it, and words that say it without colour.
import { Decimal } from 'decimal.js'

export interface Divergence {
  /** Signed: what would have to be bought. */
  readonly missing: string
  /** Of what it should hold; undefined where that is nothing. */
  readonly percent: string | undefined
  readonly tone: 'good' | 'warn' | 'bad'
  readonly words: string
  /** For the bar: how much of the target is there, from 0 to 1. */
  readonly part: number
}

const DECIMAL = /^-?\d+(\.\d+)?$/
/** What is off by less is a matter of rounding and of orders under way. */
const MUCH_PERCENT = 10

/** @returns undefined where one of them cannot be read */
export function divergenceOf(desired: string, owned: string): Divergence | undefined {
  if (!DECIMAL.test(desired) || !DECIMAL.test(owned)) return undefined
  const [target, held] = [new Decimal(desired), new Decimal(owned)]
  const missing = target.minus(held)
  if (missing.isZero()) return { missing: '0', percent: undefined, tone: 'good', words: 'on target', part: 1 }
  const figure = { missing: missing.toFixed() }
  if (target.isZero())
    return {
      ...figure,
      percent: undefined,
      tone: 'bad',
      words: `${unsigned(held)} too much, should hold nothing`,
      part: 1,
    }
  const off = missing.div(target).times(100).abs()
  const tone = off.gt(MUCH_PERCENT) ? 'bad' : 'warn'
  const percent = percentText(off)
  const part = Math.max(0, Math.min(1, held.div(target).toNumber()))
  if (held.isZero() || held.isNegative() === target.isNegative()) {
    const isShort = held.abs().lt(target.abs())
    return {
      ...figure,
      percent,
      tone,
      words: `${unsigned(missing)} ${isShort ? 'missing' : 'too much'}, ${percent}`,
      part,
    }
  }
  return { ...figure, percent, tone: 'bad', words: `on the other side, ${unsigned(missing)} off`, part }
}

/** `13.3 %`. What is not nothing never reads as nothing. */
function percentText(percent: Decimal): string {
  if (percent.lt(0.1)) return 'less than 0.1 %'
  if (percent.gt(999)) return 'more than 999 %'
  return `${percent.toDecimalPlaces(1).toFixed()} %`
}

function unsigned(amount: Decimal): string {
  return amount.abs().toFixed()
}
