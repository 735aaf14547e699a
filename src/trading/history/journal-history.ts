// What one run or task ordered, and what came of it, read from the order journal.
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { type Order, type Side, type Trade, VENUE_CAUSES, type VenueCause } from '../../exchange/order.ts'
import { filesSince } from '../../stores/durable-journal.ts'
import { linesBackwards } from '../../stores/journal-file.ts'
import { tagsOf } from '../../stores/notes.ts'
import { type OrderedBy, orderIdPrefix, type ProtectiveRole } from '../order-plan.ts'

/** An order as the journal has it. */
export interface RunOrder
  extends Pick<Order, 'symbol' | 'side' | 'amount' | 'price' | 'triggerPrice' | 'filled' | 'average'> {
  readonly clientOrderId: string
  /** The venue's own id, once it is known. */
  readonly orderId?: string
  readonly account: string
  /** When its intent was written, ms since the epoch. */
  readonly at: number
  /** As it was written: also one of a later version. */
  readonly type: string
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
  const changes: Line[] = []
  for await (const chunk of lines) {
    for (const text of chunk) {
      if (text.includes('"t":"changed"')) changes.push(decodeLine(text))
      else if (text.includes(mark)) found.push(decodeLine(text))
    }
  }
  const byId = new Map<string, Line[]>()
  for (const line of found.reverse()) {
    if (typeof line.id !== 'string' || !line.id.startsWith(beginning)) continue
    byId.set(line.id, [...(byId.get(line.id) ?? []), line])
  }
  return withChanges([...byId.values()].flatMap(readOrder), changes.reverse()).sort((a, b) => a.at - b.at)
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
  const fate = outcome?.outcome
  const state = fate === 'refused' || fate === 'simulated' ? fate : fate === undefined ? 'sent' : 'unknown'
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

function isDecimal(value: unknown): value is string {
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

// What the order journal knows of the past: every order with its outcome and who asked for it, and every fill that was heard of.

export interface OrderRecord extends RunOrder, Pick<Order, 'reduceOnly' | 'takeProfitPrice'> {
  readonly by?: OrderedBy
  /** Typed with it. */
  readonly tags?: readonly string[]
  /** Of a protective order. */
  readonly role?: ProtectiveRole
  /** Of an entry: the trigger of its stop as the entry filled, or of one that the same run placed for all of it, as it was at first. */
  readonly entryStop?: string
  /** Of an entry without one: the first that was placed afterwards for as much. */
  readonly laterStop?: LaterStop
}

interface OwnFill {
  /** Absent: the venue made it by itself. */
  readonly clientOrderId?: string
  readonly trade: Trade
}

/** Of one account, oldest first. */
export interface JournalHistory {
  readonly orders: readonly OrderRecord[]
  readonly fills: readonly OwnFill[]
  /** When the first order of the account was written down, ms since the epoch; undefined: none was. */
  readonly beginsAt: number | undefined
  /** When the account began anew: what a venue tells of the time before is of an account that is gone. */
  readonly resetAt?: number
  /** What was before that: of the account as it was then. */
  readonly before?: JournalHistory
  /** When the account of this history ended; absent: it goes on. */
  readonly endsAt?: number
}

/** Of an account that never was begun anew. */
export const NO_HISTORY: JournalHistory = { orders: [], fills: [], beginsAt: undefined, endsAt: 0 }

/** What the order journal has of an account, since the account was made. */
export type ReadOrderHistory = (accountName: string) => Promise<JournalHistory>

/** What the order journal has of an account of that name, since it was made. */
export async function readOrderHistory(
  directory: string,
  { name, createdAt = 0 }: { readonly name: string; readonly createdAt?: number },
): Promise<JournalHistory> {
  const files = await filesSince(join(directory, 'orders.jsonl'), createdAt)
  return readJournalHistory(linesBackwards(files), name, createdAt)
}

/**
 * @param lines newest first, several at a time
 * @param from lines before that time, ms since the epoch, are of an account of that name that is gone
 */
export async function readJournalHistory(
  lines: AsyncIterable<readonly string[]>,
  account: string,
  from = 0,
): Promise<JournalHistory> {
  const found: Line[] = []
  let resetAt: number | undefined
  for await (const chunk of lines) {
    for (const text of chunk) {
      const line = decodeLine(text)
      if (isReset(line, account, from)) resetAt = Math.max(resetAt ?? 0, line.at)
      if (KEPT.has(line.t) && (line.account === undefined || line.account === account)) found.push(line)
    }
  }
  const begin = Math.max(from, resetAt ?? 0)
  const oldestFirst = found.reverse()
  const isOurs = (line: Line) => line.account === account
  const history = historyOf(oldestFirst, (line) => isOurs(line) && Number(line.at) >= begin)
  if (resetAt === undefined) return history
  const endsAt = resetAt
  const earlier = historyOf(oldestFirst, (line) => isOurs(line) && Number(line.at) >= from && Number(line.at) < endsAt)
  return { ...history, resetAt, before: { ...earlier, endsAt } }
}

function isReset(line: Line, account: string, from: number): line is Line & { readonly at: number } {
  return line.t === 'reset' && line.account === account && typeof line.at === 'number' && line.at >= from
}

const KEPT: ReadonlySet<unknown> = new Set(['intent', 'outcome', 'fill', 'end', 'changed', 'protection'])

/** @param lines oldest first @param isOf whether it is of the account as it is now */
function historyOf(lines: readonly Line[], isOf: (line: Line) => boolean): JournalHistory {
  const byOrder = new Map<unknown, Line[]>()
  // A process that takes an order over writes down all its fills again, and a file that is begun repeats those of open orders.
  const fills = new Map<string, OwnFill>()
  for (const line of lines) {
    if (line.t === 'changed' || (line.t === 'intent' && !isOf(line))) continue
    const known = byOrder.get(line.id)
    if (known === undefined) byOrder.set(line.id, [line])
    else known.push(line)
    const trade = line.t === 'fill' && isOf(line) ? readTrade(line.trade) : undefined
    // What the venue does by itself is under its own id of the order.
    const isOurs = line.id !== trade?.orderId
    if (trade !== undefined)
      fills.set(tradeKey(trade), { ...(isOurs ? { clientOrderId: String(line.id) } : {}), trade })
  }
  const asSent = [...byOrder.values()].flatMap(recordOf)
  const orders = withChanges(
    withEntryStops(asSent),
    lines.filter((line) => line.t === 'changed' && isOf(line)),
  ).sort((a, b) => a.at - b.at)
  return {
    orders,
    fills: [...fills.values()].sort((a, b) => a.trade.timestamp - b.trade.timestamp),
    beginsAt: orders[0]?.at,
  }
}

export interface LaterStop {
  /** ms since the epoch. */
  readonly at: number
  readonly triggerPrice: string
}

/** As an order was sent, with what only its entry's stop is found by. */
interface SentRecord extends OrderRecord {
  readonly protects?: string
}

const UNPLACED: ReadonlySet<RunOrder['state']> = new Set(['refused', 'rejected', 'simulated'])

function withEntryStops(orders: readonly SentRecord[]): OrderRecord[] {
  const stopsOf = new Map<string, SentRecord[]>()
  for (const order of orders) {
    const key = order.protects ?? (order.by === undefined ? undefined : runKey(order.by.runId, order.symbol))
    if (isStop(order) && key !== undefined) stopsOf.set(key, [...(stopsOf.get(key) ?? []), order])
  }
  const laterStops = laterStopsOf(orders)
  return orders.map(({ protects: _, ...order }) => {
    if (order.reduceOnly) return order
    const { entryStop: planned, ...entry } = order
    const own = stopsOf.get(order.clientOrderId) ?? []
    const isRefused = own.length > 0 && own.every(({ state }) => UNPLACED.has(state))
    const entryStop = planned === undefined ? stopOfRun(order, stopsOf) : isRefused ? undefined : planned
    const laterStop = entryStop === undefined && !isRefused ? laterStops.get(order.clientOrderId) : undefined
    return { ...entry, ...defined({ entryStop, laterStop }) }
  })
}

/** `buy 0.01`, and then `stop at -2%`. By the ids of the entries. */
function laterStopsOf(orders: readonly SentRecord[]): ReadonlyMap<string, LaterStop> {
  const found = new Map<string, LaterStop>()
  const next = new Map<string, SentRecord>()
  // Of one moment, those that were sent later come first.
  for (const order of orders.toReversed().sort((a, b) => b.at - a.at)) {
    const { symbol, side, reduceOnly, protects, state, triggerPrice, clientOrderId } = order
    if (!reduceOnly) {
      const stop = next.get(`${symbol} ${side === 'buy' ? 'sell' : 'buy'}`)
      const isAsLarge = stop !== undefined && isDecimal(stop.amount) && new Decimal(stop.amount).gte(order.amount)
      if (isAsLarge && stop.triggerPrice !== undefined)
        found.set(clientOrderId, { at: stop.at, triggerPrice: stop.triggerPrice })
    } else if (isStop(order) && protects === undefined && !UNPLACED.has(state) && triggerPrice !== undefined) {
      next.set(`${symbol} ${side}`, order)
    }
  }
  return found
}

function isStop({ reduceOnly, type, role }: SentRecord): boolean {
  return reduceOnly && (type === 'stop' || type === 'stop-limit') && role !== 'take'
}

function runKey(runId: string, symbol: string): string {
  return `${runId} ${symbol}`
}

/** `buy 0.01; stop at -2%`. */
function stopOfRun(entry: OrderRecord, stops: ReadonlyMap<string, readonly SentRecord[]>): string | undefined {
  if (entry.by === undefined) return undefined
  return (stops.get(runKey(entry.by.runId, entry.symbol)) ?? []).find(
    ({ at, side, amount, state, protects }) =>
      protects === undefined &&
      at >= entry.at &&
      side !== entry.side &&
      !UNPLACED.has(state) &&
      isDecimal(amount) &&
      new Decimal(amount).gte(entry.amount),
  )?.triggerPrice
}

/** As they were amended since; by either id, as the change named them. */
function withChanges<O extends RunOrder>(orders: readonly O[], changes: readonly Line[]): O[] {
  const made = new Map<string, Set<Line>>()
  for (const line of changes) {
    const { id, clientOrderId } = (typeof line.ref === 'object' && line.ref !== null ? line.ref : {}) as Line
    for (const name of [id, clientOrderId].filter(Boolean)) {
      const key = `${line.account} ${name}`
      made.set(key, (made.get(key) ?? new Set()).add(line))
    }
  }
  return orders.map((order) => {
    const { account, orderId, clientOrderId, at } = order
    const named = [orderId, clientOrderId].flatMap((name) => [...(made.get(`${account} ${name}`) ?? [])])
    // The ids of a paper account that began anew come again.
    const since = [...new Set(named)].filter((line) => !(Number(line.at) < at))
    const inOrder = since.toSorted((a, b) => Number(a.at) - Number(b.at))
    return inOrder.reduce((before, { change }) => ({ ...before, ...changeIn(change) }), order)
  })
}

function changeIn(change: unknown): Partial<OrderRecord> {
  const fields = Object.entries(typeof change === 'object' && change !== null ? change : {})
  return Object.fromEntries(fields.filter(([name, value]) => CHANGEABLE.has(name) && isDecimal(value)))
}

const CHANGEABLE: ReadonlySet<string> = new Set(['amount', 'price', 'triggerPrice', 'takeProfitPrice'])

function recordOf(lines: readonly Line[]): SentRecord[] {
  const intent = lines.find(({ t }) => t === 'intent')
  const { reduceOnly, takeProfitPrice, ...order } = (intent?.order ?? {}) as Line
  // Changed before the entry filled: the last one is what was risked.
  const protection = lines.findLast(({ t }) => t === 'protection')?.protection ?? order.protection
  const entryStop = typeof protection === 'object' ? (protection as Line | null)?.triggerPrice : undefined
  const by = intent?.by
  return readOrder(lines).map((order) => ({
    ...order,
    reduceOnly: reduceOnly === true,
    ...(isDecimal(takeProfitPrice) ? { takeProfitPrice } : {}),
    ...(isOrderedBy(by) ? { by, ...tagsIn(by) } : {}),
    ...(intent?.protects === undefined ? {} : { role: intent.role === 'take' ? 'take' : 'stop' }),
    ...(typeof intent?.protects === 'string' ? { protects: intent.protects } : {}),
    ...(isDecimal(entryStop) ? { entryStop } : {}),
  }))
}

function tagsIn(by: OrderedBy): Pick<OrderRecord, 'tags'> {
  const tags = tagsOf(by.tags)
  return tags.length === 0 ? {} : { tags }
}

function isOrderedBy(value: unknown): value is OrderedBy {
  if (typeof value !== 'object' || value === null || !('source' in value) || !('runId' in value)) return false
  const { source, runId, origin } = value as Record<string, unknown>
  const isLabel = origin === undefined || typeof origin === 'string'
  return typeof source === 'string' && typeof runId === 'string' && isLabel
}

/** What tells one execution from another on one account. */
export function tradeKey({ symbol, id, orderId }: Pick<Trade, 'symbol' | 'id' | 'orderId'>): string {
  return `${symbol}|${id}|${orderId}`
}

/** Undefined for anything but a fill, as a person may have written it. */
function readTrade(value: unknown): Trade | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, orderId, symbol, side, amount, price, timestamp, ...more } = value as Record<string, unknown>
  const isNamed = typeof id === 'string' && typeof orderId === 'string' && typeof symbol === 'string'
  if (!isNamed || !isDecimal(amount) || !isDecimal(price) || typeof timestamp !== 'number') return undefined
  if (side !== 'buy' && side !== 'sell') return undefined
  const { clientOrderId, fee, feeCurrency, realizedPnl, takerOrMaker, cause } = more
  return {
    id,
    orderId,
    symbol,
    side,
    amount,
    price,
    timestamp,
    ...(typeof clientOrderId === 'string' ? { clientOrderId } : {}),
    ...(isSigned(fee) ? { fee } : {}),
    ...(typeof feeCurrency === 'string' ? { feeCurrency } : {}),
    ...(isSigned(realizedPnl) ? { realizedPnl } : {}),
    ...(takerOrMaker === 'taker' || takerOrMaker === 'maker' ? { takerOrMaker } : {}),
    ...(isCause(cause) ? { cause } : {}),
  }
}

function isCause(value: unknown): value is VenueCause {
  return VENUE_CAUSES.some((cause) => cause === value)
}

function isSigned(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
}
