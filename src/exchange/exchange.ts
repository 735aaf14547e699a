// The port in front of every venue. An `Exchange` is one account on one venue. test/exchanges/contract holds every adapter to
// what is said here.

import type { Interval } from '../base/candle-intervals.ts'
import type { ExchangeError } from './exchange-error.ts'
import type { Candle, Market, MarketKind, MarketSummary, OrderBook, TapeTrade, Ticker } from './market.ts'
import type {
  Balance,
  FundingPayment,
  Order,
  OrderChange,
  OrderRef,
  OrderRequest,
  OrderType,
  Position,
  TimeInForce,
  Trade,
  TradeHistory,
  TradeQuery,
} from './order.ts'
import type { Would } from './simulated.ts'

/** What became of an order that was sent (behaviour 37). `unknown`: no definite answer came; the order may live. */
export type OrderOutcome =
  /** As known after the acknowledgement: fills may follow as events. It may have ended already, also with nothing filled. */
  | { readonly kind: 'placed'; readonly order: Order }
  /** The venue's own no. Never `outcome-unknown`, never `network`. */
  | { readonly kind: 'refused'; readonly error: ExchangeError }
  /** `error.code` is `outcome-unknown`, and `error.clientOrderId` what to ask by. */
  | { readonly kind: 'unknown'; readonly error: ExchangeError }

/**
 * `stale`: nothing was heard for too long, or the connection is gone. `resynced`: the gap was read again, what it held was told, and what is
 * told is current again. `live`: current from the start.
 */
export type StreamState = 'live' | 'stale' | 'resynced'

export type ExchangeEvent =
  /** A fill, told once each; one that a stream has swallowed is told when the gap is read again, which may be after a newer one. */
  | { readonly type: 'trade'; readonly trade: Trade }
  /**
   * An order as it is after a change, its fills included. `reason`: why the venue ended or made it, where it says so. `before`: as it was
   * last known to rest; absent: it was not known.
   */
  | { readonly type: 'order'; readonly order: Order; readonly reason?: string; readonly before?: Order }
  | { readonly type: 'ticker'; readonly ticker: Ticker }
  | { readonly type: 'stream'; readonly state: StreamState }

/** What this account's venue can do. What it cannot is refused with `not-supported`. */
export interface Capabilities {
  readonly orderTypes: readonly OrderType[]
  readonly timeInForce: readonly TimeInForce[]
  /** It has no market orders: they are sent as limit orders that take, and read as such by who did not send them. Absent: it has. */
  readonly marketIsLimit?: true
  /** Of these, an order that cannot fill is refused as `invalid-order`, and not taken and ended. Absent: of none. */
  readonly refusesUnfilled?: readonly TimeInForce[]
  /** Orders at the market fill at the last price received: none opens while that is stale. Absent: no. */
  readonly fillsAtLastPrice?: true
  readonly postOnly: boolean
  readonly reduceOnly: boolean
  /** `editOrder` changes a resting order in place; without it an order is replaced by another. */
  readonly editOrder: boolean
  /** The types of orders that it changes; absent: all. */
  readonly editTypes?: readonly OrderType[]
  readonly setLeverage: boolean
  /** Absent: no. */
  readonly setMarginMode?: boolean
  /** Takes a `stop` with a `takeProfitPrice`: one order, two triggers, of which only one is ever executed. Absent: no. */
  readonly oco?: boolean
  /** An order may carry `attached` orders. Absent: no. */
  readonly attached?: WhenAttached
}

/** When a venue places what an order carries: once that has filled whole, or also once it has ended with a part filled. */
export type WhenAttached = 'when-filled' | 'when-over'

/** Whether `editOrder` changes a resting order of this type in place. */
export function canEdit(
  { editOrder, editTypes }: Pick<Capabilities, 'editOrder' | 'editTypes'>,
  type: OrderType,
): boolean {
  return editOrder && editTypes?.includes(type) !== false
}

/** What the keys of an account are good for, as far as the venue reports; absent where it does not. */
export interface AccessReport {
  readonly mayTrade?: boolean
  /** Such keys are refused (behaviour 43). */
  readonly mayWithdraw?: boolean
  /** Hedge mode is refused (behaviour 39). */
  readonly positionMode?: 'one-way' | 'hedge'
  /** How far the venue's clock is ahead of ours, in ms. */
  readonly clockDifferenceMs?: number
  /** What a person should know: no IP list, an expiry date. */
  readonly remarks: readonly string[]
}

