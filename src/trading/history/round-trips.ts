// From flat to flat: what was entered, what was left, and what that brought.
import { defined } from '../../base/defined.ts'
import type { Market } from '../../exchange/market.ts'
import type { Position, VenueCause } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { type Execution, mergeFills, nameOf } from './executions.ts'
import type { JournalHistory } from './journal-history.ts'
import { MoneySums, moneyOf, type Sums } from './pnl-groups.ts'
import { averagePrice, Exact, type Holding, NOTHING, type RealizedExecution, realize, valueAt } from './realize.ts'

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
  /** Of the orders that filled, the one that opened it first. */
  readonly orderIds: readonly string[]
  /** The tags that were typed with its entries, by their ids. */
  readonly entryTags: ReadonlyMap<string, readonly string[]>
  /** What it has brought so far; a fill that ends one and opens another pays its whole fee for the one it ends. */
  readonly sums: readonly Sums[]
  /** What its profits are counted in. */
  readonly currency?: string
  /** What all that was entered loses at the stops of its entries, before fees: in what its profits are counted in. Absent: an entry had none, and got none. */
  readonly risk?: string
  /** What it has brought after fees, as a multiple of that risk, to two digits. Of one that is closed. */
  readonly r?: string
  /** Of its first fill. */
  readonly by?: OrderedBy
  /** Why the venue took the last of it, where it did so by itself. */
  readonly cause?: VenueCause
  /** Of one that is closed and was entered by several: what the entries of each brought. */
  readonly parts?: readonly TripPart[]
}

/** By the shares of its executions: all parts together are the trade. */
interface TripPart extends Pick<RoundTrip, 'by' | 'sums' | 'risk' | 'r'> {}

interface Trip {
  readonly market: Market
  readonly isLong: boolean
  readonly openedAt: number
  readonly by: OrderedBy | undefined
  in: Holding
  out: Holding
  /** Undefined: not known. */
  risk: Exact | undefined
  /** When the last of the stops was placed that the risk counts, ms since the epoch. */
  stoppedAt: number
  /** What its profits are counted in. */
  readonly currency: string | undefined
  fills: number
  cause: VenueCause | undefined
  readonly orderIds: Set<string>
  readonly entryTags: Map<string, readonly string[]>
  readonly sums: MoneySums
  /** By who entered. */
  readonly parts: Map<string, Part>
}

interface Part {
  readonly by: OrderedBy | undefined
  risk: Exact | undefined
  readonly sums: MoneySums
}

const PRICE_DIGITS = 12
const RISK_DECIMALS = 8
const NONE = new Exact(0)

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
  if (isIn) noteEntry(trip, execution)
  else trip.orderIds.add(trade.orderId)
  if (isIn) trip.risk = addRisk(trip.risk, trip, own, execution)
  if (isIn) enterPart(trip, own, execution)
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
    risk: undefined,
    stoppedAt: 0,
    currency: execution.currency,
    fills: 1,
    cause: undefined,
    orderIds: new Set(),
    entryTags: new Map(),
    sums: new MoneySums(),
    parts: new Map(),
  }
  noteEntry(trip, execution)
  trip.risk = addRisk(new Exact(0), trip, amount, execution)
  enterPart(trip, amount, execution)
  if (former === undefined) {
    trip.fills = 0
    pay(trip, execution)
  }
  return trip
}

function enterPart(trip: Trip, amount: Exact, execution: RealizedExecution): void {
  const part = partOf(trip, execution.by)
  part.risk = addRisk(part.risk, trip, amount, execution)
}

function partOf({ parts }: Trip, by: OrderedBy | undefined): Part {
  const name = nameOf(by)
  const part = parts.get(name) ?? { by, risk: NONE, sums: new MoneySums() }
  parts.set(name, part)
  return part
}

function partsOf({ parts, currency }: Trip, isRiskKnown: boolean): readonly TripPart[] | undefined {
  if (parts.size < 2 || currency === undefined) return undefined
  return [...parts.values()].map(({ by, risk: counted, sums }) => {
    const risk = isRiskKnown ? counted : undefined
    const list = sums.list()
    const net = list.find((each) => each.currency === currency)?.net
    const r = risk === undefined || net === undefined ? undefined : multipleOf(net, risk)
    return { sums: list, ...defined({ by, risk: risk?.toDecimalPlaces(RISK_DECIMALS).toFixed(), r }) }
  })
}

