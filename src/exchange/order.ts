// Orders, fills and what an account holds, in ccxt's unified words.
import { defined } from '../base/defined.ts'

export type Side = 'buy' | 'sell'
/**
 * `stop` and `take-profit` wait for a trigger price and then are market orders; a `stop-limit` is a limit order then. A stop waits on the
 * losing side of last (a sell below, a buy above), a take-profit on the other.
 */
export type OrderType = 'market' | 'limit' | 'stop' | 'stop-limit' | 'take-profit'

/** Whether it waits for a trigger price: some venues keep such orders elsewhere. */
export function isTriggerType(type: OrderType): boolean {
  return type !== 'market' && type !== 'limit'
}

/** `expired`: the venue ended it by its own rules (IOC, FOK, a delisting). */
export type OrderStatus = 'open' | 'closed' | 'canceled' | 'rejected' | 'expired'
/** `gtc` rests until it is canceled, `ioc` fills what it can at once, `fok` fills whole at once or not at all. */
export type TimeInForce = 'gtc' | 'ioc' | 'fok'

/**
 * Why a venue made a fill or ended an order by itself, by the row's own markers. `trigger-failed`: the trigger was reached and its order was
 * refused. `reduce-only` and `position-closed`: nothing was left to reduce.
 */
export const VENUE_CAUSES = [
  'liquidation',
  'deleveraging',
  'settlement',
  'trigger-failed',
  'reduce-only',
  'position-closed',
  'self-trade',
] as const
export type VenueCause = (typeof VENUE_CAUSES)[number]

const CAUSES: Readonly<Record<VenueCause, string>> = {
  liquidation: 'liquidated by the venue',
  deleveraging: 'reduced by auto-deleveraging',
  settlement: 'its contract was settled or delisted',
  'trigger-failed': 'its trigger was reached and the venue refused the order',
  'reduce-only': 'no position left to reduce',
  'position-closed': 'its position was closed',
  'self-trade': 'it would have traded with an order of the same account',
}

/** For people. */
export function describeCause(cause: VenueCause): string {
  return CAUSES[cause]
}

/** Whether the venue ended or changed a position of the account against its will. */
export function isForced(cause: VenueCause | undefined): boolean {
  return cause === 'liquidation' || cause === 'deleveraging' || cause === 'settlement'
}

/** Whether the order ended because there is no position left for it. */
export function isNothingLeft(cause: VenueCause | undefined): boolean {
  return cause === 'reduce-only' || cause === 'position-closed'
}

/** What names one order at a venue: at least one of the two ids. Most venues want the symbol too. */
export interface OrderRef {
  readonly symbol: string
  readonly id?: string
  readonly clientOrderId?: string
  /** It waits for a trigger price: some venues keep such orders elsewhere. */
  readonly isTrigger?: boolean
  /** As it was sent: rows of some venues do not tell a stop from a take-profit. */
  readonly type?: OrderType
}

/** What an order carries of what is to protect the position that it opens, reduce-only, as the venue is to place it. */
export interface AttachedOrder extends Pick<OrderRequest, 'clientOrderId' | 'takeProfitPrice'> {
  readonly type: 'stop' | 'take-profit'
  readonly triggerPrice: string
}

export interface OrderRequest {
  /** 32 hexadecimal characters, made before sending (behaviour 36); adapters map it to the venue's own form. */
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  /** In the market's `amountUnit`; a multiple of the lot. */
  readonly amount: string
  /** For `limit` and `stop-limit`; on the price grid. */
  readonly price?: string
  /** For `stop`, `stop-limit` and `take-profit`: when last reaches it, the order becomes a market or limit order. */
  readonly triggerPrice?: string
  /** Of a `stop` where the venue has `oco`: on the other side of last; whichever of the two last reaches executes the order. Else `not-supported`. */
  readonly takeProfitPrice?: string
  /** Never opens or adds. Spot has no positions and refuses it: `not-supported`. */
  readonly reduceOnly?: boolean
  /** Refused instead of taking liquidity. For `limit` only. */
  readonly postOnly?: boolean
  /** Default `gtc`. For `limit` only. */
  readonly timeInForce?: TimeInForce
  /** For `market` and `limit` where the venue has `attached`, else `not-supported`: placed by the venue itself, as large as what has filled. One that is `reduceOnly` carries none. */
  readonly attached?: readonly AttachedOrder[]
}

