// The listener's WebSocket side: its stores, its sessions, and what it tells the operator.
import type { PendingClient, Services } from '../commands/command.ts'
import { type ClientActivity, Sessions, type SessionsOptions } from '../listener/sessions.ts'
import type { Runner } from '../runtime/runner.ts'
import { openCrossTrade } from '../stores/cross-trade.ts'
import { openCrossTradeEngine } from '../stores/cross-trade-engine.ts'
import { openIdentity } from '../stores/identity.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import { openTasks } from '../stores/tasks.ts'

export interface WebSideOptions {
  readonly directory: string
  readonly services: Services
  readonly runner: Runner
  readonly onQuestion: SessionsOptions['onQuestion']
  /** Present where nobody is there to answer: unknown clients are denied. */
  readonly onUnattended: ((client: PendingClient) => void) | undefined
  readonly onActivity: (activity: ClientActivity) => void
  readonly onBug: (error: unknown) => void
}

export interface WebSide {
  readonly sessions: Sessions
  /** Reads the identity, made at the first start. @throws {StoreError} without it no page is let in; hooks work */
  start(): Promise<{ readonly listenerId: string }>
  problems(): readonly StoreProblem[]
}

export function createWebSide(options: WebSideOptions): WebSide {
  const { directory, onUnattended } = options
  const identity = openIdentity(directory)
  const tasks = openTasks(directory)
  const crossTrade = openCrossTrade(directory)
  const crossTradeEngine = openCrossTradeEngine(directory)
  let listenerId: string | undefined
  const sessions = new Sessions({
    services: options.services,
    runner: options.runner,
    tasks,
    crossTrade,
    crossTradeEngine,
    listenerId: () => listenerId,
    onQuestion: options.onQuestion,
    ...(onUnattended ? { onUnattended } : {}),
    onActivity: options.onActivity,
    onBug: options.onBug,
  })
  return {
    sessions,
    async start() {
      const loaded = await identity.load()
      listenerId = loaded.listenerId
      return loaded
    },
    problems: () => [identity, tasks, crossTrade].flatMap((store) => store.problem() ?? []),
  }
}
