import type { StoreProblem } from './store-error.ts'

/** A row of `accounts.json` (design decision 23). Fields we do not know are kept. */
export interface AccountRow {
  readonly name: string
  /** `paper`, or a ccxt id. */
  readonly exchange: string
  readonly apiKey?: string
  readonly secret?: string
  readonly password?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Set on tombstones, which carry no credentials and go after 30 days. */
  readonly deletedAt?: number
}

/** An account as lists and the wire show it. */
export interface ScrubbedAccount {
  readonly name: string
  readonly exchange: string
  readonly hasCredentials: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export interface AccountStore {
  /** Live rows, by name. */
  list(): readonly AccountRow[]
  find(name: string): AccountRow | undefined
  /** Creates the row, over a tombstone too. @throws {StoreError} `already-exists`, `invalid-value` */
  add(input: {
    readonly name: string
    readonly exchange: string
    readonly apiKey?: string
    readonly secret?: string
    readonly password?: string
  }): Promise<AccountRow>
  /** Leaves a tombstone. @throws {StoreError} `not-found` */
  remove(name: string): Promise<AccountRow>
  /** Last write wins on strictly greater `updatedAt`. @returns whether the row was taken */
  merge(row: AccountRow): Promise<boolean>
  /** Creates `paper` when the file does not exist. */
  ensurePaper(): Promise<void>
  problem(): StoreProblem | undefined
  watch(handler: () => void): () => void
}
