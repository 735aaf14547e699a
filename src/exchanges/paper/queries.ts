// What a paper account answers about itself: each question first brings it up to now. What is too old for the state is in the archive.
import { defined } from '../../base/defined.ts'
import type { Exchange, Trial, VenueView } from '../../exchange/exchange.ts'
import type { OrderBook } from '../../exchange/market.ts'
import type { Order, OrderRef, Position, Side, Trade, TradeQuery } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import { describeBalance, describePosition } from './account.ts'
import { cancelOrder, cancelOrders, editOrder, openOrdersOf, placeOrder, setLeverage } from './book.ts'
import { decimalText } from './decimal.ts'
import type { LiveAccount, Settled } from './live-account.ts'
import { type MarketSource, type MarketView, stalePrices } from './market-source.ts'
import type { Listing } from './markets.ts'
import type { Moment, Outcome } from './matching.ts'
import type { Requests } from './requests.ts'
import { findOrder, orderNotFound, type PaperState } from './state.ts'
import type { Archive } from './state-file.ts'

const TRADES_LISTED = 50

type Queries = Pick<
  Exchange,
  | 'trial'
  | 'fetchBalances'
  | 'fetchPositions'
  | 'fetchOpenOrders'
  | 'fetchOrder'
  | 'fetchMyTrades'
  | 'fetchFundingPayments'
>

interface QueriesOptions {
  /** Waits for a price of the symbol. */
  readonly prepare: (symbol?: string) => Promise<void> | undefined
  /** Brings the account up to now. */
  readonly settle: LiveAccount['settle']
  readonly archive: Archive
  readonly ask: Requests['ask']
  readonly listing: () => Listing
}

export function createQueries({ prepare, settle, archive, ask, listing }: QueriesOptions): Queries {
  const settleOn = async (symbol?: string) => {
    await prepare(symbol)
    return settle()
  }
  return {
    trial: () => ask(() => createTrial(settleOn)),
    fetchBalances: () =>
      ask(async () => {
        const { state, moment } = await settle()
        return [describeBalance(state, moment)]
      }),
    fetchPositions: () =>
      ask(async () => {
        return positionsOf(await settle())
      }),
    fetchOpenOrders: (symbol) => ask(async () => openOrdersOf((await settle()).state, symbol, listing())),
    fetchOrder: (ref) =>
      ask(async () => {
        const { state } = await settle()
        const found = findOrder(state, ref) ?? findArchived(archive, state, ref)
        if (found !== undefined) return found
        throw orderNotFound(ref, 'is not known', 'list the trades: it never arrived, or ended long ago')
      }),
    fetchMyTrades: ({ symbol, since = 0, limit = TRADES_LISTED }) =>
      ask(async () => {
        listing().find(symbol)
        const { state } = await settle()
        return listTrades(archive, state, { symbol, since, limit })
      }),
    fetchFundingPayments: ({ symbol, since = 0, limit = TRADES_LISTED }) =>
      ask(async () => {
        const { currency } = listing()
        listing().find(symbol)
        const { payments = [] } = (await settle()).state
        const asked = payments.filter((payment) => payment.symbol === symbol && payment.at >= since)
        return asked
          .slice(Math.max(0, asked.length - limit))
          .map(({ at, received }) => ({ id: `f${at}`, symbol, amount: received, currency, timestamp: at }))
      }),
  }
}

const positions = new WeakMap<Settled, readonly Position[]>()

/** Orders of one moment ask for them one by one. */
function positionsOf(settled: Settled): readonly Position[] {
  const { state, moment } = settled
  const known = positions.get(settled)
  if (known !== undefined) return known
  const described = state.positions.map((position) => describePosition(state, position, moment))
  positions.set(settled, described)
  return described
}

function findArchived(archive: Archive, state: PaperState, ref: OrderRef): Order | undefined {
  archive.refresh(state)
  const order = archive.find(ref.id ?? ref.clientOrderId ?? '')?.order
  return order?.symbol === ref.symbol ? order : undefined
}

function listTrades(
  archive: Archive,
  state: PaperState,
  { symbol, since, limit }: Required<TradeQuery>,
): readonly Trade[] {
  const isAsked = (trade: Trade): boolean => trade.symbol === symbol && trade.timestamp >= since
  const newest = state.trades.filter(isAsked)
  const oldest = state.trades[0]?.seq ?? 0
  const needsMore = newest.length < limit && state.trades[0]?.id !== 't1'
  if (needsMore) archive.refresh(state)
  const older = needsMore ? archive.trades.filter((trade) => trade.seq < oldest && isAsked(trade)) : []
  const trades = [...older, ...newest]
  return trades.slice(Math.max(0, trades.length - limit)).map(({ seq: _, ...trade }) => trade)
}

