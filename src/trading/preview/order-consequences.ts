// What the figures of a preview are worked out from. Each question is asked once for an account and symbol; one without an answer leaves its
// figures out, and is named.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { type Market, type Ticker, unitOf } from '../../exchange/market.ts'
import { isTriggerType, type Position } from '../../exchange/order.ts'
import { findMarket } from '../market-view.ts'
import type { TradingAccount } from '../order-desk.ts'
import type { OrderPlan } from '../order-plan.ts'
import { madeOn, money, settledAt, worthAt } from '../portfolio.ts'
import { fillPrice } from '../pricing.ts'

export interface AccountFacts {
  readonly market: Market
  readonly ticker: Ticker | undefined
  readonly position: Position | undefined
  readonly leverage?: string
}

/** For one preview. @param note is told what has no answer */
export function createFacts(
  note: (text: string) => void,
): (account: TradingAccount, symbol: string) => Promise<AccountFacts> {
  const known = new Map<string, Promise<AccountFacts>>()
  return (account, symbol) => {
    const key = `${account.name} ${symbol}`
    const asked = known.get(key) ?? ask(account.venue, symbol, note)
    known.set(key, asked)
    return asked
  }
}

async function ask(venue: VenueView, symbol: string, note: (text: string) => void): Promise<AccountFacts> {
  const orNote = async <T>(what: string, question: Promise<T> | T | undefined): Promise<T | undefined> => {
    try {
      return await question
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      note(`${what} of ${symbol} is not known: ${error.message}`)
      return undefined
    }
  }
  const [market, ticker, positions, setting] = await Promise.all([
    findMarket(venue, symbol),
    orNote('the price', venue.knownTicker?.(symbol) ?? venue.fetchTicker(symbol)),
    venue.kind === 'spot' ? [] : orNote('the position', venue.fetchPositions()),
    venue.kind === 'spot' ? undefined : orNote('the leverage', venue.fetchMargin?.(symbol)),
  ])
  const position = positions?.find((row) => row.symbol === market.symbol)
  const leverage = setting?.leverage ?? position?.leverage
  return { market, ticker, position, ...defined({ leverage }) }
}

// What one order would cost and lead to, by the prices of one moment. What cannot be known is absent: a fee without a rate, a margin without
// a leverage. Amounts are in the market's unit, money in the currency named beside it (behaviour 39).

/** What is held of the symbol before the order, signed. */
export interface Held {
  readonly amount: Decimal
  readonly entryPrice?: string
}

interface ConsequencesInput {
  readonly plan: OrderPlan
  readonly market: Market
  readonly ticker: Ticker | undefined
  readonly held: Held
  /** Without what the line before it leaves resting. Default: `held`. */
  readonly taken?: Decimal
  /** Of the symbol, where the venue says so. */
  readonly leverage?: string
}

/** `net` is after the fees of the entry and of the exit, as a size in risk counts them. */
interface ClauseFigures {
  readonly triggerPrice: string
  readonly pnl?: string
  readonly net?: string
  readonly currency?: string
}

export interface Consequences {
  readonly unit: string
  readonly roundedBy?: string
  readonly at?: string
  readonly notional?: string
  readonly quote?: string
  readonly fee?: { readonly amount: string; readonly currency: string; readonly rate: string; readonly as: string }
  readonly margin?: { readonly amount: string; readonly currency: string; readonly leverage: string }
  readonly stop?: ClauseFigures
  readonly takeProfit?: ClauseFigures
  readonly pnl?: string
  readonly net?: string
  /** It reduces a position of the other side and opens nothing: its stop and take-profit are not placed. */
  readonly offsets?: true
}

export function consequencesOf(input: ConsequencesInput): Consequences {
  const { plan, market } = input
  const at = placeOf(input)
  const known = {
    unit: unitOf(market),
    ...roundingOf(plan),
    ...(offsets(input) ? { offsets: true as const } : {}),
  }
  if (at === undefined) return { ...known, ...clausesOf(input, undefined) }
  const notional = worthAt(market, plan.amount, at)
  return {
    ...known,
    at: at.toFixed(),
    notional: money(notional),
    quote: market.quote,
    ...feeOf(input, at),
    ...marginOf(input, at),
    ...clausesOf(input, at),
    ...ownPnl(input, at),
  }
}

/** What is held once the order has filled; what waits for a trigger leaves it as it is. */
export function heldAfter({ plan, held }: Pick<ConsequencesInput, 'plan' | 'held'>): Decimal {
  if (isTriggerType(plan.type)) return held.amount
  const change = plan.side === 'buy' ? new Decimal(plan.amount) : new Decimal(plan.amount).neg()
  if (plan.reduceOnly !== true) return held.amount.plus(change)
  const isAgainst = change.isNeg() !== held.amount.isNeg() && !held.amount.isZero()
  if (!isAgainst) return held.amount
  return change.abs().gte(held.amount.abs()) ? new Decimal(0) : held.amount.plus(change)
}

