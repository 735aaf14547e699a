// How orders meet the market. `advance` brings an account to the quotes of now: stops fire, limits fill, and what can no longer be carried
// is liquidated. A fill takes what the book offers, which may be less than the order. Without a change it returns the very state it was given.

import { defined } from '../../base/defined.ts'
import { describeCause, type Order, type OrderStatus, type Trade } from '../../exchange/order.ts'
import { isLiquidatable, missingFunds, reducibleAmount, signed, tradePosition, walletOf } from './account.ts'
import { Decimal, decimal, decimalText, toMoney, ZERO } from './decimal.ts'
import { type Level, totalOf, walkBook } from './depth.ts'
import type { MarketView } from './market-source.ts'
import { crosses, takingPrice } from './quotes.ts'
import {
  endOrder,
  keepOpen,
  noteTaken,
  noteTrade,
  numberOrder,
  type PaperState,
  type Payment,
  type RestingOrder,
  type StoredPosition,
  takenFrom,
} from './state.ts'
import type { Archive } from './state-file.ts'

/** The account after something was done, and what to tell the caller: by default the order as it is now. */
export interface Outcome<Result = Order> {
  readonly state: PaperState
  readonly result: Result
}

export interface Moment extends MarketView {
  /** Orders that ended long ago. */
  readonly archive: Pick<Archive, 'find'>
  /** ms since the epoch. */
  readonly now: number
  /**
   * The market was closed until now, because no hookline ran: what its price jumped over fills at the opening quotes, which are
   * never worse than the limit. While it is open, a limit fills at its own price.
   */
  readonly opening: boolean
}

/** An order on its way to the market. */
export type Working = Omit<RestingOrder, 'seq'>

/**
 * What was due, then orders in the order they were placed, then the liquidation: a stop comes before the venue does. Nothing while some of
 * it has no price at all: then no one knows what the account can carry.
 */
export function advance(state: PaperState, moment: Moment): PaperState {
  if (!isPriced(state, moment)) return state
  const paid = payFunding(state, moment)
  const met = paid.openOrders.reduce((current, resting) => meetMarket(current, resting, moment), paid)
  const isCarried = met.positions.some(({ symbol }) => !moment.isCurrent(symbol)) || !isLiquidatable(met, moment)
  return isCarried ? met : liquidate(met, moment)
}

function isPriced({ positions, openOrders }: PaperState, { isKnown }: Moment): boolean {
  return positions.every(({ symbol }) => isKnown(symbol)) && openOrders.every(({ order }) => isKnown(order.symbol))
}

/** A reduce-only order is never larger than what it can reduce; others are as they are. */
export function cutToPosition(state: PaperState, working: Working): Working {
  const { order } = working
  if (!order.reduceOnly) return working
  const remaining = Decimal.min(order.remaining, reducibleAmount(state, order.symbol, order.side))
  if (remaining.eq(order.remaining)) return working
  const amount = decimalText(remaining.plus(order.filled))
  return { ...working, order: { ...order, amount, remaining: decimalText(remaining) } }
}

/** What the book has for the rest of the order now, at no price worse than its own. */
export function fillsNow(state: PaperState, { order }: Working, { book, now }: Moment): readonly Level[] {
  const { symbol, side, price } = order
  return walkBook(book, {
    symbol,
    side,
    amount: decimal(order.remaining),
    ...defined({ limit: price }),
    taken: takenFrom(state, symbol, side, Math.floor(now / 1000)),
  })
}

/** What becomes of the part of an order that the book had nothing for. */
export type Rest = 'rests' | { readonly status: OrderStatus; readonly reason: string }

interface Execution {
  /** What the book gave. */
  readonly taken: readonly Level[]
  /** At what price: `undefined`, the book's own prices. */
  readonly at?: Decimal
  readonly takerOrMaker: 'taker' | 'maker'
  readonly rest: Rest
}