function noteEntry({ orderIds, entryTags }: Trip, { trade, tags }: RealizedExecution): void {
  orderIds.add(trade.orderId)
  if (tags !== undefined) entryTags.set(trade.orderId, tags)
}

/** Undefined where the stop would gain: what was risked is not known then. An entry without a stop counts the first one that was placed afterwards. */
function addRisk(
  risk: Exact | undefined,
  trip: Pick<Trip, 'market' | 'isLong' | 'stoppedAt'>,
  amount: Exact,
  { trade, entryStop: own, laterStop }: RealizedExecution,
): Exact | undefined {
  const {
    market: { kind },
    isLong,
  } = trip
  const entryStop = own ?? laterStop?.triggerPrice
  if (risk === undefined || entryStop === undefined || !new Exact(entryStop).gt(0)) return undefined
  if (own === undefined && laterStop !== undefined) trip.stoppedAt = Math.max(trip.stoppedAt, laterStop.at)
  const signed = isLong ? amount : amount.neg()
  const loss = valueAt(kind, signed, trade.price).minus(valueAt(kind, signed, entryStop))
  return loss.gt(0) ? risk.plus(loss) : undefined
}

function pay(trip: Trip, execution: RealizedExecution): void {
  const whole = moneyOf(execution)
  trip.fills += 1
  trip.sums.addExecution(whole)
  for (const share of execution.shares) partOf(trip, share.by).sums.addExecution({ ...whole, ...share })
}

function plus(held: Holding, { kind }: Market, amount: Exact, price: string): Holding {
  return { amount: held.amount.plus(amount), value: held.value.plus(valueAt(kind, amount, price)) }
}

function tripOf(trip: Trip, closedAt?: number): RoundTrip {
  const { market, isLong, openedAt, by, in: entered, out, currency, fills, cause, orderIds, entryTags, sums } = trip
  // A stop of a later trade risked nothing here.
  const isRiskKnown = closedAt === undefined || trip.stoppedAt <= closedAt
  const risk = isRiskKnown ? trip.risk : undefined
  const net = sums.list().find((each) => each.currency === currency)?.net
  const r = risk === undefined || closedAt === undefined || net === undefined ? undefined : multipleOf(net, risk)
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
    orderIds: [...orderIds],
    entryTags,
    sums: sums.list(),
    ...defined({
      currency,
      risk: risk?.toDecimalPlaces(RISK_DECIMALS).toFixed(),
      r,
      by,
      cause,
      parts: closedAt === undefined ? undefined : partsOf(trip, isRiskKnown),
    }),
  }
}

function multipleOf(sum: Exact | string, risk: Exact): string {
  return new Exact(sum).div(risk).toDecimalPlaces(2).toFixed(2)
}

// The risk of what is open, by what the order journal alone has: the venue is not asked.

interface PositionRisk {
  /** What it loses at the stops of its entries, before fees, in what it is settled in. */
  readonly risk: string
  /** Its unrealised profit or loss as a multiple of that, to two digits; absent where the venue does not report one. */
  readonly r?: string
}

/** How far apart the venue's entry price and that of the journal may be: venues round it. */
const SAME_ENTRY = '0.0001'

/**
 * @returns undefined where an entry had no stop, or where the fills in the journal are not those of the position
 */
export function riskOf(
  position: Position,
  journal: JournalHistory,
  markets: readonly Market[],
): PositionRisk | undefined {
  const { symbol, side, amount, entryPrice, unrealizedPnl } = position
  const market = markets.find((each) => each.symbol === symbol)
  if (market === undefined) return undefined
  const { resetAt = 0 } = journal
  const isOfIt = ({ trade }: Execution) => trade.symbol === symbol && trade.timestamp >= resetAt
  const { executions, holdings } = realize(mergeFills(journal, []).filter(isOfIt), markets)
  const trip = roundTrips(executions, [market]).findLast(({ closedAt }) => closedAt === undefined)
  const held = holdings.get(symbol) ?? NOTHING
  const entry = averagePrice(market.kind, held)
  if (trip?.risk === undefined || entry === undefined || trip.side !== side || !held.amount.abs().eq(amount))
    return undefined
  if (entry.minus(entryPrice).abs().gt(entry.times(SAME_ENTRY))) return undefined
  const risk = new Exact(trip.risk).times(amount).div(trip.entered)
  return {
    risk: risk.toDecimalPlaces(RISK_DECIMALS).toFixed(),
    ...(unrealizedPnl === undefined ? {} : { r: multipleOf(unrealizedPnl, risk) }),
  }
}
