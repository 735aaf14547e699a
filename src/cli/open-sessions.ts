// What the first page brings in: the sessions, and the stores that only pages see.
import { Sessions, type SessionsOptions } from '../listener/sessions.ts'
import { openCrossTrade } from '../stores/cross-trade.ts'
import { openCrossTradeEngine } from '../stores/cross-trade-engine.ts'
import { openTasks } from '../stores/tasks.ts'
import type { WebSideOptions } from './web-side.ts'

export interface OpenSessionsOptions extends WebSideOptions {
  readonly listenerId: SessionsOptions['listenerId']
}

export function openSessions({ directory, onUnattended, ...options }: OpenSessionsOptions): Sessions {
  return new Sessions({
    ...options,
    tasks: openTasks(directory),
    crossTrade: openCrossTrade(directory),
    crossTradeEngine: openCrossTradeEngine(directory),
    ...(onUnattended ? { onUnattended } : {}),
  })
}
