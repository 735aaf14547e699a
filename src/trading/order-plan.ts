// What is ordered, and by whom: all that is decided before an order has its id.
import type { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { AcceptedBreach, Capabilities, OrderBudget, OrderContext } from '../exchange/exchange.ts'
import { isTriggerType, type OrderRequest } from '../exchange/order.ts'
import type { Source } from '../runs/run.ts'
import { clientOrderId } from './client-order-id.ts'

/** Where the protective orders of an entry go, settled before the entry is sent. At least one of the two prices. */
export interface ProtectionPlan {
  /** Of the stop. */
  readonly triggerPrice?: string
  /** Of the take-profit. */
  readonly takeProfitPrice?: string
  /** On which side of the entry price the stop waits, and the take-profit on the other: what last has passed by then is executed at once. */
  readonly fires: 'at-or-above' | 'at-or-below'
  /** The entry carries them, and the venue places them itself. */
  readonly isAttached?: true
}

/** An order with every figure worked out. */
export interface OrderPlan extends Omit<OrderRequest, 'clientOrderId' | 'attached'> {
  /** The amount before it was rounded to the lot, for who looks at the plan; it is neither sent nor written down. */
  readonly asked?: string
  /** A limit that the market has reached: it is to fill at once, at least in part. It is neither sent nor written down. */
  readonly crosses?: boolean
  /** For entries: reduce-only orders, as large as what has filled (behaviour 38). */
  readonly protection?: ProtectionPlan
}

/**
 * Where the venue takes the stop and the take-profit of an entry with it, they go with it: from then on they need no process.
 * @param against what is held of the other side: the venue would protect what only reduces that, too
 */
export function withAttached(
  plan: OrderPlan,
  { attached }: Pick<Capabilities, 'attached'>,
  against: Decimal | undefined,
): OrderPlan {
  const { protection } = plan
  if (protection === undefined) return plan
  const { isAttached: _, ...prices } = protection
  const isTaken = attached !== undefined && !isTriggerType(plan.type) && against?.gt(0) !== true
  return { ...plan, protection: { ...prices, ...(isTaken ? { isAttached: true } : {}) } }
}

/** What of a plan is sent, and written down. */
export function withoutAsked({ asked: _, crosses: _crosses, ...plan }: OrderPlan): OrderPlan {
  return plan
}

/** An order that cannot rest. */
export function endsAtOnce({ type, timeInForce }: Pick<OrderPlan, 'type' | 'timeInForce'>): boolean {
  return type === 'market' || timeInForce === 'ioc' || timeInForce === 'fok'
}

/** Who ordered, for the order journal. */
export interface OrderedBy {
  readonly source: Source
  readonly runId: string
  /** Counts the orders of the run, task or copier from 0; with its id it makes the order's id. */
  readonly step: number
  /** Hook name or client label. */
  readonly origin?: string
  readonly hookId?: string
  readonly clientId?: string
  /** The task that ordered: its id, and not the run's, makes the id of the order. */
  readonly taskId?: string
  /** The copier that ordered, as `<row id>/<account>/<symbol>`: it makes the id of the order. */
  readonly copier?: string
  /** Limits that a person let it pass. */
  readonly accepted?: readonly AcceptedBreach[]
  /** Of who only looks: told how much of the limits is used. */
  readonly onJudged?: OrderContext['onJudged']
  /** Worked out and not sent: its hook says so (behaviour 40). */
  readonly isDry?: true
  /** What the orders of its fire may be worth together (behaviour 47). */
  readonly budget?: OrderBudget
  /** Part of `halt --flatten`, which nothing holds up. */
  readonly flattens?: true
  /** It takes back or protects something real: it is sent in simulation too. */
  readonly isReal?: true
  /** The order of `close`. */
  readonly closes?: true
  /** Asked right before its bytes leave. @returns why its run may send nothing more that adds */
  readonly whyEnded?: () => string | undefined
  /** What it was let in by, for what goes on after its run. */
  readonly admission?: () => string
  /** Ends the waiting for how an order ends, and not the order: of the run that ordered. It is not written down. */
  readonly signal?: AbortSignal
}

/** What of it is written down. */
export function withoutSignal({ signal: _, ...by }: OrderedBy): OrderedBy {
  return by
}

/** The id of the order that is ordered so. @throws {RangeError} beyond 16 million steps */
export function orderIdOf({ taskId, copier, runId, step }: OrderedBy): string {
  return clientOrderId(taskId ?? copier ?? runId, step)
}

/** What the guards want to know of who ordered. */
export function guardContext({
  accepted,
  isDry,
  budget,
  flattens,
  isReal,
  closes,
  onJudged,
  whyEnded,
}: OrderedBy): OrderContext {
  return defined({ accepted, isDry, budget, flattens, isReal, closes, onJudged, whyEnded })
}
