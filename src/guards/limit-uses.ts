// How much of its limits an account has used before an order, and would have with it: for who only looks.
import { Decimal } from 'decimal.js'
import type { LimitUse } from '../exchange/exchange.ts'
import type { LimitName } from '../stores/guards.ts'
import type { Limits } from './limits.ts'
import type { Facts } from './rules.ts'

const MONEY_DIGITS = 2

/** Of those that are on, and whose figures were asked for. */
export function usesOf({ value, positionValue, used }: Facts, limits: Limits): readonly LimitUse[] {
  const uses: LimitUse[] = []
  const add = (limit: LimitName, after: Decimal | undefined, before?: Decimal) => {
    const max = limits[limit]
    if (max === undefined || after === undefined) return
    uses.push({ limit, max, after: text(after), ...(before === undefined ? {} : { before: text(before) }) })
  }
  add('order', value)
  add('position', positionValue)
  if (used === undefined) return uses
  add('day', value && used.day.plus(value), used.day)
  add('rate', new Decimal(used.lastMinute + 1), new Decimal(used.lastMinute))
  return uses
}

/** What an order makes or loses is known later. */
export function lossUse(lost: Decimal, max: string): LimitUse {
  return { limit: 'loss', max, before: text(Decimal.max(0, lost)) }
}

function text(figure: Decimal): string {
  return figure.toDecimalPlaces(MONEY_DIGITS).toFixed()
}
