// An account as the program opens it: its venue behind the guard, and the desk on that.
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { DayBook } from '../../src/guards/day-book.ts'
import { guardExchange } from '../../src/guards/guard-exchange.ts'
import type { GuardStore } from '../../src/stores/guards.ts'
import type { Clock } from '../../src/trading/clock.ts'
import { OrderDesk, type TradingAccount } from '../../src/trading/order-desk.ts'
import type { OrderListener } from '../../src/trading/order-event.ts'
import type { OrderJournal } from '../../src/trading/order-journal.ts'

export interface GuardedAccountOptions {
  readonly guards: GuardStore
  readonly book: DayBook
  readonly clock: Clock
  readonly journal: OrderJournal
  readonly report: OrderListener
}

export function openGuardedAccount(
  name: string,
  raw: Exchange,
  { guards, book, clock, journal, report }: GuardedAccountOptions,
): TradingAccount {
  const exchange = guardExchange(raw, { account: name, store: guards, book, now: clock.now, onTripped() {} })
  const orders = new OrderDesk({ account: name, exchange, journal, clock, report, onProblem: failLoudly })
  return { name, venue: exchange, orders }
}

export function failLoudly(error: unknown): never {
  throw error
}
