// The limits of an account (behaviour 40): what each counts, what holds where nothing was said, and which change of one is stricter.
import { Decimal } from 'decimal.js'
import { type Guarding, LIMITS, type LimitName, type StoredLimits } from '../stores/guards.ts'

/** Absent: off. Decimals in text: dollars, percent of the price for `band`, orders for `rate`. */
export type Limits = { readonly [limit in LimitName]?: string } & { readonly lossWithOpen: boolean }

/** Where money is real. Asked for as the account is added. */
export const LIVE_DEFAULTS: StoredLimits = { order: '1000', day: '5000', band: '5' }
export const PAPER_DEFAULTS: StoredLimits = { band: '5' }

export function isPaper(exchange: string): boolean {
  return exchange === 'paper'
}

/** What holds, with the defaults of its kind of account where nothing was said. */
export function limitsOf({ limits }: Pick<Guarding, 'limits'>, exchange: string): Limits {
  const defaults = isPaper(exchange) ? PAPER_DEFAULTS : LIVE_DEFAULTS
  const on = LIMITS.flatMap((name) => {
    const value = limits[name] ?? defaults[name] ?? 'off'
    return value === 'off' ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(on), lossWithOpen: limits.lossWithOpen !== false }
}

/** Whether `next` lets through nothing that `now` does not. Absent: off. */
export function isStricter(next: string | undefined, now: string | undefined): boolean {
  if (next === undefined) return now === undefined
  return now === undefined || new Decimal(next).lte(now)
}

interface LimitText {
  readonly unit: '$' | '%' | ''
  readonly says: string
}

/** What each counts, for people. */
export const LIMIT_TEXTS: Readonly<Record<LimitName, LimitText>> = {
  order: { unit: '$', says: 'the value of one order' },
  position: { unit: '$', says: 'the value of a position, with all that rests to add to it' },
  day: { unit: '$', says: 'the value of all orders since 00:00 UTC, without those that only reduce' },
  loss: {
    unit: '$',
    says: 'what fills since 00:00 UTC and open positions lost, with fees; then only orders that reduce pass, until `resume`',
  },
  band: { unit: '%', says: 'how far a limit may be through the market' },
  rate: { unit: '', says: 'orders in a minute' },
}
