// The ids that orders carry before they are sent (behaviour 36): 32 hexadecimal characters, of which the first 24 are those of the run,
// so that a venue's list of orders can be read back to who ordered. The same run and step always give the same id.

import { createHash } from 'node:crypto'
import type { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { AcceptedBreach, Capabilities, OrderBudget, OrderContext } from '../exchange/exchange.ts'
import { isTriggerType, type OrderRequest } from '../exchange/order.ts'
import type { Source } from '../runs/run.ts'

const RUN_LENGTH = 24
const MAX_STEP = 0xff_ff_ff
/** How often a protective order may be placed anew for one entry: one that fills in many parts, or whose venue is away for days, needs many. */
export const MAX_ATTEMPTS = 0xff_ff
/** The byte of the role counts so many of the attempts. */
const ATTEMPTS_IN_MARK = 0x40
/** The others are counted above the steps that a run can take. */
const STEP_BITS = 14

/** What a protective order is there for: to limit the loss, or to take the profit. */
export type ProtectiveRole = 'stop' | 'take'

const ROLE_MARKS: Readonly<Record<ProtectiveRole, number>> = { stop: 0x80, take: 0xc0 }

/** @param step counts the orders of one run from 0 @throws {RangeError} beyond 16 million steps */
export function clientOrderId(runId: string, step: number): string {
  if (!Number.isInteger(step) || step < 0 || step > MAX_STEP) throw new RangeError(`no step ${step} in an order id`)
  return `${runPart(runId)}00${step.toString(16).padStart(6, '0')}`
}

/** The id of an order that protects an entry: of the first one, or of one placed after others have ended. */
export function protectiveOrderId(entryId: string, role: ProtectiveRole, attempt: number): string {
  if (attempt < 0 || attempt > MAX_ATTEMPTS) throw new RangeError(`no attempt ${attempt} in an order id`)
  const mark = (ROLE_MARKS[role] + (attempt % ATTEMPTS_IN_MARK)).toString(16)
  const step = Number.parseInt(entryId.slice(RUN_LENGTH + 2), 16)
  const marked = (step ^ (Math.floor(attempt / ATTEMPTS_IN_MARK) << STEP_BITS)).toString(16).padStart(6, '0')
  return `${entryId.slice(0, RUN_LENGTH)}${mark}${marked}`
}

/** How the ids of all orders of a run begin. */
export function orderIdPrefix(runId: string): string {
  return runPart(runId)
}

/** A UUID has enough bits of its own; any other id is hashed. */
function runPart(runId: string): string {
  const bare = runId.replaceAll('-', '').toLowerCase()
  const hex = /^[0-9a-f]{32}$/.test(bare) ? bare : createHash('sha256').update(runId).digest('hex')
  return hex.slice(0, RUN_LENGTH)
}

// What is ordered, and by whom: all that is decided before an order has its id.

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

/** Those of an entry that has not filled. */
export type WaitingPrices = Pick<ProtectionPlan, 'triggerPrice' | 'takeProfitPrice'>

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
  /** Typed with the order: `#breakout`. */
  readonly tags?: readonly string[]
  /** Limits that a person let it pass. */
  readonly accepted?: readonly AcceptedBreach[]
  /** Of who only looks: told how much of the limits is used. */
  readonly onJudged?: OrderContext['onJudged']
  /** Of who only looks. */
  readonly ahead?: OrderContext['ahead']
  /** Worked out and not sent: its hook says so (behaviour 40). */
  readonly isDry?: true
  /** What the orders of its fire may be worth together (behaviour 47). */
  readonly budget?: OrderBudget
  /** What the grant of its client lets it do, as of now (behaviour 145). */
  readonly cap?: OrderContext['cap']
  /** Part of `halt --flatten`, which nothing holds up. */
  readonly flattens?: true
  /** It takes back or protects something real: it is sent in simulation too. */
  readonly isReal?: true
  /** The order of `close`. */
  readonly closes?: true
  /** Of a step that may ask a person: called before anything of the order is sent, and once the guards have refused it. */
  readonly asking?: { begin(): Promise<void>; refused(): void }
  /** Asked right before its bytes leave. @returns why its run may send nothing more that adds */
  readonly whyEnded?: () => string | undefined
  /** What it was let in by, for what goes on after its run. */
  readonly admission?: () => string
  /** Ends the waiting for how an order ends, and not the order: of the run that ordered. It is not written down. */
  readonly signal?: AbortSignal
}

/** What of it is written down. */
export function withoutSignal({ signal: _, asking: _asking, ...by }: OrderedBy): OrderedBy {
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
  cap,
  flattens,
  isReal,
  closes,
  onJudged,
  ahead,
  whyEnded,
}: OrderedBy): OrderContext {
  return defined({ accepted, isDry, budget, cap, flattens, isReal, closes, onJudged, ahead, whyEnded })
}
