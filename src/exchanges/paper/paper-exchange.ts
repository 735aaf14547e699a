// The paper account behind the exchange port: asks the live account, ticks once a second, tells subscribers. All rules are in the pure modules
// beside it.
import type { Capabilities, Exchange } from '../../exchange/exchange.ts'
import { createArchive, NO_ARCHIVE, type PaperHistory } from './archive.ts'
import type { Action } from './batches.ts'
import { cancelOrder, cancelOrders, editOrder, marginOf, placeOrder, setLeverage } from './book.ts'
import { createEventFeed } from './event-feed.ts'
import { createLiveAccount, type LiveAccount, type PaperStateStore } from './live-account.ts'
import type { MarketSource } from './market-source.ts'
import type { PaperControls, PaperVenue } from './paper-controls.ts'
import { createPictures } from './pictures.ts'
import { createPulse } from './pulse.ts'
import { createQueries } from './queries.ts'
import { createRequests, outcomeOf } from './requests.ts'
import { beginReplay, resetAccount, stopReplay } from './reset.ts'

const TICK_MS = 1000

interface PaperExchangeOptions {
  /** Closed with the exchange. */
  readonly market: MarketSource
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
 * The offline market is open while an exchange on the account runs: once a second it fills what the price has reached and the book offers.
 * Events come after the state was stored, also for what another process did: each fill as `trade`, then its order as `order`.
 * `ticker` events come every second for the symbols that are watched.
 */
export function createPaperExchange(options: PaperExchangeOptions): Exchange & PaperVenue {
  const { market, store, now } = options
  const archive = options.history === undefined ? NO_ARCHIVE : createArchive(options.history)
  const feed = createEventFeed(store, archive, now, options.onProblem)
  const account = createLiveAccount({ ...options, archive, onStored: feed.publish })
  const { send, ask } = createRequests(account, options.delay)
  const pulse = createPulse({ market, account, feed, now, onProblem: options.onProblem })
  const { prepare, settle, tickers } = pulse
  /** Once the symbol is priced, and all that the account holds. */
  const sendFor = async <Result>(symbol: string, action: Action<Result>): Promise<Result> => {
    const waiting = prepare(symbol)
    if (waiting !== undefined) await waiting
    return send(action)
  }
  const stopTicking = options.every(TICK_MS, pulse.tick)

  return {
    id: 'paper',
    kind: 'linear',
    capabilities: CAPABILITIES,
    get stream() {
      return feed.isStale() ? 'stale' : 'live'
    },
    loadMarkets: ({ reload = false } = {}) => ask(async () => (await market.loadMarkets(reload)).markets),
    fetchTicker: (symbol) =>
      ask(async () => {
        await prepare(symbol)
        return pulse.quote(symbol)
      }),
    ...createPictures({ market, ask, prepare, now, pause: () => options.delay(0) }),
    ...createQueries({ prepare, settle, archive, ask, listing: () => market.listing }),
    fetchMargin: (symbol) => ask(async () => marginOf(account.look(), symbol, await market.loadMarkets(false))),
    createOrder: (request) =>
      outcomeOf(
        sendFor(request.symbol, (state, moment) => placeOrder(state, request, moment)),
        request.clientOrderId,
      ),
    editOrder: (ref, change) =>
      outcomeOf(
        sendFor(ref.symbol, (state, moment) => editOrder(state, ref, change, moment)),
        ref.clientOrderId,
      ),
    cancelOrder: (ref) => send((state, moment) => cancelOrder(state, ref, moment)),
    cancelAllOrders: (symbol) => send((state, moment) => cancelOrders(state, symbol, moment)),
    setLeverage: (symbol, leverage) => sendFor(symbol, (state, moment) => setLeverage(state, symbol, leverage, moment)),
    subscribe: feed.subscribe,
    watchTicker: tickers.watch,
    async close() {
      stopTicking()
      feed.close()
      pulse.stop()
      await account.idle()
      await market.close()
    },
    paper: createControls(store, account),
  }
}

function createControls(store: PaperStateStore, account: LiveAccount): PaperControls {
  return {
    faults: () => store.read().faults,
    setFaults: (faults) =>
      account.act((state) => ({
        state: { ...state, faults, faultCount: 0, nextChangeSeq: state.nextChangeSeq + 1 },
        result: undefined,
      })),
    isUsed: () => store.read().nextChangeSeq > 1,
    reset: (balance) => account.act((state) => resetAccount(state, balance)),
    replay: () => store.read().replay,
    beginReplay: (replay, balance) => account.act((state) => beginReplay(state, replay, balance)),
    stopReplay: () => account.act((state, { now }) => stopReplay(state, now)),
  }
}
