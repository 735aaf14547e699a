// How open orders meet the market. `advance` brings an account to the quotes of now: stops fire, limits fill, and what can
// no longer be carried is liquidated. A fill is always whole. Without a change it returns the very state it was given.
import type { Order, Trade } from '../../exchange/exchange.ts'
import { isLiquidatable, missingFunds, walletOf } from './account.ts'
import { Decimal, decimalText, toMoney } from './decimal.ts'
import { crosses, type Quotes, takingPrice } from './market.ts'
import { findMarket } from './markets.ts'
import { reducibleAmount, signed, tradePosition } from './position.ts'
import { cancelResting, noteChange, noteTrade, numberOrder, type PaperState, type RestingOrder } from './state.ts'

/** The account after something was done, and what to tell whoever asked for it: by default the order as it stands. */
export interface Outcome<Result = Order> {
  readonly state: PaperState
  readonly result: Result
}

export interface Execution {
  readonly price: Decimal
  readonly takerOrMaker: Trade['takerOrMaker']
  /** ms since the epoch. */
  readonly at: number
}

export interface Moment {
  readonly quotes: Quotes
  /** ms since the epoch. */
  readonly now: number
  /**
   * The market was closed until now, because no hookline ran: what its price jumped over fills at the opening quote, which is
   * never worse than the limit. While it is open, a limit fills at its own price.
   */
  readonly opening: boolean
}

/** Orders in the order they were placed, then the liquidation: a stop comes before the venue does. */
export function advance(state: PaperState, moment: Moment): PaperState {
  const met = state.openOrders.reduce((current, { order }) => meetMarket(current, order.id, moment), state)
  return isLiquidatable(met, moment.quotes) ? liquidate(met, moment) : met
}

/**
 * Trades the whole order. A reduce-only order is cut to what it can reduce; reduce-only orders left with nothing to reduce
 * are cancelled.
 */
export function fillOrder(state: PaperState, order: Order, execution: Execution): Outcome {
  const { symbol, side } = order
  const market = findMarket(symbol)
  const wanted = new Decimal(order.remaining)
  const amount = order.reduceOnly ? Decimal.min(wanted, reducibleAmount(state, symbol, side)) : wanted
  const { positions, realized } = tradePosition(state, symbol, signed(side, amount), execution.price)
  const rate = execution.takerOrMaker === 'maker' ? market.makerFee : market.takerFee
  const fee = toMoney(amount.times(execution.price).times(rate))
  const price = decimalText(execution.price)
  const traded = decimalText(amount)
  const filled: Order = { ...order, amount: traded, filled: traded, remaining: '0', average: price, status: 'closed' }
  const booked: PaperState = {
    ...state,
    positions,
    openOrders: state.openOrders.filter((resting) => resting.order.id !== order.id),
    realizedPnl: decimalText(realized.plus(state.realizedPnl)),
    fees: decimalText(fee.plus(state.fees)),
  }
  const trade: Omit<Trade, 'id'> = {
    orderId: order.id,
    symbol,
    side,
    amount: traded,
    price,
    fee: decimalText(fee),
    takerOrMaker: execution.takerOrMaker,
    realizedPnl: decimalText(realized),
    timestamp: execution.at,
  }
  return { state: cancelIdleReducers(noteTrade(booked, trade, filled), symbol), result: filled }
}

function cancelIdleReducers(state: PaperState, symbol: string): PaperState {
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => order.symbol === symbol && order.reduceOnly)
    .filter((order) => reducibleAmount(state, symbol, order.side).isZero())
    .reduce((current, order) => cancelResting(current, order, 'there is no position left to reduce'), state)
}

function meetMarket(state: PaperState, orderId: string, moment: Moment): PaperState {
  const resting = state.openOrders.find((open) => open.order.id === orderId)
  // An earlier fill of this very moment may have cancelled it.
  if (resting === undefined) return state
  const execution = executionNow(resting, moment)
  if (execution === undefined) return state
  const unfilled = cancelResting(state, resting.order)
  const { state: filled } = fillOrder(state, resting.order, execution)
  const missing = missingFunds(unfilled, filled, resting.order.symbol, moment.quotes)
  return missing === undefined ? filled : cancelResting(state, resting.order, missing.message)
}

function executionNow(resting: RestingOrder, moment: Moment): Execution | undefined {
  const { order, firesWhenLast } = resting
  const ticker = moment.quotes(order.symbol)
  const quoted = takingPrice(order.side, ticker)
  if (order.price !== undefined) {
    if (!crosses(order.side, order.price, ticker)) return undefined
    return { price: moment.opening ? quoted : new Decimal(order.price), takerOrMaker: 'maker', at: moment.now }
  }
  const distance = new Decimal(ticker.last).minus(order.triggerPrice ?? ticker.last)
  const fires = firesWhenLast === 'at-or-above' ? distance.gte(0) : distance.lte(0)
  return fires ? { price: quoted, takerOrMaker: 'taker', at: moment.now } : undefined
}

/**
 * Every order is cancelled and every position closed at its quote, with the taker's fee. What the wallet cannot pay the venue
 * bears (`covered`): it never ends below zero.
 */
function liquidate(state: PaperState, moment: Moment): PaperState {
  const reason = 'liquidated: the account no longer covers the maintenance margin'
  const bare = state.openOrders.reduce((current, { order }) => cancelResting(current, order, reason), state)
  const closed = bare.positions.reduce((current, position) => {
    const held = new Decimal(position.amount)
    const side = held.isNeg() ? 'buy' : 'sell'
    const amount = decimalText(held.abs())
    const numbered = numberOrder(current, {
      symbol: position.symbol,
      side,
      type: 'market',
      amount,
      filled: '0',
      remaining: amount,
      reduceOnly: true,
      postOnly: false,
      status: 'open',
      timestamp: moment.now,
    })
    const price = takingPrice(side, moment.quotes(position.symbol))
    const announced = noteChange(numbered.state, { order: numbered.order, reason })
    return fillOrder(announced, numbered.order, { price, takerOrMaker: 'taker', at: moment.now }).state
  }, bare)
  const wallet = walletOf(closed)
  return wallet.isNeg() ? { ...closed, covered: decimalText(new Decimal(closed.covered).minus(wallet)) } : closed
}
