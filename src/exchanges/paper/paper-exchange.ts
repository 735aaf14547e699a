// The paper account behind the exchange port: asks the live account, ticks once a second, tells subscribers. All rules are in
// the pure modules beside it.
import type { Exchange } from '../../exchange/exchange.ts'
import { describeBalance } from './account.ts'
import { cancelOrder, cancelOrders, openOrdersOf, placeOrder } from './book.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'
import { createLiveAccount, type LiveAccount, type PaperStateStore } from './live-account.ts'
import { type PriceSource, quote } from './market.ts'
import { PAPER_MARKETS } from './markets.ts'
import { describePosition } from './position.ts'

const TICK_MS = 1000

export interface PaperExchangeOptions {
  readonly prices: PriceSource
  readonly store: PaperStateStore
  /** ms since the epoch. */
  readonly now: () => number
  /** Calls `tick` every `ms`. @returns stops the calls */
  readonly every: (ms: number, tick: () => void) => () => void
  /** Told what failed with no caller to tell: a tick (once until it works again) or a subscriber. */
  readonly onProblem: (problem: unknown) => void
}

/**
 * The paper market is open while an exchange on the account runs: once a second it fills what the price has reached. A fill
 * is one `trade` event; placed and cancelled orders are `order` events; both come after the state was stored, also for what
 * another process did. `ticker` events come every second for the symbols whose ticker was fetched. Methods reject with what
 * the store throws, besides `ExchangeError`.
 */
export function createPaperExchange(options: PaperExchangeOptions): Exchange {
  const { prices, store, now } = options
  const feed = createEventFeed(store, options.onProblem)
  const account = createLiveAccount({ prices, store, now, onStored: feed.publish })
  const watchedSymbols = new Set<string>()
  const stopTicking = options.every(TICK_MS, createTick(options, account, feed, watchedSymbols))

  return {
    id: 'paper',
    async loadMarkets() {
      return PAPER_MARKETS
    },
    async fetchTicker(symbol) {
      const ticker = quote(prices, symbol, now())
      watchedSymbols.add(symbol)
      return ticker
    },
    async fetchBalance() {
      const { state, quotes } = await account.settle()
      return describeBalance(state, quotes)
    },
    async fetchPositions() {
      const { state, quotes } = await account.settle()
      return state.positions.map((position) => describePosition(position, quotes))
    },
    async fetchOpenOrders(symbol) {
      const { state } = await account.settle()
      return openOrdersOf(state, symbol)
    },
    async fetchMyTrades(limit = 50) {
      const { state } = await account.settle()
      return state.trades.slice(Math.max(0, state.trades.length - limit))
    },
    createOrder(request) {
      return account.act((state, { quotes, now: at }) => placeOrder(state, request, quotes, at))
    },
    cancelOrder(id) {
      return account.act((state) => cancelOrder(state, id))
    },
    cancelAllOrders(symbol) {
      return account.act((state) => cancelOrders(state, symbol))
    },
    subscribe: feed.subscribe,
    async close() {
      stopTicking()
      feed.close()
    },
  }
}

/** Does nothing while nobody listens and nothing could fill, and not twice at once when the store is slow. */
function createTick(
  { store, onProblem }: PaperExchangeOptions,
  account: LiveAccount,
  feed: EventFeed,
  watchedSymbols: ReadonlySet<string>,
): () => void {
  let ticking = false
  let failing = false
  return async () => {
    if (ticking) return
    ticking = true
    try {
      const { openOrders, positions } = store.read()
      if (openOrders.length === 0 && positions.length === 0 && !feed.hasSubscribers()) return
      const { quotes } = await account.settle()
      for (const symbol of watchedSymbols) feed.emit({ type: 'ticker', ticker: quotes(symbol) })
      failing = false
    } catch (error) {
      if (!failing) onProblem(error)
      failing = true
    } finally {
      ticking = false
    }
  }
}
