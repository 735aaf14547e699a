// What is to be ordered so that a position becomes the one that was named (behaviour 45). Money is counted at the price at which the position was
// entered, so that what is wanted again is nothing to do, wherever the price has gone.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import type { Position } from '../exchange/order.ts'
import { amountOnLot } from '../exchange/price-grid.ts'
import type { Size } from '../language/size.ts'

type Wanted = Extract<Size, { readonly kind: 'quote' | 'base' }>

/** What a position on the wanted side lacks, or has too much of. */
type Difference =
  | { readonly kind: 'none' }
  /** As a size of its own, in the unit that was asked for. */
  | { readonly kind: 'more'; readonly size: Wanted }
  /** In the market's unit. */
  | { readonly kind: 'less'; readonly amount: string }

/** Of the size: a fill a little off the price that it was worked out at makes no difference. */
const NEAR = '0.02'

/** @param smallest of an order, in the market's unit */
export function differenceTo(
  size: Wanted,
  position: Pick<Position, 'amount' | 'entryPrice'>,
  { market, smallest, price }: { readonly market: Market; readonly smallest: Decimal; readonly price: Decimal.Value },
): Difference {
  const held = heldIn(size.kind, position, market)
  const lacking = new Decimal(size.amount).minus(held)
  if (lacking.abs().lte(new Decimal(size.amount).times(NEAR))) return { kind: 'none' }
  // In the market's unit, at whichever price makes less of it: a lot that rounding once left out is left out again.
  const perUnit = Decimal.min(held.div(position.amount), unitPrice(size.kind, market, price))
  const dearest = Decimal.max(held.div(position.amount), unitPrice(size.kind, market, price))
  if (lacking.isPositive()) {
    const lots = amountOnLot(lacking.div(dearest), market)
    if (lots.lt(smallest) || perUnit.isZero()) return { kind: 'none' }
    return { kind: 'more', size: { kind: size.kind, amount: lacking.toDecimalPlaces(8, Decimal.ROUND_DOWN).toFixed() } }
  }
  const amount = amountOnLot(new Decimal(position.amount).times(lacking.neg()).div(held), market)
  return amount.isZero() ? { kind: 'none' } : { kind: 'less', amount: amount.toFixed() }
}

/** The position in the unit of the size: dollars at its entry, or coins. */
function heldIn(
  unit: Wanted['kind'],
  { amount, entryPrice }: Pick<Position, 'amount' | 'entryPrice'>,
  market: Market,
): Decimal {
  const held = new Decimal(amount)
  if (unit === market.amountUnit) return held
  return unit === 'quote' ? held.times(entryPrice) : held.div(entryPrice)
}

/** One of the market's units in the unit of the size, now. */
function unitPrice(unit: Wanted['kind'], market: Market, price: Decimal.Value): Decimal {
  if (unit === market.amountUnit) return new Decimal(1)
  return unit === 'quote' ? new Decimal(price) : new Decimal(1).div(price)
}
