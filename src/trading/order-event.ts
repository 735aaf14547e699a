// What becomes of an order, told to the caller that placed it. Nothing here is text for people: commands make lines of it, tasks make decisions.
import type { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderRef, Side, Trade } from '../exchange/order.ts'
import type { ProtectionPlan, ProtectiveRole } from './order-plan.ts'
import type { TradingError } from './trading-error.ts'

/** What is made of the end of a protective order. */
export type EndOutcome =
  /** The position is there: it rests again. */
  | 'placed-again'
  /** Last has passed its price: the position is closed at the market. */
  | 'closing'
  /** It filled in part: what is left is closed, or covered again. */
  | 'rest-follows'
  /** The position is gone. */
  | 'flat'
  /** A person canceled it with hookline, of this process or another. */
  | 'taken-back'
  /** It was canceled twice at the venue: it is not placed again. */
  | 'waived'

export interface ChangedOrder {
  readonly before: Order
  readonly order: Order
}

export type OrderEvent =
  /** It filled, whole or in part, as it was placed. `trades` is empty where the venue has not told them yet. */
  | { readonly type: 'filled'; readonly order: Order; readonly trades: readonly Trade[] }
  /** What has not filled rests in the book. */
  | { readonly type: 'rests'; readonly order: Order }
  /** The venue has taken it; its run was stopped before more was known, and the rest is told when it is. */
  | { readonly type: 'sent'; readonly order: Order }
  /** A fill that came after it was placed. */
  /** `isReported`: the order itself has reported that amount as filled, before the venue listed the fill. */
  | { readonly type: 'filled-later'; readonly order: Order; readonly trade: Trade; readonly isReported?: true }
  /** It has filled, so far, while no process followed it. */
  | { readonly type: 'filled-meanwhile'; readonly order: Order }
  /**
   * It is over, and not by filling. `isElsewhere`: it was canceled, and not by this process. `outcome`: of a protective order that was not
   * canceled by its protection. `isReported`: the command that ended it reports that. `isReplaced`: that command has placed another for it.
   */
  | {
      readonly type: 'ended'
      readonly order: Order
      readonly reason?: string
      readonly isElsewhere?: true
      readonly outcome?: EndOutcome
      /** Of `taken-back` by another hookline: the order that rests in its place and covers as much. */
      readonly replacedBy?: Order
      readonly isReported?: true
      readonly isReplaced?: true
      /** So long after the end was heard of, where finding out what became of the position took time. */
      readonly lateMs?: number
    }
  /** Of an order that this process did not place: it filled, or is over; `reason`: why, where the venue says so (behaviour 34). */
  | {
      readonly type: 'elsewhere'
      readonly order?: Order
      readonly trades: readonly Trade[]
      readonly reason?: string
      /** Of a stop or a target that was canceled: the one that was placed in its place. */
      readonly replacedBy?: Order
    }
  /** Orders that no hookline on this directory has placed, and that rest now; several: they came together. */
  | { readonly type: 'placed-elsewhere'; readonly venue: string; readonly orders: readonly Order[] }
  /** Resting orders, our own among them, that no hookline on this directory has changed. */
  | { readonly type: 'changed-elsewhere'; readonly venue: string; readonly changes: readonly ChangedOrder[] }
  /** No definite answer came; the venue is being asked. */
  | { readonly type: 'unknown'; readonly clientOrderId: string; readonly symbol: string; readonly error: ExchangeError }
  /** The venue has been asked: `order` is there, or it never arrived. */
  | { readonly type: 'settled'; readonly clientOrderId: string; readonly symbol: string; readonly order?: Order }
  /** Asking settles nothing: a person has to look, and to say what became of it. */
  | {
      readonly type: 'unsettled'
      readonly clientOrderId: string
      readonly symbol: string
      readonly error: TradingError
    }
  /** No definite answer came to a change of a resting order; the venue is being asked. */
  | { readonly type: 'change-unknown'; readonly ref: OrderRef; readonly symbol: string; readonly error: ExchangeError }
  /** The venue has been asked: `order` is as it is now; absent where the venue no longer knows it. */
  | {
      readonly type: 'change-settled'
      readonly ref: OrderRef
      readonly symbol: string
      readonly isChanged: boolean
      readonly order?: Order
    }
  /** A protective order of an entry was placed, or changed to what has filled by now. */
  | { readonly type: 'protected'; readonly stop: Order; readonly isChange: boolean }
  /** A protective order was taken back, because the other one of its pair has filled; `isFlat`: because its position is gone. */
  | { readonly type: 'withdrawn'; readonly order: Order; readonly isFlat?: true }
  /** The position is gone, and this order, placed by hand, would reduce the next one. */
  | { readonly type: 'still-rests'; readonly order: Order }
  /** Last has passed the price of a protective order: the position is closed at the market instead. */
  | {
      readonly type: 'stop-passed'
      readonly symbol: string
      readonly triggerPrice: string
      readonly role: ProtectiveRole
    }
  /** The protective orders go in when the entry fills. `isAttached`: the venue has them, and places them itself. */
  | ({ readonly type: 'stop-waits'; readonly symbol: string } & Pick<
      ProtectionPlan,
      'triggerPrice' | 'takeProfitPrice' | 'isAttached'
    >)
  /** The entry met a position of the other side: only `opened` of what has filled is there to protect. */
  | {
      readonly type: 'offset'
      readonly symbol: string
      readonly side: Side
      readonly filled: string
      readonly opened: string
    }
  | { readonly type: 'stop-failed'; readonly error: TradingError }
  /** This process ends while the entry rests, or, `isPair`, while stop and take-profit do, of which one must end with the other. `isAttached`: the venue places them. */
  | { readonly type: 'left'; readonly symbol: string; readonly isPair: boolean; readonly isAttached?: true }

export type OrderListener = (event: OrderEvent) => void

// What the guards keep in the order journal (behaviour 40).

/** What an order, or a change of one, counts against the limits of its account; noted before it is sent. */
export interface CountedOrder {
  /** The `clientOrderId`, or the venue's own id of an order that has none. */
  readonly id: string
  /** One of a kind: tells a change from its order, whose own is its id. */
  readonly key: string
  readonly account: string
  readonly symbol: string
  readonly side: Side
  /** The whole amount, in the market's unit, and its value in dollars; zero for what only shrinks a position. */
  readonly amount: string
  readonly value: string
  /** Of a change: by how much the order grows. Absent: by all of it. */
  readonly grows?: string
  /** Whose grant it counts against. */
  readonly client?: string
}

/** What became of a change that was counted. An order's own answer is its outcome. */
export interface AnsweredChange {
  readonly id: string
  readonly key: string
  readonly account: string
  /** What was not made counts for nothing. */
  readonly outcome: 'made' | 'refused' | 'not-sent'
}
