// Every execution of an account that can be known: those that the order journal has, with who asked for them, and those that only the venue
// tells. What is missing is said (behaviour 38).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { orderKey, type Position, type Trade, type TradeHistory, type TradeQuery } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { type JournalHistory, type LaterStop, tradeKey } from './journal-history.ts'

export interface Execution {
  readonly trade: Trade
  /** Absent: by another program, or before hookline wrote orders down. */
  readonly by?: OrderedBy
  /** Typed with its order. */
  readonly tags?: readonly string[]
  /** The trigger of the stop that its order was placed with. */
  readonly entryStop?: string
  readonly laterStop?: LaterStop
}

/** `hook:dip`, `web:Console`, `repl`; `other` for what hookline did not order, or did not write down. */
export function nameOf(by: OrderedBy | undefined): string {
  if (by === undefined) return 'other'
  return by.origin === undefined ? by.source : `${by.source}:${by.origin}`
}

/** Why a figure may be incomplete. */
export type Gap =
  /** The venue did not tell its list: only what the journal has is counted. */
  | { readonly kind: 'venue-silent'; readonly symbol?: string; readonly message: string }
  /** More symbols than are asked about. */
  | { readonly kind: 'symbols-left-out'; readonly symbols: readonly string[] }
  /** The venue told as many as it tells at once: older ones of other programs are not counted. */
  | { readonly kind: 'list-cut'; readonly symbol: string; readonly since: number }
  /** The venue lists no older fills: they are counted where the journal has them. */
  | { readonly kind: 'fills-not-kept'; readonly since: number }
  /** Older fills were not asked for: they are counted where the journal has them. */
  | { readonly kind: 'fills-not-asked'; readonly since: number }
  /** The venue lists them, and they cannot be read: what they brought is not counted. */
  | { readonly kind: 'fills-unread'; readonly symbol?: string; readonly fills: number; readonly ids: readonly string[] }
  /** More was sold than was bought before: what that cost is not known. */
  | { readonly kind: 'cost-unknown'; readonly symbol: string; readonly amount: string }
  /** What the executions add up to is not what the venue has. */
  | { readonly kind: 'position-differs'; readonly symbol: string; readonly counted: string; readonly held: string }
  /** The venue no longer has it: what its executions brought is not known. */
  | { readonly kind: 'market-unknown'; readonly symbol: string }
  /** It was placed, no longer rests, and the venue does not say how it ended. */
  | { readonly kind: 'ends-unknown'; readonly orders: number }
  /** The account itself could not be asked. */
  | { readonly kind: 'account-silent'; readonly message: string }
  /** Funding is paid between executions, and the venue was not, or could not be, asked for it. */
  | { readonly kind: 'funding-unknown' }
  /** What the account is worth now is not known: it is stale, or does not answer. */
  | { readonly kind: 'equity-unknown' }
  /** More payments than are read: older ones are not counted. */
  | { readonly kind: 'funding-cut'; readonly symbol: string; readonly since: number }
  /** The venue does not report the fee of these fills. */
  | { readonly kind: 'fees-unknown'; readonly fills: number }
  /** What was executed before hookline wrote orders down, or by other programs, has nobody who ordered it. */
  | { readonly kind: 'orders-unknown'; readonly fills: number; readonly knownSince?: number }

interface Executions {
  /** Oldest first. */
  readonly executions: readonly Execution[]
  /** Those that were asked about. */
  readonly symbols: readonly string[]
  /** Undefined: the venue does not tell. */
  readonly positions: readonly Position[] | undefined
  readonly gaps: readonly Gap[]
}

interface Asked {
  /** Default: every symbol that the journal has, or that something is held or rests on. */
  readonly symbols?: readonly string[]
  /** ms since the epoch: from when the venue's list has to be as whole as it can be. */
  readonly since?: number
}

/** So many symbols are asked about: each is a question to the venue. */
const MAX_SYMBOLS = 20
const MAX_TRADES = 500

/** All that is known, also from before `since`: what was held then decides what the next execution realised. */
export async function gatherExecutions(venue: VenueView, journal: JournalHistory, asked: Asked): Promise<Executions> {
  const gaps: Gap[] = []
  const positions = await orSilent(() => venue.fetchPositions(), gaps)
  const known = asked.symbols ?? (await symbolsOf(venue, journal, positions ?? []))
  const [symbols, leftOut] = [known.slice(0, MAX_SYMBOLS), known.slice(MAX_SYMBOLS)]
  if (leftOut.length > 0) gaps.push({ kind: 'symbols-left-out', symbols: leftOut })
  const reported = await Promise.all(symbols.map((symbol) => ask(venue, symbol, asked.since, gaps)))
  const reach = Math.max(0, ...reported.map((each) => each.reach ?? 0))
  if (reach > 0) gaps.push({ kind: asked.since === undefined ? 'fills-not-asked' : 'fills-not-kept', since: reach })
  gaps.push(...unreadOf(venue, symbols))
  const { resetAt = 0, endsAt = Number.POSITIVE_INFINITY } = journal
  const isAsked = ({ trade }: Execution) =>
    trade.timestamp >= resetAt &&
    trade.timestamp < endsAt &&
    (asked.symbols === undefined || asked.symbols.includes(trade.symbol))
  return {
    executions: mergeFills(
      journal,
      reported.flatMap(({ trades }) => trades),
    ).filter(isAsked),
    symbols,
    positions,
    gaps,
  }
}

