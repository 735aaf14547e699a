// What an account is counted in, and what it has of that: one currency for its life, whatever else is held.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Market, MarketKind } from '../exchange/market.ts'
import type { Balance, Order, Position } from '../exchange/order.ts'
import type { EquityRecord } from '../stores/equity-log.ts'
import { isDollars } from './figures.ts'

/**
 * What the account's contracts settle in, that of most of them first; on spot, what the symbol is quoted in.
 * @param symbol the one that is looked at
 */
export function currenciesOf(markets: readonly Market[], symbol?: string): readonly string[] {
  const counts = new Map<string, number>()
  for (const { settle } of markets) if (settle !== undefined) counts.set(settle, (counts.get(settle) ?? 0) + 1)
  if (counts.size === 0) return markets.flatMap((market) => (market.symbol === symbol ? [market.quote] : []))
  const byCount = ([a, inA]: [string, number], [b, inB]: [string, number]) => inB - inA || (a < b ? -1 : 1)
  return [...counts].sort(byCount).map(([currency]) => currency)
}

/**
 * The balance of the first of the currencies. Where that is dollars, those of the others count with it, one for one: positions in USDC are part
 * of an account that is counted in USDT. Coins that are only held, for fees or as collateral, are not counted.
 * @returns undefined where none of them is listed
 */
export function settleBalance(
  balances: readonly Balance[],
  [currency, ...others]: readonly string[],
): Balance | undefined {
  if (currency === undefined) return undefined
  const counted = [currency, ...(isDollars(currency) ? others.filter(isDollars) : [])]
  const rows = balances.filter((balance) => counted.includes(balance.currency))
  if (rows.length === 0) return undefined
  const sum = (name: Exclude<keyof Balance, 'currency'>) => Decimal.sum(0, ...rows.map((row) => row[name])).toFixed()
  return { currency, wallet: sum('wallet'), total: sum('total'), used: sum('used'), free: sum('free') }
}

/** The record of an account's equity. @returns undefined where nothing is listed of what its contracts settle in */
export function equityOf(
  balances: readonly Balance[],
  markets: readonly Market[],
  { account, at }: Pick<EquityRecord, 'account' | 'at'>,
): EquityRecord | undefined {
  const balance = settleBalance(balances, currenciesOf(markets))
  if (balance === undefined) return undefined
  const { currency, total, wallet } = balance
  return { account, at, currency, total, wallet }
}

/** More digits than any currency has. */
const MARGIN_DIGITS = 12

/** What a position locks at its leverage, by its worth of now: in what it is settled in. Undefined where the venue does not report the leverage. */
export function marginOf(
  { notional, leverage, markPrice, entryPrice }: Pick<Position, 'notional' | 'leverage' | 'markPrice' | 'entryPrice'>,
  kind: MarketKind,
): string | undefined {
  if (leverage === undefined || !new Decimal(leverage).gt(0)) return undefined
  const worth = new Decimal(notional)
  const price = new Decimal(markPrice ?? entryPrice)
  if (kind === 'inverse' && !price.gt(0)) return undefined
  const settled = kind === 'inverse' ? worth.div(price) : worth
  return settled.div(leverage).toSignificantDigits(MARGIN_DIGITS).toFixed()
}

// What an amount makes on its way from one price to another, in what profits are counted in.

interface Way {
  readonly amount: Decimal
  readonly from: Decimal.Value
  readonly to: Decimal.Value
  readonly isLong: boolean
}

/** A market that is no longer listed has its kind alone. */
export type Rated = Pick<Market, 'kind'> & Partial<Pick<Market, 'amountUnit' | 'makerFee' | 'takerFee'>>

/**
 * Before fees, and after those of the entry and of the exit; absent: there is no price, or the venue names no rate. The entry is estimated as a
 * taker: a venue's position does not say how it was filled, and the figure must not change when an entry fills.
 */
interface Made {
  readonly pnl?: string
  readonly net?: string
}

