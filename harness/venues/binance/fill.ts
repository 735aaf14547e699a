// One execution, written into the account's books.
import type { Decimal } from 'decimal.js'
import { changeHeld } from '../held.ts'
import type { Account, Fill, VenueOrder } from './account.ts'
import { MAKER_FEE, TAKER_FEE } from './symbols.ts'

export interface Piece {
  readonly id: number
  readonly price: Decimal
  readonly amount: Decimal
  readonly isMaker: boolean
  readonly time: number
  /** Default: the usual one. */
  readonly feeRate?: string
}

/** Fees and profits have eight digits, and the wallet changes by exactly those. */
const DIGITS = 8

export function book(account: Account, order: VenueOrder, piece: Piece): Fill {
  const { id, price, amount, isMaker, time } = piece
  const held = account.held(order.listed.symbol)
  const fee = price
    .times(amount)
    .times(piece.feeRate ?? (isMaker ? MAKER_FEE : TAKER_FEE))
    .toDecimalPlaces(DIGITS)
  const realized = changeHeld(held, order.side === 'BUY' ? amount : amount.neg(), price)
  held.updateTime = time
  account.wallet = account.wallet.plus(realized).minus(fee)
  order.filled = order.filled.plus(amount)
  order.cost = order.cost.plus(amount.times(price))
  order.status = order.filled.gte(order.amount) ? 'FILLED' : 'PARTIALLY_FILLED'
  order.updateTime = time
  const fill = { id, order, price, amount, fee, realized, isMaker, time }
  account.fills.push(fill)
  return fill
}
