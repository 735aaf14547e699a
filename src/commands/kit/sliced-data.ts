// What `scale` and `swarm` answer to programs.
import type { Order } from '../../exchange/order.ts'

/** One size as several orders: `scale`, `swarm`. */
export interface SlicedData {
  readonly type: 'sliced'
  readonly command: 'scale' | 'swarm'
  readonly account: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** How many orders were asked for. */
  readonly slices: number
  /** Of all of them. */
  readonly amount: string
  /** Of `scale`: at what they fill on average, and what they cost in quote, if all fill. Of `swarm`: of what has filled. */
  readonly average?: string
  readonly value?: string
  /** Those that were placed, as they were then. */
  readonly orders: readonly Order[]
}
