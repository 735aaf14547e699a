// Accounts that are connected: one venue and one order desk per account row, made at first use and kept until the row changes.

import { unknownAccount } from '../commands/account/account-name.ts'
import type { KnownMarkets } from '../exchange/market.ts'
import { type AccountRow, type AccountStore, isSameConnection } from '../stores/accounts.ts'
import type { TradingAccount } from '../trading/order-desk.ts'

export interface Connections {
  /**
   * Accounts are read fresh: a row that was edited, by a command or by hand, gets a new connection, and the old one is closed.
   * @throws {CommandError} `unknown-account`, `not-supported`
   */
  connect(name: string): Promise<TradingAccount>
  /** Accounts with a connection, or with one that is being made. */
  connected(): readonly string[]
  /** What is kept of the markets of an account; undefined: nothing, or the account is not connected. */
  readonly marketsOf: (account: string) => KnownMarkets
  /** Ends the connection, if there is one. */
  disconnect(name: string): Promise<void>
  closeAll(): Promise<void>
}

interface ConnectionsOptions {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly open: (row: AccountRow) => Promise<OpenAccount>
  /** What went wrong in an exchange while no command waited for it. */
  readonly onProblem: (account: string, problem: unknown) => void
}

export interface OpenAccount extends TradingAccount {
  close(): Promise<void>
}

interface Connection {
  readonly row: AccountRow
  readonly opening: Promise<OpenAccount>
  /** Once it is open. */
  account?: OpenAccount
}

export function createConnections({ accounts, open, onProblem }: ConnectionsOptions): Connections {
  const connections = new Map<string, Connection>()
  /** Ends that nothing else waits for. */
  const ending = new Set<Promise<void>>()

  function begin(row: AccountRow): Connection {
    const { name } = row
    const opening = open(row)
    const connection: Connection = { row, opening }
    connections.set(name, connection)
    // A failed attempt is not remembered: the next command tries again. By then there may be a newer one.
    opening.then(
      (account) => {
        connection.account = account
      },
      () => {
        if (connections.get(name) === connection) connections.delete(name)
      },
    )
    return connection
  }

  async function disconnect(name: string): Promise<void> {
    const connection = connections.get(name)
    connections.delete(name)
    // A connection that failed to open has nothing to close, and the command that asked for it knows.
    const account = await connection?.opening.catch(() => undefined)
    await account?.close()
  }

  /** Without waiting: an old connection that hangs must not hold up the new one. */
  function leave(name: string): void {
    const end = disconnect(name)
      .catch((problem) => onProblem(name, problem))
      .finally(() => ending.delete(end))
    ending.add(end)
  }

  return {
    async connect(name) {
      const row = accounts.find(name)
      const known = connections.get(name)
      // `updatedAt` alone would do for edits by hookline; people who change keys by hand leave it as it is.
      if (row && known && (row === known.row || isSameConnection(row, known.row))) return known.opening
      if (known) leave(name)
      if (!row) throw unknownAccount(name)
      return begin(row).opening
    },
    connected: () => [...connections.keys()],
    marketsOf: (account) => (symbol) => connections.get(account)?.account?.venue.knownMarket?.(symbol),
    disconnect,
    async closeAll() {
      await Promise.all([...ending, ...[...connections.keys()].map(disconnect)])
    },
  }
}