/** How a symbol is margined, as far as the venue reports. */
export interface MarginSetting {
  readonly leverage?: string
  readonly marginMode?: 'cross' | 'isolated'
}

/** A copy of an account on which may be tried what would be sent. Nothing of it is kept, sent or told. */
export interface Trial {
  /** @returns the order as it would be then, where it is about one @throws {ExchangeError} the venue's own no */
  take(would: Would): Promise<Order | undefined>
  positions(): readonly Position[]
  /** @throws {ExchangeError} `bad-symbol` */
  openOrders(symbol?: string): readonly Order[]
  balances(): readonly Balance[]
  /** A copy of it as it is by now. */
  fork(): Trial
}

/** A row of a venue's list that could not be read, by what names it there. */
export interface UnreadRow {
  readonly what: 'order' | 'fill' | 'position'
  readonly symbol?: string
  readonly id?: string
  /** A sentence without its full stop; absent: it lacks what such a row has. */
  readonly why?: string
}

/** Questions: they change nothing. @throws {ExchangeError} `network`, `unavailable`, `rate-limited`, `authentication`, `permission`, `clock` */
export interface VenueView {
  /** `paper`, or a ccxt id. */
  readonly id: string
  readonly kind: MarketKind
  readonly capabilities: Capabilities
  /**
   * For how long after its end an order can be asked for by `clientOrderId`, in ms: after that "not found" says nothing. `0`: never.
   * Absent: for as long as it matters.
   */
  readonly findableMs?: number
  /** It prepares an order while that waits for its `release`. Absent: an order leaves as soon as it is given one. */
  readonly holdsOrders?: true
  /** Whether what the streams say is current. */
  readonly stream: 'live' | 'stale'
  /** Rows that lists of this process have left out because they could not be read, the newest 100. Absent: every row can be. */
  readonly unread?: readonly UnreadRow[]
  /** The lengths of candles that it can be asked for, shortest first. Absent where it has none. */
  readonly intervals?: readonly Interval[]
  /** Every market of the account's kind. Kept once read; `reload` reads anew. */
  loadMarkets(options?: { readonly reload?: boolean }): Promise<readonly Market[]>
  /** A market as it was read last; undefined: not listed, or nothing has been read. Absent where nothing is kept. */
  knownMarket?(symbol: string): Market | undefined
  /** Asks once; subscribes to nothing. @throws {ExchangeError} `bad-symbol` */
  fetchTicker(symbol: string): Promise<Ticker>
  /**
   * The price as a stream has told it within the last second; undefined: ask. The first time begins to listen, where the account's streams
   * are there. Absent where nothing is streamed.
   */
  knownTicker?(symbol: string): Ticker | undefined
  /** Asks with the account's keys what they are good for. Absent where there are no keys. @throws {ExchangeError} `authentication`, `permission` */
  checkAccess?(): Promise<AccessReport>
  /** Currencies of which there is any. The settle currency of a derivatives account is always among them. */
  fetchBalances(): Promise<readonly Balance[]>
  /** Open positions, sorted by symbol; none on spot. */
  fetchPositions(): Promise<readonly Position[]>
  /**
   * The positions as they were last read, or are being read, where the streams are current and have told since of nothing that changes them;
   * undefined: ask.
   * A stream is a moment late: enough to see which way an order goes, and not to say by itself that it only reduces. Absent where nothing is
   * streamed.
   * @param before an order that is about to be sent: where it adds by what was read last, and all that was sent since goes its way, that serves
   */
  knownPositions?(
    before?: Pick<OrderRequest, 'symbol' | 'side'>,
  ): readonly Position[] | Promise<readonly Position[]> | undefined
  /**
   * What rests and what is held of a symbol at one moment, where the streams carry both, are current, and nothing that they told changes it;
   * undefined: ask. It lets nothing through that a limit would hold back. Absent where nothing is streamed.
   */
  knownStanding?(symbol: string): KnownStanding | undefined
  /** Resting orders and stops, oldest first; of one symbol where given. @throws {ExchangeError} `bad-symbol` */
  fetchOpenOrders(symbol?: string): Promise<readonly Order[]>
  /** One order, open or ended, by either id. @throws {ExchangeError} `order-not-found` */
  fetchOrder(ref: OrderRef): Promise<Order>
  /**
   * Fills of one symbol, oldest first, as far back as the venue keeps them. @throws {ExchangeError} `bad-symbol`, `network` where not all that
   * were asked for can be read
   */
  fetchMyTrades(query: TradeQuery): Promise<readonly Trade[]>
  /** The same, with what is missing of it. Absent where nothing ever is. @throws {ExchangeError} `bad-symbol` */
  fetchTradeHistory?(query: TradeQuery): Promise<TradeHistory>
  /** Funding of one symbol, oldest first. Absent where the venue cannot be asked for it, and on spot. @throws {ExchangeError} `bad-symbol` */
  fetchFundingPayments?(query: TradeQuery): Promise<readonly FundingPayment[]>
  /** Also without a position. Absent where the venue cannot be asked, and on spot. @throws {ExchangeError} `bad-symbol` */
  fetchMargin?(symbol: string): Promise<MarginSetting>
  /** Absent where only sending tells what becomes of an order. */
  trial?(): Promise<Trial>
  /**
   * What the market did, oldest first; the last one forms. For people to look at: nothing is ordered by it. Absent where the venue cannot be
   * asked.
   * @param since the first so many that begin then or later, ms since the epoch; a venue may have less at once. Absent: the newest
   * @throws {ExchangeError} `bad-symbol`, `not-supported`
   */
  fetchCandles?(symbol: string, interval: Interval, limit: number, since?: number): Promise<readonly Candle[]>
  /** When a replay began here, ms since the epoch: there are no earlier candles. undefined or absent: its prices are of no replay. */
  replayedSince?(): number | undefined
  /** At least 20 levels of each side, where there are so many. Absent where the venue cannot be asked. @throws {ExchangeError} `bad-symbol` */
  fetchOrderBook?(symbol: string): Promise<OrderBook>
  /**
   * The public trades that are known, oldest first, at most `TAPE_TRADES`. The first time begins to listen; a symbol that is not asked about for
   * 30 s is listened to no longer. For people to look at. Absent where the venue streams none.
   */
  knownTape?(symbol: string): readonly TapeTrade[]
  /** For people to look at: nothing is ordered by it. Absent where the venue cannot be asked. @throws {ExchangeError} `bad-symbol` */
  fetchMarketSummary?(symbol: string): Promise<MarketSummary>
  /** Whether the venue made this order of a trigger order that fired, and that goes on under its own id here. Absent: it makes none. */
  isFired?(order: Pick<Order, 'id'>): boolean
  /**
   * Calls `handler` on every fill and order change of this account, by any cause, on stream changes, and on tickers that are watched.
   * @returns stops the calls
   */
  subscribe(handler: (event: ExchangeEvent) => void): () => void
  /**
   * Tickers of the symbol come as events from now on, the first at once if one is known. Watching twice needs ending twice.
   * @returns ends it
   * @throws {ExchangeError} `bad-symbol`
   */
  watchTicker(symbol: string): () => void
}

