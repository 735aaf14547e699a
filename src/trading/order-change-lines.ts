// The lines of the order journal that tell of changes of resting orders: what was asked for before it was sent, and what came of it.
import { Decimal } from 'decimal.js'
import { type Order, type OrderChange, type OrderRef, symbolKey } from '../exchange/order.ts'
import type { ProcessIdentity } from '../stores/kernel-files.ts'
import type { OrderedBy } from './order-plan.ts'

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

export type ChangeLine =
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
  return [...fold(lines).values()].map(({ change }) => change)
}

/** The lines of those changes. */
export function linesOfOpenChanges(lines: readonly string[]): readonly string[] {
  return [...fold(lines).values()].flatMap((found) => found.lines)
}

function fold(lines: readonly string[]): Map<string, Found> {
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

export function isIdentity(value: unknown): value is ProcessIdentity {
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
      if (symbol !== undefined) placed.add(symbolKey(symbol, orderId))
    }
    if (of !== account) continue
    if (t === 'intent' && isFields(order)) symbols.set(String(id), String(order.symbol))
    if ((t === 'changing' || t === 'changed') && isFields(ref) && isFields(change)) {
      const key = symbolKey(String(ref.symbol), String(ref.id))
      changes.set(key, [...(changes.get(key) ?? []), change])
    }
  }
  return {
    isPlaced: ({ id, symbol, clientOrderId }) =>
      placed.has(symbolKey(symbol, id)) || (clientOrderId !== undefined && symbols.has(clientOrderId)),
    isChanged: (order) => (changes.get(symbolKey(order.symbol, order.id)) ?? []).some((change) => isAs(order, change)),
  }
}

/** Whether the order is what the change asks for. */
export function isAs(order: Order, change: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(change).every(([name, value]) => {
    const now = order[name as keyof OrderChange]
    return now !== undefined && typeof value === 'string' && new Decimal(now).eq(value)
  })
}

/** Whether a line says that the order was canceled by a hookline. */
export function hasCancel(lines: readonly string[], account: string, orderId: string): boolean {
  // Few lines are of this order: only those are parsed.
  const named = JSON.stringify(orderId)
  return lines.some((text) => {
    if (!text.includes('"changed"') || !text.includes(named)) return false
    try {
      const { t, account: of, ref, change } = JSON.parse(text) as Partial<ChangeLine & { t: 'changed' }>
      return t === 'changed' && of === account && ref?.id === orderId && change === 'canceled'
    } catch {
      return false
    }
  })
}
