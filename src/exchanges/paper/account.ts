// One position and what a trade does to it. The cost is carried exactly and released in proportion as the position is
// closed; the last close releases what is left, so that rounding never makes or loses money.

import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Balance, Order, Position, Side } from '../../exchange/order.ts'
import { groupThousands, priceOnGrid } from '../../exchange/price-grid.ts'
import { Decimal, decimal, decimalText, toMoney, ZERO } from './decimal.ts'
import type { PaperMarket } from './markets.ts'
import type { Pricing, Quotes } from './quotes.ts'
import { leverageOf, type PaperState, type RestingOrder, type StoredPosition } from './state.ts'

/** Of a side: what is bought counts up, what is sold counts down. */
export function signed(side: Side, amount: Decimal): Decimal {
  return side === 'buy' ? amount : amount.neg()
}

/** In base, negative when short, zero without a position. */
function heldAmount(state: PaperState, symbol: string): Decimal {
  const position = state.positions.find((held) => held.symbol === symbol)
  return position === undefined ? ZERO : decimal(position.amount)
}

/** How much an order of this side could take off the position. */
export function reducibleAmount(state: PaperState, symbol: string, side: Side): Decimal {
  return Decimal.max(ZERO, signed(side, heldAmount(state, symbol)).neg())
}

interface PositionChange {
  readonly symbol: string
  /** In base; what is sold counts down. */
  readonly change: Decimal
  readonly price: Decimal
  /** ms since the epoch. */
  readonly at: number
}

/**
 * The account's positions after trading `change` (signed, in base) at `price`, and the PnL that realises. A trade through
 * zero closes the old position and opens the other way for the rest.
 */
export function tradePosition(
  state: PaperState,
  { symbol, change, price, at }: PositionChange,
): { readonly positions: readonly StoredPosition[]; readonly realized: Decimal } {
  const before = state.positions.find((held) => held.symbol === symbol)
  const nothing: StoredPosition = { symbol, amount: '0', cost: '0', realizedPnl: '0' }
  const { after, realized } = traded(before ?? nothing, change, price, at)
  const others = state.positions.filter((held) => held.symbol !== symbol)
  const positions = after === undefined ? others : [...others, after]
  return { positions: positions.sort((left, right) => (left.symbol < right.symbol ? -1 : 1)), realized }
}

function traded(
  before: StoredPosition,
  change: Decimal,
  price: Decimal,
  at: number,
): { readonly after: StoredPosition | undefined; readonly realized: Decimal } {
  const held = decimal(before.amount)
  const cost = decimal(before.cost)
  const closes = held.isNeg() !== change.isNeg() && !held.isZero()
  if (!closes) {
    const entered = held.isZero() ? { ...before, openedAt: at } : before
    return { after: withHolding(entered, held.plus(change), cost.plus(change.times(price))), realized: ZERO }
  }
  if (change.abs().gte(held.abs())) {
    const rest = held.plus(change)
    const { fundedUntil: _, ...closed } = before
    const opened = { ...closed, realizedPnl: '0', openedAt: at }
    return {
      after: rest.isZero() ? undefined : withHolding(opened, rest, rest.times(price)),
      realized: held.times(price).minus(cost),
    }
  }
  const released = toMoney(cost.times(change).div(held).neg())
  const realized = change.neg().times(price).minus(released)
  const after = withHolding(before, held.plus(change), cost.minus(released))
  return { after: { ...after, realizedPnl: decimalText(realized.plus(decimal(before.realizedPnl))) }, realized }
}

function withHolding(position: StoredPosition, amount: Decimal, cost: Decimal): StoredPosition {
  return { ...position, amount: decimalText(amount), cost: decimalText(cost) }
}

/** What the position would realise at the last price. */
function unrealized(position: StoredPosition, quotes: Quotes): Decimal {
  return decimal(position.amount)
    .times(decimal(quotes(position.symbol).last))
    .minus(decimal(position.cost))
}

// What the account is worth and what its positions and orders lock: cross margin at the symbol's leverage. An order locks
// margin only for what it would add to the position, so that an exit never has to be paid for.

/** Share of the notional at which a position is no longer carried. */
const MAINTENANCE_RATE = '0.005'

