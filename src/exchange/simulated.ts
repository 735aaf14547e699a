// In simulation nothing is sent (behaviour 40). What would have been is thrown: the caller goes no further, and cannot take it for anything else.
import type { OrderChange, OrderRef, OrderRequest } from './order.ts'

export type Would =
  | { readonly kind: 'place'; readonly order: Omit<OrderRequest, 'clientOrderId'> }
  /** `protection`: of an entry that has not filled, where its stop and take-profit go then. */
  | {
      readonly kind: 'change'
      readonly ref: OrderRef
      readonly change: OrderChange
      readonly protection?: { readonly triggerPrice?: string; readonly takeProfitPrice?: string }
    }
  | { readonly kind: 'cancel'; readonly ref: OrderRef }
  /** Absent: of every symbol. */
  | { readonly kind: 'cancel-all'; readonly symbol?: string }
  | { readonly kind: 'set'; readonly symbol: string; readonly what: 'leverage' | 'margin'; readonly value: string }

/** The step ends here, and has succeeded. */
export class Simulated extends Error {
  override readonly name = 'Simulated'
  readonly would: Would
  /** Of an order that takes at once: how much of it the book holds now, where that is known and less than its amount. */
  readonly fills: string | undefined
  constructor(would: Would, fills?: string) {
    super(`simulated: would ${would.kind}`)
    this.would = would
    this.fills = fills
  }
}

/** @returns undefined where it would have been sent */
export function unlessSimulated<T>(sent: Promise<T>): Promise<T | undefined> {
  return sent.catch((error: unknown) => {
    if (error instanceof Simulated) return undefined
    throw error
  })
}
