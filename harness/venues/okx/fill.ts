// One execution, written into the account's books.
import { Decimal } from 'decimal.js'
import type { Account, Fill, Held, VenueOrder } from './account.ts'
import { type Instrument, MAKER_FEE, TAKER_FEE, valueOf } from './instruments.ts'

export interface Piece {
  readonly id: string
  readonly price: Decimal
  readonly size: Decimal
  readonly isMaker: boolean
  readonly time: number
}

const DIGITS = 8

export function bookFill(account: Account, order: VenueOrder, { id, price, size, isMaker, time }: Piece): Fill {
  const { instrument } = order
  const held = account.held(instrument)
  const fee = valueOf(size, price, instrument)
    .times(isMaker ? MAKER_FEE : TAKER_FEE)
    .toDecimalPlaces(DIGITS)
  const pnl = change(held, order.side === 'buy' ? size : size.neg(), price, instrument)
  held.time = time
  held.realized = held.realized.plus(pnl).minus(fee)
  account.wallet = account.wallet.plus(pnl).minus(fee)
  order.filled = order.filled.plus(size)
  order.cost = order.cost.plus(size.times(price))
  order.fee = order.fee.plus(fee)
  order.pnl = order.pnl.plus(pnl)
  order.state = order.filled.gte(order.size) ? 'filled' : 'partially_filled'
  order.updateTime = time
  const fill = { id, order, price, size, fee, pnl, isMaker, time }
  account.fills.push(fill)
  return fill
}

/** @returns what closing a part of it brought */
function change(held: Held, signed: Decimal, price: Decimal, instrument: Instrument): Decimal {
  const before = held.contracts
  const after = before.plus(signed)
  held.contracts = after
  if (before.isZero() || before.isPositive() === signed.isPositive()) {
    if (before.isZero()) held.realized = new Decimal(0)
    held.entry = before.times(held.entry).plus(signed.times(price)).div(after)
    return new Decimal(0)
  }
  const closed = Decimal.min(before.abs(), signed.abs()).times(before.isPositive() ? 1 : -1)
  const pnl = valueOf(closed, price.minus(held.entry), instrument).toDecimalPlaces(DIGITS)
  if (after.isZero()) held.entry = new Decimal(0)
  else if (after.isPositive() !== before.isPositive()) held.entry = price
  return pnl
}
