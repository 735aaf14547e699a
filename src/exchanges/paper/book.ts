// Placing, changing and canceling orders on a paper account. Pure: every refusal is thrown before anything has changed, and the state given
// is never touched.
import type { MarginSetting } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Ticker } from '../../exchange/market.ts'
import {
  isTriggerType,
  type Order,
  type OrderChange,
  type OrderRef,
  type OrderRequest,
  type TimeInForce,
} from '../../exchange/order.ts'
import { equityOf, lockedMargin, missingFunds } from './account.ts'
import { Decimal, decimalText } from './decimal.ts'
import { totalOf } from './depth.ts'
import type { Listing } from './listing.ts'
import { crosses, type Pricing } from './market.ts'
import {
  BOOK_EXHAUSTED,
  cutToPosition,
  execute,
  fillsNow,
  type Moment,
  type Outcome,
  type Rest,
  type Working,
} from './matching.ts'
import { changeTerms, checkTerms, type OrderTerms } from './order-terms.ts'
import { reducibleAmount } from './position.ts'
import { stalePrices } from './stale-prices.ts'
import { endOrder, isKnownId, keepOpen, leverageOf, numberOrder, type PaperState, requireOpen } from './state.ts'

/** What one account may have open, as at the large venues. */
const MAX_OPEN_ORDERS = 500

/**
 * Takes from the book or rests in it. `state` is up to date with `moment` (see `advance`).
 * @throws {ExchangeError} `bad-symbol`, `invalid-order`, `not-supported`, `duplicate-id`, `reduce-only-rejected`,
 *   `order-immediately-fillable`, `insufficient-funds`
 */
export function placeOrder(state: PaperState, request: OrderRequest, moment: Moment): Outcome {
  const { symbol, side } = request
  const market = moment.listing.find(symbol)
  if (!moment.isCurrent(symbol)) throw stalePrices(symbol)
  const ticker = moment.quotes(symbol)
  const terms = checkTerms(request, market, ticker)
  const { clientOrderId } = request
  if (isKnownId(state, clientOrderId) || moment.archive.find(clientOrderId)) throw duplicate(clientOrderId)
  if (request.reduceOnly === true && reducibleAmount(state, symbol, side).isZero()) {
    throw new ExchangeError('reduce-only-rejected', `there is no ${symbol} position that a ${side} reduces`, {
      hint: 'leave reduce-only out to open a position',
    })
  }
  const { state: numbered, order } = numberOrder(state, describe(request, terms, moment.now))
  const outcome = meet(numbered, { order }, { timeInForce: request.timeInForce ?? 'gtc', ticker, moment })
  const missing = missingFunds(state, outcome.state, symbol, moment)
  if (missing !== undefined) throw missing
  return outcome
}

/** A new order, or one with a new price, at the market: it takes, rests, or both. */
function meet(
  state: PaperState,
  working: Working,
  { timeInForce, ticker, moment }: { timeInForce: TimeInForce; ticker: Ticker; moment: Moment },
): Outcome {
  const { order } = working
  if (isTriggerType(order.type) && working.hasFired !== true) {
    return rest(state, { ...working, firesWhenLast: firingSide(order, ticker.last) })
  }
  const takes = order.price === undefined || crosses(order.side, order.price, ticker)
  if (!takes && timeInForce === 'gtc') return rest(state, working)
  if (takes && order.postOnly) throw immediatelyFillable(order, ticker)
  const cut = takes ? cutToPosition(state, working) : working
  const offered = takes ? fillsNow(state, cut, moment) : []
  const isWhole = totalOf(offered).eq(cut.order.remaining)
  const taken = timeInForce === 'fok' && !isWhole ? [] : offered
  const leaves = restOf(order, timeInForce)
  if (!isWhole && leaves === 'rests') refuseTooMany(state, order)
  return execute(state, cut, { taken, takerOrMaker: 'taker', rest: leaves }, moment)
}

