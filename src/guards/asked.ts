// What the guard is asked, and how it lets things pass.
import type { OrderContext } from '../exchange/exchange.ts'
import type { Ordered } from './rules.ts'

/** What was asked of the guard: an order, or a change of one. */
export interface Asked {
  readonly id: string
  readonly key: string
  readonly order: Ordered
  readonly context: OrderContext
  /** Of a change: what was there before, in the market's unit. */
  readonly before?: string
}

/** How it may be sent. */
export interface Pass {
  /** A halt does not stop it: it ends a position, or protects one. */
  readonly isExit: boolean
  /** In truth it only shrinks a position. */
  readonly shrinks: boolean
  /** The venue is to hold it to that, for as long as it rests. */
  readonly asReduceOnly: boolean
  /**
   * It was judged by what this process knows; whether it holds by what all processes have counted is said here, right before it is sent.
   * @throws {GuardedError}
   */
  readonly confirm?: () => Promise<void>
}

export const EXIT: Pass = { isExit: true, shrinks: true, asReduceOnly: false }
export const ADDS: Pass = { isExit: false, shrinks: false, asReduceOnly: false }