async function symbolsOf(
  venue: VenueView,
  journal: JournalHistory,
  positions: readonly Position[],
): Promise<readonly string[]> {
  const orders = (await orSilent(() => venue.fetchOpenOrders(), [])) ?? []
  return [...new Set([...positions, ...orders, ...journal.orders.toReversed()].map(({ symbol }) => symbol))]
}

/** What the venue tells of one symbol. */
interface Reported extends TradeHistory {
  /** From when on it can be asked at all, where that is later than was wanted. */
  readonly reach?: number
}

/** The newest, and where a time is asked for that they do not reach back to, those since then. */
async function ask(venue: VenueView, symbol: string, since: number | undefined, gaps: Gap[]): Promise<Reported> {
  const newest = await orSilent(() => history(venue, { symbol, limit: MAX_TRADES }), gaps, symbol)
  if (newest === undefined) return { trades: [] }
  const isEnough = newest.wholeSince === undefined || (since !== undefined && newest.wholeSince <= since)
  if (isEnough) return { trades: newest.trades }
  if (since === undefined || isFull(newest)) return reported(newest, symbol, gaps)
  const later = await orSilent(() => history(venue, { symbol, since, limit: MAX_TRADES }), gaps, symbol)
  if (later === undefined) return newest
  return { ...reported(later, symbol, gaps), trades: [...newest.trades, ...later.trades] }
}

async function history(venue: VenueView, query: TradeQuery): Promise<TradeHistory> {
  if (venue.fetchTradeHistory !== undefined) return venue.fetchTradeHistory(query)
  const trades = await venue.fetchMyTrades(query)
  const [oldest] = trades
  return trades.length < MAX_TRADES || oldest === undefined ? { trades } : { trades, wholeSince: oldest.timestamp }
}

function isFull({ trades }: TradeHistory): boolean {
  return trades.length >= MAX_TRADES
}

/** A list that is cut begins with its oldest fill; one that reaches back as far as it can begins when that was. */
function reported(list: TradeHistory, symbol: string, gaps: Gap[]): Reported {
  const { trades, wholeSince } = list
  if (wholeSince === undefined) return { trades }
  if (!isFull(list) && wholeSince !== trades[0]?.timestamp) return { trades, reach: wholeSince }
  gaps.push({ kind: 'list-cut', symbol, since: wholeSince })
  return { trades }
}

/** Each was named when its list was read. */
function unreadOf({ unread = [] }: VenueView, symbols: readonly string[]): readonly Gap[] {
  const fills = unread.filter(
    ({ what, symbol }) => what === 'fill' && (symbol === undefined || symbols.includes(symbol)),
  )
  return [...new Set(fills.map(({ symbol }) => symbol))].map((symbol) => {
    const rows = fills.filter((each) => each.symbol === symbol)
    return { kind: 'fills-unread', ...defined({ symbol }), fills: rows.length, ids: rows.flatMap(({ id }) => id ?? []) }
  })
}

/** A venue that does not answer, or a market that it no longer has, is told by the journal alone. */
async function orSilent<Answer>(
  question: () => Promise<Answer>,
  gaps: Gap[],
  symbol?: string,
): Promise<Answer | undefined> {
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    gaps.push({ kind: 'venue-silent', ...defined({ symbol }), message: error.message })
    return undefined
  }
}

/** A stop that is reached becomes an order of another id at some venues: what filled is heard under the one, and listed under the other. */
function underAnotherOrder(received: Trade, reported: readonly Trade[]): Trade | undefined {
  const key = contentKey(received)
  return reported.find((trade) => trade.id === received.id && contentKey(trade) === key)
}

function contentKey({ symbol, side, amount, price }: Trade): string {
  return [symbol, side, new Decimal(amount).toFixed(), new Decimal(price).toFixed()].join('|')
}

/** Each once; of one that both know, the venue says more of money, and the journal more of who. */
export function mergeFills({ fills, orders }: JournalHistory, reported: readonly Trade[]): readonly Execution[] {
  const byClientId = new Map(orders.map((order) => [order.clientOrderId, order]))
  const byOrderId = new Map(
    orders.flatMap((order) => (order.orderId === undefined ? [] : [[orderKey(order.symbol, order.orderId), order]])),
  )
  const trades = new Map<string, Trade>()
  // The venue's own order first: fills of one millisecond are told apart by nothing else.
  for (const trade of reported) trades.set(tradeKey(trade), trade)
  for (const { clientOrderId: ours, trade } of fills) {
    const clientOrderId = defined({ clientOrderId: ours })
    const key = tradeKey(trade)
    const same = trades.has(key) ? undefined : underAnotherOrder(trade, reported)
    if (same === undefined) trades.set(key, { ...trade, ...clientOrderId, ...trades.get(key) })
    else trades.set(tradeKey(same), { ...trade, ...clientOrderId, ...same, orderId: trade.orderId })
  }
  return [...trades.values()]
    .map((trade) => {
      const order = byClientId.get(trade.clientOrderId ?? '') ?? byOrderId.get(orderKey(trade.symbol, trade.orderId))
      return {
        trade,
        ...defined({ by: order?.by, entryStop: order?.entryStop, laterStop: order?.laterStop, tags: order?.tags }),
      }
    })
    .sort((a, b) => a.trade.timestamp - b.trade.timestamp)
}
