// An account row, connected: its venue, and the desk that sends its orders. Loaded at the first command that trades or asks for a price.
import type { AccountRow } from '../stores/accounts.ts'
import type { Clock } from '../trading/clock.ts'
import { OrderDesk } from '../trading/order-desk.ts'
import type { TellOrder } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import type { OpenAccount } from './connections.ts'
import { openExchange } from './open-exchange.ts'

export interface OpenAccountOptions {
  readonly directory: string
  readonly journal: OrderJournal
  readonly clock: Clock
  /** Told what becomes of orders that another process left. */
  readonly report: TellOrder
  readonly onProblem: (problem: unknown) => void
}

/** @throws {CommandError} `not-supported` */
export async function openAccount(row: AccountRow, options: OpenAccountOptions): Promise<OpenAccount> {
  const { directory, journal, clock, report, onProblem } = options
  const exchange = await openExchange(row, directory, onProblem)
  const orders = new OrderDesk({ account: row.name, exchange, journal, clock, report, onProblem })
  return {
    name: row.name,
    venue: exchange,
    orders,
    async close() {
      orders.close()
      await exchange.close()
    },
  }
}
