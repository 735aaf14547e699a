// The questions of the port, asked of a ccxt client. A list that was cut is an error, never an empty account: the wire log sees to that.
import type { AccessReport, VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind, Ticker } from '../../exchange/market.ts'
import type { Balance, Order, Position, Trade, TradeQuery } from '../../exchange/order.ts'
import { readBalances, withAlways } from './balances.ts'
import type { KnownOrders } from './known-orders.ts'
import type { MarketBook, VenueMarket } from './markets.ts'
import { fetchOrder, listOf, readingOf, requireMarket, type VenueAccount, withKnown } from './order-lookup.ts'
import { type OrderReading, readOrder } from './orders.ts'
import { readPositions } from './positions.ts'
import { isWhole, readTicker, readTop } from './tickers.ts'
import { inOrder, readTrade } from './trades.ts'

const DEFAULT_TRADES = 50
const MAX_PAGES = 20
const BOOK_LEVELS = 5

export type Questions = Pick<
  VenueView,
  'fetchTicker' | 'fetchBalances' | 'fetchPositions' | 'fetchOpenOrders' | 'fetchOrder' | 'fetchMyTrades'
> & { checkAccess(): Promise<AccessReport> }

export function createQuestions(account: VenueAccount): Questions {
  return {
    fetchTicker: (symbol) => fetchTicker(account, symbol),
    checkAccess: () => checkAccess(account),
    fetchBalances: () => fetchBalances(account),
    fetchPositions: () => fetchPositions(account),
    fetchOpenOrders: (symbol) => fetchOpenOrders(account, symbol),
    fetchOrder: (ref) => fetchOrder(account, ref),
    fetchMyTrades: (query) => fetchMyTrades(account, query),
  }
}

async function fetchTicker({ client, connection, now }: VenueAccount, symbol: string): Promise<Ticker> {
  return connection.askPublic(async (markets) => {
    const market = requireMarket(markets, symbol)
    const ticker = readTicker(await client.fetchTicker(market.symbol), markets, now)
    if (isWhole(ticker)) return ticker
    const top = readTop(await client.fetchOrderBook(market.symbol, BOOK_LEVELS))
    const whole = ticker === undefined ? undefined : { ...ticker, ...top }
    if (!isWhole(whole)) throw new ExchangeError('unavailable', `there is no price of ${symbol} now`)
    return whole
  })
}

async function checkAccess({ client, profile, kind, environment, connection }: VenueAccount): Promise<AccessReport> {
  const report = await connection.ask(async () => {
    if (profile.access !== undefined) return profile.access(client, environment)
    await client.fetchBalance(profile.fetchBalanceParams(kind))
    return { remarks: [`${profile.name} does not say what this key may do; make one that cannot withdraw`] }
  })
  const positionMode = await connection.positionMode()
  return positionMode === undefined ? report : { ...report, positionMode }
}

async function fetchBalances({ client, profile, kind, connection }: VenueAccount): Promise<readonly Balance[]> {
  return connection.ask(async (markets) => {
    const answer = await client.fetchBalance(profile.fetchBalanceParams(kind))
    const info = typeof answer === 'object' && answer !== null && 'info' in answer ? answer.info : undefined
    const balances = profile.balances?.(info, kind) ?? readBalances(answer)
    return withAlways(balances, settleOf(markets, kind))
  })
}

/** What most of the venue's contracts settle in. */
function settleOf(markets: MarketBook, kind: MarketKind): readonly string[] {
  if (kind === 'spot') return []
  const counts = new Map<string, number>()
  for (const { settle = '' } of markets.markets) counts.set(settle, (counts.get(settle) ?? 0) + 1)
  const [most] = [...counts].sort((left, right) => right[1] - left[1])
  return most === undefined ? [] : [most[0]]
}

async function fetchPositions(account: VenueAccount): Promise<readonly Position[]> {
  const { client, profile, kind, connection, marginModes } = account
  if (kind === 'spot') return []
  const positions = await connection.ask(async (markets) =>
    readPositions(listOf(await client.fetchPositions(undefined, profile.fetchPositionsParams(kind))), markets),
  )
  for (const { symbol, marginMode } of positions) if (marginMode !== undefined) marginModes.set(symbol, marginMode)
  return positions
}

