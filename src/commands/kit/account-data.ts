// What commands about accounts, their keys and their exchanges answer to programs.
import type { MarketKind } from '../../exchange/market.ts'
import type { Balance } from '../../exchange/order.ts'

export interface AccountData {
  readonly name: string
  readonly exchange: string
  readonly kind?: string
  readonly demo?: boolean
  readonly hasCredentials: boolean
  /** Where they are: `vault`, `environment`, `file`, `keychain`, `plain text`, `none`. */
  readonly keys: string
  readonly inFocus: boolean
  readonly createdAt: number
}

/** What the keys of an account are good for; what the venue does not say is absent. */
export interface AccountCheckData {
  readonly type: 'account-check'
  readonly account: string
  readonly exchange: string
  readonly latencyMs: number
  readonly clockDifferenceMs?: number
  /** How many the account holds something of. */
  readonly currencies: number
  readonly mayTrade?: boolean
  readonly mayWithdraw?: boolean
  readonly positionMode?: 'one-way' | 'hedge'
  readonly remarks: readonly string[]
}

export interface AllBalancesData {
  readonly type: 'all-balances'
  /** `error`: it could not be asked. */
  readonly accounts: readonly {
    readonly account: string
    readonly balances: readonly Balance[]
    readonly error?: { readonly code: string; readonly message: string }
  }[]
  /** Of accounts that answered. `practice`: of paper and demo accounts. */
  readonly totals: readonly (Balance & { readonly practice: boolean })[]
}

export interface VaultData {
  readonly type: 'vault'
  readonly state: 'absent' | 'locked' | 'unlocked'
  /** When it locks by itself; absent: it does not. */
  readonly locksAt?: number
  /** Whose keys it keeps. */
  readonly accounts: readonly string[]
  /** Whose keys are plain text in accounts.json. */
  readonly plain: readonly string[]
}

export interface ExchangeData {
  readonly id: string
  readonly name: string
  /** The first is the default of `account add`. */
  readonly kinds: readonly MarketKind[]
  readonly demo: boolean
  /** What an account there proves itself with, by ccxt's names. */
  readonly credentials: readonly string[]
  readonly proof: string
}
