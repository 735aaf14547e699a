// The lines of the order journal, and what they add up to: which orders are not over, and what a process that takes them over has to know.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { OrderStatus, Trade } from '../exchange/order.ts'
import type { ProcessIdentity } from '../stores/kernel-files.ts'
import type { ProtectiveRole } from './client-order-id.ts'
import { type ChangeLine, isIdentity, linesOfOpenChanges } from './order-change-lines.ts'
import type { AnsweredChange, CountedOrder } from './order-count.ts'
import type { OrderedBy, OrderPlan } from './order-plan.ts'

/** An order about to be sent. */
export interface Intent {
  /** The `clientOrderId`. */
  readonly id: string
  /** ms since the epoch, as all times here. */
  readonly at: number
  readonly account: string
  readonly venue: string
  readonly by: OrderedBy
  readonly order: OrderPlan
  /** For a protective order: the entry it protects. */
  readonly protects?: string
  /** Of a protective order; absent: `stop`. */
  readonly role?: ProtectiveRole
  /** What was held of the symbol, negative for a short; absent: not known without asking. */
  readonly held?: string
}

/** What is known of an order. `end` where it is over already. */
export type Outcome =
  | { readonly outcome: 'placed'; readonly orderId: string; readonly end?: OrderEnd }
  | { readonly outcome: 'refused'; readonly code: string; readonly message: string }
  | { readonly outcome: 'unknown'; readonly message: string }
  /** Worked out and not sent (behaviour 40). */
  | { readonly outcome: 'simulated' }

export interface OrderEnd {
  readonly status: Exclude<OrderStatus, 'open'>
  readonly filled: string
  readonly reason?: string
  /** So much of it filled by trades that the venue no longer lists. */
  readonly unlisted?: string
}

/** All that the journal has of an order. */
export interface JournalledOrder {
  readonly intent: Intent
  readonly outcome?: Outcome
  readonly end?: OrderEnd
  /** What the fills in the journal add up to. */
  readonly filled: string
  /** Of those fills; absent while nothing has filled. */
  readonly average?: string
}

/** An order that is not over, as far as the journal knows. */
export interface OpenIntent extends Intent {
  readonly outcome?: Outcome
  readonly isEnded: boolean
  /** Its protection needs no more care. */
  readonly isReleased: boolean
  /** For an entry: the protective orders that were begun to be sent for it, in order. */
  readonly protectors: readonly Protector[]
  /** What of its fills went to fees, by currency. */
  readonly feesBefore: Readonly<Record<string, string>>
  /** What the fills in the journal add up to. */
  readonly filledBefore: string
  /** The process that looks after it. */
  readonly owner: ProcessIdentity
}

export interface Protector {
  readonly id: string
  readonly role: ProtectiveRole
  /** Its protection itself took it back, or was about to. */
  readonly isWithdrawn: boolean
  /** A stop that was sent without the take-profit: that one is an order of its own. */
  readonly isAlone?: true
  /** The venue never had it. */
  readonly isRefused: boolean
}

export type JournalLine =
  | ({ readonly t: 'intent'; readonly owner: ProcessIdentity } & Intent)
  | ({ readonly t: 'outcome'; readonly id: string; readonly at: number } & Outcome)
  /** `isCarried`: a copy, of one in a file that was set aside. */
  | ({ readonly t: 'counted'; readonly at: number; readonly isCarried?: true } & CountedOrder)
  | ({ readonly t: 'answered'; readonly at: number } & AnsweredChange)
  | { readonly t: 'fill'; readonly id: string; readonly at: number; readonly account: string; readonly trade: Trade }
  | ({ readonly t: 'end'; readonly id: string; readonly at: number } & OrderEnd)
  | { readonly t: 'released' | 'withdrawn'; readonly id: string; readonly at: number }
  | ChangeLine
  /** The account began anew: what is before it is of no account that there is. */
  | { readonly t: 'reset'; readonly at: number; readonly account: string }
  | { readonly t: 'owner'; readonly id: string; readonly at: number; readonly owner: ProcessIdentity }

interface Folded {
  intent: Intent
  lines: string[]
  owner: ProcessIdentity
  outcome?: Outcome
  end?: OrderEnd
  isReleased: boolean
  isWithdrawn: boolean
  /** By the ids of the trades. */
  readonly fills: Map<string, Fill>
}

interface Fill {
  readonly amount: string
  readonly price: string
  readonly fee: string
  readonly feeCurrency: string
}

/** Orders that are not over, oldest first: not ended, ended with fills that are not in the journal, or with a stop that still needs care. */
export function openIntents(lines: readonly string[]): readonly OpenIntent[] {
  const orders = [...fold(lines).values()]
  const protectorsOf = (id: string) => orders.filter(({ intent }) => intent.protects === id).map(protector)
  return orders.filter(isOpen).map(({ intent, owner, outcome, end, isReleased, fills }) => ({
    ...intent,
    owner,
    isEnded: end !== undefined,
    isReleased,
    filledBefore: sumOf(fills).toFixed(),
    feesBefore: feesOf([...fills.values()]),
    protectors: intent.order.protection === undefined ? [] : protectorsOf(intent.id),
    ...defined({ outcome }),
  }))
}

function protector({ intent: { id, role = 'stop', order }, isWithdrawn, outcome }: Folded): Protector {
  const isAlone = order.type === 'stop' && order.takeProfitPrice === undefined
  return { id, role, isWithdrawn, isRefused: outcome?.outcome === 'refused', ...(isAlone ? { isAlone } : {}) }
}

