// What the order journal knows of the past: every order with its outcome and who asked for it, and every fill that was heard of.
import { type Trade, VENUE_CAUSES, type VenueCause } from '../../exchange/order.ts'
import type { ProtectiveRole } from '../client-order-id.ts'
import type { OrderedBy } from '../order-plan.ts'
import { decodeLine, isDecimal, type Line, type RunOrder, readOrder } from '../orders-of-run.ts'

export interface OrderRecord extends RunOrder {
  readonly reduceOnly: boolean
  readonly takeProfitPrice?: string
  readonly by?: OrderedBy
  /** Of a protective order. */
  readonly role?: ProtectiveRole
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

const KEPT: ReadonlySet<unknown> = new Set(['intent', 'outcome', 'fill', 'end', 'changed'])

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
    asSent,
    lines.filter((line) => line.t === 'changed' && isOf(line)),
  ).sort((a, b) => a.at - b.at)
  return {
    orders,
    fills: [...fills.values()].sort((a, b) => a.trade.timestamp - b.trade.timestamp),
    beginsAt: orders[0]?.at,
  }
}

/** As they were amended since; by either id, as the change named them. */
function withChanges(orders: readonly OrderRecord[], changes: readonly Line[]): OrderRecord[] {
  const made = new Map<unknown, Partial<OrderRecord>>()
  for (const { ref, change } of changes) {
    const { id, clientOrderId } = (typeof ref === 'object' && ref !== null ? ref : {}) as Line
    const fields = Object.entries(typeof change === 'object' && change !== null ? change : {})
    const known = Object.fromEntries(fields.filter(([name, value]) => CHANGEABLE.has(name) && isDecimal(value)))
    for (const name of [id, clientOrderId].filter(Boolean)) made.set(name, { ...made.get(name), ...known })
  }
  return orders.map((order) => ({ ...order, ...made.get(order.orderId), ...made.get(order.clientOrderId) }))
}

const CHANGEABLE: ReadonlySet<string> = new Set(['amount', 'price', 'triggerPrice', 'takeProfitPrice'])

function recordOf(lines: readonly Line[]): OrderRecord[] {
  const intent = lines.find(({ t }) => t === 'intent')
  const { reduceOnly, takeProfitPrice } = (intent?.order ?? {}) as Line
  const by = intent?.by
  return readOrder(lines).map((order) => ({
    ...order,
    reduceOnly: reduceOnly === true,
    ...(isDecimal(takeProfitPrice) ? { takeProfitPrice } : {}),
    ...(isOrderedBy(by) ? { by } : {}),
    ...(intent?.protects === undefined ? {} : { role: intent.role === 'take' ? 'take' : 'stop' }),
  }))
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
