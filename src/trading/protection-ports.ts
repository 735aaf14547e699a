// What a protection needs of the desk around it.
import type { Decimal } from 'decimal.js'
import type { Exchange, OrderContext } from '../exchange/exchange.ts'
import type { Order } from '../exchange/order.ts'
import type { OrderJournal } from './order-journal.ts'
import type { Intent, Protector } from './order-journal-lines.ts'

/** The entry was placed: neither a halt nor simulation leaves it without its stop (behaviour 40). */
export const PROTECTS: OrderContext = { protects: true }

export interface ProtectionPorts {
  readonly exchange: Exchange
  readonly journal: OrderJournal
  /** Sends a protective order and follows it; `onEnd` when it is over. @throws as `OrderSender.send` */
  send(intent: Omit<Intent, 'at' | 'account' | 'venue'>, onEnd: (order: Order) => void): Promise<Order>
  /**
   * Asks for an order that was sent before.
   * @returns undefined when the venue does not have it
   * @throws {TradingError} `outcome-unknown`
   */
  find(clientOrderId: string): Promise<Order | undefined>
  /** What last is; undefined where the venue does not say so soon: a position does not wait for its stop because of that. */
  priceSoon(symbol: string): Promise<string | undefined>
  /** Follows a protective order that is there already. */
  follow(order: Order, id: string, onEnd: (order: Order) => void): void
  /** From now on the end of the order is told; one that came before, at once. */
  release(id: string): void
  /** What has filled of an order that is followed, by what was heard of it. */
  filledOf(order: Order): Decimal
}

/** After a crash: with the orders that the process before had begun to send for it, and the fees that it had paid. */
export type ProtectedEntry = Intent & {
  readonly protectors?: readonly Protector[]
  readonly feesBefore?: Readonly<Record<string, string>>
}
