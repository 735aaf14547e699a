// The paper account as it is stored: one JSON value, decimals as strings, from which everything else follows. The wallet is
// not in it because it is a sum: deposited + realizedPnl - fees + covered. Nothing here knows a price.
import * as z from 'zod/mini'
import type { Order, Trade } from '../../exchange/exchange.ts'
import { Decimal } from './decimal.ts'

/** An open order, and for a stop on which side of its trigger price last has to come. */
export interface RestingOrder {
  readonly order: Order
  readonly firesWhenLast?: 'at-or-above' | 'at-or-below'
}

/** One-way: at most one per symbol, never of amount zero. */
export interface StoredPosition {
  readonly symbol: string
  /** In base; negative when short. */
  readonly amount: string
  /** What the amount was entered for, in settle; negative when short. The entry price is `cost / amount`. */
  readonly cost: string
  /** Since the position was opened, before fees. */
  readonly realizedPnl: string
}

/** A line of the outbox from which every process sharing the account tells its subscribers what happened. */
export interface OrderChange {
  readonly seq: number
  /** As it stood after the change. */
  readonly order: Order
  /** The trade that was the change, by its id in `trades`. */
  readonly tradeId?: string
  readonly reason?: string
}

export interface PaperState {
  readonly version: 1
  /** Of the random walk; every process on this account uses it. */
  readonly seed: string
  readonly deposited: string
  /** Of all trades ever, before fees. */
  readonly realizedPnl: string
  readonly fees: string
  /** Losses beyond the wallet at a liquidation, which the venue bears. */
  readonly covered: string
  /** Sorted by symbol. */
  readonly positions: readonly StoredPosition[]
  /** Oldest first. */
  readonly openOrders: readonly RestingOrder[]
  /** The last 200, newest last. */
  readonly trades: readonly Trade[]
  /** The last 200, newest last. */
  readonly changes: readonly OrderChange[]
  readonly nextOrderId: number
  readonly nextTradeId: number
  readonly nextChangeSeq: number
}

const HISTORY_LENGTH = 200

const decimal = z.string().check(z.regex(/^-?\d+(\.\d+)?$/))
const counter = z.int().check(z.positive())

const order = z.looseObject({
  id: z.string(),
  clientOrderId: z.exactOptional(z.string()),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  type: z.enum(['market', 'limit', 'stop']),
  amount: decimal,
  filled: decimal,
  remaining: decimal,
  price: z.exactOptional(decimal),
  triggerPrice: z.exactOptional(decimal),
  average: z.exactOptional(decimal),
  reduceOnly: z.boolean(),
  postOnly: z.boolean(),
  status: z.enum(['open', 'closed', 'canceled', 'rejected']),
  timestamp: z.number(),
})

const trade = z.looseObject({
  id: z.string(),
  orderId: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  amount: decimal,
  price: decimal,
  fee: decimal,
  takerOrMaker: z.enum(['taker', 'maker']),
  realizedPnl: decimal,
  timestamp: z.number(),
})

const paperState = z.looseObject({
  version: z.literal(1),
  seed: z.string(),
  deposited: decimal,
  realizedPnl: decimal,
  fees: decimal,
  covered: decimal,
  positions: z.array(z.looseObject({ symbol: z.string(), amount: decimal, cost: decimal, realizedPnl: decimal })),
  openOrders: z.array(z.looseObject({ order, firesWhenLast: z.exactOptional(z.enum(['at-or-above', 'at-or-below'])) })),
  trades: z.array(trade),
  changes: z.array(
    z.looseObject({
      seq: counter,
      order,
      tradeId: z.exactOptional(z.string()),
      reason: z.exactOptional(z.string()),
    }),
  ),
  nextOrderId: counter,
  nextTradeId: counter,
  nextChangeSeq: counter,
})

/** A new account that has traded nothing. `balance` is in USDT. */
export function initialState(options: { readonly seed: string; readonly balance: string }): PaperState {
  return {
    version: 1,
    seed: options.seed,
    deposited: new Decimal(options.balance).toFixed(),
    realizedPnl: '0',
    fees: '0',
    covered: '0',
    positions: [],
    openOrders: [],
    trades: [],
    changes: [],
    nextOrderId: 1,
    nextTradeId: 1,
    nextChangeSeq: 1,
  }
}

/**
 * The state in a parsed JSON value, as it is: fields we do not know are kept where they stand.
 * @throws {z.core.$ZodError} naming each path that is not of the shape
 */
export function parsePaperState(raw: unknown): PaperState {
  paperState.parse(raw)
  // Not what zod returns, which would put the fields it does not know last, and lose a `__proto__`.
  return raw as PaperState
}

/** Gives an order its id: `p1`, `p2`, … */
export function numberOrder(
  state: PaperState,
  order: Omit<Order, 'id'>,
): { readonly state: PaperState; readonly order: Order } {
  return {
    state: { ...state, nextOrderId: state.nextOrderId + 1 },
    order: { id: `p${state.nextOrderId}`, ...order },
  }
}

/** Notes what became of an order, for the subscribers of every process. */
export function noteChange(state: PaperState, change: Omit<OrderChange, 'seq'>): PaperState {
  return {
    ...state,
    changes: [...state.changes, { seq: state.nextChangeSeq, ...change }].slice(-HISTORY_LENGTH),
    nextChangeSeq: state.nextChangeSeq + 1,
  }
}

/** Adds a trade to the history and notes it as a change of its order. */
export function noteTrade(state: PaperState, trade: Omit<Trade, 'id'>, order: Order): PaperState {
  const id = `t${state.nextTradeId}`
  const trades = [...state.trades, { id, ...trade }].slice(-HISTORY_LENGTH)
  return noteChange({ ...state, trades, nextTradeId: state.nextTradeId + 1 }, { order, tradeId: id })
}

/** The order leaves the book without trading. */
export function cancelResting(state: PaperState, order: Order, reason?: string): PaperState {
  const canceled: Order = { ...order, status: 'canceled' }
  const openOrders = state.openOrders.filter((resting) => resting.order.id !== order.id)
  return noteChange({ ...state, openOrders }, { order: canceled, ...(reason === undefined ? {} : { reason }) })
}
