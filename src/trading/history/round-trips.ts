// From flat to flat: what was entered, what was left, and what that brought.
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import type { VenueCause } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { MoneySums, type Sums } from './pnl-groups.ts'
import { averagePrice, Exact, type Holding, NOTHING, type RealizedExecution, valueAt } from './realize.ts'

export interface RoundTrip {
  readonly symbol: string
  readonly side: 'long' | 'short'
  /** ms since the epoch. */
  readonly openedAt: number
  /** Absent: still open. */
  readonly closedAt?: number
  /** All that was entered and left, in the market's unit, and the average prices of both. */
  readonly entered: string
  readonly entryPrice: string
  readonly exited: string
  readonly exitPrice?: string
  readonly fills: number
  /** What it has brought so far; a fill that ends one and opens another pays its whole fee for the one it ends. */
  readonly sums: readonly Sums[]
  /** Of its first fill. */
  readonly by?: OrderedBy
  /** Why the venue took the last of it, where it did so by itself. */
  readonly cause?: VenueCause
}

interface Trip {
  readonly market: Market
  readonly isLong: boolean
  readonly openedAt: number
  readonly by: OrderedBy | undefined
  in: Holding
  out: Holding
  fills: number
  cause: VenueCause | undefined
  readonly sums: MoneySums
}

const PRICE_DIGITS = 12

/** Oldest first, by when they were opened. Executions of markets that are gone are in none. */
export function roundTrips(executions: readonly RealizedExecution[], markets: readonly Market[]): readonly RoundTrip[] {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]))
  const open = new Map<string, Trip>()
  const ended: RoundTrip[] = []
  for (const execution of executions) {
    const market = bySymbol.get(execution.trade.symbol)
    if (market === undefined || execution.before === undefined || execution.after === undefined) continue
    const trip = open.get(market.symbol)
    const rest = trip === undefined ? new Exact(execution.trade.amount) : addTo(trip, execution)
    const isOver = isFlat(execution.after, market) || !rest.isZero()
    if (trip !== undefined && isOver) {
      open.delete(market.symbol)
      ended.push(tripOf(trip, execution.trade.timestamp))
    }
    if (!rest.isZero() && !isFlat(execution.after, market))
      open.set(market.symbol, begin(market, execution, rest, trip))
  }
  return [...ended, ...[...open.values()].map((trip) => tripOf(trip))].sort((a, b) => a.openedAt - b.openedAt)
}

/** Less than a lot is dust that a fee in coins left behind. */
function isFlat({ amount }: Holding, { lotSize }: Market): boolean {
  return amount.abs().lt(lotSize)
}

/** @returns how much of it is beyond the trip: it turns the position round */
function addTo(trip: Trip, execution: RealizedExecution): Exact {
  const { trade, before = NOTHING } = execution
  const amount = new Exact(trade.amount)
  const isIn = (trade.side === 'buy') === trip.isLong
  const own = isIn ? amount : Exact.min(amount, before.amount.abs())
  if (isIn) trip.in = plus(trip.in, trip.market, own, trade.price)
  if (!isIn) trip.cause = trade.cause
  if (!isIn) trip.out = plus(trip.out, trip.market, own, trade.price)
  pay(trip, execution)
  // Coins that were never counted open nothing.
  return trip.market.kind === 'spot' ? new Exact(0) : amount.minus(own)
}

function begin(market: Market, execution: RealizedExecution, amount: Exact, former: Trip | undefined): Trip {
  const { trade, by } = execution
  const trip: Trip = {
    market,
    isLong: trade.side === 'buy',
    openedAt: trade.timestamp,
    by,

    in: plus(NOTHING, market, amount, trade.price),
    out: NOTHING,
    fills: 1,
    cause: undefined,
    sums: new MoneySums(),
  }
  if (former === undefined) {
    trip.fills = 0
    pay(trip, execution)
  }
  return trip
}

function pay(trip: Trip, { trade, pnl, currency }: RealizedExecution): void {
  trip.fills += 1
  if (pnl !== undefined && currency !== undefined) trip.sums.add('realized', currency, pnl)
  if (trade.fee !== undefined) trip.sums.add('fees', trade.feeCurrency ?? currency ?? 'unknown', trade.fee)
}

function plus(held: Holding, { kind }: Market, amount: Exact, price: string): Holding {
  return { amount: held.amount.plus(amount), value: held.value.plus(valueAt(kind, amount, price)) }
}

function tripOf(
  { market, isLong, openedAt, by, in: entered, out, fills, cause, sums }: Trip,
  closedAt?: number,
): RoundTrip {
  const price = (holding: Holding) => averagePrice(market.kind, holding)?.toSignificantDigits(PRICE_DIGITS).toFixed()
  const exitPrice = price(out)
  return {
    symbol: market.symbol,
    side: isLong ? 'long' : 'short',
    openedAt,
    ...defined({ closedAt }),
    entered: entered.amount.toFixed(),
    entryPrice: price(entered) ?? '0',
    exited: out.amount.toFixed(),
    ...defined({ exitPrice }),
    fills,
    sums: sums.list(),
    ...defined({ by, cause }),
  }
}
