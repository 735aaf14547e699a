// The paper account behind the exchange port: asks the live account, ticks once a second, tells subscribers. All rules are in the pure modules
// beside it.

import type { Capabilities, Exchange } from '../../exchange/exchange.ts'
import type { Order } from '../../exchange/order.ts'
import { cancelOrder, cancelOrders, editOrder, marginOf, placeOrder, setLeverage } from './book.ts'
import { Decimal, decimalText } from './decimal.ts'
import { createEventFeed } from './event-feed.ts'
import { type Action, createLiveAccount, type LiveAccount, type PaperStateStore } from './live-account.ts'
import type { MarketSource } from './market-source.ts'
import type { Outcome } from './matching.ts'
import type { PaperControls, PaperVenue } from './paper-controls.ts'
import { createPulse } from './pulse.ts'
import { createPictures, createQueries } from './queries.ts'
import { endOf, type Replay } from './replay.ts'
import { createRequests, outcomeOf } from './requests.ts'
import { endOrder, type PaperState } from './state.ts'
import { createArchive, NO_ARCHIVE, type PaperHistory } from './state-file.ts'

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
  /** Notified of what failed with no caller to tell: a tick (once until it works again) or a subscriber. */
  readonly onProblem: (problem: unknown) => void
}

const CAPABILITIES: Capabilities = {
  orderTypes: ['market', 'limit', 'stop', 'stop-limit', 'take-profit'],
  timeInForce: ['gtc', 'ioc', 'fok'],
  fillsAtLastPrice: true,
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
    knownMarket: (symbol) => market.listing.markets.find((each) => each.symbol === symbol),
    fetchTicker: (symbol) =>
      ask(async () => {
        await prepare(symbol)
        return pulse.quote(symbol)
      }),
    ...createPictures({ market, ask, prepare, now, pause: () => options.delay(0) }),
    ...createQueries({ prepare, settle, archive, ask, listing: () => market.listing }),
    replayedSince: () => market.replayedSince?.(),
    knownTape: (symbol) => market.tape?.(symbol, now()) ?? [],
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

// A paper account as it was on its first day: no orders, no positions, a balance, nothing that goes wrong on purpose. What happened stays in
// its history, and ids go on counting, so that every order that was ever placed can still be asked for.

/** Resets the account, whose prices are those candles from then on. @param balance in USDT @returns what was open, as it is now */
function beginReplay(state: PaperState, replay: Replay, balance: string): Outcome<readonly Order[]> {
  const { state: bare, result } = resetAccount(state, balance)
  return { state: { ...bare, replay, settledAt: replay.startedAt }, result }
}

/** Its prices stand still from `now` on, where they have not come to their end. */
function stopReplay(state: PaperState, now: number): Outcome<Replay | undefined> {
  const { replay } = state
  if (replay === undefined || replay.stoppedAt !== undefined || endOf(replay) <= now) return { state, result: replay }
  const stopped = { ...replay, stoppedAt: now }
  return { state: { ...state, replay: stopped, nextChangeSeq: state.nextChangeSeq + 1 }, result: stopped }
}

/** @param balance in USDT @returns what was open, as it is now */
function resetAccount(state: PaperState, balance: string): Outcome<readonly Order[]> {
  const open = state.openOrders.map(({ order }) => order)
  const ended = open.reduce(
    (current, order) => endOrder(current, order, 'canceled', 'the paper account was reset'),
    state,
  )
  return {
    state: {
      ...ended,
      deposited: decimalText(new Decimal(balance)),
      realizedPnl: '0',
      fees: '0',
      covered: '0',
      leverage: {},
      positions: [],
      taken: [],
      faults: {},
      faultCount: 0,
      nextChangeSeq: ended.nextChangeSeq + 1,
    },
    result: open.map((order): Order => ({ ...order, status: 'canceled' })),
  }
}