function restOf(order: Order, timeInForce: TimeInForce): Rest {
  if (order.type === 'market') return BOOK_EXHAUSTED
  if (timeInForce === 'ioc') return { status: 'expired', reason: 'ioc: the rest could not trade at once' }
  if (timeInForce === 'fok') return { status: 'expired', reason: 'fok: it could not trade whole at once' }
  return 'rests'
}

/**
 * Changes a resting order in its place; one whose price now crosses takes from the book.
 * @throws {ExchangeError} `order-not-found`, `invalid-order`, `order-immediately-fillable`, `insufficient-funds`, `bad-symbol`
 */
export function editOrder(state: PaperState, ref: OrderRef, change: OrderChange, moment: Moment): Outcome {
  const resting = requireOpen(state, ref, moment.listing)
  const { seq: _, ...working } = resting
  if (working.hasFired === true && change.triggerPrice !== undefined) throw hasFired(resting.order)
  const order = changeTerms(resting.order, change, moment.listing.find(ref.symbol))
  if (new Decimal(order.amount).lte(order.filled)) {
    const ended: Order = { ...order, amount: order.filled, remaining: '0' }
    const reason = 'its new amount had filled already'
    return { state: endOrder(state, ended, 'canceled', reason), result: { ...ended, status: 'canceled' } }
  }
  if (!moment.isCurrent(ref.symbol)) throw stalePrices(ref.symbol)
  const ticker = moment.quotes(ref.symbol)
  const outcome = meet(state, { ...working, order }, { timeInForce: 'gtc', ticker, moment })
  const missing = missingFunds(state, outcome.state, ref.symbol, moment)
  if (missing !== undefined) throw missing
  return outcome
}

/** @throws {ExchangeError} `order-not-found`, `bad-symbol` */
export function cancelOrder(state: PaperState, ref: OrderRef, { listing }: Pick<Moment, 'listing'>): Outcome {
  const { order } = requireOpen(state, ref, listing)
  return { state: endOrder(state, order, 'canceled'), result: { ...order, status: 'canceled' } }
}

/** Cancels all open orders, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function cancelOrders(
  state: PaperState,
  symbol: string | undefined,
  { listing }: Pick<Moment, 'listing'>,
): Outcome<readonly Order[]> {
  const orders = openOrdersOf(state, symbol, listing)
  return {
    state: orders.reduce((current, order) => endOrder(current, order, 'canceled'), state),
    result: orders.map((order): Order => ({ ...order, status: 'canceled' })),
  }
}

/** Oldest first, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function openOrdersOf(state: PaperState, symbol: string | undefined, listing: Listing): readonly Order[] {
  if (symbol !== undefined && state.openOrders.every(({ order }) => order.symbol !== symbol)) listing.find(symbol)
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => symbol === undefined || order.symbol === symbol)
}

/** @throws {ExchangeError} `bad-symbol` */
export function marginOf(state: PaperState, symbol: string, listing: Listing): MarginSetting {
  return { leverage: leverageOf(state, listing.find(symbol)), marginMode: 'cross' }
}

/**
 * From now on margin of the symbol is its notional divided by this.
 * @throws {ExchangeError} `bad-symbol`, `invalid-order`, `insufficient-funds` when what is held and ordered could not be carried
 */
export function setLeverage(state: PaperState, symbol: string, leverage: string, pricing: Pricing): Outcome<void> {
  const { maxLeverage } = pricing.listing.find(symbol)
  if (!/^[1-9]\d{0,2}$/.test(leverage) || Number(leverage) > Number(maxLeverage)) {
    throw new ExchangeError('invalid-order', `${symbol} has no leverage of ${leverage.slice(0, 20)}`, {
      hint: `use a whole number from 1 to ${maxLeverage}`,
    })
  }
  const after = {
    ...state,
    leverage: { ...state.leverage, [symbol]: leverage },
    nextChangeSeq: state.nextChangeSeq + 1,
  }
  const locked = lockedMargin(after, pricing)
  if (locked.gt(lockedMargin(state, pricing)) && locked.gt(equityOf(state, pricing))) {
    throw new ExchangeError(
      'insufficient-funds',
      `at ${leverage}x the margin would be ${locked.toFixed(2)} ${pricing.listing.currency}`,
      {
        hint: 'close a part of the position first',
      },
    )
  }
  return { state: after, result: undefined }
}

