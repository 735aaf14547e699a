// How much of its limits each account would have used, from what its guard said of each order of the line.
import { Decimal } from 'decimal.js'
import type { LimitUse } from '../../exchange/exchange.ts'
import type { PreviewLimit } from '../../protocol/preview.ts'
import type { Looked } from '../../trading/preview/preview-desk.ts'

/** Of these, what an order uses is added to what the orders before it do. */
const ADDED_UP: ReadonlySet<string> = new Set(['day', 'rate'])

export function tellLimits({ orders }: Looked): PreviewLimit[] {
  const told = new Map<string, PreviewLimit>()
  for (const { account, uses } of orders)
    for (const use of uses) {
      const key = `${account.name} ${use.limit}`
      told.set(key, { account: account.name, ...together(told.get(key), use) })
    }
  return [...told.values()]
}

/** The guard judges each order as if it were alone. */
function together(known: PreviewLimit | undefined, use: LimitUse): LimitUse {
  if (known?.after === undefined || use.after === undefined) return use
  if (!ADDED_UP.has(use.limit)) return { ...use, after: Decimal.max(known.after, use.after).toFixed() }
  const own = new Decimal(use.after).minus(use.before ?? 0)
  return { ...use, after: own.plus(known.after).toFixed() }
}
