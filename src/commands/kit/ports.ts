// What commands may use besides their run. Each form names the ports it needs, and is given no others.
import type { RunSummary } from '../../runs/run.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { ListenerKeyStore } from '../../stores/listener-key.ts'
import type { StoreProblem } from '../../stores/store-error.ts'
import type { TextMapStore } from '../../stores/text-map.ts'
import type { FormerTrust, TrustedClientStore } from '../../stores/trusted-clients.ts'

/** The listener as commands see it. */
export interface ListenerStatus {
  readonly state: 'listening' | 'disabled' | 'port-taken' | 'failed' | 'starting' | 'stopping' | 'not-started'
  readonly address: string
  readonly pid: number
  /** Who holds the port, for `port-taken`; absent when it does not answer `/health` like a hookline. */
  readonly holderPid?: number
  /** The system's own words, for `failed`. */
  readonly reason?: string
  readonly sockets: number
}

/** A client that awaits approval; texts are as the client sent them. */
export interface PendingClient {
  readonly clientId: string
  readonly label: string
  readonly origin: string
  /** The public key that it has proved to hold; without one it cannot prove itself. */
  readonly key?: string
  /** What it was approved as before. */
  readonly formerTrust?: FormerTrust
}

/** Web clients of the listener in this process. */
export interface Clients {
  /** Open sessions by `clientId`. */
  connected(): ReadonlyMap<string, number>
  /** The one the operator is being asked about first. */
  pending(): readonly PendingClient[]
  /** @returns false when it is no longer waiting. @throws {StoreError} the approval could not be saved */
  decide(clientId: string, decision: 'approved' | 'denied'): Promise<boolean>
}

/** The person's terminal. */
export interface Terminal {
  /** Asks a question whose answer is not shown and not kept in the history. */
  askHidden(question: string): Promise<string>
  clear(): void
  /** Lines typed before, oldest first. */
  history(): readonly string[]
  quit(): void
}

/** Every port there is; the composition root makes them once. */
export interface CommandPorts {
  readonly version: string
  readonly config: ConfigStore
  readonly accounts: AccountStore
  readonly hooks: HookStore
  readonly trustedClients: TrustedClientStore
  readonly listenerKey: Pick<ListenerKeyStore, 'publicKey'>
  readonly variables: TextMapStore
  readonly aliases: TextMapStore
  /** What is wrong with the files of the config directory, and with rows in them, now. */
  fileProblems(): readonly StoreProblem[]
  /** Ends a connection, because its account row changed or is gone. */
  disconnect(accountName: string): Promise<void>
  /** Running, waiting and recent runs, newest first. */
  runs(limit?: number): readonly RunSummary[]
  listenerStatus(): ListenerStatus
  /** Absent where this process has no listener. */
  readonly clients: Clients | undefined
  /** Absent outside the REPL. */
  readonly terminal: Terminal | undefined
}

export type PortName = keyof CommandPorts
