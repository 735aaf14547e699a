// What of a ccxt class the streams use. Rows are `unknown` until the adapter has read them; a method that a class lacks is one that its
// venue lacks.

type StreamParams = Readonly<Record<string, unknown>>

export interface StreamClient {
  readonly id: string
  readonly has: Readonly<Record<string, unknown>>
  watchOrders?(symbol?: string, since?: number, limit?: number, params?: StreamParams): Promise<unknown>
  watchMyTrades?(symbol?: string, since?: number, limit?: number, params?: StreamParams): Promise<unknown>
  watchTicker?(symbol: string): Promise<unknown>
  watchOrderBook?(symbol: string, limit?: number): Promise<unknown>
  unWatchTicker?(symbol: string): Promise<unknown>
  unWatchOrderBook?(symbol: string): Promise<unknown>
}

type StreamMethod = 'watchOrders' | 'watchMyTrades' | 'watchTicker' | 'watchOrderBook'

/** Whether the venue streams it. What ccxt imitates by asking is asked for by us. */
export function canWatch(client: StreamClient, method: StreamMethod): boolean {
  return client.has[method] === true && typeof client[method] === 'function'
}