/** @param exitRate undefined: not known */
export function madeOn(market: Rated, way: Way, exitRate: string | undefined): Made {
  const pnl = pnlBetween(way, market.kind)
  const entryRate = market.takerFee
  if (pnl === undefined || entryRate === undefined || exitRate === undefined) return defined({ pnl: pnl && money(pnl) })
  const feeAt = (price: Decimal.Value, rate: string) => settledAt(market, way.amount, new Decimal(price)).times(rate)
  return { pnl: money(pnl), net: money(pnl.minus(feeAt(way.from, entryRate)).minus(feeAt(way.to, exitRate))) }
}

function pnlBetween({ amount, isLong, ...prices }: Way, kind: MarketKind): Decimal | undefined {
  const [from, to] = [new Decimal(prices.from), new Decimal(prices.to)]
  if (!from.gt(0) || !to.gt(0)) return undefined
  const long =
    kind === 'inverse'
      ? amount.times(new Decimal(1).div(from).minus(new Decimal(1).div(to)))
      : amount.times(to.minus(from))
  return isLong ? long : long.neg()
}

/** What an amount is worth at a price, in quote. */
export function worthAt({ amountUnit }: Pick<Rated, 'amountUnit'>, amount: Decimal.Value, at: Decimal): Decimal {
  return amountUnit === 'quote' ? new Decimal(amount) : new Decimal(amount).times(at)
}

/** In what fees and margin are counted in. */
export function settledAt(market: Rated, amount: Decimal.Value, at: Decimal): Decimal {
  const worth = worthAt(market, amount, at)
  return market.kind === 'inverse' ? worth.div(at) : worth
}

/** Digits behind the point; trailing zeros go. */
const MONEY_DIGITS = 8

export function money(value: Decimal): string {
  return value.toDecimalPlaces(MONEY_DIGITS).toFixed()
}

// What an order that ends a position, or a part of it, makes or loses against the entry where it fills. Nothing for an order that adds.

export interface ExitPnl {
  /** At its price, or at its trigger. */
  readonly pnl?: string
  /** After the taker's fee of its entry, and of this exit: a maker's of a limit order, otherwise the taker's. */
  readonly net?: string
  readonly takeProfitPnl?: string
  readonly takeProfitNet?: string
  /** What is left for it to close after the stops, or the targets, that are reached before it. Absent: as much as its own amount. */
  readonly closes?: string
}

type Exit = Pick<
  Order,
  'id' | 'type' | 'symbol' | 'side' | 'remaining' | 'price' | 'triggerPrice' | 'takeProfitPrice' | 'closesPosition'
> &
  Partial<Pick<Order, 'reduceOnly'>>
type Closing = Omit<Exit, 'symbol' | 'side'>
type Held = Pick<Position, 'symbol' | 'side' | 'amount' | 'entryPrice'>
type HeldAmount = Omit<Held, 'entryPrice'>

/** @param others the resting orders, the order itself too: those that are reached before it leave it only the rest */
export function exitPnlOf(
  order: Exit,
  positions: readonly Held[],
  market: Rated,
  others: readonly Order[] = [],
): ExitPnl {
  const held = positions.find(
    ({ symbol, side }) => symbol === order.symbol && (side === 'long') === (order.side === 'sell'),
  )
  if (held === undefined) return {}
  const own = closedBy(order, held.amount)
  const closes = leftFor(order, held, others)
  const at = (price: string | undefined, amount: Decimal, rate: string | undefined): Made => {
    if (price === undefined || amount.isZero()) return {}
    return madeOn(market, { amount, from: held.entryPrice, to: price, isLong: held.side === 'long' }, rate)
  }
  const target = new Decimal(leftForTarget(order, held, others) ?? own)
  const { pnl: takeProfitPnl, net: takeProfitNet } = at(order.takeProfitPrice, target, market.takerFee)
  const price = order.price ?? order.triggerPrice
  return {
    ...at(price, new Decimal(closes ?? own), order.type === 'limit' ? market.makerFee : market.takerFee),
    ...defined({ takeProfitPnl, takeProfitNet, closes }),
  }
}

/** @returns {@link ExitPnl.closes} */
export function leftFor(order: Closing, held: HeldAmount, others: readonly Order[]): string | undefined {
  if (STOPS.has(order.type)) return leftBehind(stopOf, order, held, others)
  // What may open a position has no surplus.
  return order.reduceOnly === true ? leftForTarget(order, held, others) : undefined
}

