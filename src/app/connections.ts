// Accounts that are connected: one exchange object per account name, made at first use and kept.
import { unknownAccount } from '../commands/account/account.ts'
import type { TradingAccount } from '../commands/kit/command.ts'
import type { AccountStore } from '../stores/accounts.ts'

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
  /** What went wrong in an exchange while no caller was waiting. */
  readonly onProblem: (account: string, problem: unknown) => void
}

export function createConnections({ accounts, directory, onProblem }: ConnectionsOptions): Connections {
  const connections = new Map<string, Promise<TradingAccount>>()

  async function disconnect(name: string): Promise<void> {
    const connection = connections.get(name)
    connections.delete(name)
    // A connection that failed to open has nothing to close, and its caller has been told.
    const account = await connection?.catch(() => undefined)
    await account?.exchange.close()
  }

  return {
    async connect(name) {
      const row = accounts.find(name)
      if (!row) throw unknownAccount(name)
      const known = connections.get(name)
      if (known) return known
      const opening = import('./open-exchange.ts').then(async ({ openExchange }) => ({
        name,
        exchange: await openExchange(row, directory, (problem) => onProblem(name, problem)),
      }))
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
