// One execution, written into the account's books.
import { Decimal } from 'decimal.js'
import { changeHeld } from '../held.ts'
import type { Account, Fill, VenueOrder } from './account.ts'
import { MAKER_FEE, TAKER_FEE, worthOf } from './instruments.ts'

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
  const fee = worthOf(size, price, instrument)
    .times(isMaker ? MAKER_FEE : TAKER_FEE)
    .toDecimalPlaces(DIGITS)
  if (held.amount.isZero()) Object.assign(held, { realized: new Decimal(0), mode: order.marginMode })
  const pnl = changeHeld(held, order.side === 'buy' ? size : size.neg(), price, instrument.contractValue)
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