function feesOf(fills: readonly Fill[]): Readonly<Record<string, string>> {
  const fees: Record<string, string> = {}
  for (const { fee, feeCurrency } of fills) {
    if (feeCurrency !== '') fees[feeCurrency] = new Decimal(fees[feeCurrency] ?? 0).plus(fee).toFixed()
  }
  return fees
}

/** The lines of open orders and of changes in doubt, and of every protective order that was sent for one. */
export function linesOfOpen(lines: readonly string[]): readonly string[] {
  const orders = [...fold(lines).values()]
  const open = new Set(orders.filter(isOpen).map(({ intent }) => intent.id))
  const isKept = ({ intent }: Folded) =>
    open.has(intent.id) || (intent.protects !== undefined && open.has(intent.protects))
  return [...orders.filter(isKept).flatMap((folded) => folded.lines.map(carried)), ...linesOfOpenChanges(lines)]
}

/** A count belongs to the place where it was written first: the lines above its copy say nothing about it. */
function carried(text: string): string {
  const line = text.startsWith('{"t":"counted"') ? decodeJournalLine(text) : undefined
  return line?.t === 'counted' ? JSON.stringify({ ...line, isCarried: true } satisfies JournalLine) : text
}

function isOpen(order: Folded): boolean {
  const { intent, outcome, end, isReleased } = order
  if (outcome?.outcome === 'refused' || outcome?.outcome === 'simulated') return false
  return end === undefined || !hasAllFills(end, order) || (intent.order.protection !== undefined && !isReleased)
}

/** A process that was killed between an end and its fills has left the fills to be read. */
function hasAllFills({ filled, unlisted }: OrderEnd, { fills }: Folded): boolean {
  return unlisted !== undefined || sumOf(fills).gte(decimalIn(filled))
}

function sumOf(fills: ReadonlyMap<string, Fill>): Decimal {
  return Decimal.sum(0, ...[...fills.values()].map(({ amount }) => amount))
}

/** Undefined where no intent of it is there. */
export function orderIn(lines: readonly string[], id: string): JournalledOrder | undefined {
  const found = fold(lines.filter((line) => line.includes(id))).get(id)
  if (found === undefined) return undefined
  const { intent, outcome, end, fills } = found
  const filled = sumOf(fills)
  const cost = Decimal.sum(0, ...[...fills.values()].map(({ amount, price }) => new Decimal(amount).times(price)))
  return {
    intent,
    filled: filled.toFixed(),
    ...(filled.isZero() ? {} : { average: cost.div(filled).toSignificantDigits(12).toFixed() }),
    ...defined({ outcome, end }),
  }
}

function fold(lines: readonly string[]): Map<string, Folded> {
  const orders = new Map<string, Folded>()
  for (const text of lines) {
    const line = decodeJournalLine(text)
    if (line === undefined) continue
    if (line.t === 'intent') {
      const { t: _t, owner, ...intent } = line
      // A line may be there twice where a file was set aside while it was written.
      if (!orders.has(line.id))
        orders.set(line.id, {
          intent,
          owner,
          lines: [text],
          isReleased: false,
          isWithdrawn: false,
          fills: new Map(),
        })
      continue
    }
    const known = line.t === 'changed' || line.t === 'reset' ? undefined : orders.get(line.id)
    if (known === undefined) continue
    known.lines.push(text)
    apply(known, line)
  }
  return orders
}

function apply(order: Folded, line: JournalLine): void {
  switch (line.t) {
    case 'outcome':
      order.outcome = line
      if (line.outcome === 'placed' && line.end !== undefined) order.end = line.end
      return
    case 'end': {
      const { t: _t, id: _id, at: _at, ...end } = line
      order.end = end
      return
    }
    case 'released':
      order.isReleased = true
      return
    case 'withdrawn':
      order.isWithdrawn = true
      return
    case 'owner':
      order.owner = line.owner
      return
    case 'fill':
      // A process that takes an order over writes down all its fills again.
      if (!order.fills.has(line.trade?.id)) order.fills.set(line.trade?.id, readFill(line.trade))
      return
    case 'intent':
    case 'changing':
    case 'changed':
    case 'unchanged':
    case 'reset':
    case 'counted':
    case 'answered':
      return
  }
}

/** Zero for anything but an amount, as a person may have written it. */
function readFill(trade: unknown): Fill {
  const { amount, price, fee, feeCurrency } = (
    typeof trade === 'object' && trade !== null ? trade : {}
  ) as Partial<Trade>
  return {
    amount: decimalIn(amount),
    price: decimalIn(price),
    fee: decimalIn(fee),
    feeCurrency: typeof feeCurrency === 'string' ? feeCurrency : '',
  }
}

function decimalIn(text: unknown): string {
  return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? text : '0'
}

const KINDS: ReadonlySet<unknown> = new Set([
  'intent',
  'outcome',
  'counted',
  'answered',
  'fill',
  'end',
  'released',
  'withdrawn',
  'owner',
  'changed',
  'reset',
])

/** A line torn by a crash, or written by a person, is skipped: nothing was sent after a line that was not whole. */
export function decodeJournalLine(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { t, id, owner, order } = line as Record<string, unknown>
    if (!KINDS.has(t) || (t !== 'changed' && t !== 'reset' && typeof id !== 'string')) return undefined
    const isWhole = t !== 'intent' || (isIdentity(owner) && typeof order === 'object' && order !== null)
    return isWhole && (t !== 'owner' || isIdentity(owner)) ? (line as JournalLine) : undefined
  } catch {
    return undefined
  }
}
