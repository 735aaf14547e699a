// What the first page brings in: the sessions, and the stores that only pages see.
import { type SessionStores, Sessions, type SessionsOptions } from '../listener/sessions/sessions.ts'
import { openCrossTrade } from '../stores/cross-trade.ts'
import { openCrossTradeEngine } from '../stores/cross-trade-engine.ts'
import { openTasks } from '../stores/tasks.ts'

export interface OpenSessionsOptions extends Omit<SessionsOptions, 'stores' | 'now'> {
  readonly directory: string
  /** Those that are open already. */
  readonly stores: Omit<SessionStores, 'tasks' | 'crossTrade' | 'crossTradeEngine'>
}

export function openSessions({ directory, stores, ...options }: OpenSessionsOptions): Sessions {
  const { config, accounts, hooks, aliases, trustedClients } = stores
  return new Sessions({
    ...options,
    now: Date.now,
    stores: {
      ...{ config, accounts, hooks, aliases, trustedClients },
      tasks: openTasks(directory),
      crossTrade: openCrossTrade(directory),
      crossTradeEngine: openCrossTradeEngine(directory),
    },
  })
}
