// Where the stop of `buy … stop <price>` goes, worked out and checked before its entry is sent.
import { Decimal } from 'decimal.js'
import type { Side } from '../exchange/order.ts'
import { priceOnGrid } from '../exchange/price-grid.ts'
import type { PriceExpression } from '../language/price.ts'
import { showPrice } from './figures.ts'
import type { MarketView } from './market-view.ts'
import type { ProtectionPlan } from './order-plan.ts'
import { resolvePrice } from './pricing.ts'
import { TradingError } from './trading-error.ts'

export interface Entry {
  readonly side: Side
  readonly view: MarketView
  /** Of a limit order. */
  readonly limit?: string
  /** Whether this process stays to place the stop when the entry fills later. */
  readonly staysOpen: boolean
}

/**
 * Works out the trigger. Offsets count from last; `$entry` is the limit, else last.
 * @throws {TradingError} `bad-stop` for one that could not do its work
 */
export function planProtection(stop: PriceExpression, entry: Entry): ProtectionPlan {
  const { view, limit } = entry
  const reference = limit ?? view.ticker.last
  const triggerPrice = priceOnGrid(resolvePrice(stop, view, reference), view.market, 'nearest')
  if (new Decimal(triggerPrice).equals(reference)) {
    throw new TradingError('bad-stop', `the stop at ${showPrice(triggerPrice)} is the entry itself`)
  }
  if (limit !== undefined) refuseSenseless(triggerPrice, limit, entry)
  return { triggerPrice, fires: new Decimal(triggerPrice).greaterThan(reference) ? 'at-or-above' : 'at-or-below' }
}

function refuseSenseless(triggerPrice: string, limit: string, { side, view, staysOpen }: Entry): void {
  if (!staysOpen) {
    throw new TradingError('bad-stop', 'this process ends before the entry fills, so its stop would not go in', {
      hint: "type it at hookline's prompt, or leave the price out",
    })
  }
  const trigger = new Decimal(triggerPrice)
  const { last } = view.ticker
  const isBetween =
    side === 'buy'
      ? trigger.greaterThan(limit) && trigger.lessThanOrEqualTo(last)
      : trigger.lessThan(limit) && trigger.greaterThanOrEqualTo(last)
  if (!isBetween) return
  throw new TradingError(
    'bad-stop',
    `the price passes the stop at ${showPrice(triggerPrice)} before it comes to the entry at ${showPrice(limit)}`,
    { hint: '`stop $entry -2%` counts from the entry instead of last' },
  )
}
