// The paper account: one value, decimals as strings, from which everything else follows. The wallet is not in it because it is a sum:
// deposited + realizedPnl - fees + covered. Nothing here knows a price. How it is stored is for `state-file.ts` to say.
import { defined } from '../../base/defined.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Order, OrderRef, OrderStatus, Side, Trade } from '../../exchange/order.ts'
import { Decimal, decimal, decimalText, ZERO } from './decimal.ts'
import type { Listing, PaperMarket } from './markets.ts'
import type { PaperFaults } from './paper-controls.ts'
import type { Replay } from './replay.ts'

/** An open order. */
export interface RestingOrder {
  /** Of its last change (see `PaperState.nextChangeSeq`). */
  readonly seq: number
  readonly order: Order
  /** For what waits: on which side of its trigger price last has to come; of a take-profit price it is the other one. */
  readonly firesWhenLast?: 'at-or-above' | 'at-or-below'
  /** A stop-limit whose trigger was reached: it is a limit order now. */
  readonly hasFired?: true
  /** What its fills cost, exactly; absent while there are none. */
  readonly cost?: string
}

/** An order that will not change any more. */
export interface EndedOrder {
  readonly seq: number
  readonly order: Order
  /** Why the venue ended it, where it was the venue. */
  readonly reason?: string
}

export interface StoredTrade extends Trade {
  readonly seq: number
  readonly fee: string
  readonly realizedPnl: string
}

/** One-way: at most one per symbol, never of amount zero. */
export interface StoredPosition {
  readonly symbol: string
  /** In base; negative when short. */
  readonly amount: string
  /** What the amount was entered for, in settle; negative when short. The entry price is `cost / amount`. */
  readonly cost: string
  /** Since the position was opened, before fees, funding included. */
  readonly realizedPnl: string
  /** ms since the epoch; absent in files of before there was funding. */
  readonly openedAt?: number
  /** The time of the last payment of funding; absent while there was none. */
  readonly fundedUntil?: number
}

/** Funding that was paid, or received. */
export interface Payment {
  readonly symbol: string
  /** When it was due, in ms since the epoch. */
  readonly at: number
  readonly rate: string
  /** Of the position then; negative when short. */
  readonly amount: string
  readonly markPrice: string
  /** What the wallet got; negative for what it paid. */
  readonly received: string
}

/** What the account took from the front of one side of a book in one second. */
interface Taken {
  readonly symbol: string
  /** The taker's. */
  readonly side: Side
  /** Since the epoch. */
  readonly second: number
  readonly amount: string
}

export interface PaperState {
  readonly version: 4
  /** Of the walk and the depth; every process on this account uses it. */
  readonly seed: string
  /** Which walk: `independent` is that of accounts from before coins moved together, which keep their prices. */
  readonly walk: 'independent' | 'together'
  readonly deposited: string
  /** Of all trades since the account began or was reset, before fees. */
  readonly realizedPnl: string
  readonly fees: string
  /** Losses beyond the wallet at a liquidation, which the venue bears. */
  readonly covered: string
  /** By symbol, where it was set. */
  readonly leverage: Readonly<Record<string, string>>
  /** Sorted by symbol. */
  readonly positions: readonly StoredPosition[]
  /** Oldest first. */
  readonly openOrders: readonly RestingOrder[]
  /** The last ones, newest last: older ones are in the archive. */
  readonly endedOrders: readonly EndedOrder[]
  /** The last ones, newest last: older ones are in the archive. */
  readonly trades: readonly StoredTrade[]
  readonly taken: readonly Taken[]
  /** The last ones, newest last; absent while there were none. */
  readonly payments?: readonly Payment[]
  readonly faults: PaperFaults
  /** Of an account whose prices are candles. */
  readonly replay?: Replay
  /** Of a market that goes on without us: until when its prices were met, in ms since the epoch. */
  readonly settledAt?: number
  /** Requests that met the faults as they are set. */
  readonly faultCount: number
  /** ms since the epoch, at the first change: what tells this account from one of its name that was deleted. 0 before. */
  readonly bornAt: number
  readonly nextOrderId: number
  readonly nextTradeId: number
  /** Every change of an order and every trade has a number: what a follower has not told yet is what has a higher one. */
  readonly nextChangeSeq: number
  /** The store's own: it names the file with the changes since this state. */
  readonly journal?: string
  /** Ended orders and trades of a change that is not stored yet. Never in the file: `seal` joins them to the others. */
  readonly unsealed?: { readonly endedOrders: readonly EndedOrder[]; readonly trades: readonly StoredTrade[] }
}

