// The copier's engine as others see it. What it knows of each copier is in its heartbeat file, so that any process and any page can show it.
import type { CrossTradeConfig } from '../stores/cross-trade.ts'

/**
 * `in-step`: it holds what it should. `behind`: an order is due or under way. `waiting`: what is due is below the venue's smallest order.
 * `blocked`: the venue or a guard said no, and no repeat of it would help. `paused`: five failures in a row; only `cross-trade enable` wakes it.
 * `stale`: nothing current is known of the master or of it. `unknown`: the fate of one of its orders is being asked.
 */
export type CopierStateName = 'in-step' | 'behind' | 'waiting' | 'blocked' | 'paused' | 'stale' | 'unknown'

/** One copier on one symbol. Amounts are signed decimals in the copier's market's amount unit. */
export interface CopierState {
  readonly configId: string
  readonly account: string
  readonly symbol: string
  readonly state: CopierStateName
  /** What it should hold of this row, and what its own orders have built. */
  readonly desired: string
  readonly owned: string
  /** Why it is blocked, paused, stale or waiting: one line. */
  readonly why?: string
}

/** An order that a `resync` would send. */
export interface PlannedCopy {
  readonly configId: string
  readonly account: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly amount: string
  readonly reduceOnly: boolean
}

export interface EngineReport {
  readonly configs: readonly CrossTradeConfig[]
  readonly copiers: readonly CopierState[]
}

/** What the chase of a copier is called among the tasks: its unit's key and its step. */
export function chaseRef(unit: string, step: number): string {
  return `${unit}#${step}`
}

/** Whether a task is the chase of a copier. */
export function isCopierChase({ kind, runId }: { readonly kind: string; readonly runId: string }): boolean {
  return kind === 'chase' && /^[^/]+\/[^/]+\/.+#\d+$/.test(runId)
}