/** Trades, and leaves the order open or ended. Reduce-only orders with nothing left to reduce are canceled. */
export function execute(state: PaperState, working: Working, execution: Execution, moment: Moment): Outcome {
  const { taken, at, rest } = execution
  const amount = totalOf(taken)
  const fills = at === undefined || taken.length === 0 ? taken : [{ price: at, amount }]
  const { symbol, side } = working.order
  const second = Math.floor(moment.now / 1000)
  const isBounded = moment.book(symbol, side, 0)?.amount.isFinite() ?? false
  const before = isBounded && fills.length > 0 ? noteTaken(state, { symbol, side, second }, amount) : state
  const traded = fills.reduce(
    (current, fill) => trade(current.state, current.working, fill, execution.takerOrMaker, moment),
    { state: before, working },
  )
  const { order } = traded.working
  const isFilled = decimal(order.remaining).isZero()
  const after = isFilled
    ? endOrder(traded.state, order, 'closed')
    : rest === 'rests'
      ? keepOpen(traded.state, traded.working)
      : endOrder(traded.state, order, rest.status, rest.reason)
  const status = isFilled ? 'closed' : rest === 'rests' ? 'open' : rest.status
  return { state: fills.length === 0 ? after : cancelIdleReducers(after, symbol), result: { ...order, status } }
}

/** Books one fill. */
function trade(
  state: PaperState,
  working: Working,
  { price, amount }: Level,
  takerOrMaker: NonNullable<Trade['takerOrMaker']>,
  { now: at, listing }: Moment,
): { readonly state: PaperState; readonly working: Working } {
  const { order } = working
  const { symbol, side, clientOrderId } = order
  const { makerFee, takerFee, settle } = listing.find(symbol)
  const { positions, realized } = tradePosition(state, { symbol, change: signed(side, amount), price, at })
  const fee = toMoney(amount.times(price).times(decimal(takerOrMaker === 'maker' ? makerFee : takerFee)))
  const booked: PaperState = {
    ...state,
    positions,
    realizedPnl: decimalText(realized.plus(decimal(state.realizedPnl))),
    fees: decimalText(fee.plus(decimal(state.fees))),
  }
  const noted = noteTrade(booked, {
    orderId: order.id,
    ...defined({ clientOrderId }),
    symbol,
    side,
    amount: decimalText(amount),
    price: decimalText(price),
    fee: decimalText(fee),
    feeCurrency: settle,
    takerOrMaker,
    realizedPnl: decimalText(realized),
    timestamp: at,
  })
  return { state: noted, working: filledBy(working, price, amount) }
}

function filledBy(working: Working, price: Decimal, amount: Decimal): Working {
  const { order } = working
  const cost = amount.times(price).plus(decimal(working.cost ?? '0'))
  const filled = amount.plus(decimal(order.filled))
  return {
    ...working,
    cost: decimalText(cost),
    order: {
      ...order,
      filled: decimalText(filled),
      remaining: decimalText(decimal(order.amount).minus(filled)),
      average: decimalText(toMoney(cost.div(filled))),
    },
  }
}

function cancelIdleReducers(state: PaperState, symbol: string): PaperState {
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => order.symbol === symbol && order.reduceOnly)
    .filter((order) => reducibleAmount(state, symbol, order.side).isZero())
    .reduce(
      (current, order) =>
        endOrder(current, { ...order, cause: 'position-closed' }, 'canceled', describeCause('position-closed')),
      state,
    )
}

/** Of the rest of a market order, and of a stop that fired. */
export const BOOK_EXHAUSTED: Rest = { status: 'canceled', reason: 'the book has no more liquidity within reach' }

function meetMarket(state: PaperState, resting: RestingOrder, moment: Moment): PaperState {
  if (!isMet(resting, moment)) return state
  // An earlier fill of this very moment may have canceled it.
  if (!state.openOrders.includes(resting)) return state
  const fires = resting.order.type === 'stop-limit' && resting.hasFired !== true
  const { seq: _, ...known } = resting
  const working = cutToPosition(state, fires ? { ...known, hasFired: true } : known)
  const { order } = working
  const taken = fillsNow(state, working, moment)
  // A stop fires when there is something to trade with: it is not lost to a second in which the account took all there was.
  if (taken.length === 0) return fires ? keepOpen(state, working) : state
  const execution: Execution =
    order.price === undefined
      ? { taken, takerOrMaker: 'taker', rest: BOOK_EXHAUSTED }
      : fires
        ? { taken, takerOrMaker: 'taker', rest: 'rests' }
        : { taken, takerOrMaker: 'maker', rest: 'rests', ...(moment.opening ? {} : { at: decimal(order.price) }) }
  const { state: filled } = execute(state, working, execution, moment)
  const unfilled = endOrder(state, resting.order, 'canceled')
  const missing = missingFunds(unfilled, filled, order.symbol, moment)
  return missing === undefined ? filled : endOrder(state, resting.order, 'canceled', missing.message)
}

