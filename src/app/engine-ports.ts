// What the cross-trade engine of a process is given, and what it tells.

import type { createCrossTradeEngine } from '../cross-trade/engine.ts'
import type { CopierEvent } from '../cross-trade/engine-port.ts'
import type { TaskPort } from '../tasks/task-port.ts'
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import type { Stores } from './open-stores.ts'

/** Why it ended by itself: somebody asked, another engine took over, or it could not go on. */
export type EndReason = 'asked' | 'lost' | 'failed'

/** What it tells people. */
export type EngineEvent =
  | { readonly type: 'copier'; readonly event: CopierEvent }
  /** Pages that lead while this engine runs; none: it is over. */
  | { readonly type: 'pages'; readonly labels: readonly string[] }
  /** Nothing is copied while the machine slept; now it is again. */
  | { readonly type: 'resumed' }
  /** It has ended by itself. */
  | { readonly type: 'ended'; readonly why: EndReason; readonly text: string }
  | { readonly type: 'problem'; readonly text: string }

export interface EngineHostOptions {
  readonly directory: string
  readonly stores: Pick<Stores, 'crossTrade' | 'crossTradeEngine' | 'leadingPages'>
  readonly connect: (account: string) => Promise<TradingAccount>
  readonly clock: Clock
  /** For copiers that chase. */
  readonly tasks: TaskPort
  readonly tell: (event: EngineEvent) => void
  readonly bug: (error: unknown) => void
  /** Default: the copier. */
  readonly createEngine?: typeof createCrossTradeEngine
}