export interface KnownStanding {
  readonly resting: readonly Order[]
  /** Absent when the account is flat on the symbol. */
  readonly position: Position | undefined
  /** As of now, whatever the order that asks is about to do; undefined: what is held may have changed since. */
  again(): KnownStanding | undefined
}

/** What several orders may be worth together. Dollars. */
export interface OrderBudget {
  readonly max: string
  readonly spent: string
  /** Counts an order, by its id, unless that is too much. */
  take(id: string, dollars: string): boolean
  /** It was refused. */
  giveBack(id: string): void
}

/** What the grant of a client lets its orders do. Dollars as decimals in text; absent limits: none. */
export interface OrderCap {
  /** Whose orders are counted together, on all accounts. */
  readonly client: string
  readonly perOrder?: string
  /** Of all its orders since 00:00 UTC. */
  readonly perDay?: string
  readonly accounts?: readonly string[]
  readonly symbols?: readonly string[]
  /** Why it may order nothing. */
  readonly refusal?: string
}

export interface OrdersAhead {
  /** In dollars. */
  readonly value: string
  readonly count: number
  readonly underWay: readonly (Pick<OrderRequest, 'symbol' | 'side' | 'amount'> & { readonly id: string })[]
}

/** What the guards know of an order besides the order itself (behaviour 40). Adapters ignore all but `release` and `protects`: no venue is told. */
export interface OrderContext {
  /**
   * The stop of an entry that was placed before. Its sender looks whether last has passed its price by then: an adapter takes none back for
   * that.
   */
  readonly protects?: boolean
  /** Part of `halt --flatten`. */
  readonly flattens?: boolean
  /** It takes back or protects something real: it is sent in simulation too. */
  readonly isReal?: boolean
  /** The order of `close`: it ends what is held, also where the venue has no `reduceOnly`. */
  readonly closes?: boolean
  /** It is worked out and not sent, whatever holds for the account. */
  readonly isDry?: boolean
  /** Of the fire that orders; orders that only reduce take nothing of it. */
  readonly budget?: OrderBudget
  /** As of now, of the client that orders; undefined: it has no grant. What only reduces or protects is let through. */
  readonly cap?: () => OrderCap | undefined
  /** What a person has said yes to. */
  readonly accepted?: readonly AcceptedBreach[]
  /**
   * No byte of the order leaves before it has resolved: its intent is on the disk, and it may be sent. Called once, right before that; an order
   * that is not released is refused. Only an exchange that `holdsOrders` is given one.
   */
  readonly release?: () => Promise<void>
  /**
   * Told how much of the limits is used, where one is on, before the order is let through or refused.
   * @param value in dollars, of one that is counted
   */
  readonly onJudged?: (uses: readonly LimitUse[], value?: string) => void
  /** Of one that is only looked at: the orders of its line that would be sent before it. They count as sent, and as not answered yet. */
  readonly ahead?: OrdersAhead
  /** Asked right before its bytes leave. @returns why its run may send nothing more that adds */
  readonly whyEnded?: () => string | undefined
}

