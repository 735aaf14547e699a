import type { StoreProblem } from './store-error.ts'

/** A row of `hooks.json` (specification, Resources). */
export interface Hook {
  /** 32 lower-case hex characters; in the URL, not secret. */
  readonly id: string
  readonly name: string
  /** 32 lower-case hex characters; the `X-Hook-Token`. */
  readonly secret: string
  readonly command: string
  /** Pins runs to this account. */
  readonly account?: string
  /** ms since the epoch. */
  readonly createdAt: number
}

/** A hook as it may leave the process. */
export type ScrubbedHook = Omit<Hook, 'secret'>

export interface HookStore {
  list(): readonly Hook[]
  /** For the listener: O(1), one stat per event-loop turn. */
  findInTurn(id: string): Hook | undefined
  /** @throws {StoreError} `invalid-value` (empty or over-long name or command) */
  create(input: { readonly name: string; readonly command: string; readonly account?: string }): Promise<Hook>
  /** By whole id or a prefix of at least 8 characters. @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
  resolve(prefix: string): Hook
  rotate(prefix: string): Promise<Hook>
  revoke(prefix: string): Promise<Hook>
  /** @returns how many there were */
  revokeAll(): Promise<number>
  problem(): StoreProblem | undefined
  watch(handler: () => void): () => void
}
