// What a trade realises, by average cost. A holding is its amount and the value it was entered for: amount × price where the quote is
// counted, and -amount / price for inverse contracts, whose amounts are dollars and whose profits are coins. Sums are exact, and what must be
// divided keeps 60 digits.
import { Decimal as AnyDecimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market, MarketKind } from '../../exchange/market.ts'
import type { Trade } from '../../exchange/order.ts'
import type { Execution, Gap } from './executions.ts'

export const Exact = AnyDecimal.clone({ precision: 60 })
export type Exact = AnyDecimal

export interface Holding {
  /** In the market's unit; negative when short. */
  readonly amount: Exact
  /** What it was entered for; of the same sign where the quote is counted, of the other for inverse contracts. */
  readonly value: Exact
}

export const NOTHING: Holding = { amount: new Exact(0), value: new Exact(0) }

interface Release {
  readonly after: Holding
  /** In settle: quote, or base of inverse contracts. Before fees. */
  readonly pnl: Exact
  /** How much of the holding was closed. */
  readonly closed: Exact
  /** Sold without having been bought before: spot only, where nobody is short. */
  readonly unknown: Exact
}

/** What so much, signed, is worth at a price. */
export function valueAt(kind: MarketKind, amount: Exact, price: AnyDecimal.Value): Exact {
  return kind === 'inverse' ? amount.div(price).neg() : amount.times(price)
}

/** The price at which the holding was entered, on average; undefined for nothing. */
export function averagePrice(kind: MarketKind, { amount, value }: Holding): Exact | undefined {
  if (amount.isZero()) return undefined
  return kind === 'inverse' ? amount.div(value).neg() : value.div(amount)
}

/** Before fees; what a fee took of the coins themselves is not held any more. */
export function applyTrade(
  kind: MarketKind,
  before: Holding,
  trade: Pick<Trade, 'side' | 'amount' | 'price'>,
): Release {
  const size = new Exact(trade.amount)
  const change = trade.side === 'buy' ? size : size.neg()
  const isClosing = before.amount.isNeg() !== change.isNeg() && !before.amount.isZero()
  const closed = isClosing ? Exact.min(change.abs(), before.amount.abs()) : new Exact(0)
  const kept = release(before, closed)
  const closing = change.isNeg() ? closed.neg() : closed
  const pnl = before.value
    .minus(kept.value)
    .plus(valueAt(kind, closing, trade.price))
    .neg()
  const rest = change.minus(closing)
  // Coins that were never counted cannot be owed.
  if (kind === 'spot' && rest.isNeg()) return { after: kept, pnl, closed, unknown: rest.abs() }
  const opened = { amount: kept.amount.plus(rest), value: kept.value.plus(valueAt(kind, rest, trade.price)) }
  return { after: opened, pnl, closed, unknown: new Exact(0) }
}

/** The holding without so much of it, at its average. */
function release({ amount, value }: Holding, closed: Exact): Holding {
  if (closed.isZero()) return { amount, value }
  if (closed.gte(amount.abs())) return NOTHING
  const left = amount.isNeg() ? amount.plus(closed) : amount.minus(closed)
  return { amount: left, value: value.times(left).div(amount) }
}

// What each execution realised: as the venue says, else by average cost of all executions before it.

/** Further digits would say nothing, and rounding each execution once keeps every sum of them the same. */
const PNL_DECIMALS = 12

export interface RealizedExecution extends Execution {
  /** Before fees. Absent where nothing says what it was: the market is gone, or the coins were never seen to be bought. */
  readonly pnl?: string
  /** That of `pnl`. */
  readonly currency?: string
  /** What was held before and after it, as far as the executions tell; absent where the market is gone. */
  readonly before?: Holding
  readonly after?: Holding
}

interface Realized {
  /** Oldest first. */
  readonly executions: readonly RealizedExecution[]
  readonly holdings: ReadonlyMap<string, Holding>
  readonly gaps: readonly Gap[]
}

/** @param executions all there are, oldest first: what they add up to decides what the next one realises */
export function realize(executions: readonly Execution[], markets: readonly Market[]): Realized {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
  const holdings = new Map<string, Holding>()
  const unknown = new Map<string, Exact>()
  const gone = new Set<string>()
  const realized = executions.map((execution): RealizedExecution => {
    const { trade } = execution
    const market = bySymbol.get(trade.symbol)
    if (market === undefined) {
      gone.add(trade.symbol)
      return execution
    }
    const before = holdings.get(trade.symbol) ?? NOTHING
    const step = applyTrade(market.kind, before, trade)
    const after = withoutFee(step.after, market, trade)
    holdings.set(trade.symbol, after)
    const pnl = pnlOf(market.kind, trade, step)
    if (!step.unknown.isZero() && trade.realizedPnl === undefined) {
      unknown.set(trade.symbol, step.unknown.plus(unknown.get(trade.symbol) ?? 0))
    }
    return { ...execution, before, after, currency: currencyOf(market), ...defined({ pnl }) }
  })
  return { executions: realized, holdings, gaps: gapsOf(unknown, gone) }
}

/** What profits are counted in. */
function currencyOf({ settle, quote }: Market): string {
  return settle ?? quote
}

function pnlOf(kind: MarketKind, trade: Trade, step: ReturnType<typeof applyTrade>): string | undefined {
  if (kind !== 'spot' && trade.realizedPnl !== undefined) return trade.realizedPnl
  // None of it was seen to be bought.
  if (step.closed.isZero() && !step.unknown.isZero()) return undefined
  return step.pnl.toDecimalPlaces(PNL_DECIMALS).toFixed()
}

/** A fee in the coins that were bought is not held any more, and is counted as a fee. */
function withoutFee(holding: Holding, market: Market, { fee, feeCurrency }: Trade): Holding {
  const isOfCoins = market.kind === 'spot' && feeCurrency === market.base && fee !== undefined
  if (!isOfCoins) return holding
  return release(holding, Exact.min(new Exact(fee).abs(), holding.amount.abs()))
}

function gapsOf(unknown: ReadonlyMap<string, Exact>, gone: ReadonlySet<string>): readonly Gap[] {
  return [
    ...[...unknown].map(([symbol, amount]): Gap => ({ kind: 'cost-unknown', symbol, amount: amount.toFixed() })),
    ...[...gone].map((symbol): Gap => ({ kind: 'market-unknown', symbol })),
  ]
}