/** What of a resting order is to change. The amount is the whole one, what has filled included. */
export type OrderChange = Partial<Pick<OrderRequest, 'amount' | 'price' | 'triggerPrice' | 'takeProfitPrice'>>

export interface Order
  extends Pick<OrderRequest, 'symbol' | 'side' | 'type' | 'amount' | 'price' | 'triggerPrice' | 'takeProfitPrice'> {
  readonly id: string
  /** Absent for orders that were not placed through hookline. */
  readonly clientOrderId?: string
  readonly filled: string
  readonly remaining: string
  /** Volume-weighted price of what filled; absent while nothing has. */
  readonly average?: string
  readonly reduceOnly: boolean
  readonly postOnly: boolean
  readonly status: OrderStatus
  /** Closes the whole position, whatever that is by then: `amount` is what it has filled, `0` while it waits. Absent: no. */
  readonly closesPosition?: boolean
  /** Absent where a person or hookline did it, and where the venue does not report. */
  readonly cause?: VenueCause
  /** ms since the epoch. */
  readonly timestamp: number
}

/** One execution (ccxt: `trade`). `id` is unique within symbol and account. */
export interface Trade {
  readonly id: string
  /** The fill's own id where no order made it: the venue handed the position on or settled it. */
  readonly orderId: string
  /** Absent for orders that were not placed through hookline, and where the venue does not report. */
  readonly clientOrderId?: string
  readonly symbol: string
  readonly side: Side
  readonly amount: string
  readonly price: string
  readonly fee?: string
  readonly feeCurrency?: string
  readonly takerOrMaker?: 'taker' | 'maker'
  /** Before fees; absent on spot and where the venue does not report. */
  readonly realizedPnl?: string
  /** Absent for fills of orders that someone placed, and where the venue does not report. */
  readonly cause?: VenueCause
  /** ms since the epoch. */
  readonly timestamp: number
}

/** Paid, or got, for holding a position of a perpetual contract. */
export interface FundingPayment {
  /** Unique within symbol and account. */
  readonly id: string
  readonly symbol: string
  /** Got; negative: paid. */
  readonly amount: string
  readonly currency: string
  /** ms since the epoch. */
  readonly timestamp: number
}

export interface TradeQuery {
  readonly symbol: string
  /** ms since the epoch, inclusive. */
  readonly since?: number
  /** The newest so many. Default 50. */
  readonly limit?: number
}

/** Fills with how far back they reach. */
export interface TradeHistory {
  readonly trades: readonly Trade[]
  /** From when on no fill is missing, ms since the epoch; absent: none is of all that were asked for. */
  readonly wholeSince?: number
}

/** Of one currency. `total` = wallet balance + unrealised PnL; `free` = what new orders may use. */
export interface Balance {
  readonly currency: string
  readonly wallet: string
  readonly total: string
  readonly used: string
  readonly free: string
}

/** One-way: one position per symbol, never of amount zero. Spot accounts have none. */
export interface Position {
  readonly symbol: string
  readonly side: 'long' | 'short'
  /** In the market's `amountUnit`, without sign. */
  readonly amount: string
  readonly entryPrice: string
  readonly settle: string
  /** In quote. */
  readonly notional: string
  readonly markPrice?: string
  readonly unrealizedPnl?: string
  readonly realizedPnl?: string
  readonly leverage?: string
  readonly marginMode?: 'cross' | 'isolated'
  readonly liquidationPrice?: string
}

/** Names an order or a fill within an account: venues number them within a symbol. */
export function orderKey(symbol: string, id: string): string {
  return `${symbol} ${id}`
}

/** The names of an order that a venue may be asked by. */
export function refOf(order: Pick<Order, 'id' | 'clientOrderId' | 'symbol' | 'type'>): OrderRef {
  const { id, clientOrderId, symbol, type } = order
  return { symbol, id, ...defined({ clientOrderId }), isTrigger: isTriggerType(type) }
}