/** Whether an entry that takes at once only reduces the other side: it has nothing to protect. */
function offsets({ plan, held, taken = held.amount, ticker, market }: ConsequencesInput): boolean {
  if (market.kind === 'spot' || plan.protection === undefined || isTriggerType(plan.type)) return false
  if (taken.isZero() || taken.isNeg() !== (plan.side === 'buy')) return false
  return !rests(plan, ticker) && adds({ plan, held: { amount: taken } }).isZero()
}

/** How much of it opens or adds. */
function adds(input: Pick<ConsequencesInput, 'plan' | 'held'>): Decimal {
  const before = input.held.amount
  const after = heldAfter(input)
  const hasTurned = before.isNeg() !== after.isNeg() && !before.isZero() && !after.isZero()
  return hasTurned ? after.abs() : Decimal.max(0, after.abs().minus(before.abs()))
}

function placeOf({ plan, ticker }: ConsequencesInput): Decimal | undefined {
  const { type, side, price, triggerPrice } = plan
  if (isTriggerType(type)) return triggerPrice === undefined ? undefined : new Decimal(price ?? triggerPrice)
  if (ticker === undefined) return price === undefined ? undefined : new Decimal(price)
  return fillPrice(side, ticker, price)
}

function roundingOf({ amount, asked }: OrderPlan): Pick<Consequences, 'roundedBy'> {
  if (asked === undefined || new Decimal(asked).isZero()) return {}
  const share = new Decimal(asked).minus(amount).div(asked).times(100)
  return { roundedBy: Decimal.max(0, share).toDecimalPlaces(4).toFixed() }
}

function feeOf({ plan, market, ticker }: ConsequencesInput, at: Decimal): Pick<Consequences, 'fee'> {
  const as = rests(plan, ticker) ? 'maker' : 'taker'
  const rate = as === 'maker' ? market.makerFee : market.takerFee
  if (rate === undefined) return {}
  return { fee: { amount: money(settledAt(market, plan.amount, at).times(rate)), currency: moneyOf(market), rate, as } }
}

/** An order that would take at once pays as a taker for all of it: what the book leaves to rest is not known. */
export function rests({ type, side, price, postOnly, timeInForce }: OrderPlan, ticker: Ticker | undefined): boolean {
  if (type !== 'limit' || price === undefined) return false
  if (postOnly === true) return true
  if (timeInForce === 'ioc' || timeInForce === 'fok' || ticker === undefined) return false
  const touch = new Decimal(side === 'buy' ? ticker.ask : ticker.bid)
  if (!touch.gt(0)) return true
  return side === 'buy' ? touch.gt(price) : touch.lt(price)
}

function marginOf(input: ConsequencesInput, at: Decimal): Pick<Consequences, 'margin'> {
  const { plan, market, leverage } = input
  if (market.kind === 'spot' || leverage === undefined || !new Decimal(leverage).gt(0)) return {}
  // What waits for its trigger locks what it would need then.
  const adding = isTriggerType(plan.type) && plan.reduceOnly !== true ? new Decimal(plan.amount) : adds(input)
  const amount = settledAt(market, adding.toFixed(), at).div(leverage)
  return { margin: { amount: money(amount), currency: moneyOf(market), leverage } }
}

/** The stop and the take-profit protect what the entry adds. */
function clausesOf(input: ConsequencesInput, at: Decimal | undefined): Pick<Consequences, 'stop' | 'takeProfit'> {
  const { plan, market } = input
  const { protection } = plan
  if (protection === undefined || offsets(input)) return {}
  const adding = market.kind === 'spot' ? new Decimal(plan.amount) : adds(input)
  const isLong = plan.side === 'buy'
  const figures = (triggerPrice: string): ClauseFigures => ({
    triggerPrice,
    ...(at === undefined || adding.isZero()
      ? {}
      : {
          ...madeOn(market, { amount: adding, from: at, to: triggerPrice, isLong }, market.takerFee),
          currency: moneyOf(market),
        }),
  })
  return {
    ...(protection.triggerPrice === undefined ? {} : { stop: figures(protection.triggerPrice) }),
    ...(protection.takeProfitPrice === undefined ? {} : { takeProfit: figures(protection.takeProfitPrice) }),
  }
}

/** What ends of what is held; of a stop with two triggers, at both. Of a trigger that may open a position nothing is known yet. */
function ownPnl(
  { plan, market, ticker, held }: ConsequencesInput,
  at: Decimal,
): Pick<Consequences, 'pnl' | 'net' | 'takeProfit'> {
  const { type, reduceOnly, side, takeProfitPrice } = plan
  const from = held.entryPrice
  if (from === undefined || held.amount.isZero() || (reduceOnly !== true && isTriggerType(type))) return {}
  if (held.amount.isNeg() !== (side === 'buy')) return {}
  const amount = Decimal.min(plan.amount, held.amount.abs())
  const rate = rests(plan, ticker) ? market.makerFee : market.takerFee
  const madeAt = (to: Decimal.Value) => madeOn(market, { amount, from, to, isLong: held.amount.gt(0) }, rate)
  if (takeProfitPrice === undefined) return madeAt(at)
  const takeProfit = { triggerPrice: takeProfitPrice, ...madeAt(takeProfitPrice), currency: moneyOf(market) }
  return { ...madeAt(at), takeProfit }
}

function moneyOf({ settle, quote }: Market): string {
  return settle ?? quote
}