/** So many ended orders stay in the state, and so many trades, when older ones are in the archive. */
export const STATE_ROWS = 200

/** No more stay in any case. */
export const HISTORY_LENGTH = 4000

/** A new account that has traded nothing. `balance` is in USDT. */
export function initialState(options: { readonly seed: string; readonly balance: string }): PaperState {
  return {
    version: 4,
    seed: options.seed,
    walk: 'together',
    deposited: decimalText(new Decimal(options.balance)),
    realizedPnl: '0',
    fees: '0',
    covered: '0',
    leverage: {},
    positions: [],
    openOrders: [],
    endedOrders: [],
    trades: [],
    taken: [],
    faults: {},
    faultCount: 0,
    bornAt: 0,
    nextOrderId: 1,
    nextTradeId: 1,
    nextChangeSeq: 1,
  }
}

/**
 * As it is stored. The same reference when there is nothing to do.
 * @param safeSeq rows up to this number are in the archive
 */
export function seal(state: PaperState, safeSeq = -1): PaperState {
  const { unsealed, ...stored } = state
  if (unsealed === undefined) return state
  return {
    ...stored,
    endedOrders: withoutOldest([...state.endedOrders, ...unsealed.endedOrders], safeSeq),
    trades: withoutOldest([...state.trades, ...unsealed.trades], safeSeq),
  }
}