export function walletOf(state: PaperState): Decimal {
  return decimal(state.deposited)
    .plus(decimal(state.realizedPnl))
    .minus(decimal(state.fees))
    .plus(decimal(state.covered))
}

/** Wallet and unrealised PnL. */
export function equityOf(state: PaperState, pricing: Pricing): Decimal {
  return state.positions.reduce((sum, position) => sum.plus(unrealized(position, pricing.quotes)), walletOf(state))
}

/** The margin that positions and open orders lock, with the fees the orders will cost. */
export function lockedMargin(state: PaperState, pricing: Pricing): Decimal {
  const symbols = new Set([...state.positions.map(({ symbol }) => symbol), ...entriesOf(state).keys()])
  return [...symbols].reduce((sum, symbol) => sum.plus(lockedBy(state, symbol, pricing)), ZERO)
}

/** The worst of three futures: nothing fills, all entries on the buy side fill, all on the sell side do. */
function lockedBy(state: PaperState, symbol: string, { listing, quotes }: Pricing): Decimal {
  const market = listing.find(symbol)
  const { last } = quotes(symbol)
  const leverage = leverageOf(state, market)
  const held = heldAmount(state, symbol)
  const ordered = entriesOf(state).get(symbol)
  const known = ordered === undefined ? undefined : locks.get(ordered)
  if (known?.market === market && known.last === last && known.leverage === leverage && known.held.eq(held))
    return known.locked
  const exposure = held.times(decimal(last))
  const times = decimal(leverage)
  const takerFee = decimal(market.takerFee)
  const cost = (owned: Decimal, entries: Decimal) =>
    entries.isZero() ? ZERO : owned.plus(entries).div(times).plus(entries.times(takerFee))
  const locked = Decimal.max(
    exposure.abs().div(times),
    cost(exposure, ordered?.buy ?? ZERO),
    cost(exposure.neg(), ordered?.sell ?? ZERO),
  )
  if (ordered !== undefined) locks.set(ordered, { market, last, leverage, held, locked })
  return locked
}

/** The notional of the orders that may enter, on each side of a symbol. */
type SymbolEntries = Readonly<Record<Side, Decimal>>

/** By symbol; those without any are left out. */
type Entries = ReadonlyMap<string, SymbolEntries>

/** Of the same entries at the same price: an order changes one symbol, and what the others lock is asked with each. */
const locks = new WeakMap<
  SymbolEntries,
  {
    readonly market: PaperMarket
    readonly last: string
    readonly leverage: string
    readonly held: Decimal
    readonly locked: Decimal
  }
>()

/** The list is another one with each change of it: the state before a request is the one after the request before. */
const entries = new WeakMap<readonly RestingOrder[], Entries>()

/** @param before a state that differs in few orders: of the others nothing is summed again */
function entriesOf({ openOrders }: PaperState, before?: PaperState): Entries {
  const known = entries.get(openOrders)
  if (known !== undefined) return known
  const earlier = before === undefined ? undefined : entries.get(before.openOrders)
  const sums = new Map(earlier)
  const add = ({ order }: RestingOrder, sign: 1 | -1): void => {
    if (order.reduceOnly) return
    const { buy, sell } = sums.get(order.symbol) ?? { buy: ZERO, sell: ZERO }
    const notional = sign === 1 ? notionalOf(order) : notionalOf(order).neg()
    const sum = order.side === 'buy' ? { buy: buy.plus(notional), sell } : { buy, sell: sell.plus(notional) }
    if (sum.buy.isZero() && sum.sell.isZero()) sums.delete(order.symbol)
    else sums.set(order.symbol, sum)
  }
  let next = 0
  // A row that is neither in its place nor replaced there is taken out, and what is left at the end is put in: whatever the order, it adds up.
  for (const row of earlier === undefined ? [] : (before?.openOrders ?? [])) {
    const here = openOrders[next]
    if (here === row) next += 1
    else {
      add(row, -1)
      if (here?.order.id === row.order.id) {
        add(here, 1)
        next += 1
      }
    }
  }
  for (const row of openOrders.slice(next)) add(row, 1)
  entries.set(openOrders, sums)
  return sums
}

/** Of an order's rest. Orders never change once they are made, and are counted again with every new one. */
const notionals = new WeakMap<Order, Decimal>()

