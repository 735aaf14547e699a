// What the account is worth and what its positions and orders lock: cross margin at the market's leverage. An order locks
// margin only for what it would add to the position, so that an exit never has to be paid for.
import { type Balance, ExchangeError, type Order } from '../../exchange/exchange.ts'
import { Decimal, decimalText, ZERO } from './decimal.ts'
import type { Quotes } from './market.ts'
import { findMarket } from './markets.ts'
import { heldAmount, unrealized } from './position.ts'
import type { PaperState } from './state.ts'

/** Share of the notional at which a position is no longer carried. */
const MAINTENANCE_RATE = '0.005'

export function walletOf(state: PaperState): Decimal {
  return new Decimal(state.deposited).plus(state.realizedPnl).minus(state.fees).plus(state.covered)
}

/** Wallet and unrealised PnL. */
export function equityOf(state: PaperState, quotes: Quotes): Decimal {
  return state.positions.reduce((sum, position) => sum.plus(unrealized(position, quotes)), walletOf(state))
}

/** The margin that positions and open orders lock, with the fees the orders will cost. */
export function lockedMargin(state: PaperState, quotes: Quotes): Decimal {
  const symbols = new Set([
    ...state.positions.map((position) => position.symbol),
    ...state.openOrders.map((resting) => resting.order.symbol),
  ])
  return [...symbols].reduce((sum, symbol) => sum.plus(lockedIn(state, symbol, quotes)), ZERO)
}

/** The worst of three futures: nothing fills, all entries on the buy side fill, all on the sell side do. */
function lockedIn(state: PaperState, symbol: string, quotes: Quotes): Decimal {
  const { maxLeverage, takerFee } = findMarket(symbol)
  const held = heldAmount(state, symbol).times(quotes(symbol).last)
  const entries = state.openOrders.filter(({ order }) => order.symbol === symbol && !order.reduceOnly)
  const cost = (exposure: Decimal, ordered: Decimal) =>
    exposure.plus(ordered).div(maxLeverage).plus(ordered.times(takerFee))
  const bought = notionalOf(entries.filter(({ order }) => order.side === 'buy').map(({ order }) => order))
  const sold = notionalOf(entries.filter(({ order }) => order.side === 'sell').map(({ order }) => order))
  return Decimal.max(cost(held.abs(), ZERO), cost(held, bought), cost(held.neg(), sold))
}

function notionalOf(orders: readonly Order[]): Decimal {
  return orders.reduce(
    (sum, order) => sum.plus(new Decimal(order.remaining).times(order.price ?? order.triggerPrice ?? '0')),
    ZERO,
  )
}

/**
 * Why an order in `symbol` may not take the account from `before` to `after`, if so: what it locks must be covered. A trade
 * that only takes off the position, and whatever locks no more than before, is always allowed.
 * @returns `insufficient-funds`, or undefined when the funds suffice
 */
export function missingFunds(
  before: PaperState,
  after: PaperState,
  symbol: string,
  quotes: Quotes,
): ExchangeError | undefined {
  const held = heldAmount(before, symbol)
  const kept = heldAmount(after, symbol)
  const reduced = kept.abs().lt(held.abs()) && kept.times(held).gte(0)
  if (reduced) return undefined
  const lockedBefore = lockedMargin(before, quotes)
  const lockedAfter = lockedMargin(after, quotes)
  const equityAfter = equityOf(after, quotes)
  if (lockedAfter.lte(lockedBefore) || lockedAfter.lte(equityAfter)) return undefined
  const equityBefore = equityOf(before, quotes)
  const needed = lockedAfter.minus(lockedBefore).plus(equityBefore).minus(equityAfter)
  const free = Decimal.max(ZERO, equityBefore.minus(lockedBefore))
  return new ExchangeError(
    'insufficient-funds',
    `the order needs ${needed.toFixed(2)} USDT for margin and fees, ${free.toFixed(2)} USDT is free`,
    { hint: 'Order less, cancel an open order or close a position.' },
  )
}

/** Whether the account is worth no more than its positions need to be carried. */
export function isLiquidatable(state: PaperState, quotes: Quotes): boolean {
  if (state.positions.length === 0) return false
  const notional = state.positions.reduce(
    (sum, position) => sum.plus(new Decimal(position.amount).abs().times(quotes(position.symbol).last)),
    ZERO,
  )
  return equityOf(state, quotes).lte(notional.times(MAINTENANCE_RATE))
}

/** As the port shows it. `free` is never below zero. */
export function describeBalance(state: PaperState, quotes: Quotes): Balance {
  const total = equityOf(state, quotes)
  const used = lockedMargin(state, quotes)
  return {
    currency: 'USDT',
    wallet: decimalText(walletOf(state)),
    total: decimalText(total),
    used: decimalText(used),
    free: decimalText(Decimal.max(ZERO, total.minus(used))),
  }
}