/** Decimals in text, in the unit of the limit. */
export interface LimitUse {
  readonly limit: string
  readonly max: string
  /** Without the order; absent: each order is judged by itself, or it is not known. */
  readonly before?: string
  /** With it; absent: it cannot be known. */
  readonly after?: string
}

/** A limit that a person lets one order pass, at this value. */
export interface AcceptedBreach {
  readonly limit: string
  /** A decimal in text, in the unit of the limit. */
  readonly value: string
}

/** In simulation, what would be sent rejects with `Simulated` (behaviour 40): it can be taken neither for placed nor for refused. */
export interface Exchange extends VenueView {
  /** Sends one order, once: an adapter never sends again by itself. Rejects only on a bug, and in simulation. */
  createOrder(request: OrderRequest, context?: OrderContext): Promise<OrderOutcome>
  /**
   * Changes a resting order in place. An amount not above what has filled ends it.
   * @returns `refused` with `order-not-found` when it is not open (any more)
   */
  editOrder(ref: OrderRef, change: OrderChange, context?: OrderContext): Promise<OrderOutcome>
  /** @throws {ExchangeError} `order-not-found` when it is not open (any more), `outcome-unknown` */
  cancelOrder(ref: OrderRef, context?: OrderContext): Promise<Order>
  /** Cancels resting orders and stops, of one symbol where given, and returns them. @throws {ExchangeError} `bad-symbol`, `outcome-unknown` */
  cancelAllOrders(symbol?: string, context?: OrderContext): Promise<readonly Order[]>
  /** A whole number of times, as text. @throws {ExchangeError} `not-supported`, `bad-symbol`, `invalid-order` above the market's maximum, `insufficient-funds` where the position could not be carried, `outcome-unknown` */
  setLeverage(symbol: string, leverage: string, context?: OrderContext): Promise<void>
  /** Absent where the venue has no such thing. @throws {ExchangeError} as `setLeverage` */
  setMarginMode?(symbol: string, mode: 'cross' | 'isolated', context?: OrderContext): Promise<void>
  /** Stops timers and sockets; saved state stays. */
  close(): Promise<void>
}
