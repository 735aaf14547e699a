// What a process wants of the app.
import type { Terminal } from '../commands/kit/ports.ts'
import type { AppEvents } from './app-events.ts'

export interface AppOptions {
  readonly env: NodeJS.ProcessEnv
  /** `none`: `exec` and the hook subcommands. `unattended`: nobody answers questions, unknown clients are denied. */
  readonly listen: 'none' | 'attended' | 'unattended'
  readonly events: AppEvents
  /** Drives tasks though it does not listen, where nobody else does: the engine of `cross-trade run`. */
  readonly drivesTasks?: boolean
  /** How soon after its start the console's server is started, ms. Default: when a page asks for the first time. */
  readonly consoleInMs?: number
  /** Instead of the console's server of this process, for tests: whether it has the port. */
  readonly isConsoleServed?: () => Promise<boolean>
  /** Instead of Telegram's own, for tests: where notices by a bot go. */
  readonly telegramApi?: string
  /** The REPL's terminal, once there is one. */
  readonly terminal?: () => Terminal | undefined
}
