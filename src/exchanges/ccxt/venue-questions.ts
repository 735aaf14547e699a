// The questions of the port, asked of a ccxt client. A list that was cut is an error, never an empty account: the wire log sees to that.
import { defined } from '../../base/defined.ts'
import type { AccessReport, MarginSetting, UnreadRow, VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { OrderBook, Ticker } from '../../exchange/market.ts'
import {
  type Balance,
  type FundingPayment,
  type Order,
  orderKey,
  type Position,
  type TradeQuery,
} from '../../exchange/order.ts'
import type { Params } from './ccxt-client.ts'
import { readBalances, readPositions, withAlways } from './holdings.ts'
import { unreadRow } from './known-orders.ts'
import { fetchCandles, fetchSummary, intervalsOf, isWhole, readOrderBook, readTicker, readTop } from './market-rows.ts'
import { type MarketBook, settlesOf } from './markets.ts'
import {
  fetchOrder,
  listOf,
  noteFired,
  readingOf,
  requireMarket,
  type VenueAccount,
  withKnown,
} from './order-lookup.ts'
import { type OrderReading, readRow } from './orders.ts'
import { askFirst } from './pacing.ts'
import type { FundingPage, FundingQuery, VenueProfile } from './profile.ts'
import { fetchMyTrades, fetchTradeHistory } from './trade-lists.ts'

const BOOK_LEVELS = 5
/** Venues take few other numbers of levels. */
const SHOWN_LEVELS = 20

export type Questions = Pick<
  VenueView,
  'fetchTicker' | 'fetchBalances' | 'fetchPositions' | 'fetchOpenOrders' | 'fetchOrder' | 'fetchMyTrades'
> &
  Required<Pick<VenueView, 'fetchTradeHistory'>> &
  Pick<
    VenueView,
    'intervals' | 'fetchCandles' | 'fetchOrderBook' | 'fetchMarketSummary' | 'fetchMargin' | 'fetchFundingPayments'
  > & {
    checkAccess(): Promise<AccessReport>
  }

/** What the venue's answers have been found to leave out: it is asked for at the same time from then on. */
interface LeftOut {
  top: boolean
  leverage: boolean
}

export function createQuestions(account: VenueAccount): Questions {
  const leftOut: LeftOut = { top: false, leverage: false }
  return {
    fetchTicker: (symbol) => fetchTicker(account, symbol, leftOut),
    checkAccess: () => checkAccess(account),
    fetchBalances: () => askFirst(() => fetchBalances(account)),
    fetchPositions: () => askFirst(() => fetchPositions(account, leftOut)),
    fetchOpenOrders: (symbol) => fetchOpenOrders(account, symbol),
    fetchOrder: (ref) => askFirst(() => fetchOrder(account, ref)),
    fetchMyTrades: (query) => fetchMyTrades(account, query),
    fetchTradeHistory: (query) => fetchTradeHistory(account, query),
    ...defined({ intervals: intervalsOf(account.client) }),
    fetchCandles: (symbol, interval, limit, since) =>
      account.connection.askPublic(
        (markets) => fetchCandles(account.client, requireMarket(markets, symbol), interval, limit, since),
        true,
      ),
    fetchOrderBook: (symbol) => fetchOrderBook(account, symbol),
    fetchMarketSummary: (symbol) =>
      account.connection.askPublic((markets) =>
        fetchSummary(account.client, requireMarket(markets, symbol), account.now, (ask) =>
          account.connection.nested(ask),
        ),
      ),
    ...derivativesQuestions(account, leftOut),
  }
}

/** What some venues can be asked besides. */
function derivativesQuestions(
  account: VenueAccount,
  leftOut: LeftOut,
): Pick<Questions, 'fetchMargin' | 'fetchFundingPayments'> {
  const { kind, profile } = account
  if (kind === 'spot') return {}
  const { margin, funding } = profile
  return {
    ...defined({ fetchMargin: margin && ((symbol: string) => fetchMargin(account, margin, symbol, leftOut)) }),
    ...(funding === undefined
      ? {}
      : { fetchFundingPayments: (query) => fetchFundingPayments(account, funding, query) }),
  }
}

async function fetchMargin(
  account: VenueAccount,
  margin: NonNullable<VenueProfile['margin']>,
  symbol: string,
  leftOut: LeftOut,
): Promise<MarginSetting> {
  const { client, kind, connection, marginModes, profile } = account
  // Where each mode has a leverage of its own, that of the position counts.
  if (profile.ordersNameMarginMode) await fetchPositions(account, leftOut)
  return connection.ask((markets) => margin(client, requireMarket(markets, symbol), kind, marginModes.get(symbol)))
}

async function fetchTicker(
  { client, connection, now, settings }: VenueAccount,
  symbol: string,
  leftOut: LeftOut,
): Promise<Ticker> {
  const found = await connection.askPublic(async (markets) => {
    const market = requireMarket(markets, symbol)
    const book = () => client.fetchOrderBook(market.symbol, BOOK_LEVELS)
    const [row, early] = await Promise.all([
      client.fetchTicker(market.symbol),
      leftOut.top ? connection.nested(book) : undefined,
    ])
    const ticker = readTicker(row, markets, now)
    if (isWhole(ticker)) return ticker
    leftOut.top = true
    const top = readTop(early ?? (await book()))
    const whole = ticker === undefined ? undefined : { ...ticker, ...top }
    if (!isWhole(whole)) throw new ExchangeError('unavailable', `there is no price of ${symbol} now`)
    return whole
  })
  settings.notePrice(symbol, found.last)
  return found
}

async function fetchOrderBook({ client, connection, now }: VenueAccount, symbol: string): Promise<OrderBook> {
  return connection.askPublic(async (markets) => {
    const market = requireMarket(markets, symbol)
    const found = readOrderBook(await client.fetchOrderBook(market.symbol, SHOWN_LEVELS), markets, now)
    if (found === undefined) throw new ExchangeError('unavailable', `there is no order book of ${symbol} now`)
    return found
  })
}

async function checkAccess({ client, profile, kind, environment, connection }: VenueAccount): Promise<AccessReport> {
  const stated = await connection.ask(async () => {
    if (profile.access !== undefined) return profile.access(client, environment)
    await client.fetchBalance(profile.balanceScopes(kind, ['USDT'])[0])
    return { remarks: [`${profile.name} does not report the permissions of this key; use a key that cannot withdraw`] }
  })
  const { clockDifferenceMs } = connection
  const remarks = [...stated.remarks, ...profile.remarks]
  const report = { ...stated, remarks, ...defined({ clockDifferenceMs }) }
  if (report.positionMode !== undefined) return report
  const positionMode = await connection.positionMode()
  return positionMode === undefined ? report : { ...report, positionMode }
}

async function fetchBalances({ client, profile, kind, connection }: VenueAccount): Promise<readonly Balance[]> {
  return connection.ask(async (markets) => {
    const settles = settlesOf(markets)
    const answers = await Promise.all(profile.balanceScopes(kind, settles).map((params) => client.fetchBalance(params)))
    const balances = answers.flatMap((answer) => {
      const info = typeof answer === 'object' && answer !== null && 'info' in answer ? answer.info : undefined
      return profile.balances?.(info, kind) ?? readBalances(answer)
    })
    const once = [...new Map(balances.map((balance) => [balance.currency, balance])).values()]
    return withAlways(once, settles.slice(0, 1))
  })
}

async function fetchPositions(account: VenueAccount, leftOut: LeftOut): Promise<readonly Position[]> {
  const { client, profile, kind, connection, marginModes } = account
  if (kind === 'spot') return []
  const positions = await connection.ask(async (markets) => {
    const scopes = profile.positionsScopes(kind, settlesOf(markets))
    const { leverages } = profile
    const early =
      leverages !== undefined && leftOut.leverage ? connection.nested(() => leverages(client, kind)) : undefined
    // It is waited for below, or not needed.
    early?.catch(() => {})
    const lists = await Promise.all(
      scopes.map(async (params) => listOf(await client.fetchPositions(undefined, params))),
    )
    const most = profile.positionsPerPage ?? Number.POSITIVE_INFINITY
    if (lists.some(({ length }) => length >= most)) {
      throw new ExchangeError('network', 'the venue lists more positions than can be read')
    }
    const found = readPositions(lists.flat(), markets, profile.leverageOf)
    if (leverages === undefined || found.every(({ leverage }) => leverage !== undefined)) return found
    leftOut.leverage = true
    const known = await (early ?? leverages(client, kind))
    return found.map((position) => {
      const leverage = position.leverage ?? known.get(position.symbol)
      return leverage === undefined ? position : { ...position, leverage }
    })
  })
  // What has no position any more may be in another mode by the next order.
  marginModes.clear()
  for (const { symbol, marginMode } of positions) if (marginMode !== undefined) marginModes.set(symbol, marginMode)
  account.positionsReadAt = account.now()
  return positions
}

// All that rests on an account, trigger orders with the others, page after page.

const MAX_ORDER_PAGES = 50

async function fetchOpenOrders(account: VenueAccount, symbol?: string): Promise<readonly Order[]> {
  const { profile, kind, connection } = account
  const ask = async (markets: MarketBook): Promise<readonly Order[]> => {
    const market = symbol === undefined ? undefined : requireMarket(markets, symbol)
    // Of a list of all symbols ccxt would leave out the rows without one, too.
    const asked = profile.openOrdersOfAllSymbols ? undefined : market
    const symbols = asked === undefined ? await symbolsToAsk(account, markets) : [asked.symbol]
    const triggers = profile.triggers(kind)
    const typed = profile.typedTriggers?.(kind)
    const ours = triggers === 'with-others' ? [] : (triggers.lists ?? [triggers.apart])
    const apart = typed === undefined ? ours : [...ours, typed.apart]
    // With a symbol one question is enough: the venue knows what it settles in.
    const usual =
      market === undefined
        ? profile.openOrdersScopes(kind, settlesOf(markets))
        : [profile.openOrdersScopes(kind, [])[0] ?? {}]
    const elsewhere = apart.flatMap((more) => usual.map((params) => ({ ...params, ...more })))
    const lists = await Promise.all([
      ...symbols.flatMap((each) => usual.map((params) => allOrderPages(account, each, params))),
      // Where they are kept apart they are listed of all symbols at once.
      ...elsewhere.map((params) => allOrderPages(account, asked?.symbol, params)),
    ])
    const reading = readingOf(account, markets)
    const rows = lists.flat().map((row) => readOpen(row, reading, account, asked?.market.symbol))
    account.unread.clear('order', asked?.market.symbol)
    for (const row of rows) if (row !== undefined && 'what' in row) account.unread.add(row)
    const orders = rows.flatMap((row) => (row === undefined || 'what' in row ? [] : [row]))
    const once = [...new Map(orders.map((order) => [orderKey(order.symbol, order.id), order])).values()]
    return once.filter((order) => symbol === undefined || order.symbol === symbol).sort(byAge)
  }
  return askFirst(() => connection.ask(ask))
}

/** Undefined: of all symbols at once. @throws {ExchangeError} `not-supported` where the venue needs a symbol and no one knows which */
async function symbolsToAsk(
  { client, profile, kind, connection }: VenueAccount,
  markets: MarketBook,
): Promise<readonly (string | undefined)[]> {
  if (!profile.openOrdersNeedSymbol(kind)) return [undefined]
  if (profile.symbolsWithOrders !== undefined) {
    const ask = profile.symbolsWithOrders
    return connection.nested(() => ask(client, markets))
  }
  throw new ExchangeError('not-supported', `${profile.name} lists orders of one symbol only`, { hint: 'name a symbol' })
}

async function allOrderPages(
  { client, profile, connection }: VenueAccount,
  symbol: string | undefined,
  scope: Params,
): Promise<readonly unknown[]> {
  const { openOrdersPage: page } = profile
  const rows: unknown[] = []
  const seen = new Set<unknown>()
  let params = scope
  for (let count = 0; count < MAX_ORDER_PAGES; count += 1) {
    const batch = await connection.nested(async () =>
      listOf(await client.fetchOpenOrders(symbol, undefined, page?.size, params)),
    )
    // Some lists know no pages, and are the same again.
    const isSame = batch.every((row) => seen.has(idOf(row)))
    for (const row of batch) seen.add(idOf(row))
    if (!isSame) rows.push(...batch)
    const next = page === undefined || isSame || batch.length < page.size ? undefined : page.next(batch, count + 2)
    if (next === undefined) return rows
    params = { ...scope, ...next }
  }
  throw new ExchangeError('network', 'the venue lists more orders than can be read')
}

function idOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'id' in row ? row.id : row
}

