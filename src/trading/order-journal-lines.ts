// The lines of the order journal, and what they add up to: which orders are not over, and what a process that takes them over has to know.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import {
  type Order,
  type OrderChange,
  type OrderRef,
  type OrderStatus,
  orderKey,
  type Trade,
} from '../exchange/order.ts'
import type { ProcessIdentity } from '../stores/kernel-files.ts'
import type { AnsweredChange, CountedOrder } from './order-event.ts'
import type { OrderedBy, OrderPlan, ProtectionPlan, ProtectiveRole } from './order-plan.ts'

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
  /** Of an entry that has not filled: other prices for its stop and take-profit. */
  | { readonly t: 'protection'; readonly id: string; readonly at: number; readonly protection: ProtectionPlan }
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
    case 'protection':
      order.intent = { ...order.intent, order: { ...order.intent.order, protection: line.protection } }
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
  'protection',
  'owner',
  'changed',
  'reset',
])

/** A line torn by a crash, or written by a person, is skipped: nothing was sent after a line that was not whole. */
export function decodeJournalLine(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { t, id, owner, order, protection } = line as Record<string, unknown>
    if (!KINDS.has(t) || (t !== 'changed' && t !== 'reset' && typeof id !== 'string')) return undefined
    const isObject = (value: unknown) => typeof value === 'object' && value !== null
    if (t === 'protection' && !isObject(protection)) return undefined
    const isWhole = t !== 'intent' || (isIdentity(owner) && isObject(order))
    return isWhole && (t !== 'owner' || isIdentity(owner)) ? (line as JournalLine) : undefined
  } catch {
    return undefined
  }
}

// The lines of the order journal that tell of changes of resting orders: what was asked for before it was sent, and what came of it.

/** A change about to be sent. */
export interface IntendedChange {
  /** As the id of an order, of run and step. */
  readonly id: string
  /** ms since the epoch. */
  readonly at: number
  readonly account: string
  readonly ref: OrderRef
  readonly change: OrderChange
  readonly by: OrderedBy
}

/** A change of which nothing definite is known, as far as the journal tells. */
export interface OpenChange extends IntendedChange {
  /** The process that looks after it. */
  readonly owner: ProcessIdentity
}

type ChangeLine =
  | ({ readonly t: 'changing'; readonly owner: ProcessIdentity } & IntendedChange)
  /** Without `id`: of what was not written down before, as a cancel. */
  | {
      readonly t: 'changed'
      readonly id?: string
      readonly at: number
      readonly account: string
      readonly ref: OrderRef
      readonly change: unknown
      readonly by?: OrderedBy
    }
  /** It was refused, or the order is as it was, or over. */
  | { readonly t: 'unchanged'; readonly id: string; readonly at: number; readonly why: string }

interface Found {
  change: OpenChange
  readonly lines: string[]
}

/** Oldest first. */
export function openChanges(lines: readonly string[]): readonly OpenChange[] {
  return [...changesIn(lines).values()].map(({ change }) => change)
}

/** The lines of those changes. */
function linesOfOpenChanges(lines: readonly string[]): readonly string[] {
  return [...changesIn(lines).values()].flatMap((found) => found.lines)
}

function changesIn(lines: readonly string[]): Map<string, Found> {
  const open = new Map<string, Found>()
  for (const text of lines) {
    // Nearly all lines are of orders.
    if (!text.includes('chang') && !(open.size > 0 && text.includes('"owner"'))) continue
    const line = decode(text)
    const id = line?.id
    if (line === undefined || typeof id !== 'string') continue
    if (line.t === 'changing' && isWhole(line)) {
      const { t: _t, ...change } = line
      if (!open.has(id)) open.set(id, { change: change as unknown as OpenChange, lines: [text] })
    } else if (line.t === 'changed' || line.t === 'unchanged') open.delete(id)
    else if (line.t === 'owner') own(open.get(id), line.owner, text)
  }
  return open
}

function own(found: Found | undefined, owner: unknown, text: string): void {
  if (found === undefined || !isIdentity(owner)) return
  found.change = { ...found.change, owner }
  found.lines.push(text)
}

type Fields = Readonly<Record<string, unknown>>

function isWhole({ owner, ref, change, account, at }: Fields): boolean {
  const isRef = isFields(ref) && typeof ref.symbol === 'string'
  return isIdentity(owner) && isRef && isFields(change) && typeof account === 'string' && typeof at === 'number'
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isFields(value) && Number.isInteger(value.pid)
}

function decode(text: string): Fields | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return isFields(line) ? line : undefined
  } catch {
    return undefined
  }
}

/** What the hooklines on this directory have done to the orders of an account. */
export interface MadeHere {
  /** It was sent by one of them. */
  isPlaced(order: Pick<Order, 'id' | 'symbol' | 'clientOrderId'>): boolean
  /** One of them has changed it to what it is. */
  isChanged(order: Order): boolean
}

/** By our id, which is written down before an order leaves, or by the venue's, for venues whose rows leave ours out. */
export function madeIn(lines: readonly string[], account: string): MadeHere {
  const symbols = new Map<string, string>()
  const placed = new Set<string>()
  const changes = new Map<string, Fields[]>()
  for (const text of lines) {
    if (!/"t":"intent"|"placed"|"chang/.test(text)) continue
    const { t, id, account: of, order, orderId, ref, change } = decode(text) ?? {}
    if (t === 'outcome' && typeof orderId === 'string') {
      const symbol = symbols.get(String(id))
      if (symbol !== undefined) placed.add(orderKey(symbol, orderId))
    }
    if (of !== account) continue
    if (t === 'intent' && isFields(order)) symbols.set(String(id), String(order.symbol))
    if ((t === 'changing' || t === 'changed') && isFields(ref) && isFields(change)) {
      const key = orderKey(String(ref.symbol), String(ref.id))
      changes.set(key, [...(changes.get(key) ?? []), change])
    }
  }
  return {
    isPlaced: ({ id, symbol, clientOrderId }) =>
      placed.has(orderKey(symbol, id)) || (clientOrderId !== undefined && symbols.has(clientOrderId)),
    isChanged: (order) => (changes.get(orderKey(order.symbol, order.id)) ?? []).some((change) => isAs(order, change)),
  }
}

/** Whether the order is what the change asks for. */
export function isAs(order: Order, change: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(change).every(([name, value]) => {
    const now = order[name as keyof OrderChange]
    return now !== undefined && typeof value === 'string' && new Decimal(now).eq(value)
  })
}

/** When a hookline canceled the order, ms since the epoch; undefined: no line says so. */
export function canceledAt(lines: readonly string[], account: string, orderId: string): number | undefined {
  // Few lines are of this order: only those are parsed.
  const named = JSON.stringify(orderId)
  for (const text of lines) {
    if (!text.includes('"changed"') || !text.includes(named)) continue
    try {
      const { t, at, account: of, ref, change } = JSON.parse(text) as Partial<ChangeLine & { t: 'changed' }>
      if (t === 'changed' && of === account && ref?.id === orderId && change === 'canceled') return at
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}
