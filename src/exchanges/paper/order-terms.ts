// Which orders the paper market takes at all: the fields each type has, the market's grid and its minimums. Orders that only
// reduce are exempt from the minimums, so that every position can be closed.
import { ExchangeError, type Market, type OrderRequest, type Ticker } from '../../exchange/exchange.ts'
import { Decimal, decimalText } from './decimal.ts'
import { takingPrice } from './market.ts'

/** A request's figures in canonical form. */
export interface OrderTerms {
  readonly amount: Decimal
  /** Present exactly for `limit`. */
  readonly price?: Decimal
  /** Present exactly for `stop`. */
  readonly triggerPrice?: Decimal
}

/** More digits than any market has; keeps arithmetic exact. */
const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,15})?$/

/** @throws {ExchangeError} `invalid-order`, `not-supported` */
export function checkTerms(request: OrderRequest, market: Market, ticker: Ticker): OrderTerms {
  checkFields(request)
  const terms: OrderTerms = {
    amount: onGrid(request.amount, 'amount', market.lotSize, market),
    ...(request.price === undefined ? {} : { price: onGrid(request.price, 'price', market.tickSize, market) }),
    ...(request.triggerPrice === undefined
      ? {}
      : { triggerPrice: onGrid(request.triggerPrice, 'trigger price', market.tickSize, market) }),
  }
  if (request.reduceOnly !== true) checkMinimums(request, terms, market, ticker)
  return terms
}

function checkFields(request: OrderRequest): void {
  const { type, price, triggerPrice } = request
  if (type === 'stop' && price !== undefined) {
    throw new ExchangeError('not-supported', 'the paper market has no stop-limit orders', {
      hint: 'Leave the price out: the stop becomes a market order.',
    })
  }
  if ((type === 'limit') !== (price !== undefined)) {
    throw refuse(
      type === 'limit' ? 'a limit order needs a price' : 'a market order has no price',
      'Limit orders name one.',
    )
  }
  if ((type === 'stop') !== (triggerPrice !== undefined)) {
    throw refuse(
      type === 'stop' ? 'a stop order needs a trigger price' : `a ${type} order has no trigger price`,
      'Stop orders name the last price at which they become market orders.',
    )
  }
  if (request.postOnly === true && type !== 'limit') {
    throw refuse(`a ${type} order cannot be post-only`, 'Use a limit order, or leave post-only out.')
  }
}

function onGrid(text: string, what: string, step: string, market: Market): Decimal {
  const value = PLAIN_DECIMAL.test(text) ? new Decimal(text) : undefined
  if (value === undefined || value.isZero()) {
    throw refuse(`the ${what} must be a number above zero`, `Write it plainly, in steps of ${step}.`)
  }
  if (!value.mod(step).isZero()) {
    const nearest = Decimal.max(value.div(step).floor().times(step), step)
    throw refuse(
      `the ${what} ${decimalText(value)} is not a multiple of ${step}`,
      `${market.symbol} trades in steps of ${step}: ${decimalText(nearest)} fits.`,
    )
  }
  return value
}

function checkMinimums(request: OrderRequest, terms: OrderTerms, market: Market, ticker: Ticker): void {
  if (terms.amount.lt(market.minAmount)) {
    throw refuse(
      `the amount ${decimalText(terms.amount)} is below the minimum of ${market.symbol}`,
      `The smallest order is ${market.minAmount} ${market.base}.`,
    )
  }
  const price = terms.price ?? terms.triggerPrice ?? takingPrice(request.side, ticker)
  const notional = terms.amount.times(price)
  if (notional.lt(market.minNotional)) {
    throw refuse(
      `the order is worth ${notional.toFixed(2)} ${market.quote}, below the minimum of ${market.symbol}`,
      `The smallest order is worth ${market.minNotional} ${market.quote}.`,
    )
  }
}

function refuse(message: string, hint: string): ExchangeError {
  return new ExchangeError('invalid-order', message, { hint })
}
