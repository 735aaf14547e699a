// Accounts that are connected: one exchange object and one order desk per account name, made at first use and kept.
import { unknownAccount } from '../commands/account/account.ts'
import type { AccountStore } from '../stores/accounts.ts'
import type { Clock } from '../trading/clock.ts'
import type { OrderDesk, TradingAccount } from '../trading/order-desk.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'

export interface Connections {
  /** @throws {CommandError} `unknown-account`, `not-supported` */
  connect(name: string): Promise<TradingAccount>
  /** Ends the connection, if there is one. */
  disconnect(name: string): Promise<void>
  closeAll(): Promise<void>
}

export interface ConnectionsOptions {
  readonly accounts: AccountStore
  readonly directory: string
  readonly journal: OrderJournal
  readonly clock: Clock
  /** What becomes of an order that nobody here waits for. */
  readonly onOrder: (account: string, event: OrderEvent) => void
  /** What went wrong in an exchange while no caller was waiting. */
  readonly onProblem: (account: string, problem: unknown) => void
}

interface Connection extends TradingAccount {
  readonly orders: OrderDesk
  close(): Promise<void>
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { accounts, directory, journal, clock } = options
  const connections = new Map<string, Promise<Connection>>()

  async function open(name: string, row: NonNullable<ReturnType<AccountStore['find']>>): Promise<Connection> {
    const onProblem = (problem: unknown) => options.onProblem(name, problem)
    const { openExchange, OrderDesk } = await import('./open-exchange.ts')
    const exchange = await openExchange(row, directory, onProblem)
    const report = (event: OrderEvent) => options.onOrder(name, event)
    const orders = new OrderDesk({ account: name, exchange, journal, clock, report, onProblem })
    return {
      name,
      venue: exchange,
      orders,
      async close() {
        orders.close()
        await exchange.close()
      },
    }
  }

  async function disconnect(name: string): Promise<void> {
    const connection = connections.get(name)
    connections.delete(name)
    // A connection that failed to open has nothing to close, and its caller has been told.
    const account = await connection?.catch(() => undefined)
    await account?.close()
  }

  return {
    async connect(name) {
      const row = accounts.find(name)
      if (!row) throw unknownAccount(name)
      const known = connections.get(name)
      if (known) return known
      const opening = open(name, row)
      connections.set(name, opening)
      // A failed attempt is not remembered: the next command tries again.
      opening.catch(() => connections.delete(name))
      return opening
    },
    disconnect,
    async closeAll() {
      await Promise.all([...connections.keys()].map(disconnect))
    },
  }
}
