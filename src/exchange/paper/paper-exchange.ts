// The paper account behind the exchange port: reads and writes the stored state, looks at the clock, tells subscribers. All
// rules are in the pure modules beside it. Whatever is asked, the account is first brought up to the market of now; a
// refused order therefore still leaves the fills that came before it.
import {
  type Balance,
  type Exchange,
  ExchangeError,
  type Order,
  type OrderRequest,
  type Position,
  type Trade,
} from '../exchange.ts'
import { describeBalance } from './account.ts'
import { cancelOrder, placeOrder } from './book.ts'
import { createEventFeed } from './event-feed.ts'
import { type PriceSource, type Quotes, quote, quotesAt } from './market.ts'
import { findMarket, PAPER_MARKETS } from './markets.ts'
import { advance, type Moment } from './matching.ts'
import { describePosition } from './position.ts'
import { cancelResting, type PaperState } from './state.ts'

const TICK_MS = 1000

/** Where the account is kept. Several exchanges, in several processes, may share it: every change is made inside `update`. */
export interface PaperStateStore {
  /** The state as stored now. */
  read(): PaperState
  /** Applies `change` to the freshest state, alone, and stores the result; the same reference stores nothing. */
  update(change: (current: PaperState) => PaperState): Promise<PaperState>
  /** Calls `handler` after a change by anyone. @returns stops the calls */
  watch?(handler: () => void): () => void
}

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

type Action<Result> = (state: PaperState, moment: Moment) => { readonly state: PaperState; readonly result: Result }

/**
 * The paper market is open while an exchange on the account runs: once a second it fills what the price has reached. A fill
 * is one `trade` event; placed and cancelled orders are `order` events; both come after the state was stored, also for what
 * another process did. `ticker` events come every second for the symbols whose ticker was fetched. Methods reject with what
 * the store throws, besides `ExchangeError`.
 */
export function createPaperExchange(options: PaperExchangeOptions): Exchange {
  const { prices, store, now, onProblem } = options
  const feed = createEventFeed(store, onProblem)
  const watchedSymbols = new Set<string>()
  let opening = true
  let ticking = false
  let failing = false

  function momentNow(): Moment {
    const at = now()
    return { quotes: quotesAt(prices, at), now: at, opening }
  }

  /** The account brought up to now; stored only if that changed it. */
  async function settle(): Promise<{ readonly state: PaperState; readonly quotes: Quotes }> {
    let moment = momentNow()
    let state = store.read()
    if (advance(state, moment) !== state) {
      state = await store.update((current) => {
        moment = momentNow()
        return advance(current, moment)
      })
    }
    opening = false
    feed.publish(state)
    return { state, quotes: moment.quotes }
  }

  /** Brings the account up to now and acts on it, as one change. */
  async function act<Result>(action: Action<Result>): Promise<Result> {
    let outcome: { readonly result: Result } | { readonly refusal: ExchangeError } | undefined
    const stored = await store.update((current) => {
      const moment = momentNow()
      const settled = advance(current, moment)
      try {
        const { state, result } = action(settled, moment)
        outcome = { result }
        return state
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error
        outcome = { refusal: error }
        return settled
      }
    })
    opening = false
    feed.publish(stored)
    if (outcome === undefined) throw new Error('the store resolved an update without applying it')
    if ('refusal' in outcome) throw outcome.refusal
    return outcome.result
  }

  async function tick(): Promise<void> {
    if (ticking) return
    ticking = true
    try {
      const { openOrders, positions } = store.read()
      if (openOrders.length === 0 && positions.length === 0 && !feed.hasSubscribers()) return
      const { quotes } = await settle()
      for (const symbol of watchedSymbols) feed.emit({ type: 'ticker', ticker: quotes(symbol) })
      failing = false
    } catch (error) {
      if (!failing) onProblem(error)
      failing = true
    } finally {
      ticking = false
    }
  }

  const stopTicking = options.every(TICK_MS, () => void tick())

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
    async fetchBalance(): Promise<Balance> {
      const { state, quotes } = await settle()
      return describeBalance(state, quotes)
    },
    async fetchPositions(): Promise<readonly Position[]> {
      const { state, quotes } = await settle()
      return state.positions.map((position) => describePosition(position, quotes))
    },
    async fetchOpenOrders(symbol) {
      const { state } = await settle()
      return openOrdersOf(state, symbol)
    },
    async fetchMyTrades(limit = 50): Promise<readonly Trade[]> {
      const { state } = await settle()
      return state.trades.slice(Math.max(0, state.trades.length - limit))
    },
    createOrder(request: OrderRequest): Promise<Order> {
      return act((state, { quotes, now: at }) => {
        const placed = placeOrder(state, request, quotes, at)
        return { state: placed.state, result: placed.order }
      })
    },
    cancelOrder(id): Promise<Order> {
      return act((state) => {
        const canceled = cancelOrder(state, id)
        return { state: canceled.state, result: canceled.order }
      })
    },
    cancelAllOrders(symbol): Promise<readonly Order[]> {
      return act((state) => {
        const orders = openOrdersOf(state, symbol)
        return {
          state: orders.reduce((current, order) => cancelResting(current, order), state),
          result: orders.map((order): Order => ({ ...order, status: 'canceled' })),
        }
      })
    },
    subscribe: feed.subscribe,
    async close() {
      stopTicking()
      feed.close()
    },
  }
}

/** @throws {ExchangeError} `bad-symbol` */
function openOrdersOf(state: PaperState, symbol: string | undefined): readonly Order[] {
  if (symbol !== undefined) findMarket(symbol)
  return state.openOrders
    .map((resting) => resting.order)
    .filter((order) => symbol === undefined || order.symbol === symbol)
}
