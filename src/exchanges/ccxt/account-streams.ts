// What an account hears of its own orders, fills and prices: the shape that both ways of hearing have, by WebSocket and by asking again and again.
import type { ExchangeEvent } from '../../exchange/exchange.ts'
import type { Ticker } from '../../exchange/market.ts'
import type { Order, OrderRef, Trade, TradeQuery } from '../../exchange/order.ts'
import type { CcxtClient } from './ccxt-client.ts'
import type { MarketBook } from './markets.ts'
import type { VenueProfile } from './profile.ts'

export interface AccountStreamsOptions {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  /** @throws {ExchangeError} while they cannot be loaded */
  readonly markets: () => Promise<MarketBook>
  /** The adapter's own questions: what a gap is read again with. */
  readonly read: {
    openOrders(): Promise<readonly Order[]>
    order(ref: OrderRef): Promise<Order>
    trades(query: TradeQuery): Promise<readonly Trade[]>
    ticker(symbol: string): Promise<Ticker>
  }
  /** From ccxt's rows; undefined for what is none of this account's. */
  readonly toOrder: (raw: unknown) => Order | undefined
  readonly toTrade: (raw: unknown) => Trade | undefined
  readonly toTicker: (raw: unknown) => Ticker | undefined
  readonly now: () => number
  /** Calls `tick` every `ms`. @returns stops the calls */
  readonly every: (ms: number, tick: () => void) => () => void
  readonly onProblem: (problem: unknown) => void
}

export interface AccountStreams {
  readonly state: 'live' | 'stale'
  subscribe(handler: (event: ExchangeEvent) => void): () => void
  watchTicker(symbol: string): () => void
  /** An order that the adapter has just placed, changed or canceled: its fills are to be told. */
  note(order: Order): void
  close(): Promise<void>
}

export type CreateAccountStreams = (options: AccountStreamsOptions) => AccountStreams
