// What the first page brings in: the sessions, and the stores that only pages see.
import type { CommandPorts, PendingClient } from '../commands/kit/ports.ts'
import { type ClientActivity, Sessions, type SessionsOptions } from '../listener/sessions/sessions.ts'
import type { Runner } from '../runtime/runner.ts'
import { openCrossTrade } from '../stores/cross-trade.ts'
import { openCrossTradeEngine } from '../stores/cross-trade-engine.ts'
import { openTasks } from '../stores/tasks.ts'

export interface OpenSessionsOptions {
  readonly listenerId: SessionsOptions['listenerId']
  readonly directory: string
  readonly ports: CommandPorts
  readonly connect: SessionsOptions['connect']
  readonly runner: Runner
  readonly onQuestion: SessionsOptions['onQuestion']
  /** Present where nobody is there to answer: unknown clients are denied. */
  readonly onUnattended: ((client: PendingClient) => void) | undefined
  readonly onActivity: (activity: ClientActivity) => void
  readonly onBug: (error: unknown) => void
}

export function openSessions({ directory, onUnattended, ports, ...options }: OpenSessionsOptions): Sessions {
  return new Sessions({
    ...options,
    services: ports,
    now: Date.now,
    tasks: openTasks(directory),
    crossTrade: openCrossTrade(directory),
    crossTradeEngine: openCrossTradeEngine(directory),
    ...(onUnattended ? { onUnattended } : {}),
  })
}