// What a paper account shows of its market to people: candles and the book.

const LEVELS = 20

interface PicturesOptions {
  readonly market: MarketSource
  readonly ask: Requests['ask']
  /** Waits for prices of the symbol, as long as they may come soon. */
  readonly prepare: (symbol: string) => Promise<void> | undefined
  readonly now: () => number
  readonly pause: () => Promise<void>
}

export function createPictures({
  market,
  ask,
  prepare,
  now,
  pause,
}: PicturesOptions): Required<Pick<VenueView, 'fetchCandles' | 'fetchOrderBook' | 'fetchMarketSummary'>> &
  Pick<VenueView, 'intervals'> {
  /** @throws {ExchangeError} for a symbol that is not listed, and for stale prices */
  const current = async (symbol: string) => {
    await prepare(symbol)
    market.listing.find(symbol)
    const at = now()
    const view = market.at(at)
    if (!view.isCurrent(symbol)) throw stalePrices(symbol)
    return { view, at }
  }
  return {
    ...defined({ intervals: market.intervals }),
    fetchCandles: (symbol, interval, limit, since) =>
      ask(async () => {
        await prepare(symbol)
        market.listing.find(symbol)
        return (await market.candles?.({ symbol, interval, limit, now: now(), ...defined({ since }) }, pause)) ?? []
      }),
    fetchOrderBook: (symbol) =>
      ask(async () => {
        const { view, at } = await current(symbol)
        return { symbol, bids: sideOf(view, symbol, 'sell'), asks: sideOf(view, symbol, 'buy'), timestamp: at }
      }),
    fetchMarketSummary: (symbol) =>
      ask(async () => {
        const { view, at } = await current(symbol)
        const [next] = view.funding(symbol).filter((payment) => payment.at > at)
        const known = (await market.summary?.(symbol, at)) ?? { symbol }
        // Positions of this account are valued at last.
        const funding = next === undefined ? {} : { funding: { rate: next.rate, at: next.at } }
        return { ...known, ...funding, mark: view.quotes(symbol).last }
      }),
  }
}

/** @param taker who would meet it */
function sideOf({ book }: MarketView, symbol: string, taker: Side): OrderBook['bids'] {
  return Array.from({ length: LEVELS }, (_, level) => book(symbol, taker, level)).flatMap((level) =>
    level === undefined ? [] : [[decimalText(level.price), decimalText(level.amount)] as const],
  )
}

// A copy of a paper account on which orders are tried: it fills, locks and refuses as the account would, and nothing of it is kept or told.

/** @param settle brings the account up to now, once the symbol has a price */
async function createTrial(settle: (symbol?: string) => Promise<Settled>): Promise<Trial> {
  return trialFrom(await settle(), 0, settle)
}

function trialFrom(begin: Settled, before: number, settle: (symbol?: string) => Promise<Settled>): Trial {
  let { state, moment } = begin
  let taken = before
  const keep = <Result>({ state: next, result }: Outcome<Result>): Result => {
    state = next
    return result
  }
  return {
    async take(would) {
      const symbol = symbolOf(would)
      if (symbol !== undefined) moment = (await settle(symbol)).moment
      taken += 1
      return keep(attempt(state, would, moment, taken.toString(16).padStart(32, '0')))
    },
    positions: () => state.positions.map((position) => describePosition(state, position, moment)),
    openOrders: (symbol) => openOrdersOf(state, symbol, moment.listing),
    balances: () => [describeBalance(state, moment)],
    fork: () => trialFrom({ state, moment }, taken, settle),
  }
}

function symbolOf(would: Would): string | undefined {
  switch (would.kind) {
    case 'place':
      return would.order.symbol
    case 'change':
    case 'cancel':
      return would.ref.symbol
    case 'cancel-all':
    case 'set':
      return would.symbol
  }
}

function attempt(state: PaperState, would: Would, moment: Moment, clientOrderId: string): Outcome<Order | undefined> {
  switch (would.kind) {
    case 'place':
      return placeOrder(state, { ...would.order, clientOrderId }, moment)
    case 'change':
      return editOrder(state, would.ref, would.change, moment)
    case 'cancel':
      return cancelOrder(state, would.ref, moment)
    case 'cancel-all':
      return { ...cancelOrders(state, would.symbol, moment), result: undefined }
    case 'set':
      if (would.what !== 'leverage') return { state, result: undefined }
      return { ...setLeverage(state, would.symbol, would.value, moment), result: undefined }
  }
}
