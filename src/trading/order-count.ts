// What the guards keep in the order journal (behaviour 40).
import type { Side } from '../exchange/order.ts'

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
}

/** What became of a change that was counted. An order's own answer is its outcome. */
export interface AnsweredChange {
  readonly id: string
  readonly key: string
  readonly account: string
  /** What was not made counts for nothing. */
  readonly outcome: 'made' | 'refused' | 'not-sent'
}
