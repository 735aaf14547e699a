// `scale` and `swarm` worked out: every order with its price and amount, checked before the first is sent.
import { Decimal } from 'decimal.js'
import type { Market } from '../exchange/market.ts'
import { type GridRounding, priceOnGrid, stepAt } from '../exchange/price-grid.ts'
import type { ScaleIntent, SwarmIntent } from '../language/placing.ts'
import { showAmount, showPrice, showUnits } from './figures.ts'
import type { Funds, MarketView } from './market-view.ts'
import type { OrderPlan } from './order-plan.ts'
import { fillPrice, refuseFarThrough, refuseTaking, resolvePrice, restingSide } from './pricing.ts'
import { describeSmallest, resolveAmount, type Cut as SizeCut, type SizedAmount, smallestOrder } from './sizing.ts'
import { TradingError } from './trading-error.ts'

interface SlicePorts {
  readonly view: MarketView
  readonly funds: Funds
  /** As `TradingAccount.priceBand`. */
  readonly band: string | undefined
}

export interface SlicedPlan {
  readonly plans: readonly OrderPlan[]
  /** Of all of them, in the market's unit: exactly what the size comes to. */
  readonly amount: string
  /** Where each fills at its price; of orders at the market, at the touch. */
  readonly average: Decimal
  /** As `SizedAmount.cutFrom`. */
  readonly cutFrom?: SizeCut
}

/** One way of cutting: what each would be for, and what each must at least be for. */
interface Cut {
  readonly sized: SizedAmount
  readonly amounts: readonly Decimal[]
  /** What each fills at. */
  readonly fills: readonly Decimal[]
  readonly least: readonly Decimal[]
}

/**
 * Limit orders over a range of prices.
 * @throws {TradingError} `bad-price` for ends that are one price on the grid, too far through the market, or, post-only, not resting;
 * `below-minimum` with how many orders would fit; `above-maximum`; as `resolveAmount` and `resolvePrice`
 */
export async function planScale(intent: ScaleIntent, { view, funds, band }: SlicePorts): Promise<SlicedPlan> {
  const { side, reduce, postOnly } = intent
  const { market, position, ticker } = view
  const rounding = postOnly ? restingSide(side) : 'nearest'
  const ends = endsOf(intent, { view, funds, band })
  const pricesOf = (count: number) => pricesBetween(ends, { count, skew: intent.skew }, market, rounding)
  const cut = async (count: number): Promise<Cut> => {
    const prices = pricesOf(count)
    const fills = prices.map((limit) => fillPrice(side, ticker, limit))
    const weights = skewedWeights(count, intent.sizeSkew)
    const percentOf = reduce ? ('position' as const) : ('balance' as const)
    const price = averageOf(weights, fills, market)
    const sized = await resolveAmount(intent.size, { market, side, price, position, percentOf, funds })
    const least = prices.map((limit, index) =>
      smallestOrder({ market, percentOf, price: fills[index] ?? limit, limit }),
    )
    return { sized, amounts: splitOnLot(sized.amount, weights, market), fills, least }
  }
  const { sized, amounts } = await fitting(intent.count, cut, market)
  refuseLarger(amounts, market.maxAmount, market)
  const prices = pricesOf(intent.count)
  const plans = amounts.map(
    (amount, index): OrderPlan => ({
      symbol: market.symbol,
      side,
      type: 'limit',
      amount: amount.toFixed(),
      price: prices[index] ?? ends.from,
      ...(reduce ? { reduceOnly: true } : {}),
      ...(postOnly ? { postOnly: true } : {}),
    }),
  )
  return { plans, average: averageOf(amounts, prices, market), ...sized }
}

/**
 * Orders at the market, evenly or in different lots.
 * @param random from 0 to below 1
 * @throws {TradingError} `below-minimum` with how many orders would fit; `above-maximum`; as `resolveAmount`
 */
