// Where a venue changes no resting orders: one is taken back, and another takes its place. Never two at once.
import type { Exchange } from '../exchange/exchange.ts'
import { type Order, refOf } from '../exchange/order.ts'
import type { OrderJournal } from './order-journal.ts'
import type { OrderPlan } from './order-plan.ts'
import { TradingError } from './trading-error.ts'

export interface Replacement {
  /** The order taken back. */
  readonly ended: Order
  /** Undefined: nothing was to be placed. */
  readonly placed: Order | undefined
}

interface ReplacingPorts {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly cancel: (order: Order) => Promise<Order>
  readonly place: (plan: OrderPlan) => Promise<Order>
}

/**
 * The other order is sent only when the first is known to be over, for what that had not filled, and with the same protection.
 * @param planFor from what has ended; undefined: nothing is to be placed
 * @throws as `cancel` and `place`; {TradingError} `outcome-unknown` where it is not known to be over
 */
export async function replaceOrder(
  { exchange, journal, cancel, place }: ReplacingPorts,
  order: Order,
  planFor: (ended: Order) => OrderPlan | undefined,
): Promise<Replacement> {
  const sentAs = order.clientOrderId === undefined ? undefined : await journal.openOrder(order.clientOrderId)
  await cancel(order)
  // What an acknowledgement says of fills may be less than what has filled by then.
  const ended = await exchange.fetchOrder(refOf(order))
  if (ended.status === 'open') throw stillThere(ended)
  const plan = planFor(ended)
  if (plan === undefined) return { ended, placed: undefined }
  const protection = sentAs?.order.protection
  return { ended, placed: await place(protection === undefined ? plan : { ...plan, protection }) }
}

function stillThere({ id }: Order): TradingError {
  return new TradingError('outcome-unknown', `order ${id} is still there, though the venue took it back`, {
    hint: 'check `orders`: nothing else was placed',
  })
}
