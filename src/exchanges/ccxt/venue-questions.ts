// The questions of the port, asked of a ccxt client. A list that was cut is an error, never an empty account: the wire log sees to that.
import { defined } from '../../base/defined.ts'
import type { AccessReport, MarginSetting, VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { OrderBook, Ticker } from '../../exchange/market.ts'
import type { Balance, Position } from '../../exchange/order.ts'
import { readBalances, withAlways } from './balances.ts'
import { fetchCandles } from './candles.ts'
import { fetchFundingPayments } from './funding.ts'
import { settlesOf } from './markets.ts'
import { fetchOpenOrders } from './open-orders.ts'
import { readOrderBook } from './order-books.ts'
import { fetchOrder, listOf, requireMarket, type VenueAccount } from './order-lookup.ts'
import { askFirst } from './pacing.ts'
import { readPositions } from './positions.ts'
import type { VenueProfile } from './profile.ts'
import { isWhole, readTicker, readTop } from './tickers.ts'
import { fetchMyTrades, fetchTradeHistory } from './trade-lists.ts'

const BOOK_LEVELS = 5
/** Venues take few other numbers of levels. */
const SHOWN_LEVELS = 20

export type Questions = Pick<
  VenueView,
  'fetchTicker' | 'fetchBalances' | 'fetchPositions' | 'fetchOpenOrders' | 'fetchOrder' | 'fetchMyTrades'
> &
  Required<Pick<VenueView, 'fetchTradeHistory'>> &
  Pick<VenueView, 'fetchCandles' | 'fetchOrderBook' | 'fetchMargin' | 'fetchFundingPayments'> & {
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
    fetchCandles: (symbol, interval, limit) =>
      account.connection.askPublic((markets) =>
        fetchCandles(account.client, requireMarket(markets, symbol), interval, limit),
      ),
    fetchOrderBook: (symbol) => fetchOrderBook(account, symbol),
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
    ...(margin === undefined ? {} : { fetchMargin: (symbol) => fetchMargin(account, margin, symbol, leftOut) }),
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
  const said = await connection.ask(async () => {
    if (profile.access !== undefined) return profile.access(client, environment)
    await client.fetchBalance(profile.balanceScopes(kind, ['USDT'])[0])
    return { remarks: [`${profile.name} does not say what this key may do; make one that cannot withdraw`] }
  })
  const { clockDifferenceMs } = connection
  const remarks = [...said.remarks, ...profile.remarks]
  const report = { ...said, remarks, ...defined({ clockDifferenceMs }) }
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
