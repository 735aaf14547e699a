// What the first page brings in: the sessions.
import type { CommandPorts, PendingClient } from '../commands/kit/ports.ts'
import { type ClientActivity, Sessions, type SessionsOptions } from '../listener/sessions/sessions.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Stores } from './open-stores.ts'

export interface OpenSessionsOptions {
  readonly listenerId: SessionsOptions['listenerId']
  readonly stores: Pick<Stores, 'identity' | 'tasks' | 'crossTrade' | 'crossTradeEngine'>
  readonly ports: CommandPorts
  readonly connect: SessionsOptions['connect']
  readonly runner: Runner
  readonly onQuestion: SessionsOptions['onQuestion']
  /** Present where nobody is there to answer: unknown clients are denied. */
  readonly onUnattended: ((client: PendingClient) => void) | undefined
  readonly onActivity: (activity: ClientActivity) => void
  readonly onBug: (error: unknown) => void
}

export function openSessions({ stores, onUnattended, ports, ...options }: OpenSessionsOptions): Sessions {
  return new Sessions({
    ...options,
    services: ports,
    now: Date.now,
    tasks: stores.tasks,
    crossTrade: stores.crossTrade,
    crossTradeEngine: stores.crossTradeEngine,
    ...(onUnattended ? { onUnattended } : {}),
  })
}
