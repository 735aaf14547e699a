// The port behind which every venue stands, in ccxt's unified words. Amounts and prices are decimal strings; nothing in
// hookline computes money with floats. `symbol` is the market id traders type (`BTCUSDT`); an adapter for ccxt maps it to
// ccxt's `BTC/USDT:USDT` at its own edge.

export type Side = 'buy' | 'sell'
export type OrderType = 'market' | 'limit' | 'stop'
export type OrderStatus = 'open' | 'closed' | 'canceled' | 'rejected'

/** A linear perpetual: amounts in `base`, money in `settle`. */
export interface Market {
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly settle: string
  /** Prices are multiples of this. */
  readonly tickSize: string
  /** Amounts are multiples of this. */
  readonly lotSize: string
  /** Smallest amount of one order, in base. */
  readonly minAmount: string
  /** Smallest notional of one order, in quote. */
  readonly minNotional: string
  readonly maxLeverage: string
  readonly makerFee: string
  readonly takerFee: string
}

export interface Ticker {
  readonly symbol: string
  readonly last: string
  readonly bid: string
  readonly ask: string
  /** ms since the epoch. */
  readonly timestamp: number
}

/** Of the settle currency. `total` = wallet balance + unrealised PnL; `free` = what new entries may use as margin. */
export interface Balance {
  readonly currency: string
  readonly wallet: string
  readonly total: string
  readonly used: string
  readonly free: string
}

/** One-way: one position per symbol; `side` is absent exactly when `amount` is `0`, and such rows are not listed. */
export interface Position {
  readonly symbol: string
  readonly side: 'long' | 'short'
  readonly amount: string
  readonly entryPrice: string
  readonly markPrice: string
  readonly unrealizedPnl: string
  readonly realizedPnl: string
  readonly leverage: string
  readonly notional: string
}

export interface OrderRequest {
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  /** In base; must be a multiple of the lot. */
  readonly amount: string
  /** For `limit`. */
  readonly price?: string
  /** For `stop`: when last reaches it, the order becomes a market order. */
  readonly triggerPrice?: string
  readonly reduceOnly?: boolean
  /** Rejected instead of taking liquidity. For `limit` only. */
  readonly postOnly?: boolean
  readonly clientOrderId?: string
}

export interface Order {
  readonly id: string
  readonly clientOrderId?: string
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly amount: string
  readonly filled: string
  readonly remaining: string
  readonly price?: string
  readonly triggerPrice?: string
  /** Volume-weighted price of what filled; absent while nothing has. */
  readonly average?: string
  readonly reduceOnly: boolean
  readonly postOnly: boolean
  readonly status: OrderStatus
  readonly timestamp: number
}

/** One execution (ccxt: `trade`). */
export interface Trade {
  readonly id: string
  readonly orderId: string
  readonly symbol: string
  readonly side: Side
  readonly amount: string
  readonly price: string
  readonly fee: string
  readonly takerOrMaker: 'taker' | 'maker'
  readonly realizedPnl: string
  readonly timestamp: number
}

export type ExchangeEvent =
  | { readonly type: 'trade'; readonly trade: Trade; readonly order: Order }
  | { readonly type: 'order'; readonly order: Order; readonly reason?: string }
  | { readonly type: 'ticker'; readonly ticker: Ticker }

/** Codes after ccxt's error classes. */
export type ExchangeErrorCode =
  | 'bad-symbol'
  | 'invalid-order'
  | 'insufficient-funds'
  | 'order-not-found'
  | 'order-immediately-fillable'
  | 'reduce-only-rejected'
  | 'authentication'
  | 'network'
  | 'not-supported'

/** A refusal by the venue. The order it concerns was not placed, unless `code` is `network`. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly code: ExchangeErrorCode
  /** What to do next, for people. */
  readonly hint: string | undefined
  constructor(code: ExchangeErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}

export interface Exchange {
  /** `paper`, or a ccxt id. */
  readonly id: string
  /** Every market. @throws {ExchangeError} `network` */
  loadMarkets(): Promise<readonly Market[]>
  /** @throws {ExchangeError} `bad-symbol`, `network` */
  fetchTicker(symbol: string): Promise<Ticker>
  fetchBalance(): Promise<Balance>
  /** Open positions, sorted by symbol. */
  fetchPositions(): Promise<readonly Position[]>
  /** Resting orders, oldest first; of one symbol where given. */
  fetchOpenOrders(symbol?: string): Promise<readonly Order[]>
  /** Newest last, at most `limit` (default 50). */
  fetchMyTrades(limit?: number): Promise<readonly Trade[]>
  /**
   * Places one order and resolves with it as it stands after immediate fills.
   * @throws {ExchangeError} the order was not placed
   */
  createOrder(request: OrderRequest): Promise<Order>
  /** @throws {ExchangeError} `order-not-found` when it is not open (any more). */
  cancelOrder(id: string): Promise<Order>
  /** Cancels resting orders, of one symbol where given, and returns them. */
  cancelAllOrders(symbol?: string): Promise<readonly Order[]>
  /**
   * Calls `handler` on every trade and order change of this account, whoever caused it, and on ticker changes.
   * @returns stops the calls
   */
  subscribe(handler: (event: ExchangeEvent) => void): () => void
  /** Stops timers and sockets; saved state stays. */
  close(): Promise<void>
}
