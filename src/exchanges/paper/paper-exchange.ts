// The paper account behind the exchange port: asks the live account, ticks once a second, tells subscribers. All rules are in the pure modules
// beside it.
import type { Capabilities, Exchange } from '../../exchange/exchange.ts'
import { createArchive, NO_ARCHIVE, type PaperHistory } from './archive.ts'
import { cancelOrder, cancelOrders, editOrder, marginOf, placeOrder, setLeverage } from './book.ts'
import { createSyntheticDepth, type Depth } from './depth.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'
import { createLiveAccount, type LiveAccount, type PaperStateStore } from './live-account.ts'
import { type PriceSource, quote } from './market.ts'
import { PAPER_MARKETS } from './markets.ts'
import type { PaperVenue } from './paper-controls.ts'
import { createQueries } from './queries.ts'
import { createRequests, outcomeOf } from './requests.ts'
import { resetAccount } from './reset.ts'
import { createTickerWatch, type TickerWatch } from './ticker-watch.ts'

const TICK_MS = 1000

export interface PaperExchangeOptions {
  readonly prices: PriceSource
  /** Default: the synthetic one of the account's seed. */
  readonly depth?: Depth
  readonly store: PaperStateStore
  /** Takes the history that is too old for the store. Default: none, and the store holds it all. */
  readonly history?: PaperHistory
  /** ms since the epoch. */
  readonly now: () => number
  /** Calls `tick` every `ms`. @returns stops the calls */
  readonly every: (ms: number, tick: () => void) => () => void
  /** Resolves after `ms`: for the fault `latency`. */
  readonly delay: (ms: number) => Promise<void>
  /** Told what failed with no caller to tell: a tick (once until it works again) or a subscriber. */
  readonly onProblem: (problem: unknown) => void
}

const CAPABILITIES: Capabilities = {
  orderTypes: ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  timeInForce: ['gtc', 'ioc', 'fok'],
  postOnly: true,
  reduceOnly: true,
  editOrder: true,
  setLeverage: true,
  oco: true,
}

/**
 * The paper market is open while an exchange on the account runs: once a second it fills what the price has reached and the book offers.
 * Events come after the state was stored, also for what another process did: each fill as `trade`, then its order as `order`.
 * `ticker` events come every second for the symbols that are watched.
 */
export function createPaperExchange(options: PaperExchangeOptions): Exchange & PaperVenue {
  const { prices, store, now, depth = createSyntheticDepth(store.read().seed) } = options
  const archive = options.history === undefined ? NO_ARCHIVE : createArchive(options.history)
  const feed = createEventFeed(store, archive, now, options.onProblem)
  const account = createLiveAccount({ ...options, depth, archive, onStored: feed.publish })
  const tickers = createTickerWatch((symbol) => quote(prices, symbol, now()), feed)
  const { send, ask } = createRequests(account, options.delay)
  const stopTicking = options.every(TICK_MS, createTick(options.onProblem, account, feed, tickers))

  return {
    id: 'paper',
    kind: 'linear',
    capabilities: CAPABILITIES,
    get stream() {
      return feed.isStale() ? 'stale' : 'live'
    },
    loadMarkets: () => ask(async () => PAPER_MARKETS),
    fetchTicker: (symbol) => ask(async () => quote(prices, symbol, now())),
    ...createQueries(account, archive, ask),
    fetchMargin: (symbol) => ask(async () => marginOf(account.look(), symbol)),
    createOrder: (request) =>
      outcomeOf(
        send((state, moment) => placeOrder(state, request, moment)),
        request.clientOrderId,
      ),
    editOrder: (ref, change) =>
      outcomeOf(
        send((state, moment) => editOrder(state, ref, change, moment)),
        ref.clientOrderId,
      ),
    cancelOrder: (ref) => send((state) => cancelOrder(state, ref)),
    cancelAllOrders: (symbol) => send((state) => cancelOrders(state, symbol)),
    setLeverage: (symbol, leverage) => send((state, moment) => setLeverage(state, symbol, leverage, moment)),
    subscribe: feed.subscribe,
    watchTicker: tickers.watch,
    async close() {
      stopTicking()
      feed.close()
      tickers.close()
      await account.idle()
    },
    paper: {
      faults: () => store.read().faults,
      setFaults: (faults) =>
        account.act((state) => ({
          state: { ...state, faults, faultCount: 0, nextChangeSeq: state.nextChangeSeq + 1 },
          result: undefined,
        })),
      isUsed: () => store.read().nextChangeSeq > 1,
      reset: (balance) => account.act((state) => resetAccount(state, balance)),
    },
  }
}

/** Does nothing while nobody listens and nothing could fill, and not twice at once when the store is slow. */
function createTick(
  onProblem: PaperExchangeOptions['onProblem'],
  account: LiveAccount,
  feed: EventFeed,
  tickers: TickerWatch,
): () => void {
  let ticking = false
  let failing = false
  return async () => {
    if (ticking) return
    ticking = true
    try {
      feed.tick()
      const { openOrders, positions } = account.look()
      if (openOrders.length === 0 && positions.length === 0 && !feed.hasSubscribers()) return
      await account.settle()
      tickers.tick()
      failing = false
    } catch (error) {
      if (!failing) onProblem(error)
      failing = true
    } finally {
      ticking = false
    }
  }
}