export async function planSwarm(
  intent: SwarmIntent,
  { view, funds }: Pick<SlicePorts, 'view' | 'funds'>,
  random: () => number,
): Promise<SlicedPlan> {
  const { side, reduce } = intent
  const { market, position, ticker } = view
  const price = fillPrice(side, ticker, undefined)
  const percentOf = reduce ? ('position' as const) : ('balance' as const)
  const sized = await resolveAmount(intent.size, { market, side, price, position, percentOf, funds })
  const least = onLotAbove(smallestOrder({ market, percentOf, price }), market)
  const cut = async (count: number): Promise<Cut> => {
    const amounts = splitOnLot(sized.amount, skewedWeights(count, 0), market)
    return { sized, amounts, fills: amounts.map(() => price), least: amounts.map(() => least) }
  }
  const even = await fitting(intent.count, cut, market)
  const amounts = intent.irregular
    ? splitOnLot(sized.amount, irregularWeights(intent.count, random), market, least)
    : even.amounts
  refuseLarger(amounts, market.marketMaxAmount ?? market.maxAmount, market)
  const plans = amounts.map(
    (amount): OrderPlan => ({
      symbol: market.symbol,
      side,
      type: 'market',
      amount: amount.toFixed(),
      ...(reduce ? { reduceOnly: true } : {}),
    }),
  )
  return { plans, average: price, ...sized }
}

function endsOf({ side, from, to, postOnly }: ScaleIntent, { view, band }: SlicePorts) {
  const { market } = view
  const rounding = postOnly ? restingSide(side) : 'nearest'
  const onGrid = (expression: ScaleIntent['from']) => priceOnGrid(resolvePrice(expression, view), market, rounding)
  const ends = { from: onGrid(from), to: onGrid(to) }
  for (const end of [ends.from, ends.to]) {
    refuseFarThrough(side, end, view, band, '')
    if (postOnly) refuseTaking(side, end, view, 'leave `po` out, or choose prices that rest')
  }
  if (!new Decimal(ends.from).eq(ends.to)) return ends
  const step = showAmount(stepAt(ends.from, market.priceGrid))
  throw new TradingError('bad-price', `the first and the last order would both be at ${showPrice(ends.from, market)}`, {
    hint: `choose prices further apart: ${market.symbol} trades in steps of ${step}`,
  })
}

/** @throws {TradingError} `below-minimum` where an order would be smaller than the venue takes, with how many would fit */
async function fitting(count: number, cut: (count: number) => Promise<Cut>, market: Market): Promise<Cut> {
  const wanted = await cut(count)
  const short = shortest(wanted)
  if (short === undefined) return wanted
  const { amount, least, price } = short
  const message = `split into ${count}, the smallest order is ${showUnits(amount, market)}, and ${market.symbol} takes no less than ${describeSmallest(least, { market, price })}`
  const fits = await mostThatFit(count, cut)
  throw new TradingError('below-minimum', message, {
    hint: fits === undefined ? 'type a larger size, or one order' : `type into ${fits}, or a larger size`,
  })
}

interface Short {
  readonly amount: Decimal
  readonly least: Decimal
  readonly price: Decimal
}

/** The smallest of those that the venue would not take. */
function shortest({ amounts, least, fills }: Cut): Short | undefined {
  const all = amounts.map((amount, index) => ({
    amount,
    least: least[index] ?? new Decimal(0),
    price: fills[index] ?? new Decimal(0),
  }))
  const [first, ...others] = all.filter((each) => each.amount.lessThan(each.least))
  return others.reduce((smallest, each) => (each.amount.lessThan(smallest?.amount ?? 0) ? each : smallest), first)
}

/** @returns undefined: not even two */
async function mostThatFit(below: number, cut: (count: number) => Promise<Cut>): Promise<number | undefined> {
  for (let count = below - 1; count >= 2; count -= 1) {
    if (shortest(await cut(count)) === undefined) return count
  }
  return undefined
}

/** @throws {TradingError} `above-maximum` */
function refuseLarger(amounts: readonly Decimal[], most: string | undefined, market: Market): void {
  const largest = Decimal.max(0, ...amounts)
  if (most === undefined || largest.lessThanOrEqualTo(most)) return
  const message = `the largest order would be ${showUnits(largest, market)}, and ${market.symbol} takes at most ${showAmount(most)}`
  throw new TradingError('above-maximum', message, { hint: 'type more orders, or a smaller size' })
}

function onLotAbove(amount: Decimal, { lotSize }: Market): Decimal {
  return amount.div(lotSize).ceil().times(lotSize)
}

// One size as several orders: where their prices are, and what each is for. Exact: what rounding takes from one order is in the next, so that the
// sum is what was asked for, on the lot.

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
