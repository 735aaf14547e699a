// What one run ordered, and what came of it, read from the order journal.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Side } from '../exchange/order.ts'
import { orderIdPrefix } from './client-order-id.ts'

/** An order as the journal has it. */
export interface RunOrder {
  readonly clientOrderId: string
  /** The venue's own id, once it is known. */
  readonly orderId?: string
  readonly account: string
  /** When its intent was written, ms since the epoch. */
  readonly at: number
  readonly symbol: string
  readonly side: Side
  readonly type: string
  readonly amount: string
  readonly price?: string
  readonly triggerPrice?: string
  /** `sent`: no outcome is written. `placed`: not over yet, as far as the journal knows. */
  readonly state:
    | 'sent'
    | 'placed'
    | 'refused'
    | 'unknown'
    | 'simulated'
    | 'closed'
    | 'canceled'
    | 'rejected'
    | 'expired'
  readonly filled: string
  /** Of what filled; absent while nothing has. */
  readonly average?: string
  /** Why it was refused, or ended. */
  readonly reason?: string
}

/** A line of the order journal as it was found: anything may be written there. */
export interface Line {
  readonly t?: unknown
  readonly id?: unknown
  readonly [field: string]: unknown
}

/** @param lines of the order journal, newest first @returns oldest first */
export async function ordersOfRun(
  lines: AsyncIterable<readonly string[]>,
  runId: string,
): Promise<readonly RunOrder[]> {
  const beginning = orderIdPrefix(runId)
  const mark = `"id":"${beginning}`
  const found: Line[] = []
  for await (const chunk of lines) {
    for (const text of chunk) if (text.includes(mark)) found.push(decodeLine(text))
  }
  const byId = new Map<string, Line[]>()
  for (const line of found.reverse()) {
    if (typeof line.id !== 'string' || !line.id.startsWith(beginning)) continue
    byId.set(line.id, [...(byId.get(line.id) ?? []), line])
  }
  return [...byId.values()].flatMap(readOrder).sort((a, b) => a.at - b.at)
}

/** @param lines of one order, oldest first @returns none where its intent is not among them */
export function readOrder(lines: readonly Line[]): RunOrder[] {
  const intent = lines.find(({ t }) => t === 'intent')
  const order = intent?.order as Line | undefined
  if (intent === undefined || typeof order !== 'object' || order === null) return []
  const placed = lines.find(({ t, outcome }) => t === 'outcome' && outcome === 'placed')
  const price = textOf(order.price)
  const triggerPrice = textOf(order.triggerPrice)
  return [
    {
      clientOrderId: String(intent.id),
      account: String(intent.account),
      at: Number(intent.at),
      ...(typeof placed?.orderId === 'string' ? { orderId: placed.orderId } : {}),
      symbol: String(order.symbol),
      side: order.side as Side,
      type: String(order.type),
      amount: String(order.amount),
      ...defined({ price, triggerPrice }),
      ...fillsOf(lines),
      ...fateOf(lines, placed),
    },
  ]
}

/** From the trades, each counted once; from the end where a process that took over found only that. */
function fillsOf(lines: readonly Line[]): Pick<RunOrder, 'filled' | 'average'> {
  const trades = new Map<unknown, Line>()
  for (const { t, trade } of lines) {
    if (t === 'fill' && typeof trade === 'object' && trade !== null) trades.set((trade as Line).id, trade as Line)
  }
  let filled = new Decimal(0)
  let cost = new Decimal(0)
  for (const { amount, price } of trades.values()) {
    if (!isDecimal(amount) || !isDecimal(price)) continue
    filled = filled.plus(amount)
    cost = cost.plus(new Decimal(amount).times(price))
  }
  if (filled.isZero()) return { filled: endOf(lines)?.filled ?? '0' }
  return { filled: filled.toFixed(), average: cost.div(filled).toSignificantDigits(12).toFixed() }
}

function fateOf(lines: readonly Line[], placed: Line | undefined): Pick<RunOrder, 'state' | 'reason'> {
  const end = endOf(lines)
  if (end !== undefined) return { state: end.status, ...defined({ reason: end.reason }) }
  if (placed !== undefined) return { state: 'placed' }
  const outcome = lines.findLast(({ t }) => t === 'outcome')
  const reason = textOf(outcome?.message)
  const said = outcome?.outcome
  const state = said === 'refused' || said === 'simulated' ? said : said === undefined ? 'sent' : 'unknown'
  return { state, ...defined({ reason }) }
}

interface End {
  readonly status: 'closed' | 'canceled' | 'rejected' | 'expired'
  readonly filled?: string
  readonly reason?: string
}

const ENDS: ReadonlySet<unknown> = new Set(['closed', 'canceled', 'rejected', 'expired'])

/** A line of its own, or part of the outcome of an order that was over at once. */
function endOf(lines: readonly Line[]): End | undefined {
  const ends = lines.flatMap((line) => (line.t === 'end' ? [line] : line.t === 'outcome' ? [line.end as Line] : []))
  const end = ends.findLast((candidate) => ENDS.has(candidate?.status))
  return end === undefined ? undefined : (end as unknown as End)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
}

/** Empty for anything but a line of ours. */
export function decodeLine(text: string): Line {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : {}
  } catch {
    return {}
  }
}
