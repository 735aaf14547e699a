// What is offered and asked for, as a venue tells everybody.

/** Best first; price and amount as decimal strings, the amount in the market's `amountUnit`. */
export type BookLevel = readonly [price: string, amount: string]

export interface OrderBook {
  readonly symbol: string
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
  /** ms since the epoch. */
  readonly timestamp: number
}