async function fetchOpenOrders(account: VenueAccount, symbol?: string): Promise<readonly Order[]> {
  const { client, profile, kind, connection, known } = account
  return connection.ask(async (markets) => {
    const market = symbol === undefined ? undefined : requireMarket(markets, symbol)
    if (market === undefined && profile.openOrdersNeedSymbol(kind)) {
      throw new ExchangeError('not-supported', `${profile.name} lists orders of one symbol only`, {
        hint: 'name a symbol',
      })
    }
    const reading = readingOf(account, markets)
    const triggers = profile.triggers(kind)
    const usual = profile.fetchOpenOrdersParams(kind)
    const places = triggers === 'with-others' ? [usual] : [usual, { ...usual, ...triggers.apart }]
    const lists = await Promise.all(
      places.map(async (params) => listOf(await client.fetchOpenOrders(market?.symbol, undefined, undefined, params))),
    )
    const orders = lists.flat().flatMap((row) => readOpen(row, reading, known))
    const once = [...new Map(orders.map((order) => [`${order.symbol} ${order.id}`, order])).values()]
    return once.filter((order) => market === undefined || order.symbol === market.market.symbol).sort(byAge)
  })
}

/** What is listed as open and is none of our markets' is left out; what cannot be read is not: it may be an order of ours. */
function readOpen(row: unknown, reading: OrderReading, known: KnownOrders): readonly Order[] {
  const order = readOrder(row, reading)
  if (order !== undefined) return order.status === 'open' ? [known.remember(withKnown(order, known))] : []
  const symbol = typeof row === 'object' && row !== null && 'symbol' in row ? row.symbol : undefined
  if (typeof symbol === 'string' && reading.markets.bySymbol(symbol) === undefined) return []
  throw new ExchangeError('network', 'the venue listed an order that cannot be read')
}

export function byAge(left: Order, right: Order): number {
  return left.timestamp - right.timestamp || (left.id < right.id ? -1 : 1)
}

async function fetchMyTrades(account: VenueAccount, query: TradeQuery): Promise<readonly Trade[]> {
  const { profile, connection, known, fired } = account
  const { symbol, since, limit = DEFAULT_TRADES } = query
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, symbol)
    const reading = readingOf(account, markets)
    const rows = await tradeRows(account, market, since, Math.min(Math.max(limit, 1), profile.tradesPerPage))
    const trades = rows.flatMap((row) => readTrade(row, reading) ?? [])
    const named = trades.map((trade) => {
      const origin = fired.get(trade.orderId)
      const orderId = origin?.id ?? trade.orderId
      const clientOrderId =
        trade.clientOrderId ?? origin?.clientOrderId ?? known.find({ symbol, id: orderId })?.clientOrderId
      return { ...trade, orderId, ...(clientOrderId === undefined ? {} : { clientOrderId }) }
    })
    return inOrder(
      named.filter((trade) => since === undefined || trade.timestamp >= since),
      limit,
    )
  })
}

/** All since a moment, page after page; without one, the newest page. */
async function tradeRows(
  { client, profile, connection }: VenueAccount,
  market: VenueMarket,
  since: number | undefined,
  limit: number,
): Promise<readonly unknown[]> {
  const ask = (from: number | undefined, size: number, params = {}) =>
    connection.nested(async () => listOf(await client.fetchMyTrades(market.symbol, from, size, params)))
  if (since === undefined) return ask(undefined, limit)
  const rows: unknown[] = []
  let [from, until] = [since, undefined as number | undefined]
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const size = profile.tradesPerPage
    const batch = await ask(from, size, until === undefined ? {} : { until })
    rows.push(...batch)
    const times = batch.map(timeOf).filter((time) => Number.isFinite(time))
    if (batch.length < size || times.length === 0) break
    if (profile.tradesNewestFirst) until = Math.min(...times)
    else from = Math.max(...times, from + 1)
  }
  return rows
}

function timeOf(row: unknown): number {
  return typeof row === 'object' && row !== null && 'timestamp' in row ? Number(row.timestamp) : Number.NaN
}
