// The copier's engine as others see it: its errors, states, reports and events. What it knows of each copier is in its heartbeat file, so that
// any process and any page can show it.
import { CodedError } from '../base/coded-error.ts'
import type { Order } from '../exchange/order.ts'
import type { CrossTradeConfig } from '../stores/cross-trade.ts'

type CrossTradeErrorCode =
  /** No live row, and none that it still holds anything of. */
  | 'unknown-row'
  /** The row does nothing as it is: a cycle, a copier that two rows claim, a weight of zero. */
  | 'row-refused'
  /** Disabled. */
  | 'row-off'
  /** Nothing current is known of the master or of a copier. */
  | 'stale'
  /** The engine is not started, is stopping, or another process leads. */
  | 'not-running'
  /** The engine has ended, and a task that it began has not. */
  | 'not-stopped'

/** Why something was not done with a row. */
export class CrossTradeError extends CodedError<CrossTradeErrorCode> {
  override readonly name = 'CrossTradeError'
}

/**
 * `in-step`: it holds what it should. `differs`: others have closed some of what it built. `behind`: an order is due or under way. `waiting`: what is due is below the venue's smallest order.
 * `blocked`: the venue or a guard said no, and no repeat of it would help. `paused`: five failures in a row; only `cross-trade enable` wakes it.
 * `stale`: nothing current is known of the master or of it. `unknown`: the fate of one of its orders is being asked.
 */
export type CopierStateName = 'in-step' | 'differs' | 'behind' | 'waiting' | 'blocked' | 'paused' | 'stale' | 'unknown'

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
export interface PlannedCopy extends CopierName, Pick<Order, 'side' | 'amount' | 'reduceOnly'> {}

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

// What the copier tells as it happens. Nothing here is text for people but `why`, which is one line without a full stop.

/** One copier on one symbol. */
export interface CopierName {
  readonly configId: string
  readonly account: string
  readonly symbol: string
}

export type CopierEvent =
  /** The state of a copier, or why it is so, has changed. */
  | { readonly type: 'state'; readonly copier: CopierState }
  /** An order of it has filled, whole or in part. `amount` is what filled, in the market's amount unit. */
  | ({ readonly type: 'copied' } & CopierName & Pick<Order, 'side' | 'amount' | 'average' | 'reduceOnly'>)
  /** A row begins: from these positions of the master on its changes are copied. */
  | { readonly type: 'row-on'; readonly configId: string; readonly baseline: Readonly<Record<string, string>> }
  /** A row has ended; what its copiers hold stays. */
  | { readonly type: 'row-off'; readonly configId: string }
  /** A row, or one of its copiers, does nothing as it is; undefined `why`: it may now. */
  | { readonly type: 'refused'; readonly configId: string; readonly account?: string; readonly why?: string }
  /** Nothing current has been known of an account for 15 s; nothing is traded on it, or by it. */
  | { readonly type: 'account-stale'; readonly account: string; readonly why: string }
  /** And now there is. */
  | { readonly type: 'account-current'; readonly account: string }
  /** Others have changed what a copier holds: it is left alone. Signed amounts in the market's amount unit. */
  | ({ readonly type: 'drift'; readonly owned: string; readonly held: string } & CopierName)
  /** What its orders had built is no longer there: others have closed it, and it counts as gone. */
  | ({ readonly type: 'written-off'; readonly amount: string } & CopierName)
  /** The machine slept, or its clock was set: everything is read again before anything is traded. */
  | { readonly type: 'slept'; readonly ms: number }

// The engine of this process, as commands see it. To what runs in another process they speak through its heartbeat file.
export interface EngineControl {
  /** Whether it runs in this process. */
  isRunning(): boolean
  /**
   * Runs until it is stopped or the process ends.
   * @param force although a page leads
   * @throws {CrossTradeError} another engine runs, or a page leads @throws {StoreError}
   */
  start(options: { readonly force: boolean }): Promise<void>
}
