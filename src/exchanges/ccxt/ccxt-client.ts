// What hookline uses of a ccxt class, in its own words: amounts and prices go in as decimal strings, and what comes out is `unknown` until a
// schema has read it. ccxt's own types promise numbers and say `any` where it matters.
export type Params = Readonly<Record<string, unknown>>

/** One instance of a venue's class. Every method is a question or a request over the wire; none is called with a number for money. */
export interface CcxtClient {
  readonly id: string
  readonly has: Record<string, unknown>
  readonly options: Record<string, unknown>
  readonly requiredCredentials: Readonly<Record<string, boolean>>
  /** By ccxt's unified symbol, once loaded. */
  readonly markets: Readonly<Record<string, unknown>> | undefined
  /** 2 decimal places, 3 significant digits, 4 tick sizes. */
  readonly precisionMode: number
  /** ms that one unit of request weight takes to come back. */
  readonly rateLimit: number
  readonly timeout: number
  fetchImplementation: unknown
  throttle: (cost?: number) => Promise<void>
  milliseconds: () => number
  loadMarkets(reload?: boolean, params?: Params): Promise<unknown>
  loadTimeDifference(params?: Params): Promise<unknown>
  setSandboxMode(enabled: boolean): void
  enableDemoTrading?(enabled: boolean): void
  /** Any endpoint of the venue, signed where its API group is. `cost`: its weight, where that is not 1. */
  request(
    path: string,
    api: string | readonly string[],
    method: string,
    params?: Params,
    headers?: undefined,
    body?: undefined,
    config?: { readonly cost: number },
  ): Promise<unknown>
  /** Absent where the venue has no clock to ask. */
  fetchTime?(params?: Params): Promise<unknown>
  fetchTicker(symbol: string, params?: Params): Promise<unknown>
  fetchOrderBook(symbol: string, limit?: number, params?: Params): Promise<unknown>
  /** By length: the venue's own word for it. */
  readonly timeframes?: Readonly<Record<string, unknown>>
  fetchOHLCV?(symbol: string, timeframe: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  /** Absent where the venue has no perpetual contracts. */
  fetchFundingRate?(symbol: string, params?: Params): Promise<unknown>
  fetchBalance(params?: Params): Promise<unknown>
  fetchPositions(symbols?: readonly string[], params?: Params): Promise<unknown>
  fetchOpenOrders(symbol?: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  fetchClosedOrders(symbol?: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  /** Of one class: those that ended, however. */
  fetchCanceledAndClosedOrders(symbol?: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  fetchOrders(symbol?: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  fetchOrder(id: string, symbol?: string, params?: Params): Promise<unknown>
  fetchMyTrades(symbol?: string, since?: number, limit?: number, params?: Params): Promise<unknown>
  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: string,
    price?: string,
    params?: Params,
  ): Promise<unknown>
  editOrder(
    id: string,
    symbol: string,
    type: string,
    side: string,
    amount?: string,
    price?: string,
    params?: Params,
  ): Promise<unknown>
  cancelOrder(id: string, symbol?: string, params?: Params): Promise<unknown>
  setLeverage(leverage: number | string, symbol?: string, params?: Params): Promise<unknown>
  setMarginMode(mode: string, symbol?: string, params?: Params): Promise<unknown>
  fetchPositionMode(symbol?: string, params?: Params): Promise<unknown>
  /** Turns a venue's own rows into ccxt's. */
  parseOrder(row: unknown, market?: unknown): unknown
  parseTrade(row: unknown, market?: unknown): unknown
  parseTrades: (rows: unknown, market?: unknown) => readonly unknown[]
  close(): Promise<unknown>
}

export type CcxtClass = new (settings: Params) => CcxtClient
