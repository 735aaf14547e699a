// What `cross-trade` says to programs.
import type { CopierStateRow } from '../../protocol/rows.ts'

/** A row of `cross-trade.json`. */
export interface CrossTradeRowData {
  readonly id: string
  readonly enabled: boolean
  readonly masterAccount: string
  /** Absent: all symbols. */
  readonly masterSymbol?: string
  readonly masterWeight: number
  readonly sync: boolean
  readonly copiers: readonly {
    readonly account: string
    readonly symbol?: string
    readonly weight: number
    readonly mode: string
    readonly slippage?: string
  }[]
  readonly updatedAt: number
  /** Why it cannot be traded as it is. */
  readonly problem?: string
  /** What of it copies only after a yes at the terminal. */
  readonly waits?: readonly string[]
}

export type CrossTradeData =
  | {
      readonly type: 'cross-trade'
      readonly engine: { readonly running: boolean; readonly pid?: number; readonly startedAt?: number }
      /** Labels of pages that say that they lead cross-trading themselves. */
      readonly pages: readonly string[]
      readonly rows: readonly CrossTradeRowData[]
      /** Empty while no engine runs. */
      readonly copiers: readonly CopierStateRow[]
    }
  | {
      readonly type: 'cross-trade-row'
      readonly done: 'added' | 'changed' | 'enabled' | 'disabled' | 'removed'
      readonly row: CrossTradeRowData
    }
  | {
      readonly type: 'cross-trade-plan'
      readonly id: string
      readonly orders: readonly {
        readonly account: string
        readonly symbol: string
        readonly side: 'buy' | 'sell'
        readonly amount: string
        readonly reduceOnly: boolean
      }[]
      /** Whether they were sent; then `copiers` is how they are after it. */
      readonly sent: boolean
      readonly copiers: readonly CopierStateRow[]
    }
