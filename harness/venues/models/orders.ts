// The words of the engine that all models share: a market, an order's life, a fill. A venue's own words are its model's.
import type { Decimal } from 'decimal.js'

export type Side = 'buy' | 'sell'

export interface ModelMarket {
  /** The venue's name for it. */
  readonly id: string
  /** Ours. */
  readonly symbol: string
  readonly base: string
  readonly quote: string
  /** Absent on spot. */
  readonly settle?: string
  readonly tick: string
  /** In the venue's units. */
  readonly lot: string
  /** How much of the base one of the venue's units is. */
  readonly contractValue: string
  readonly startPrice: string
  readonly maxLeverage: number
}

/** `waiting` for its trigger; `resting` in the book; `filled` whole; `ended` otherwise, for a reason. */
export type Phase = 'waiting' | 'resting' | 'filled' | 'ended'

/** Why an order ended that has not filled whole. `fired`: it is another order now. */
export type EndReason =
  | 'canceled'
  | 'ioc'
  | 'fok'
  | 'book-empty'
  | 'post-only'
  | 'reduce-only'
  | 'position-closed'
  | 'trigger-failed'
  | 'liquidation'
  | 'sibling'
  | 'fired'

export type VenueAct = 'liquidation' | 'deleveraging'

export interface Wish {
  readonly market: ModelMarket
  /** Empty for an order that was typed on the venue's page. */
  readonly clientId: string
  readonly side: Side
  /** In the venue's units. */
  readonly amount: Decimal
  /** Absent: at the market. */
  readonly price?: Decimal
  readonly timeInForce?: 'gtc' | 'ioc' | 'fok'
  readonly postOnly?: boolean
  readonly reduceOnly?: boolean
  readonly trigger?: Trigger
  /** Words of the venue that it says again as they were. */
  readonly said?: Readonly<Record<string, unknown>>
}

export interface Trigger {
  readonly price: Decimal
  /** Which way the last price has to go. */
  readonly way: 'up' | 'down'
}

export interface ModelOrder extends Omit<Wish, 'timeInForce' | 'postOnly' | 'reduceOnly' | 'said'> {
  readonly id: string
  readonly timeInForce: 'gtc' | 'ioc' | 'fok'
  readonly postOnly: boolean
  readonly reduceOnly: boolean
  readonly said: Readonly<Record<string, unknown>>
  readonly createdAt: number
  amount: Decimal
  price?: Decimal
  trigger?: Trigger
  phase: Phase
  reason?: EndReason
  filled: Decimal
  cost: Decimal
  fee: Decimal
  updatedAt: number
  triggeredAt: number
  /** The order that it became as it fired, where that is another. */
  child?: ModelOrder
  parent?: ModelOrder
  /** The venue's own doing. */
  act?: VenueAct
}

export interface ModelFill {
  readonly id: string
  readonly order: ModelOrder
  readonly price: Decimal
  readonly amount: Decimal
  readonly fee: Decimal
  readonly feeCurrency: string
  readonly isMaker: boolean
  readonly realized: Decimal
  readonly time: number
}

export function isOpen({ phase }: ModelOrder): boolean {
  return phase === 'waiting' || phase === 'resting'
}

export type RefusalReason =
  | 'bad-symbol'
  | 'bad-parameter'
  | 'bad-amount'
  | 'bad-price'
  | 'insufficient-funds'
  | 'reduce-only'
  | 'would-trigger'
  | 'post-only'
  | 'fok'
  | 'duplicate-id'
  | 'not-found'
  | 'not-open'
  | 'unchanged'
  | 'leverage'
  | 'signature'
  | 'clock'

/** The engine's no; each model says it in its venue's words. */
export class ModelRefusal extends Error {
  override readonly name = 'ModelRefusal'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`the model refuses: ${reason}`)
    this.reason = reason
  }
}

export function refuse(reason: RefusalReason): never {
  throw new ModelRefusal(reason)
}