function describe(request: OrderRequest, terms: OrderTerms, now: number): Omit<Order, 'id'> {
  const { price, triggerPrice, takeProfitPrice } = terms
  const amount = decimalText(terms.amount)
  return {
    clientOrderId: request.clientOrderId,
    symbol: request.symbol,
    side: request.side,
    type: request.type,
    amount,
    filled: '0',
    remaining: amount,
    ...(price === undefined ? {} : { price: decimalText(price) }),
    ...(triggerPrice === undefined ? {} : { triggerPrice: decimalText(triggerPrice) }),
    ...(takeProfitPrice === undefined ? {} : { takeProfitPrice: decimalText(takeProfitPrice) }),
    reduceOnly: request.reduceOnly ?? false,
    postOnly: request.postOnly ?? false,
    status: 'open',
    timestamp: now,
  }
}

function rest(state: PaperState, working: Working): Outcome {
  refuseTooMany(state, working.order)
  return { state: keepOpen(state, working), result: working.order }
}

function refuseTooMany(state: PaperState, order: Order): void {
  if (state.openOrders.length < MAX_OPEN_ORDERS || state.openOrders.some((open) => open.order.id === order.id)) return
  throw new ExchangeError('invalid-order', `${MAX_OPEN_ORDERS} orders are open, no more are taken`, {
    hint: 'cancel some first',
  })
}

/** A stop remembers from which side of its trigger price it was placed; a take-profit waits on the winning side, and so does that of a stop. */
function firingSide(order: Order, last: string): 'at-or-above' | 'at-or-below' {
  const { type, side, triggerPrice = last, takeProfitPrice } = order
  const above = side === 'sell'
  if (type === 'take-profit') return waitsBeyond('take-profit', above, triggerPrice, last)
  const distance = new Decimal(triggerPrice).comparedTo(last)
  if (distance === 0) {
    throw new ExchangeError('invalid-order', `the trigger price ${triggerPrice} is the last price`, {
      hint: 'choose a price above or below it, or trade at once with a market order',
    })
  }
  if (takeProfitPrice === undefined) return distance > 0 ? 'at-or-above' : 'at-or-below'
  waitsBeyond('take-profit', above, takeProfitPrice, last)
  return waitsBeyond('stop', !above, triggerPrice, last)
}

function waitsBeyond(what: string, above: boolean, price: string, last: string): 'at-or-above' | 'at-or-below' {
  const isBeyond = above ? new Decimal(price).gt(last) : new Decimal(price).lt(last)
  if (isBeyond) return above ? 'at-or-above' : 'at-or-below'
  throw new ExchangeError('invalid-order', `a ${what} at ${price} would be executed at once: last is ${last}`, {
    hint: `choose a price ${above ? 'above' : 'below'} it, or trade at once with a market order`,
  })
}

function hasFired({ id, triggerPrice }: Order): ExchangeError {
  return new ExchangeError('invalid-order', `order ${id} has reached its trigger price ${triggerPrice} already`, {
    hint: 'change its price, which it has as a limit order now',
  })
}

function immediatelyFillable(order: Order, ticker: Ticker): ExchangeError {
  return new ExchangeError(
    'order-immediately-fillable',
    `a post-only ${order.side} at ${order.price} would trade at once`,
    { hint: `choose a price beyond the market, which is ${ticker.bid} / ${ticker.ask}` },
  )
}

function duplicate(clientOrderId: string): ExchangeError {
  return new ExchangeError('duplicate-id', 'an order with this clientOrderId has arrived before', {
    hint: 'ask for the order instead of sending it again',
    clientOrderId,
  })
}
