// Every execution of an account that can be known: those that the order journal has, with who asked for them, and those that only the venue
// tells. What is missing is said (behaviour 38).
import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Trade } from '../../exchange/order.ts'
import type { OrderedBy } from '../order-plan.ts'
import { type JournalHistory, tradeKey } from './journal-history.ts'

export interface Execution {
  readonly trade: Trade
  /** Absent: by another program, or before hookline wrote orders down. */
  readonly by?: OrderedBy
}

/** Why a figure may be incomplete. */
export type Gap =
  /** The venue did not tell its list: only what the journal has is counted. */
  | { readonly kind: 'venue-silent'; readonly symbols: readonly string[]; readonly message: string }
  /** More symbols than are asked about. */
  | { readonly kind: 'symbols-left-out'; readonly symbols: readonly string[] }
  /** The venue told as many as it tells at once: older ones of other programs are not counted. */
  | { readonly kind: 'list-cut'; readonly symbol: string; readonly since: number }
  /** More was sold than was bought before: what that cost is not known. */
  | { readonly kind: 'cost-unknown'; readonly symbol: string; readonly amount: string }
  /** What the executions add up to is not what the venue has. */
  | { readonly kind: 'position-differs'; readonly symbol: string; readonly counted: string; readonly held: string }
  /** Funding is paid between executions, and is not among them. */
  | { readonly kind: 'funding-unknown' }

export interface Executions {
  /** Oldest first. */
  readonly executions: readonly Execution[]
  readonly gaps: readonly Gap[]
}

export interface Asked {
  /** Default: every symbol that the journal has, or that something is held or rests on. */
  readonly symbols?: readonly string[]
  /** ms since the epoch; default: the beginning. */
  readonly since?: number
}

/** So many symbols are asked about: each is a question to the venue. */
const MAX_SYMBOLS = 20
const MAX_TRADES = 500

export async function gatherExecutions(venue: VenueView, journal: JournalHistory, asked: Asked): Promise<Executions> {
  const { since = 0 } = asked
  const gaps: Gap[] = []
  const symbols = asked.symbols ?? (await symbolsOf(venue, journal, gaps))
  if (symbols.length > MAX_SYMBOLS) gaps.push({ kind: 'symbols-left-out', symbols: symbols.slice(MAX_SYMBOLS) })
  const told = await askAll(venue, symbols.slice(0, MAX_SYMBOLS), since, gaps)
  const isAsked = ({ symbol, timestamp }: Trade) =>
    timestamp >= since && (asked.symbols === undefined || asked.symbols.includes(symbol))
  return { executions: merge(journal, told).filter(({ trade }) => isAsked(trade)), gaps }
}

async function symbolsOf(venue: VenueView, journal: JournalHistory, gaps: Gap[]): Promise<readonly string[]> {
  const known = journal.orders.map(({ symbol }) => symbol)
  try {
    const [positions, orders] = await Promise.all([venue.fetchPositions(), venue.fetchOpenOrders()])
    return [...new Set([...positions.map(({ symbol }) => symbol), ...orders.map(({ symbol }) => symbol), ...known])]
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    const symbols = [...new Set(known)]
    gaps.push({ kind: 'venue-silent', symbols, message: error.message })
    return symbols
  }
}

async function askAll(
  venue: VenueView,
  symbols: readonly string[],
  since: number,
  gaps: Gap[],
): Promise<readonly Trade[]> {
  const answers = await Promise.all(
    symbols.map(async (symbol) => {
      try {
        const trades = await venue.fetchMyTrades({ symbol, since, limit: MAX_TRADES })
        if (trades.length >= MAX_TRADES) gaps.push({ kind: 'list-cut', symbol, since: trades[0]?.timestamp ?? since })
        return trades
      } catch (error) {
        // A market that the venue no longer has is told by the journal alone.
        if (!(error instanceof ExchangeError)) throw error
        gaps.push({ kind: 'venue-silent', symbols: [symbol], message: error.message })
        return []
      }
    }),
  )
  return answers.flat()
}

/** Each once; of one that both know, the venue says more of money, and the journal more of who. */
function merge({ fills, orders }: JournalHistory, told: readonly Trade[]): readonly Execution[] {
  const byClientId = new Map(orders.map((order) => [order.clientOrderId, order]))
  const byOrderId = new Map(orders.flatMap((order) => (order.orderId === undefined ? [] : [[order.orderId, order]])))
  const trades = new Map<string, Trade>()
  for (const { clientOrderId, trade } of fills) trades.set(tradeKey(trade), { ...trade, clientOrderId })
  for (const trade of told) {
    const key = tradeKey(trade)
    trades.set(key, { ...trades.get(key), ...trade })
  }
  return [...trades.values()]
    .map((trade) => {
      const order = byClientId.get(trade.clientOrderId ?? '') ?? byOrderId.get(trade.orderId)
      return { trade, ...(order?.by === undefined ? {} : { by: order.by }) }
    })
    .sort((a, b) => a.trade.timestamp - b.trade.timestamp)
}
