// What a command is, and everything it may touch. A command never sees a socket, a terminal or a file: it gets ports.
import type { Exchange } from '../exchange/exchange.ts'
import type { Argument, Chain } from '../language/chain.ts'
import type { AccountStore } from '../stores/accounts.ts'
import type { ConfigStore } from '../stores/config.ts'
import type { HookStore } from '../stores/hooks.ts'
import type { TextMapStore } from '../stores/text-map.ts'
import type { TrustedClientStore } from '../stores/trusted-clients.ts'

/** Where a run came from (design: Words). */
export type Source = 'repl' | 'exec' | 'hook' | 'web'

/** How a line of output is meant; the specification's `cmd:output` kinds. */
export type OutputKind = 'print' | 'success' | 'warn' | 'error' | 'info'

/** `trusted`: only a person at this machine's terminal (`repl`, `exec`); design decisions 18 and 19. `repl`: only the interactive REPL. */
export type Where = 'anywhere' | 'trusted' | 'repl'

/** Lines a command emits. Text may hold several lines; it never ends in a newline and holds no colour codes. */
export interface Output {
  print(text: string): void
  success(text: string): void
  warn(text: string): void
  error(text: string): void
  info(text: string): void
}

/** What went wrong, for people: one line, with what to do next in `hint`. The run goes on with the next step. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string
  readonly hint: string | undefined
  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}

/** The account a run trades on, connected. */
export interface TradingAccount {
  readonly name: string
  readonly exchange: Exchange
}

export interface RunSummary {
  readonly runId: string
  readonly source: Source
  /** Hook name, client label or absent. */
  readonly origin?: string
  readonly command: string
  readonly account?: string
  readonly startedAt: number
  readonly finishedAt?: number
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  readonly error?: string
}

/** The listener as commands see it. */
export interface ListenerStatus {
  readonly state: 'listening' | 'disabled' | 'port-taken' | 'not-started'
  readonly address: string
  readonly pid: number
  /** Who holds the port, for `port-taken`; absent when it does not answer `/health` like a hookline. */
  readonly holderPid?: number
  readonly sockets: number
}

/** A client that waits for the operator's word; texts are as the client sent them. */
export interface PendingClient {
  readonly clientId: string
  readonly label: string
  readonly origin: string
}

/** Web clients of the listener in this process. */
export interface Clients {
  /** Open sessions by `clientId`. */
  connected(): ReadonlyMap<string, number>
  /** The one the operator is being asked about first. */
  pending(): readonly PendingClient[]
  /** @returns false when it no longer waits. @throws {StoreError} the approval could not be written down */
  decide(clientId: string, decision: 'approved' | 'denied'): Promise<boolean>
}

/** The person's terminal; absent outside the REPL. */
export interface Terminal {
  /** Asks a question whose answer is not shown and not kept in the history. */
  askHidden(question: string): Promise<string>
  clear(): void
  /** Lines typed before, oldest first. */
  history(): readonly string[]
  quit(): void
}

/** Everything outside the run that commands may use; built once by the composition root. */
export interface Services {
  readonly version: string
  readonly config: ConfigStore
  readonly accounts: AccountStore
  readonly hooks: HookStore
  readonly trustedClients: TrustedClientStore
  readonly variables: TextMapStore
  readonly aliases: TextMapStore
  /** Connects on first use and keeps the connection. @throws {CommandError} `unknown-account` */
  connect(accountName: string): Promise<TradingAccount>
  /** Ends a connection, because its account row changed or is gone. */
  disconnect(accountName: string): Promise<void>
  /** Running, waiting and recent runs, newest first. */
  runs(limit?: number): readonly RunSummary[]
  listenerStatus(): ListenerStatus
  /** Absent where this process has no listener. */
  readonly clients?: Clients | undefined
  readonly terminal?: Terminal | undefined
  /** ms since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts. */
  delay(ms: number, signal: AbortSignal): Promise<void>
}

/** One command's surroundings within one run. */
export interface CommandContext {
  readonly services: Services
  readonly source: Source
  readonly runId: string
  readonly out: Output
  /** Aborts when the run is cut short (shutdown). Anything that waits must listen. */
  readonly signal: AbortSignal
  /** The account this run trades on: pinned, or the one focused at the REPL. @throws {CommandError} `unknown-account` */
  account(): Promise<TradingAccount>
  readonly accountName: string
  /** The symbol used where a command names none. */
  readonly symbol: string
  /** Runs a chain as part of this run (repeat, alias). Resolves false when a step failed. */
  runChain(chain: Chain): Promise<boolean>
  /** Work that goes on after the command ended but prints under the same run (a chaser, a watched fill). */
  background(work: Promise<void>): void
}

export interface CommandExample {
  readonly line: string
  readonly says: string
}

/** One thing that can be typed: the row from which dispatch, help, completion and where it may run all come. */
export interface CommandForm {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Without the name: `<size> [SYMBOL] [at <price>]`. Several ways on several lines; empty when there are no arguments. */
  readonly usage: string
  /** One line, a fact, no full stop. */
  readonly summary: string
  readonly where: Where
  readonly examples: readonly CommandExample[]
  /** Words that are names of variables, not values: `set @x 5` must not read `@x`. Default: every `@x` is replaced. */
  readonly keepsVariablesIn?: 'first' | 'all'
  /** Reads the arguments without running anything, as a hook's body is checked when it is registered. @throws {LanguageError} */
  check?(args: readonly Argument[]): unknown
  /** Candidates for the argument after `context.words`; the caller filters them by prefix. */
  complete?(context: CompletionContext): readonly string[]
  /**
   * Runs it. Words in `args` have variables replaced. Returning means success; throwing `CommandError`, `LanguageError`
   * or `ExchangeError` fails this step only. Returning no promise keeps cheap commands off the microtask queue.
   */
  run(context: CommandContext, args: readonly Argument[]): void | Promise<void>
}

export type CommandGroup = 'trading' | 'market' | 'account' | 'flow' | 'hooks' | 'listener' | 'session'

/** A command of one form: `buy`, `echo`. */
export interface SingleCommand extends CommandForm {
  /** The heading it stands under in `help`. */
  readonly group: CommandGroup
}

/** A command whose first argument names a form: `hook create`, `account use`. */
export interface CommandFamily {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly group: CommandGroup
  readonly summary: string
  /** The form that the bare name runs. */
  readonly bare: string
  readonly forms: readonly CommandForm[]
}

export type Command = SingleCommand | CommandFamily

/** Names that exist at this moment, for completion. */
export interface LiveNames {
  readonly symbols: readonly string[]
  readonly accounts: readonly string[]
  readonly hooks: readonly { readonly id: string; readonly name: string }[]
  readonly variables: readonly string[]
  readonly aliases: readonly string[]
  readonly commands: readonly string[]
}

export interface CompletionContext extends LiveNames {
  /** Arguments before the one being completed. */
  readonly words: readonly string[]
}