/**
 * What is listed as open and is not of our markets, or has ended, is left out; what cannot be read is not: it may be an order of ours, and the
 * others are none the worse for it.
 */
function readOpen(
  row: unknown,
  reading: OrderReading,
  account: VenueAccount,
  asked: string | undefined,
): Order | UnreadRow | undefined {
  const { known } = account
  const order = readRow(row, reading)
  if (!('unread' in order)) {
    noteFired(account, row, order)
    return order.status === 'open' ? known.remember(withKnown(order, known)) : undefined
  }
  const found = unreadRow('order', row, reading.markets)
  return found === undefined
    ? undefined
    : { ...found, ...defined({ symbol: found.symbol ?? asked }), why: order.unread }
}

function byAge(left: Order, right: Order): number {
  return left.timestamp - right.timestamp || (left.id < right.id ? -1 : 1)
}

// Funding as the venues themselves list it: page after page, in windows where a venue answers for so many days at a time. A list that is too
// long to be read is an error, never a shorter list.

const DAY_MS = 86_400_000
/** Where no one says since when: as long as all of them keep it. */
const FUNDING_DEFAULT_MS = 90 * DAY_MS
const FUNDING_LIMIT = 50
const MAX_FUNDING_PAGES = 20

/** @throws {ExchangeError} `bad-symbol` */
async function fetchFundingPayments(
  account: VenueAccount,
  funding: NonNullable<VenueProfile['funding']>,
  { symbol, since, limit = FUNDING_LIMIT }: TradeQuery,
): Promise<readonly FundingPayment[]> {
  const { client, connection, kind, now } = account
  return connection.ask(async (markets) => {
    const market = requireMarket(markets, symbol)
    const end = now()
    const start = since ?? end - FUNDING_DEFAULT_MS
    const paid: FundingPayment[] = []
    for (let from = start; from < end; ) {
      const until = Math.min(end, from + (funding.windowMs ?? Number.POSITIVE_INFINITY))
      const window = { from, until }
      const rows = await allFundingPages((cursor) =>
        connection.nested(() => funding.page(client, market, kind, { ...window, ...cursor })),
      )
      paid.push(...rows.map((row) => ({ ...row, symbol })))
      from = until
    }
    const once = [...new Map(paid.map((payment) => [payment.id, payment])).values()]
    const wanted = once.filter(({ timestamp }) => timestamp >= start)
    return wanted.sort((left, right) => left.timestamp - right.timestamp).slice(-limit)
  })
}

async function allFundingPages(
  ask: (cursor: Pick<FundingQuery, 'cursor'>) => Promise<FundingPage>,
): Promise<FundingPage['payments']> {
  const all: FundingPage['payments'][number][] = []
  let next: string | undefined
  for (let page = 0; page < MAX_FUNDING_PAGES; page += 1) {
    const { payments, cursor } = await ask(defined({ cursor: next }))
    all.push(...payments)
    if (cursor === undefined) return all
    next = cursor
  }
  throw new ExchangeError('network', 'the venue lists more funding than can be read', { hint: 'ask for fewer days' })
}
