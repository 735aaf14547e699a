import type { StoreProblem } from './store-error.ts'

export interface ListenerFlags {
  readonly enabled: boolean
  readonly accountSync: boolean
  readonly remoteExec: boolean
  /** As written in config.json; undefined: the default derived from `webUrl` (design decision 9). */
  readonly allowedOrigins: readonly string[] | undefined
}

/** `config.json` with the defaults applied. */
export interface Config {
  readonly defaultAccount: string
  readonly defaultSymbol: string
  readonly webUrl: string
  /** Of the stored sign-in; empty when not signed in (design decision 28). */
  readonly email: string
  readonly listener: ListenerFlags
}

export interface ConfigStore {
  read(): Config
  readInTurn(): Config
  problem(): StoreProblem | undefined
  /** Keeps the focus. Unknown fields and unset defaults stay as they are in the file. @throws {StoreError} */
  focus(change: { readonly account?: string; readonly symbol?: string }): Promise<void>
  watch(handler: () => void): () => void
}