function withoutOldest<Row extends { readonly seq: number }>(rows: readonly Row[], safeSeq: number): readonly Row[] {
  const unsafe = rows.findIndex((row) => row.seq > safeSeq)
  const leaving = Math.min(unsafe === -1 ? rows.length : unsafe, rows.length - STATE_ROWS)
  return rows.slice(Math.max(0, leaving, rows.length - HISTORY_LENGTH))
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

/** The order is open, as it is given; one that was open keeps its place. */
export function keepOpen(state: PaperState, resting: Omit<RestingOrder, 'seq'>): PaperState {
  const kept: RestingOrder = { seq: state.nextChangeSeq, ...resting }
  const isKnown = state.openOrders.some(({ order }) => order.id === resting.order.id)
  const openOrders = isKnown
    ? state.openOrders.map((open) => (open.order.id === resting.order.id ? kept : open))
    : [...state.openOrders, kept]
  return { ...state, openOrders, nextChangeSeq: state.nextChangeSeq + 1 }
}

/** The order is ended, as it is given but for its status. */
export function endOrder(state: PaperState, order: Order, status: OrderStatus, reason?: string): PaperState {
  const row = { seq: state.nextChangeSeq, order: { ...order, status }, ...defined({ reason }) }
  const isOpen = state.openOrders.some((open) => open.order.id === order.id)
  return {
    ...state,
    openOrders: isOpen ? state.openOrders.filter((open) => open.order.id !== order.id) : state.openOrders,
    unsealed: { trades: state.unsealed?.trades ?? [], endedOrders: [...(state.unsealed?.endedOrders ?? []), row] },
    nextChangeSeq: state.nextChangeSeq + 1,
  }
}

/** Adds a trade to the history and gives it its id: `t1`, `t2`, … */
export function noteTrade(state: PaperState, trade: Omit<StoredTrade, 'id' | 'seq'>): PaperState {
  const row = { seq: state.nextChangeSeq, id: `t${state.nextTradeId}`, ...trade }
  return {
    ...state,
    unsealed: { endedOrders: state.unsealed?.endedOrders ?? [], trades: [...(state.unsealed?.trades ?? []), row] },
    nextTradeId: state.nextTradeId + 1,
    nextChangeSeq: state.nextChangeSeq + 1,
  }
}

/** What the account took from this side of the book in this second. */
export function takenFrom(state: PaperState, symbol: string, side: Side, second: number): Decimal {
  const found = state.taken.find((row) => row.second === second && row.symbol === symbol && row.side === side)
  return found === undefined ? ZERO : decimal(found.amount)
}

/** Notes that the account took `amount` more. What was taken in other seconds is forgotten. */
export function noteTaken(
  state: PaperState,
  { symbol, side, second }: Omit<Taken, 'amount'>,
  amount: Decimal,
): PaperState {
  const before = takenFrom(state, symbol, side, second)
  const others = state.taken.filter((row) => row.second === second && !(row.symbol === symbol && row.side === side))
  return { ...state, taken: [...others, { symbol, side, second, amount: decimalText(before.plus(amount)) }] }
}

/** Of a symbol whose leverage was never set; less where the market allows no more. */
const DEFAULT_LEVERAGE = '10'

/** Times the margin. */
export function leverageOf(state: PaperState, { symbol, maxLeverage }: PaperMarket): string {
  const set = Object.hasOwn(state.leverage, symbol) ? state.leverage[symbol] : undefined
  return set ?? (Number(maxLeverage) < Number(DEFAULT_LEVERAGE) ? maxLeverage : DEFAULT_LEVERAGE)
}

/** An open order by either id. */
function findOpen(state: PaperState, ref: OrderRef): RestingOrder | undefined {
  return state.openOrders.find(({ order }) => order.symbol === ref.symbol && isNamed(order, ref))
}

/** An order by either id, open or ended. */
export function findOrder(state: PaperState, ref: OrderRef): Order | undefined {
  const key = ref.id ?? ref.clientOrderId ?? ''
  const ended = state.unsealed?.endedOrders.find(({ order }) => isNamed(order, ref)) ?? endedOf(state.endedOrders, key)
  const found = findOpen(state, ref)?.order ?? ended?.order
  return found?.symbol === ref.symbol ? found : undefined
}

/** Whether an order of any symbol had this id. */
export function isKnownId(state: PaperState, clientOrderId: string): boolean {
  return (
    state.openOrders.some(({ order }) => order.clientOrderId === clientOrderId) ||
    (state.unsealed?.endedOrders.some(({ order }) => order.clientOrderId === clientOrderId) ?? false) ||
    endedOf(state.endedOrders, clientOrderId) !== undefined
  )
}

/** @throws {ExchangeError} `order-not-found`, `bad-symbol` */
export function requireOpen(state: PaperState, ref: OrderRef, listing: Listing): RestingOrder {
  const found = findOpen(state, ref)
  if (found !== undefined) return found
  listing.find(ref.symbol)
  throw orderNotFound(ref, 'is not open', 'list the open orders: it may have filled or been canceled')
}

export function orderNotFound(ref: OrderRef, what: string, hint: string): ExchangeError {
  const name = ref.id ?? ref.clientOrderId
  return new ExchangeError('order-not-found', `${ref.symbol} order ${name ?? '(no id)'} ${what}`, { hint })
}

function isNamed(order: Order, ref: OrderRef): boolean {
  if (ref.id !== undefined) return order.id === ref.id
  return ref.clientOrderId !== undefined && order.clientOrderId === ref.clientOrderId
}

/** Both ids of ended orders, by the very array, once it is asked for more than a few. */
const indexes = new WeakMap<readonly EndedOrder[], { asked: number; index?: ReadonlyMap<string, EndedOrder> }>()
/** A look through the rows costs a small part of an index, and most arrays are asked once: the next order makes another. */
const LOOKS = 8

/** By either id. */
function endedOf(rows: readonly EndedOrder[], key: string): EndedOrder | undefined {
  const known = indexes.get(rows) ?? { asked: 0 }
  indexes.set(rows, known)
  known.asked += 1
  if (known.asked > LOOKS) known.index ??= indexOf(rows)
  return known.index === undefined ? rows.findLast((row) => hasId(row, key)) : known.index.get(key)
}

function hasId({ order }: EndedOrder, key: string): boolean {
  return order.clientOrderId === key || order.id === key
}

function indexOf(rows: readonly EndedOrder[]): ReadonlyMap<string, EndedOrder> {
  const index = new Map<string, EndedOrder>()
  for (const row of rows) {
    index.set(row.order.id, row)
    if (row.order.clientOrderId !== undefined) index.set(row.order.clientOrderId, row)
  }
  return index
}
