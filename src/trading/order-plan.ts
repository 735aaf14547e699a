// What is ordered, and by whom: all that is decided before an order has its id.
import type { AcceptedBreach, OrderContext } from '../exchange/exchange.ts'
import type { OrderRequest } from '../exchange/order.ts'
import type { Source } from '../runs/run.ts'

/** Where the protective stop of an entry goes, settled before the entry is sent. */
export interface ProtectionPlan {
  readonly triggerPrice: string
  /** The side of the entry price on which it waits: a stop on the losing side fires at once if last has passed it. */
  readonly fires: 'at-or-above' | 'at-or-below'
}

/** An order with every figure worked out. */
export interface OrderPlan extends Omit<OrderRequest, 'clientOrderId'> {
  /** For entries: a reduce-only stop, as large as what has filled (behaviour 38). */
  readonly protection?: ProtectionPlan
}

/** Who ordered, for the order journal. */
export interface OrderedBy {
  readonly source: Source
  readonly runId: string
  /** Counts the orders of the run from 0; with the run's id it makes the order's id. */
  readonly step: number
  /** Hook name or client label. */
  readonly origin?: string
  readonly hookId?: string
  readonly clientId?: string
  /** Limits that a person let it pass. */
  readonly accepted?: readonly AcceptedBreach[]
  /** Worked out and not sent: its hook says so (behaviour 40). */
  readonly isDry?: true
  /** Part of `halt --flatten`, which nothing holds up. */
  readonly flattens?: true
}

/** What the guards want to know of who ordered. */
export function guardContext({ accepted, isDry, flattens }: OrderedBy): OrderContext {
  return {
    ...(accepted === undefined ? {} : { accepted }),
    ...(isDry === undefined ? {} : { isDry }),
    ...(flattens === undefined ? {} : { flattens }),
  }
}
