// What a trade realises, by average cost. A holding is its amount and the value it was entered for: amount × price where the quote is
// counted, and -amount / price for inverse contracts, whose amounts are dollars and whose profits are coins. Sums are exact, and what must be
// divided keeps 60 digits.
import { Decimal as AnyDecimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { Market, MarketKind } from '../../exchange/market.ts'
import type { Trade } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { type Execution, type Gap, nameOf } from './executions.ts'

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
  /** Together they are `pnl` and the fee. */
  readonly shares: readonly EntryShare[]
  /** Who opened what is held after it. */
  readonly opener?: Opener
}

/** What an execution realized and cost, of one who entered. What leaves first is of what entered first (FIFO). */
interface EntryShare {
  readonly by: OrderedBy | undefined
  readonly pnl?: string
  readonly fee?: string
}

interface Opener {
  readonly by: OrderedBy | undefined
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
  const entered = new Map<string, Entered>()
  const realized = executions.map((execution): RealizedExecution => {
    const { trade } = execution
    const market = bySymbol.get(trade.symbol)
    if (market === undefined) {
      gone.add(trade.symbol)
      return { ...execution, shares: [wholeShare(execution, undefined)] }
    }
    const before = holdings.get(trade.symbol) ?? NOTHING
    const step = applyTrade(market.kind, before, trade)
    const after = withoutFee(step.after, market, trade)
    holdings.set(trade.symbol, after)
    const pnl = pnlOf(market.kind, trade, step)
    if (!step.unknown.isZero() && trade.realizedPnl === undefined) {
      unknown.set(trade.symbol, step.unknown.plus(unknown.get(trade.symbol) ?? 0))
    }
    const { lots = [], opener } = entered.get(trade.symbol) ?? {}
    const shares = sharesOf(lots, { execution, before, step, kind: market.kind, pnl })
    const isOver = after.amount.abs().lt(market.lotSize)
    const isTurned = before.amount.isNeg() !== after.amount.isNeg() || before.amount.isZero()
    const now = isOver ? undefined : isTurned ? { by: execution.by } : opener
    entered.set(trade.symbol, { lots: isOver ? [] : lots, opener: now })
    return { ...execution, before, after, currency: currencyOf(market), shares, ...defined({ pnl, opener: now }) }
  })
  return { executions: realized, holdings, gaps: gapsOf(unknown, gone) }
}

// What each execution brought to those who entered. The average cost of a position is that of all its entries: what that gives beyond an entry's
// own price is of the entries that are still held, so that all shares of a closed trade are by the prices of their own entries.

interface Entered {
  /** What has not left yet, oldest first. */
  readonly lots: Lot[]
  readonly opener: Opener | undefined
}

interface Lot {
  readonly by: OrderedBy | undefined
  readonly price: string
  left: Exact
}

interface Step {
  readonly execution: Execution
  readonly before: Holding
  readonly step: Release
  readonly kind: MarketKind
  readonly pnl: string | undefined
}

/** Takes what the execution closes from the lots, and adds what it opens. */
function sharesOf(lots: Lot[], { execution, before, step, kind, pnl }: Step): readonly EntryShare[] {
  const { trade, by } = execution
  const closed = takeLots(lots, step.closed)
  const opened = new Exact(trade.amount).minus(step.closed).minus(step.unknown)
  const [first] = closed
  if (first === undefined) {
    if (opened.gt(0)) lots.push({ by, price: trade.price, left: opened })
    return [wholeShare(execution, pnl)]
  }
  const sums = new Map<string, { readonly by: OrderedBy | undefined; pnl: Exact; fee: Exact }>()
  const sumOf = (who: OrderedBy | undefined) => {
    const name = nameOf(who)
    const sum = sums.get(name) ?? { by: who, pnl: new Exact(0), fee: new Exact(0) }
    sums.set(name, sum)
    return sum
  }
  const share = (among: readonly Pick<Lot, 'by' | 'left'>[], whole: Exact, kept: 'pnl' | 'fee') => {
    const all = Exact.sum(...among.map(({ left }) => left))
    for (const { by: who, left } of among) {
      const sum = sumOf(who)
      sum[kept] = sum[kept].plus(whole.times(left).div(all))
    }
  }
  let own = new Exact(0)
  for (const { by: who, price, left } of closed) {
    const signed = before.amount.isNeg() ? left.neg() : left
    const brought = valueAt(kind, signed, trade.price).minus(valueAt(kind, signed, price))
    own = own.plus(brought)
    const sum = sumOf(who)
    sum.pnl = sum.pnl.plus(brought)
  }
  share(lots.length > 0 ? lots : closed, step.pnl.minus(own), 'pnl')
  // As the venue counts it.
  share(closed, new Exact(pnl ?? step.pnl).minus(step.pnl), 'pnl')
  share(closed, new Exact(trade.fee ?? 0), 'fee')
  if (opened.gt(0)) lots.push({ by, price: trade.price, left: opened })
  return rounded([...sums.values()], pnl, trade.fee)
}

function wholeShare({ trade, by }: Execution, pnl: string | undefined): EntryShare {
  return { by, ...defined({ pnl, fee: trade.fee }) }
}

/** @returns what is taken, of each */
function takeLots(lots: Lot[], amount: Exact): readonly Lot[] {
  const taken: Lot[] = []
  let rest = amount
  for (let lot = lots[0]; lot !== undefined && rest.gt(0); lot = lots[0]) {
    const left = Exact.min(lot.left, rest)
    taken.push({ ...lot, left })
    rest = rest.minus(left)
    lot.left = lot.left.minus(left)
    if (lot.left.isZero()) lots.shift()
  }
  return taken
}

/** The last one has what rounding leaves. */
function rounded(
  sums: readonly { readonly by: OrderedBy | undefined; readonly pnl: Exact; readonly fee: Exact }[],
  pnl: string | undefined,
  fee: string | undefined,
): readonly EntryShare[] {
  const left = { pnl: new Exact(pnl ?? 0), fee: new Exact(fee ?? 0) }
  return sums.map((sum, index) => {
    const figure = (kept: 'pnl' | 'fee') => {
      const own = index === sums.length - 1 ? left[kept] : sum[kept].toDecimalPlaces(PNL_DECIMALS)
      left[kept] = left[kept].minus(own)
      return own.toFixed()
    }
    return {
      by: sum.by,
      ...(pnl !== undefined && { pnl: figure('pnl') }),
      ...(fee !== undefined && { fee: figure('fee') }),
    }
  })
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
