// One size as several orders: where their prices are, and what each is for. Exact: what rounding takes from one order is in the next, so that the
// sum is what was asked for, on the lot.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import { type GridRounding, priceOnGrid } from '../exchange/price-grid.ts'

/**
 * Both ends, and the orders between them, on the grid; never back on the way. Each is divided once, so that what is on the grid stays there.
 * @param skew from -1 to 1: above zero more of them are near `to`
 */
export function pricesBetween(
  { from, to }: { readonly from: Decimal.Value; readonly to: Decimal.Value },
  { count, skew }: { readonly count: number; readonly skew: Decimal.Value },
  market: Pick<Market, 'priceGrid'>,
  rounding: GridRounding,
): readonly string[] {
  const reach = new Decimal(to).minus(from)
  const last = count - 1
  return Array.from({ length: count }, (_, index) => {
    // A parabola through both ends: at a skew of 1 fast first and slowly at the end.
    const way = new Decimal(skew).times(index * (last - index)).plus(index * last)
    return priceOnGrid(
      reach
        .times(way)
        .div(last * last)
        .plus(from),
      market,
      rounding,
    )
  })
}

/** How much each order has of the whole. @param skew from -1 to 1: above zero later ones have more; at 1 they are as 1 to 3 to 5 */
export function skewedWeights(count: number, skew: Decimal.Value): readonly Decimal[] {
  return Array.from({ length: count }, (_, index) => new Decimal(skew).times(2 * index - count + 1).plus(count))
}

/** Different at random, none more than three times another. @param random from 0 to below 1 */
export function irregularWeights(count: number, random: () => number): readonly Decimal[] {
  return Array.from({ length: count }, () => new Decimal(500 + Math.floor(random() * 1_001)))
}

/**
 * The amounts of the orders, in order: each on the lot and within one lot of its weight, the last what is left.
 * @param amount on the lot @param least of each order, on the lot; what is above it is shared out by weight
 */
export function splitOnLot(
  amount: Decimal.Value,
  weights: readonly Decimal[],
  { lotSize }: Pick<Market, 'lotSize'>,
  least: Decimal.Value = 0,
): readonly Decimal[] {
  const leastLots = new Decimal(least).div(lotSize)
  const spareLots = new Decimal(amount).div(lotSize).minus(leastLots.times(weights.length))
  const whole = Decimal.sum(0, ...weights)
  let [weighed, given] = [new Decimal(0), new Decimal(0)]
  return weights.map((weight) => {
    weighed = weighed.plus(weight)
    const upTo = spareLots.times(weighed).divToInt(whole)
    const lots = upTo.minus(given).plus(leastLots)
    given = upTo
    return lots.times(lotSize)
  })
}

/** What the whole costs a unit of the coin, where every part of it fills at its price. @param parts amounts or weights, in the market's unit */
export function averageOf(
  parts: readonly Decimal[],
  prices: readonly Decimal.Value[],
  { amountUnit }: Pick<Market, 'amountUnit'>,
): Decimal {
  const whole = Decimal.sum(0, ...parts)
  const others = parts.map((part, index) => {
    const price = prices[index] ?? 0
    return amountUnit === 'quote' ? part.div(price) : part.times(price)
  })
  const other = Decimal.sum(0, ...others)
  return amountUnit === 'quote' ? whole.div(other) : other.div(whole)
}