function notionalOf(order: Order): Decimal {
  const known = notionals.get(order)
  if (known !== undefined) return known
  const notional = decimal(order.remaining).times(decimal(order.price ?? order.triggerPrice ?? '0'))
  notionals.set(order, notional)
  return notional
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
  pricing: Pricing,
): ExchangeError | undefined {
  const held = heldAmount(before, symbol)
  const kept = heldAmount(after, symbol)
  const reduced = kept.abs().lt(held.abs()) && kept.times(held).gte(0)
  if (reduced) return undefined
  // Of other symbols both lock the same.
  entriesOf(before)
  entriesOf(after, before)
  const more = lockedBy(after, symbol, pricing).minus(lockedBy(before, symbol, pricing))
  if (more.lte(0)) return undefined
  const lockedAfter = lockedMargin(after, pricing)
  const equityAfter = equityOf(after, pricing)
  if (lockedAfter.lte(equityAfter)) return undefined
  const lockedBefore = lockedAfter.minus(more)
  const equityBefore = equityOf(before, pricing)
  const needed = more.plus(equityBefore).minus(equityAfter)
  const free = Decimal.max(ZERO, equityBefore.minus(lockedBefore))
  const { currency } = pricing.listing
  return new ExchangeError(
    'insufficient-funds',
    `the order needs ${groupThousands(needed.toFixed(2))} ${currency} for margin and fees, and ${groupThousands(free.toFixed(2))} ${currency} is free`,
    { hint: 'order less, cancel an open order or close a position' },
  )
}

/** Whether the account is worth no more than its positions need to be carried. */
export function isLiquidatable(state: PaperState, pricing: Pricing): boolean {
  if (state.positions.length === 0) return false
  return equityOf(state, pricing).lte(notionalHeld(state.positions, pricing).times(MAINTENANCE_RATE))
}

/** As the port shows it. `free` is never below zero. */
export function describeBalance(state: PaperState, pricing: Pricing): Balance {
  const total = equityOf(state, pricing)
  const used = lockedMargin(state, pricing)
  return {
    currency: pricing.listing.currency,
    wallet: decimalText(walletOf(state)),
    total: decimalText(total),
    used: decimalText(used),
    free: decimalText(Decimal.max(ZERO, total.minus(used))),
  }
}

/** As the port shows it. */
export function describePosition(state: PaperState, position: StoredPosition, pricing: Pricing): Position {
  const amount = decimal(position.amount)
  const mark = pricing.quotes(position.symbol).last
  const liquidationPrice = liquidationPriceOf(state, position, pricing)
  return {
    symbol: position.symbol,
    side: amount.isNeg() ? 'short' : 'long',
    amount: decimalText(amount.abs()),
    entryPrice: decimalText(toMoney(decimal(position.cost).div(amount))),
    settle: pricing.listing.find(position.symbol).settle,
    notional: decimalText(amount.abs().times(decimal(mark))),
    markPrice: mark,
    unrealizedPnl: decimalText(unrealized(position, pricing.quotes)),
    realizedPnl: position.realizedPnl,
    leverage: leverageOf(state, pricing.listing.find(position.symbol)),
    marginMode: 'cross',
    ...defined({ liquidationPrice }),
  }
}

/** Where `isLiquidatable` becomes true if no other price moves, to the tick; undefined where no price above zero does that. */
function liquidationPriceOf(state: PaperState, position: StoredPosition, pricing: Pricing): string | undefined {
  const amount = decimal(position.amount)
  const others = state.positions.filter((held) => held.symbol !== position.symbol)
  const carried = notionalHeld(others, pricing).times(MAINTENANCE_RATE)
  const worthElsewhere = equityOf(state, pricing).minus(amount.times(decimal(pricing.quotes(position.symbol).last)))
  const slope = amount.minus(amount.abs().times(MAINTENANCE_RATE))
  const price = carried.minus(worthElsewhere).div(slope)
  if (price.lte(0)) return undefined
  return priceOnGrid(price, pricing.listing.find(position.symbol), 'nearest')
}

function notionalHeld(positions: readonly StoredPosition[], pricing: Pricing): Decimal {
  return positions.reduce(
    (sum, { symbol, amount }) =>
      sum.plus(
        decimal(amount)
          .abs()
          .times(decimal(pricing.quotes(symbol).last)),
      ),
    ZERO,
  )
}