/** Whether the market has come to it. */
function isMet({ order, firesWhenLast, hasFired }: RestingOrder, { quotes, isCurrent }: Moment): boolean {
  if (!isCurrent(order.symbol)) return false
  const ticker = quotes(order.symbol)
  const { triggerPrice, takeProfitPrice } = order
  if (triggerPrice === undefined || hasFired === true) {
    return order.price !== undefined && crosses(order.side, order.price, ticker)
  }
  const last = decimal(ticker.last)
  const isAbove = firesWhenLast === 'at-or-above'
  if (isAbove ? last.gte(triggerPrice) : last.lte(triggerPrice)) return true
  return takeProfitPrice !== undefined && (isAbove ? last.lte(takeProfitPrice) : last.gte(takeProfitPrice))
}

/**
 * Every order is canceled and every position closed at its quote, whatever the book holds: the venue takes it over, with the taker's
 * fee. What the wallet cannot pay the venue bears (`covered`): it never ends below zero.
 */
function liquidate(state: PaperState, moment: Moment): PaperState {
  const reason = 'liquidated: the account no longer covers the maintenance margin'
  const bare = state.openOrders.reduce((current, { order }) => endOrder(current, order, 'canceled', reason), state)
  const closed = bare.positions.reduce((current, { symbol, amount }) => {
    const held = decimal(amount)
    const side = held.isNeg() ? 'buy' : 'sell'
    const size = decimalText(held.abs())
    const numbered = numberOrder(current, {
      symbol,
      side,
      type: 'market',
      amount: size,
      filled: '0',
      remaining: size,
      reduceOnly: true,
      postOnly: false,
      status: 'open',
      timestamp: moment.now,
    })
    const fill = { price: takingPrice(side, moment.quotes(symbol)), amount: held.abs() }
    const traded = trade(numbered.state, { order: numbered.order }, fill, 'taker', moment)
    return endOrder(traded.state, traded.working.order, 'closed', reason)
  }, bare)
  const wallet = walletOf(closed)
  return wallet.lt(ZERO) ? { ...closed, covered: decimalText(decimal(closed.covered).minus(wallet)) } : closed
}

// Funding: what longs pay shorts from time to time, where the venue publishes it. It is booked as realised on the position, once for each time
// at which it is due, to positions that were open then. What fell due long before prices were heard again is not: nothing is made up for a gap.

/** How late a payment may be booked. */
const MAX_LATE_MS = 5 * 60_000
const PAYMENTS_KEPT = 200

/** Books what has fallen due. Without a payment it returns the very state it was given. */
function payFunding(state: PaperState, moment: Moment): PaperState {
  return state.positions
    .filter(({ symbol }) => moment.isCurrent(symbol))
    .flatMap((position) => duePayments(position, moment))
    .reduce(book, state)
}

function duePayments(position: StoredPosition, { funding, quotes, now }: Moment): readonly Payment[] {
  const { symbol, amount, openedAt = 0, fundedUntil = 0 } = position
  return funding(symbol)
    .filter(({ at }) => at <= now && now - at <= MAX_LATE_MS && at >= openedAt && at > fundedUntil)
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, rate }) => {
      const markPrice = quotes(symbol).last
      const received = toMoney(decimal(amount).times(decimal(markPrice)).times(decimal(rate))).neg()
      return { symbol, at, rate, amount, markPrice, received: decimalText(received) }
    })
}

function book(state: PaperState, payment: Payment): PaperState {
  const plus = (money: string): string => decimalText(decimal(money).plus(decimal(payment.received)))
  return {
    ...state,
    realizedPnl: plus(state.realizedPnl),
    positions: state.positions.map((position) =>
      position.symbol === payment.symbol
        ? { ...position, realizedPnl: plus(position.realizedPnl), fundedUntil: payment.at }
        : position,
    ),
    payments: [...(state.payments ?? []), payment].slice(-PAYMENTS_KEPT),
    nextChangeSeq: state.nextChangeSeq + 1,
  }
}
