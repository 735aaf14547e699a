// What the venue of an account has to be able to do for what was typed, refused in words before anything is sent.
import type { OrderType, Side } from '../../exchange/order.ts'
import type { MarketView } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { CommandError } from '../kit/errors.ts'

/** @throws {CommandError} `not-supported` */
export function requireType({ venue }: TradingAccount, type: OrderType): void {
  if (venue.capabilities.orderTypes.includes(type)) return
  throw new CommandError('not-supported', `${venue.id} takes no ${type} orders`, {
    hint: `use ${venue.capabilities.orderTypes.join(', ')}`,
  })
}

/** @throws {CommandError} `not-supported` */
export function requireReduce({ venue }: TradingAccount): void {
  if (venue.kind !== 'spot') return
  throw new CommandError('not-supported', 'a spot account has no positions that could be reduced, only coins', {
    hint: 'leave `reduce` out: a spot sell never exceeds the balance',
  })
}

/**
 * Stop and take-profit of an entry. On spot two orders would both sell the coins that are held once.
 * @throws {CommandError} `not-supported`
 */
export function requireProtection(
  account: TradingAccount,
  { market }: MarketView,
  side: Side,
  { stop, takeProfit }: { readonly stop: boolean; readonly takeProfit: boolean },
): void {
  const { capabilities, id } = account.venue
  if (market.kind === 'spot' && side === 'sell') {
    throw new CommandError('not-supported', `selling ${market.base} on spot opens no position to protect`, {
      hint: 'leave stop and tp out',
    })
  }
  const isOneOrder = capabilities.oco === true
  if (market.kind === 'spot' && stop && takeProfit && !isOneOrder) {
    throw new CommandError('not-supported', `${id} cannot hold a stop and a take-profit for the same coins`, {
      hint: 'keep `stop` or `tp`',
    })
  }
  if (stop) requireType(account, 'stop')
  else requireType(account, 'take-profit')
  if (stop && takeProfit && !isOneOrder) requireType(account, 'take-profit')
}
