// An account row, connected: its venue, and the desk that sends its orders. Loaded at the first command that trades or asks for a price.
import type { Keys } from '../credentials/keys.ts'
import { findVenue } from '../exchanges/venues.ts'
import type { DayBook } from '../guards/day-book.ts'
import { guardExchange } from '../guards/guard-exchange.ts'
import { limitsOf } from '../guards/limits.ts'
import type { AccountRow } from '../stores/accounts.ts'
import type { GuardStore } from '../stores/guards.ts'
import type { Clock } from '../trading/clock.ts'
import { OrderDesk } from '../trading/order-desk.ts'
import type { TellOrder } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import type { OpenAccount } from './connections.ts'
import { openExchange } from './open-exchange.ts'

export interface OpenAccountOptions {
  readonly directory: string
  /** Asked for where the venue has keys. @throws {CredentialsError} */
  readonly resolveKeys: (row: AccountRow) => Promise<Keys>
  readonly journal: OrderJournal
  readonly clock: Clock
  /** Told what becomes of orders that another process left. */
  readonly report: TellOrder
  readonly onProblem: (problem: unknown) => void
  readonly guards: GuardStore
  /** What the orders of all accounts add up to. */
  readonly book: DayBook
  /** Told what a guard does by itself. */
  readonly onTripped: (text: string) => void
}

/** @throws {CommandError} `not-supported` @throws {CredentialsError} */
export async function openAccount(row: AccountRow, options: OpenAccountOptions): Promise<OpenAccount> {
  const { directory, resolveKeys, journal, clock, report, onProblem, guards, book, onTripped } = options
  const venue = await openExchange(row, wantsKeys(row) ? await resolveKeys(row) : {}, directory, onProblem)
  // Nothing below this line knows a way round the guard (behaviour 40).
  const exchange = guardExchange(venue, { account: row.name, store: guards, book, now: clock.now, onTripped })
  const orders = new OrderDesk({ account: row.name, exchange, journal, clock, report, onProblem })
  return {
    name: row.name,
    venue: exchange,
    orders,
    priceBand: () => limitsOf(guards.readOncePerTurn(row.name), row.exchange).band ?? 'off',
    async close() {
      orders.close()
      await exchange.close()
    },
  }
}

/** A venue that cannot be traded on is refused before anybody looks for its keys. */
function wantsKeys({ exchange }: AccountRow): boolean {
  const venue = findVenue(exchange)
  return venue?.canTrade === true && venue.needsCredentials
}
