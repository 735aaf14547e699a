// The copier (behaviour 42): it brings what its orders have built on each copier to what the master's position makes of it.
import type { CrossTradeConfig } from '../stores/cross-trade.ts'
import type { DurableJournal } from '../stores/durable-journal.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { OrderedBy } from '../trading/order-plan.ts'
import type { CopierEvent } from './copier-event.ts'
import type { CopierState, EngineReport, PlannedCopy } from './engine-port.ts'

export interface CrossTradeEngineOptions {
  /** Live rows, as the store has them now. */
  readonly configs: () => readonly CrossTradeConfig[]
  /** @returns stops the calls */
  readonly watchConfigs: (handler: () => void) => () => void
  /** @throws as `Connections.connect` */
  readonly connect: (account: string) => Promise<TradingAccount>
  /** `cross-trade-state.jsonl`, opened with `openCopierFile`. Not closed by the engine. */
  readonly file: DurableJournal
  readonly clock: Clock
  /** Asked before each order, at that moment. */
  readonly isLeader: () => boolean
  /** Who its orders are by, beside the copier. */
  readonly by: Pick<OrderedBy, 'source' | 'runId'>
  readonly report: (event: CopierEvent) => void
  /** Told what failed with nobody waiting for it. */
  readonly onProblem: (error: unknown) => void
}

export interface ResyncResult {
  /** What was due as it began. */
  readonly orders: readonly PlannedCopy[]
  /** How the copiers of the row are now. */
  readonly copiers: readonly CopierState[]
}

export interface CrossTradeEngine {
  /** Resolves when what it knew was read, its accounts are asked for, and it copies. @throws {StoreError} */
  start(): Promise<void>
  /** Sends nothing from now on. Resolves when no order is under way, at most 5 s later; what is not known by then is settled by the next start. */
  stop(): Promise<void>
  report(): EngineReport
  /** What a `resync` would send now. @throws {CrossTradeError} */
  plan(configId: string, options?: { readonly flatten?: boolean }): Promise<readonly PlannedCopy[]>
  /**
   * Takes the row as it is now, its weights included, and brings its copiers there; what others have closed on them is built again, what was
   * blocked is tried again; what is paused stays so. `flatten`: closes what the row has built, and begins anew from the master's positions of
   * now; also of a row that is disabled or deleted. Resolves when each copier is in step or says why not.
   * @throws {CrossTradeError} @throws {StoreError}
   */
  resync(
    configId: string,
    options: { readonly flatten?: boolean },
    by: Pick<OrderedBy, 'source' | 'runId'>,
  ): Promise<ResyncResult>
  /** Nothing current is known of any master: nothing is traded, and the heartbeat must end. */
  isStale(): boolean
}

export function createCrossTradeEngine(_options: CrossTradeEngineOptions): CrossTradeEngine {
  throw new Error('the engine is not built yet')
}