/** As `leftFor`, of the target of an order. */
export function leftForTarget(order: Closing, held: HeldAmount, others: readonly Order[]): string | undefined {
  return leftBehind(targetOf, order, held, others)
}

function leftBehind(
  priceOf: ExitPrice,
  order: Closing,
  held: HeldAmount,
  others: readonly Order[],
): string | undefined {
  const left = Decimal.max(0, new Decimal(held.amount).minus(closedBefore(order, held, others, priceOf)))
  return left.lt(closedBy(order, held.amount)) ? left.toFixed() : undefined
}

function closedBy({ remaining, closesPosition }: Pick<Order, 'remaining' | 'closesPosition'>, held: string): Decimal {
  return closesPosition === true ? new Decimal(held) : Decimal.min(remaining, held)
}

type ExitPrice = (order: Pick<Exit, 'type' | 'price' | 'triggerPrice' | 'takeProfitPrice'>) => string | undefined

const STOPS: ReadonlySet<Order['type']> = new Set(['stop', 'stop-limit'])

/** Where it ends the position at a loss. */
const stopOf: ExitPrice = ({ type, triggerPrice }) => (STOPS.has(type) ? triggerPrice : undefined)

/** Where it ends the position at a profit. */
const targetOf: ExitPrice = ({ type, price, triggerPrice, takeProfitPrice }) =>
  takeProfitPrice ?? (STOPS.has(type) ? undefined : (triggerPrice ?? price))

/** By those whose price is reached before it; of two at one price, the first of the list is the first. */
function closedBefore(
  order: Pick<Exit, 'id' | 'type' | 'price' | 'triggerPrice' | 'takeProfitPrice'>,
  held: HeldAmount,
  others: readonly Order[],
  priceOf: ExitPrice,
): Decimal {
  const own = priceOf(order)
  if (own === undefined) return new Decimal(0)
  const place = others.findIndex((other) => other.id === order.id)
  // From the market, a stop of a long is reached downwards and its target upwards.
  const nearer = (held.side === 'long') === (priceOf === stopOf) ? 1 : -1
  const before = others.filter((other, index) => {
    const price = priceOf(other)
    if (other.id === order.id || !other.reduceOnly || price === undefined) return false
    if (other.symbol !== held.symbol || (other.side === 'sell') !== (held.side === 'long')) return false
    const beyond = new Decimal(price).cmp(own) * nearer
    return beyond > 0 || (beyond === 0 && index < place)
  })
  return Decimal.sum(0, ...before.map((other) => closedBy(other, held.amount)))
}

/** What a position would realize at a price, before fees, in what profits are counted in: base for inverse contracts. Undefined without a price. */
export function unrealizedPnlAt(price: string, held: Held, kind: MarketKind): string | undefined {
  const way = { amount: new Decimal(held.amount), from: held.entryPrice, to: price, isLong: held.side === 'long' }
  return madeOn({ kind }, way, undefined).pnl
}

// The bracket of an entry that has not filled: where its stop and take-profit go then, and what each makes from the price of the entry.

interface Waiting extends Made {
  readonly triggerPrice: string
}

export interface Bracket {
  readonly stop?: Waiting
  readonly takeProfit?: Waiting
}

export function bracketOf(
  { side, remaining, price, triggerPrice }: Pick<Order, 'side' | 'remaining' | 'price' | 'triggerPrice'>,
  waiting: { readonly triggerPrice?: string; readonly takeProfitPrice?: string } | undefined,
  market: Rated,
): Bracket {
  const from = price ?? triggerPrice
  const at = (to: string | undefined): Waiting | undefined => {
    if (to === undefined) return undefined
    const way = { amount: new Decimal(remaining), from: from ?? '0', to, isLong: side === 'buy' }
    return { triggerPrice: to, ...madeOn(market, way, market.takerFee) }
  }
  return defined({ stop: at(waiting?.triggerPrice), takeProfit: at(waiting?.takeProfitPrice) })
}
