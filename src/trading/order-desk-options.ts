import type { Exchange } from '../exchange/exchange.ts'
import type { Clock } from './clock.ts'
import type { TellOrder } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'

export interface OrderDeskOptions {
  readonly account: string
  readonly exchange: Exchange
  readonly journal: OrderJournal
  readonly clock: Clock
  /** Told what becomes of orders that nobody waits for: those that another process left. */
  readonly report: TellOrder
  /** Told what failed with nobody waiting for it. */
  readonly onProblem: (error: unknown) => void
}
