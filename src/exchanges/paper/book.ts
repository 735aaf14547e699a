// Placing and cancelling orders on a paper account. Pure: every refusal is thrown before anything has changed, and the state
// given is never touched.
import { ExchangeError, type Order, type OrderRequest } from '../../exchange/exchange.ts'
import { missingFunds } from './account.ts'
import { Decimal, decimalText } from './decimal.ts'
import { crosses, type Quotes, takingPrice } from './market.ts'
import { findMarket } from './markets.ts'
import { fillOrder, type Outcome } from './matching.ts'
import { checkTerms, type OrderTerms } from './order-terms.ts'
import { reducibleAmount } from './position.ts'
import { cancelResting, noteChange, numberOrder, type PaperState, type RestingOrder } from './state.ts'

/** What one account may have open, as at the large venues. */
const MAX_OPEN_ORDERS = 500

/**
 * Takes the quote or rests in the book. `state` is up to date with `quotes` (see `advance`).
 * @throws {ExchangeError} `bad-symbol`, `invalid-order`, `not-supported`, `reduce-only-rejected`,
 *   `order-immediately-fillable`, `insufficient-funds`
 */
export function placeOrder(state: PaperState, request: OrderRequest, quotes: Quotes, now: number): Outcome {
  const market = findMarket(request.symbol)
  const ticker = quotes(request.symbol)
  const terms = checkTerms(request, market, ticker)
  if (request.reduceOnly === true && reducibleAmount(state, request.symbol, request.side).isZero()) {
    throw new ExchangeError(
      'reduce-only-rejected',
      `there is no ${request.symbol} position that a ${request.side} reduces`,
      {
        hint: 'Leave reduce-only out to open a position.',
      },
    )
  }
  const { state: numbered, order } = numberOrder(state, describe(request, terms, now))
  const takes = order.type === 'market' || (order.price !== undefined && crosses(order.side, order.price, ticker))
  if (takes && order.postOnly) {
    throw new ExchangeError(
      'order-immediately-fillable',
      `a post-only ${order.side} at ${order.price} would trade at once`,
      {
        hint: `The market is ${ticker.bid} / ${ticker.ask}.`,
      },
    )
  }
  const outcome = takes
    ? fillOrder(numbered, order, { price: takingPrice(order.side, ticker), takerOrMaker: 'taker', at: now })
    : rest(numbered, order, ticker.last)
  const missing = missingFunds(state, outcome.state, order.symbol, quotes)
  if (missing !== undefined) throw missing
  return outcome
}

/** @throws {ExchangeError} `order-not-found` */
export function cancelOrder(state: PaperState, id: string): Outcome {
  const resting = state.openOrders.find((open) => open.order.id === id)
  if (resting === undefined) {
    throw new ExchangeError('order-not-found', `order ${id} is not open`, {
      hint: 'It may have filled or been cancelled; list the open orders.',
    })
  }
  return { state: cancelResting(state, resting.order), result: { ...resting.order, status: 'canceled' } }
}

/** Cancels all open orders, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function cancelOrders(state: PaperState, symbol: string | undefined): Outcome<readonly Order[]> {
  const orders = openOrdersOf(state, symbol)
  return {
    state: orders.reduce((current, order) => cancelResting(current, order), state),
    result: orders.map((order): Order => ({ ...order, status: 'canceled' })),
  }
}

/** Oldest first, of one symbol where given. @throws {ExchangeError} `bad-symbol` */
export function openOrdersOf(state: PaperState, symbol: string | undefined): readonly Order[] {
  if (symbol !== undefined) findMarket(symbol)
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => symbol === undefined || order.symbol === symbol)
}

function describe(request: OrderRequest, terms: OrderTerms, now: number): Omit<Order, 'id'> {
  const { price, triggerPrice } = terms
  const amount = decimalText(terms.amount)
  return {
    ...(request.clientOrderId === undefined ? {} : { clientOrderId: request.clientOrderId }),
    symbol: request.symbol,
    side: request.side,
    type: request.type,
    amount,
    filled: '0',
    remaining: amount,
    ...(price === undefined ? {} : { price: decimalText(price) }),
    ...(triggerPrice === undefined ? {} : { triggerPrice: decimalText(triggerPrice) }),
    reduceOnly: request.reduceOnly ?? false,
    postOnly: request.postOnly ?? false,
    status: 'open',
    timestamp: now,
  }
}

/** A stop remembers from which side of its trigger price it was placed. */
function rest(state: PaperState, order: Order, last: string): Outcome {
  if (state.openOrders.length >= MAX_OPEN_ORDERS) {
    throw new ExchangeError('invalid-order', `${MAX_OPEN_ORDERS} orders are open, no more are taken`, {
      hint: 'Cancel some first.',
    })
  }
  const resting: RestingOrder =
    order.triggerPrice === undefined ? { order } : { order, firesWhenLast: firingSide(order, last) }
  return { state: noteChange({ ...state, openOrders: [...state.openOrders, resting] }, { order }), result: order }
}

function firingSide(order: Order, last: string): NonNullable<RestingOrder['firesWhenLast']> {
  const distance = new Decimal(order.triggerPrice ?? last).comparedTo(last)
  if (distance === 0) {
    throw new ExchangeError('invalid-order', `the trigger price ${order.triggerPrice} is the last price`, {
      hint: 'A stop waits for a price above or below it; use a market order to trade at once.',
    })
  }
  return distance > 0 ? 'at-or-above' : 'at-or-below'
}
